"""A generator that a compiled loop holds draws NumPy's numbers, and gives the state back."""

import numpy as np
import pytest

from factored_bandits.core.kernel import bind, compiles, kernel
from factored_bandits.core.rng import held, release
from factored_bandits.core.words import fill_words, random_word
from factored_bandits.errors import KernelError

pytestmark = pytest.mark.skipif(not compiles(), reason="nothing is compiled here")


@kernel
def draw(rng, other, found, words, i):
    """By every method that a held generator has, by turns with another generator."""
    fill_words(rng, words, len(words))
    found[i] = words[i % len(words)] + rng.random() + random_word(rng)
    found[i + 1] = rng.standard_normal()
    found[i + 2] = other.random()
    found[i + 3] = rng.beta(2.0, 3.0)
    found[i + 4] = rng.random()


@kernel
def both_held(rng, other, found, words):
    own = held(rng)
    others = held(other)
    for i in range(0, len(found), 5):
        draw(own, others, found, words, i)
    release(own)
    release(others)


@kernel
def normal(rng):
    own = held(rng)
    found = own.normal(0.0, 1.0)
    release(own)
    return found


def generators(kind=np.random.PCG64):
    return [np.random.Generator(kind(seed)) for seed in (1, 2)]


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.PCG64DXSM, np.random.Philox])
def test_numbers_and_states_are_those_of_numpy(kind):
    filled = []
    states = []
    for compiled in (True, False):
        pair = generators(kind)
        found = np.zeros(5_000)
        loop = bind(both_held, "both_held", compiled=compiled)
        words = np.zeros(32, dtype=np.int64)
        loop(*pair, found[:2_500], words)
        loop(*pair, found[2_500:], words)
        filled.append(found.tobytes())
        states.append([(rng.random(), rng.integers(2**63)) for rng in pair])

    assert filled[0] == filled[1]
    assert states[0] == states[1]


def test_drawing_by_another_method_does_not_compile():
    """It would draw from a state that is out of date."""
    with pytest.raises(KernelError, match=r"'normal' cannot be compiled, see test_held.py"):
        bind(normal, "normal")(generators()[0])
