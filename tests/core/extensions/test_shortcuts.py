"""What is done once while a loop is compiled: the same code comes out, and numba stays as it is."""

from __future__ import annotations

import contextlib
import gc
import math

import numpy as np
import pytest

from factored_bandits.core.kernel import bind, compiles, kernel

pytestmark = pytest.mark.skipif(not compiles(), reason="nothing is compiled here")


@pytest.fixture(autouse=True)
def nothing_compiled_before(monkeypatch):
    """Neither on disk nor by other tests of this process."""
    from factored_bandits.core import compiling
    from factored_bandits.core.extensions import shortcuts

    monkeypatch.setattr(compiling, "can_be_kept", lambda loop, kernels: False)
    monkeypatch.setattr(compiling, "_INNER", {})
    monkeypatch.setattr(shortcuts, "_RESOLVED", {})


@kernel
def root(values, at):
    return math.sqrt(values[at]) + min(values[at], 2)


@kernel
def entry(values, at):
    return root(values, at)


@kernel
def twice(values, at):
    """With a function inside, which only numba's own passes can do."""

    def double(x):
        return 2.0 * x

    return double(values[at])


def of_numba():
    from numba.core.base import BaseContext
    from numba.core.targetconfig import TargetConfig
    from numba.core.types.functions import BaseFunction

    replaced = (BaseFunction.get_call_type, BaseContext.refresh)
    return *replaced, TargetConfig.__eq__, TargetConfig.__hash__, gc.isenabled()


def test_numba_is_as_before_when_a_loop_is_compiled_and_when_it_cannot_be():
    before = of_numba()
    assert bind(entry, "entry_of_floats")(np.array([9.0]), 0) == 5.0
    assert of_numba() == before

    from factored_bandits.core.extensions.shortcuts import shortcuts

    with contextlib.suppress(ZeroDivisionError), shortcuts():
        assert all(now != then for now, then in zip(of_numba(), before, strict=True))
        raise ZeroDivisionError
    assert of_numba() == before


def test_the_same_function_is_resolved_once_for_each_type_and_option():
    from factored_bandits.core.extensions import shortcuts

    floats = np.array([9.0])
    bind(entry, "entry_once")(floats, 0)
    one = len(shortcuts._RESOLVED)
    bind(entry, "entry_once_more")(floats, 0)
    assert len(shortcuts._RESOLVED) == one

    assert bind(entry, "entry_of_integers")(np.array([4]), 0) == 4.0
    of_types = len(shortcuts._RESOLVED)
    assert of_types > one
    bind(entry, "entry_checked", bounds_checked=True)(floats, 0)
    assert len(shortcuts._RESOLVED) > of_types


def test_a_loop_with_checked_indices_has_them_whatever_was_resolved_before():
    values = np.array([9.0, 4.0])
    assert bind(entry, "entry_unchecked")(values, 1) == 4.0
    checked = bind(entry, "entry_with_checks", bounds_checked=True)
    assert checked(values, 1) == 4.0
    with pytest.raises(IndexError):
        checked(values, 2)


def test_kernels_of_others_are_compiled_by_all_of_numba_s_passes():
    assert bind(twice, "twice_of_others", bounds_checked=True)(np.array([1.0, 3.0]), 1) == 6.0
