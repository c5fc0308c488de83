"""Without Optuna the library works, and what needs it says what to install."""

from __future__ import annotations

import sys

import pytest

import factored_bandits as fb
from factored_bandits.errors import MissingExtraError


@pytest.mark.parametrize("name", ["Sampler", "best_params"])
def test_the_extra_is_named(monkeypatch, name):
    for module in ["optuna", *sys.modules]:
        if module.partition(".")[0] == "optuna":
            monkeypatch.setitem(sys.modules, module, None)
        if module.startswith("factored_bandits.optuna."):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(vars(fb.optuna), name, raising=False)

    with pytest.raises(MissingExtraError) as raised:
        getattr(fb.optuna, name)
    assert str(raised.value) == (
        f"fb.optuna.{name} needs optuna, which is not installed: pip install "
        '"factored-bandits[optuna]"'
    )


def test_other_names_do_not_exist():
    with pytest.raises(AttributeError, match="has no attribute 'sampler_of'"):
        fb.optuna.sampler_of  # noqa: B018
    assert dir(fb.optuna) == sorted(fb.optuna.__all__)
