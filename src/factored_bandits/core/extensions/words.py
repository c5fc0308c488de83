"""`words.random_word` and `words.fill_words` in compiled loops; eight streams are one vector.

LLVM makes of a vector as many registers as the processor needs: one with AVX-512, two with AVX2.
Two vectors do not wait for each other; more of them would not fit into the registers of AVX2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.np.random import generator_core

from factored_bandits.core.words import (
    GAMMA,
    MIXING,
    ROTATION,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    STREAMS,
    WORD,
    fill_words,
    random_word,
)

from .drawing import HALF, NARROW, next_number

_core: Any = numba.core
_extending: Any = numba.extending
_types: Any = numba.types
_struct: Any = _core.cgutils.create_struct_proxy
_next_uint64: Any = generator_core.next_uint64

INLINE = {"forceinline": True}
WIDTH = 8  # streams in a vector
VECTOR = ir.VectorType(NARROW, WIDTH)


def _each(numbers: Sequence[int]) -> Any:
    return ir.Constant(VECTOR, [ir.Constant(NARROW, number % 2**HALF) for number in numbers])


def _all(number: int) -> Any:
    return _each([number] * WIDTH)


def _states(builder: Any, seed: Any) -> list[list[Any]]:
    """For each vector of streams, the words a, b and c."""
    seeds = _spread(builder, seed)
    found = []
    for first in range(1, STREAMS + 1, WIDTH):
        words = []
        for start in range(first, first + 3 * STREAMS, STREAMS):
            word = builder.add(seeds, _each([GAMMA * (start + k) for k in range(WIDTH)]))
            for shift, factor in MIXING:
                word = builder.xor(word, builder.lshr(word, _all(shift)))
                word = builder.mul(word, _all(factor))
            words.append(_core.cgutils.alloca_once_value(builder, word))
        found.append(words)
    return found


def _spread(builder: Any, number: Any) -> Any:
    """A vector of one number."""
    found = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), number, ir.IntType(32)(0))
    first = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(found, found, first)


def _step(builder: Any, state: list[Any], counter: Any) -> tuple[Any, list[Any]]:
    """The numbers of one step of SFC64, and the words after it."""
    a, b, c = state
    drawn = builder.add(builder.add(a, b), counter)
    high = builder.shl(c, _all(ROTATION))
    rotated = builder.or_(high, builder.lshr(c, _all(HALF - ROTATION)))

    after_a = builder.xor(b, builder.lshr(b, _all(SHIFT_RIGHT)))
    after_b = builder.add(c, builder.shl(c, _all(SHIFT_LEFT)))
    after_c = builder.add(rotated, drawn)
    return drawn, [after_a, after_b, after_c]


@_extending.intrinsic
def _fill(context: Any, seed: Any, words: Any, count: Any) -> Any:
    """Words from the streams of this seed."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        seed, words, count = arguments
        data = _struct(signature.args[1])(target, builder, value=words).data
        states = _states(builder, seed)

        with _core.cgutils.for_range(builder, builder.udiv(count, NARROW(STREAMS))) as loop:
            counter = _spread(builder, builder.add(loop.index, NARROW(1)))
            start = builder.mul(loop.index, NARROW(STREAMS))
            for number, kept in enumerate(states):
                drawn, after = _step(builder, [builder.load(place) for place in kept], counter)
                for word, place in zip(after, kept, strict=True):
                    builder.store(word, place)

                position = builder.gep(data, [builder.add(start, NARROW(number * WIDTH))])
                position = builder.bitcast(position, VECTOR.as_pointer())
                builder.store(builder.lshr(drawn, _all(HALF - WORD)), position, align=8)

        return target.get_dummy_value()

    return _types.void(seed, words, count), code


@_extending.overload(random_word, jit_options=INLINE)
def _random_word(rng: Any) -> Any:
    def quickly(rng: Any) -> Any:
        return np.int64(next_number(rng) >> np.uint64(HALF - WORD))

    def by_numpy(rng: Any) -> Any:
        return np.int64(_next_uint64(rng.bit_generator) >> np.uint64(HALF - WORD))

    return by_numpy if type(rng) is _types.NumPyRandomGeneratorType else quickly


@_extending.overload(fill_words, jit_options=INLINE)
def _fill_words(rng: Any, words: Any, count: Any) -> Any:
    def fill(rng: Any, words: Any, count: Any) -> Any:
        _fill(random_word(rng), words, count)

    return fill
