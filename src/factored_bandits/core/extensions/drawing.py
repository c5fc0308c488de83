"""Random numbers inside compiled loops: steps of NumPy's PCG64, without a call.

numba draws by calling a function of NumPy for every number. Here the step of the generator is part
of the loop; it moves the state that the generator itself keeps, so the numbers are the same and
either side can go on where the other stopped.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import numba
import numpy as np
from llvmlite import ir

_core: Any = numba.core
_extending: Any = numba.extending
_types: Any = numba.types
_struct: Any = _core.cgutils.create_struct_proxy
_bit_generator: Any = _types.NumPyRandomBitGeneratorType("bit_generator")

# O'Neill (2014), PCG XSL RR 128/64: the state moves by state * MULTIPLIER + increment; the number
# is the exclusive or of its halves, rotated to the right by its six highest bits.
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
HALF = 64
ROTATION = 128 - 6
UNIT = 2.0**-53  # of a float in [0, 1): the 53 highest bits count them

WIDE = ir.IntType(2 * HALF)
NARROW = ir.IntType(HALF)


class Pcg64:
    """A generator as compiled loops take it: the addresses of its state and of its functions.

    numba asks NumPy for them in every call, which takes longer than many a step of an agent.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self.bit_generator = generator.bit_generator  # held, so that the addresses stay right
        found: Any = generator.bit_generator.ctypes
        self.state_address = found.state_address
        self.state = found.state.value
        self.fnptr_next_uint64 = _address(found.next_uint64)
        self.fnptr_next_uint32 = _address(found.next_uint32)
        self.fnptr_next_double = _address(found.next_double)
        # NumPy's state begins with a pointer to the two words.
        self.words = _address_at(self.state)


# Attributes of Pcg64, which are fields of numba's type of a bit generator.
FIELDS = (
    "state_address",
    "state",
    "fnptr_next_uint64",
    "fnptr_next_uint32",
    "fnptr_next_double",
)


def _address(function: Any) -> int | None:
    return ctypes.cast(function, ctypes.c_void_p).value


def _address_at(address: int) -> int | None:
    return ctypes.c_void_p.from_address(address).value


def quick(argument: Any) -> Any:
    """What to hand to a compiled loop: a generator in the form from which it draws quickest."""
    if not isinstance(argument, np.random.Generator):
        return argument
    known = type(argument.bit_generator) is np.random.PCG64 and _state_is_two_words()
    return Pcg64(argument) if known else argument


@functools.cache
def _state_is_two_words() -> bool:
    """Whether NumPy keeps the state here as this file expects it: a pointer to 2 x 128 bits."""
    generator = np.random.PCG64(1)
    expected = generator.state["state"]
    pointer = _address_at(generator.ctypes.state.value)
    if pointer is None:
        return False
    found = ctypes.string_at(pointer, 32)
    words = (int.from_bytes(found[:16], sys.byteorder), int.from_bytes(found[16:], sys.byteorder))
    return words == (expected["state"], expected["inc"])


class Pcg64Type(_types.NumPyRandomGeneratorType):  # type: ignore[misc]
    """`Pcg64` in compiled code: a generator of which `random` is done here."""

    def __init__(self) -> None:
        super().__init__("Pcg64")
        self.name = "Pcg64"  # numba's class gives every generator the same name


@_extending.typeof_impl.register(Pcg64)
def _typeof(value: Pcg64, context: Any) -> Pcg64Type:
    return Pcg64Type()


@_extending.register_model(Pcg64Type)
class _Model(_extending.models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, type_: Pcg64Type) -> None:
        members = [
            # As numba's methods expect them of a generator.
            ("bit_generator", _bit_generator),
            ("meminfo", _types.MemInfoPointer(_types.voidptr)),
            ("parent", _types.pyobject),
            # Where the state lies: two words of 128 bits, the state and the increment.
            ("words", _types.voidptr),
        ]
        super().__init__(manager, type_, members)


@_extending.unbox(Pcg64Type)
def _unbox(type_: Pcg64Type, value: Any, c: Any) -> Any:
    def number(name: str) -> Any:
        attribute = c.pyapi.object_getattr_string(value, name)
        found = c.unbox(_types.uintp, attribute).value
        c.pyapi.decref(attribute)
        return found

    generator = _struct(_bit_generator)(c.context, c.builder)
    generator.parent = value
    for name in FIELDS:
        setattr(generator, name, number(name))

    found = _struct(type_)(c.context, c.builder)
    found.bit_generator = generator._getvalue()
    found.parent = value
    found.meminfo = _core.cgutils.voidptr_t(None)  # nothing to count: the caller holds `value`
    found.words = c.builder.inttoptr(number("words"), _core.cgutils.voidptr_t)
    return _extending.NativeValue(found._getvalue())


def state_of(target: Any, builder: Any, type_: Any, generator: Any) -> Any:
    """Where the state lies, two words: the state itself and the increment."""
    words = _struct(type_)(target, builder, value=generator).words
    return builder.bitcast(words, WIDE.as_pointer())


def _increment(builder: Any, words: Any) -> Any:
    return builder.load(builder.gep(words, [ir.IntType(32)(1)]))


def _number(builder: Any, state: Any) -> Any:
    """The 64 random bits of a state."""
    high = builder.trunc(builder.lshr(state, WIDE(HALF)), NARROW)
    mixed = builder.xor(high, builder.trunc(state, NARROW))
    turn = builder.trunc(builder.lshr(state, WIDE(ROTATION)), NARROW)
    back = builder.and_(builder.neg(turn), NARROW(HALF - 1))
    return builder.or_(builder.lshr(mixed, turn), builder.shl(mixed, back))


def _step(target: Any, builder: Any, type_: Any, generator: Any) -> Any:
    """Move the two words of a generator on by one step; its 64 random bits."""
    words = state_of(target, builder, type_, generator)
    increment = _increment(builder, words)
    state = builder.add(builder.mul(builder.load(words), WIDE(MULTIPLIER)), increment)
    builder.store(state, words)
    return _number(builder, state)


@_extending.intrinsic
def next_number(context: Any, generator: Any) -> Any:
    """64 random bits, after one step."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _step(target, builder, signature.args[0], arguments[0])

    return _types.uint64(generator), code


@_extending.intrinsic
def next_float(context: Any, generator: Any) -> Any:
    """The number that `random` gives, after one step."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = _step(target, builder, signature.args[0], arguments[0])
        float_ = builder.uitofp(builder.lshr(number, NARROW(11)), ir.DoubleType())
        return builder.fmul(float_, ir.DoubleType()(UNIT))

    return _types.float64(generator), code


@_extending.overload_method(Pcg64Type, "random", jit_options={"forceinline": True})
def _random(generator: Any) -> Any:
    def draw(generator: Any) -> Any:
        return next_float(generator)

    return draw
