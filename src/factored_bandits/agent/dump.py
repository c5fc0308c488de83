"""A saved agent as text: JSON with a name, a version and a checksum, arrays compressed; nothing in
it is executed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import zlib
from typing import Any

import numpy as np

from factored_bandits import __version__
from factored_bandits.errors import DumpError

FORMAT = "factored-bandits agent"
VERSION = 1


def seal(content: dict[str, Any]) -> str:
    """The text that holds `content`.

    >>> unseal(seal({"rounds": 7}))
    {'rounds': 7}
    """
    document = {"format": FORMAT, "version": VERSION, "library": __version__, "agent": content}
    return json.dumps({**document, "checksum": _checksum(document)}, allow_nan=False)


def unseal(text: str) -> dict[str, Any]:
    """The content of a text by `seal`, if it is whole, ours, and of a version that we know."""
    if not isinstance(text, str):
        raise DumpError(f"a dump is the text that Agent.dump() returned, not {type(text).__name__}")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DumpError(
            f"this is no whole dump of an agent, it was cut off or damaged: {error}"
        ) from error

    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DumpError(
            f"this is no dump of an agent: it does not say that its format is {FORMAT!r}"
        )

    version = document.get("version")
    if isinstance(version, int) and version > VERSION:
        raise DumpError(
            f"the dump has format version {version} (by factored-bandits "
            f"{document.get('library')}); "
            f"factored-bandits {__version__} reads up to {VERSION}. Install a newer one"
        )

    checksum = document.pop("checksum", None)
    if (
        checksum != _checksum(document)
        or version != VERSION
        or not isinstance(document.get("agent"), dict)
    ):
        raise DumpError("the dump is damaged: its checksum does not fit its content")

    content: dict[str, Any] = document["agent"]
    return content


def _checksum(document: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


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

    >>> unpack(pack(np.arange(3)), "places", np.dtype(np.int64), (3,))
    array([0, 1, 2])
    """
    portable = dtype.newbyteorder("<")
    if not isinstance(packed, dict) or (packed.get("dtype"), packed.get("shape")) != (
        portable.str,
        list(shape),
    ):
        found = (
            f"{packed.get('dtype')} of shape {packed.get('shape')}"
            if isinstance(packed, dict)
            else repr(packed)
        )
        raise DumpError(
            f"the dump does not fit its policy: the array {name!r} should be {portable.str} of "
            f"shape {list(shape)}, "
            f"and is {found}"
        )

    data = _inflated(packed.get("data"), name, portable.itemsize * math.prod(shape))
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
