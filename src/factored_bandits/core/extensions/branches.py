"""`core.branches.rarely` in compiled kernels: the condition, with LLVM's own hint."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir

from factored_bandits.core.branches import rarely

_extending: Any = numba.extending
_types: Any = numba.types

BIT = ir.IntType(1)


@_extending.intrinsic
def _expected_false(context: Any, condition: Any) -> Any:
    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(BIT, [BIT, BIT])
        expect = builder.module.declare_intrinsic("llvm.expect", [BIT], kind)
        return builder.call(expect, [arguments[0], ir.Constant(BIT, 0)])

    return _types.boolean(_types.boolean), code


@_extending.overload(rarely, jit_options={"forceinline": True})
def _rarely(condition: Any) -> Any:
    def hinted(condition: Any) -> Any:
        return _expected_false(condition)

    return hinted if condition == _types.boolean else None
