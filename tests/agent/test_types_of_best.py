"""The type of `Agent.best()`: mypy checks this file with the sources (pyproject.toml)."""

from __future__ import annotations

from typing import Any, assert_type

import pytest

import factored_bandits as fb

Label = str | int | float | bool | None


def test_of_factors_it_is_a_label_per_factor() -> None:
    agent = fb.Agent("tea", factors={"ad": ["A", "B"]}, bound="betting", seed=1)
    best = assert_type(agent.best(), dict[str, Label])
    assert best == {"ad": "A"}


def test_of_arms_it_is_a_label() -> None:
    agent = fb.Agent(arms=["draft A", "draft B"], history=[("draft A", "draft B")])
    best = assert_type(agent.best(), Label)
    assert best == "draft A"


def test_of_a_text_one_says_what_it_is_of() -> None:
    text = fb.Agent(arms=["draft A", "draft B"]).dump()
    assert_type(fb.Agent.load(text), fb.Agent[Any])
    agent: fb.Agent[str] = fb.Agent.load(text)
    assert assert_type(agent.best(), str) == "draft A"


def test_the_types_of_other_arguments_are_checked() -> None:
    # mypy complains of an `ignore` that nothing needs
    with pytest.raises(fb.errors.InvalidInputError, match="seed"):
        fb.Agent(factors={"ad": ["A", "B"]}, seed="one")  # type: ignore[call-overload]
