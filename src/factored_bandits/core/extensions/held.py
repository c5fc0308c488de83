"""`rng.held` and `rng.release` in compiled loops: the state of a PCG64 on the stack.

NumPy's state lies in memory that, for all the compiler knows, an array could overlap. So it would
be loaded and stored for every number, and each of these waits for the one before. A copy on the
stack whose address nobody else has becomes two registers.

A held generator draws by the methods that kernels of the library use. Those that call functions of
NumPy or numba do it from the generator itself, which is given the state and hands it back.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir

from factored_bandits.core.rng import held, release

from .drawing import WIDE, Pcg64Type, next_float, state_of

_core: Any = numba.core
_extending: Any = numba.extending
_types: Any = numba.types
_struct: Any = _core.cgutils.create_struct_proxy

INLINE = {"forceinline": True}


class HeldType(_types.Type):  # type: ignore[misc]
    """A generator whose state is on the stack of the loop."""

    def __init__(self) -> None:
        super().__init__("HeldPcg64")


@_extending.register_model(HeldType)
class _Model(_extending.models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, type_: HeldType) -> None:
        members = [
            ("home", Pcg64Type()),  # the generator that the state was taken from
            ("words", _types.voidptr),  # the state and the increment, as there
        ]
        super().__init__(manager, type_, members)


def _copy(builder: Any, source: Any, destination: Any, words: int) -> None:
    for word in range(words):
        place = [ir.IntType(32)(word)]
        builder.store(builder.load(builder.gep(source, place)), builder.gep(destination, place))


# Not an `overload`, which would be a function of its own: the copy is to live as long as the loop.
@_extending.type_callable(held)
def _type_of_held(context: Any) -> Any:
    def typer(rng: Any) -> Any:
        return HeldType() if isinstance(rng, Pcg64Type) else rng

    return typer


@_extending.lower_builtin(held, Pcg64Type)
def _hold(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    words = _core.cgutils.alloca_once(builder, WIDE, size=2)
    _copy(builder, state_of(target, builder, signature.args[0], arguments[0]), words, 2)

    made = _struct(HeldType())(target, builder)
    made.home = arguments[0]
    made.words = builder.bitcast(words, _core.cgutils.voidptr_t)
    return made._getvalue()


@_extending.lower_builtin(held, _types.NumPyRandomGeneratorType)
def _keep(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return arguments[0]


@_extending.intrinsic
def _home(context: Any, generator: Any) -> Any:
    """The generator itself, its state brought up to date."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        home = _struct(HeldType())(target, builder, value=arguments[0]).home
        source = state_of(target, builder, HeldType(), arguments[0])
        _copy(builder, source, state_of(target, builder, Pcg64Type(), home), 1)
        return home

    return Pcg64Type()(generator), code


@_extending.intrinsic
def _take_back(context: Any, generator: Any) -> Any:
    """The state is what the generator itself has drawn to."""

    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        home = _struct(HeldType())(target, builder, value=arguments[0]).home
        source = state_of(target, builder, Pcg64Type(), home)
        _copy(builder, source, state_of(target, builder, HeldType(), arguments[0]), 1)
        return target.get_dummy_value()

    return _types.void(generator), code


@_extending.overload(release, jit_options=INLINE)
def _release(rng: Any) -> Any:
    def give_back(rng: Any) -> Any:
        _home(rng)

    def nothing(rng: Any) -> Any:
        return None

    return give_back if isinstance(rng, HeldType) else nothing


@_extending.overload_method(HeldType, "random", jit_options=INLINE)
def _random(generator: Any) -> Any:
    def draw(generator: Any) -> Any:
        return next_float(generator)

    return draw


@_extending.overload_method(HeldType, "standard_normal", jit_options=INLINE)
def _standard_normal(generator: Any) -> Any:
    def draw(generator: Any) -> Any:
        number = _home(generator).standard_normal()
        _take_back(generator)
        return number

    return draw


@_extending.overload_method(HeldType, "beta", jit_options=INLINE)
def _beta(generator: Any, a: Any, b: Any) -> Any:
    def draw(generator: Any, a: Any, b: Any) -> Any:
        number = _home(generator).beta(a, b)
        _take_back(generator)
        return number

    return draw
