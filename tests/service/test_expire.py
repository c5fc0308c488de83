"""Giving decisions up by hand, at once or all that are older than so much."""

from __future__ import annotations

from datetime import timedelta

import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError


def test_older_decisions_are_given_up_as_the_agent_does_it(tmp_path):
    memory = fb.Agent(factors={"page": ["A", "B", "C"]}, seed=3)
    given = {"factors": {"page": ["A", "B", "C"]}, "seed": 3}
    with fb.open(tmp_path / "shop.db", key="home", **given) as durable:
        for agent in (memory, durable):
            for _ in range(6):
                agent.ask()
            agent.tell(2, 1.0)
        assert durable.expire(older_than=2) == memory.expire(older_than=2)
        assert durable.waiting == memory.waiting == (4, 5, 6)
        assert durable.expire(older_than=timedelta(hours=1)) == ()
        with pytest.raises(InvalidInputError, match=r"an id or older_than=\.\.\., not both"):
            durable.expire(5, older_than=2)
        assert durable.waiting == (4, 5, 6)
    with fb.open(tmp_path / "shop.db", key="home", **given) as again:
        assert again.waiting == (4, 5, 6)
