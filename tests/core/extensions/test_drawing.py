"""Numbers drawn inside compiled loops are NumPy's, and move NumPy's own state."""

import sys

import numpy as np
import pytest

from factored_bandits.core.kernel import bind, compiles, kernel
from factored_bandits.core.words import STREAMS, fill_words, random_word

pytestmark = pytest.mark.skipif(not compiles(), reason="nothing is compiled here")


@kernel
def floats(rng, found):
    for i in range(len(found)):
        found[i] = rng.random()


@kernel
def several(rng, found):
    for i in range(0, len(found), 4):
        found[i] = rng.random()
        found[i + 1] = rng.standard_normal()
        found[i + 2] = rng.random()
        found[i + 3] = rng.beta(2.0, 3.0)


@kernel
def words(rng, found):
    """Words by turns with floats, and the streams that they are the seeds of."""
    room = found.view(np.int64)
    start = 0
    length = 0
    while start + length + 1 < len(found):
        fill_words(rng, room[start:], length)
        found[start + length] = rng.random()
        room[start + length + 1] = random_word(rng)
        start += length + 2
        length += STREAMS


def both(loop, generators, count):
    """What a loop draws compiled, and interpreted; and the generators after that."""
    filled = []
    for generator, compiled in zip(generators, (True, False), strict=True):
        found = np.zeros(count)
        bind(loop, loop.__name__, compiled=compiled)(generator, found)
        filled.append(found)
    return filled


@pytest.mark.parametrize("loop", [floats, several, words])
@pytest.mark.parametrize("seed", range(5))
def test_the_numbers_are_those_of_numpy(loop, seed):
    generators = np.random.default_rng(seed), np.random.default_rng(seed)
    compiled, interpreted = both(loop, generators, 4_000)

    assert compiled.tobytes() == interpreted.tobytes()
    assert generators[0].bit_generator.state == generators[1].bit_generator.state


@pytest.mark.parametrize(
    "generator", [np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]
)
@pytest.mark.parametrize("loop", [floats, words])
def test_other_generators_draw_their_own_numbers(loop, generator):
    generators = [np.random.Generator(generator(3)) for _ in range(2)]
    compiled, interpreted = both(loop, generators, 100)

    assert compiled.tobytes() == interpreted.tobytes()


def test_half_a_word_that_numpy_keeps_is_left_alone():
    """`integers` of 32 bits uses half a word and keeps the other for the next."""
    generators = np.random.default_rng(1), np.random.default_rng(1)
    first = [generator.integers(0, 2**31, dtype=np.int32) for generator in generators]
    both(floats, generators, 10)
    second = [generator.integers(0, 2**31, dtype=np.int32) for generator in generators]

    assert first[0] == first[1]
    assert second[0] == second[1]


def test_a_call_leaves_no_reference_to_the_generator():
    generator = np.random.default_rng(1)
    loop = bind(floats, "floats")
    loop(generator, np.zeros(1))
    before = sys.getrefcount(generator), sys.getrefcount(generator.bit_generator)
    for _ in range(100):
        loop(generator, np.zeros(1))

    assert (sys.getrefcount(generator), sys.getrefcount(generator.bit_generator)) == before
