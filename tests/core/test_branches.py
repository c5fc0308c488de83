"""`rarely` is the condition, and what depends on it stays behind a branch."""

from __future__ import annotations

import re

import numpy as np
import pytest

from factored_bandits.core.branches import rarely
from factored_bandits.core.kernel import bind, compiles, kernel


@kernel
def largest(values):
    best = values[0]
    place = 0
    for i in range(len(values)):
        if rarely(values[i] >= best):
            best = values[i]
            place = i
    return place


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("size", [1, 7, 16, 100])
def test_the_condition_is_what_it_was(size, compiled):
    values = np.random.default_rng(size).integers(0, 10, size)
    found = bind(largest, "largest", compiled=compiled)(values)
    assert found == np.flatnonzero(values == values.max())[-1]


@pytest.mark.skipif(not compiles(), reason="nothing is compiled here")
def test_the_compiler_is_told(monkeypatch):
    from factored_bandits.core import compiling

    monkeypatch.setattr(compiling, "can_be_kept", lambda *what: False)  # kept code has no text
    loop = bind(largest, "told")
    loop(np.arange(3))
    (code,) = loop.dispatcher.inspect_llvm().values()
    # what LLVM makes of a hint
    assert re.search(r'"branch_weights".* i32 (1, i32 2000|2000, i32 1)}', code)
