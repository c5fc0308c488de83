"""Arrays as JSON can hold them: compressed, with their type and shape."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from typing import Any

import numpy as np

from factored_bandits.errors import DumpError


def pack(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """An array as JSON can hold it.

    >>> sorted(pack(np.zeros(1000)))
    ['data', 'dtype', 'shape']
    """
    portable = array.astype(array.dtype.newbyteorder("<"))
    data = base64.b64encode(zlib.compress(portable.tobytes())).decode("ascii")
    return {"dtype": portable.dtype.str, "shape": list(array.shape), "data": data}


def unpack(
    packed: Any, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """The array that `pack` was given, which must have this type and shape.

    >>> unpack(pack(np.arange(3)), "plays", np.dtype(np.int64), (3,))
    array([0, 1, 2])
    """
    portable = dtype.newbyteorder("<")
    wanted = (portable.str, list(shape))
    found = repr(packed)
    fits = False

    if isinstance(packed, dict):
        found = f"{packed.get('dtype')} of shape {packed.get('shape')}"
        fits = (packed.get("dtype"), packed.get("shape")) == wanted

    if not fits:
        raise DumpError(
            f"the dump does not fit its policy: the array {name!r} should be {portable.str} of "
            f"shape {list(shape)}, and is {found}"
        )

    data = _inflated(packed.get("data"), name, portable.itemsize * math.prod(shape))
    if dtype.kind == "b" and max(data, default=0) > 1:
        raise DumpError(f"the dump is damaged: the array {name!r} holds more than true and false")
    return np.frombuffer(data, dtype=portable).reshape(shape).astype(dtype)


def _inflated(data: Any, name: str, size: int) -> bytes:
    """Decompressed, without ever holding more than `size` bytes."""
    stream = zlib.decompressobj()
    try:
        inflated = stream.decompress(base64.b64decode(data, validate=True), size + 1)
    except (TypeError, binascii.Error, ValueError, zlib.error) as error:
        raise DumpError(
            f"the dump is damaged: the array {name!r} cannot be read ({error})"
        ) from error

    if len(inflated) != size or not stream.eof or stream.unused_data:
        raise DumpError(
            f"the dump is damaged: the array {name!r} has not the {size} bytes it should have"
        )

    return inflated
