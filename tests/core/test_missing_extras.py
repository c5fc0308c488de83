"""Without an optional library ours works, and what needs that library says what to install."""

from __future__ import annotations

import sys

import pytest

import factored_bandits as fb
from factored_bandits.errors import MissingExtraError


@pytest.mark.parametrize(
    ("package", "name", "library"),
    [
        ("gymnasium", "Env", "gymnasium"),
        ("openfeature", "Provider", "openfeature-sdk"),
        ("optuna", "Sampler", "optuna"),
        ("optuna", "best_params", "optuna"),
    ],
)
def test_the_extra_is_named(monkeypatch, package, name, library):
    for module in [package, *sys.modules]:
        if module.partition(".")[0] == package:
            monkeypatch.setitem(sys.modules, module, None)
        if module.startswith(f"factored_bandits.{package}."):
            monkeypatch.delitem(sys.modules, module)
    ours = getattr(fb, package)
    monkeypatch.delitem(vars(ours), name, raising=False)

    with pytest.raises(MissingExtraError) as raised:
        getattr(ours, name)
    assert str(raised.value) == (
        f"fb.{package}.{name} needs {library}, which is not installed: pip install "
        f'"factored-bandits[{package}]"'
    )


@pytest.mark.parametrize("package", ["gymnasium", "openfeature", "optuna"])
def test_other_names_do_not_exist(package):
    ours = getattr(fb, package)
    with pytest.raises(AttributeError, match="has no attribute 'sampler_of'"):
        ours.sampler_of  # noqa: B018
    assert dir(ours) == sorted(ours.__all__)
