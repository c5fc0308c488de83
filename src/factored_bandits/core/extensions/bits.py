"""`int.bit_count` in compiled kernels, which is one instruction, and the functions of `core.bits`.

`bit_sums` is a positional population count (Klarqvist, Mula and Lemire 2021) by carry-save adders
(Harley and Seal), on vectors of eight words whatever the registers of the processor are.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir

from factored_bandits.core.bits import BLOCK, GROUP, bit_sums, nonzero_words

_core: Any = numba.core
_extending: Any = numba.extending
_types: Any = numba.types
_struct: Any = _core.cgutils.create_struct_proxy

INLINE = {"forceinline": True}
WIDTH = 8  # words in a vector, bits in a byte, and vectors in a block
WORD = ir.IntType(64)
VECTOR = ir.VectorType(WORD, WIDTH)
ONES = 0x0101010101010101  # in each byte the lowest bit
EVEN = 0x00FF00FF00FF00FF  # every other byte


@_extending.intrinsic
def _ones(context: Any, word: Any) -> Any:
    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return _types.int64(_types.int64), code


@_extending.overload_method(_types.Integer, "bit_count", jit_options=INLINE)
def _bit_count(word: Any) -> Any:
    def count(word: Any) -> Any:
        return _ones(word)

    return count if word == _types.int64 else None


@_extending.intrinsic
def _nonzero(context: Any, words: Any, start: Any) -> Any:
    kind = ir.VectorType(WORD, GROUP)

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = _struct(signature.args[0])(target, builder, value=arguments[0]).data
        position = builder.bitcast(builder.gep(data, [arguments[1]]), kind.as_pointer())
        found = builder.load(position, align=8)
        flags = builder.icmp_unsigned("!=", found, ir.Constant(kind, [0] * GROUP))
        return builder.zext(builder.bitcast(flags, ir.IntType(GROUP)), WORD)

    return _types.int64(words, start), code


@_extending.overload(nonzero_words, jit_options=INLINE)
def _nonzero_words(words: Any, start: Any) -> Any:
    def quickly(words: Any, start: Any) -> Any:
        return _nonzero(words, start)

    return quickly


def _all(number: int) -> Any:
    return ir.Constant(VECTOR, [ir.Constant(WORD, number)] * WIDTH)


def _full_adder(builder: Any, a: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """In each bit the sum of three, and the carry."""
    differ = builder.xor(a, b)
    carry = builder.or_(builder.and_(a, b), builder.and_(differ, c))
    return builder.xor(differ, c), carry


def _add_eight(builder: Any, digits: list[Any], words: list[Any]) -> list[Any]:
    """Add eight words to the digits of a sum; its digits, and the carry, which counts eight."""
    ones, twos, fours = digits
    pairs = []
    for k in range(0, WIDTH, 2):
        ones, carry = _full_adder(builder, ones, words[k], words[k + 1])
        pairs.append(carry)

    twos, first = _full_adder(builder, twos, pairs[0], pairs[1])
    twos, second = _full_adder(builder, twos, pairs[2], pairs[3])
    fours, eights = _full_adder(builder, fours, first, second)
    return [ones, twos, fours, eights]


def _bytes(builder: Any, vector: Any, k: int) -> Any:
    """Bits k, k + 8, ... of each word, in a byte each."""
    return builder.and_(builder.lshr(vector, _all(k)), _all(ONES))


def _every_other(builder: Any, vector: Any, odd: int) -> Any:
    """The even or the odd bytes of each word, in 16 bits each."""
    return builder.and_(builder.lshr(vector, _all(8 * odd)), _all(EVEN))


def _total(builder: Any, vector: Any) -> Any:
    """The sum of the words of a vector."""
    kind = ir.FunctionType(WORD, [VECTOR])
    name = f"llvm.vector.reduce.add.v{WIDTH}i64"
    function = _core.cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [vector])


@_extending.intrinsic
def _sums(context: Any, words: Any, count: Any, sums: Any) -> Any:
    """Bytes hold how many blocks had a bit eight times, so there are at most 255 blocks."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        data = _struct(kinds[0])(target, builder, value=arguments[0]).data
        found = _struct(kinds[2])(target, builder, value=arguments[2]).data

        def place(base: Any, index: Any) -> Any:
            return builder.bitcast(builder.gep(base, [index]), VECTOR.as_pointer())

        def variable() -> Any:
            return _core.cgutils.alloca_once_value(builder, _all(0))

        digits = [variable() for _ in range(3)]  # ones, twos, fours
        eights = [variable() for _ in range(WIDTH)]  # of bits k, k + 8, ..., a byte each

        with _core.cgutils.for_range(builder, builder.udiv(arguments[1], WORD(BLOCK))) as loop:
            start = builder.mul(loop.index, WORD(BLOCK))
            block = [
                builder.load(place(data, builder.add(start, WORD(WIDTH * k))), align=8)
                for k in range(WIDTH)
            ]
            *after, carry = _add_eight(builder, [builder.load(kept) for kept in digits], block)
            for value, kept in zip(after, digits, strict=True):
                builder.store(value, kept)
            for k, kept in enumerate(eights):
                builder.store(builder.add(builder.load(kept), _bytes(builder, carry, k)), kept)

        # all eight words together, in 16 bits each, and these into a word of their own
        for odd in range(2):
            totals = ir.Constant(VECTOR, ir.Undefined)
            for k in range(WIDTH):
                total = _every_other(builder, builder.load(eights[k]), odd)
                for kept in reversed(digits):
                    digit = _every_other(builder, _bytes(builder, builder.load(kept), k), odd)
                    total = builder.add(builder.shl(total, _all(1)), digit)
                total = _total(builder, total)
                totals = builder.insert_element(totals, total, ir.IntType(32)(k))

            for field in range(4):
                value = builder.lshr(totals, _all(16 * field))
                value = builder.and_(value, _all(2**16 - 1))
                builder.store(value, place(found, WORD(WIDTH * (2 * field + odd))), align=8)

        return target.get_dummy_value()

    return _types.void(words, count, sums), code


@_extending.overload(bit_sums, jit_options=INLINE)
def _bit_sums(words: Any, count: Any, sums: Any) -> Any:
    def quickly(words: Any, count: Any, sums: Any) -> Any:
        _sums(words, count, sums)

    return quickly
