"""Indices in compiled kernels of the library: never counted from the end of an array.

An index may be negative in Python, so numba looks at the sign of each one: three instructions, a
seventh of all those of uniform play. Kernels of the library do not do that, but for constants such
as `checkpoints[-1]`: `tests/core/extensions/test_indexing.py` plays every policy in plain Python
and looks. Kernels of others are compiled as numba does it.
"""

from __future__ import annotations

from typing import Any

import numba
import numba.np.arrayobj
from llvmlite import ir

PACKAGE = __name__.partition(".")[0]

_arrays: Any = numba.np.arrayobj
_types: Any = numba.types
_counted_from_either_end: Any = _arrays.fix_integer_index


def _index(context: Any, builder: Any, type_: Any, index: Any, size: Any) -> Any:
    """What numba asks for the place of an index."""
    ours = builder.function.name.startswith(f"_ZN{len(PACKAGE)}{PACKAGE}")
    known = isinstance(index, ir.Constant)
    if ours and type_.signed and not known and not context.enable_boundscheck:
        return context.cast(builder, index, type_, _types.intp)
    return _counted_from_either_end(context, builder, type_, index, size)


_arrays.fix_integer_index = _index
