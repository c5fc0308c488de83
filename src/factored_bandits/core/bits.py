"""`int.bit_count` in compiled kernels, where it is one instruction."""

from __future__ import annotations

from typing import Any

import numba

_extending: Any = numba.extending
_types: Any = numba.types


@_extending.intrinsic
def _ones(context: Any, word: Any) -> Any:
    def code(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return _types.int64(_types.int64), code


@_extending.overload_method(_types.Integer, "bit_count", jit_options={"forceinline": True})
def _bit_count(word: Any) -> Any:
    def count(word: Any) -> Any:
        return _ones(word)

    return count if word == _types.int64 else None
