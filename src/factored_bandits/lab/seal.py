"""A seal: the SHA-256 of a Parquet file, kept in its own footer.

Checksums of pages, which Parquet has, do not cover what describes the pages. The seal covers every
byte but its own digits, which count as zeros. It is metadata, so other programs read the file as
ever.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal

KEY = b"factored_bandits.seal"
ZEROS = b"0" * 64
BLANK = b"sha256=" + ZEROS
SEAL = re.compile(rb"sha256=([0-9a-f]{64})")


def sealed(content: bytes) -> bytes:
    """A Parquet file whose metadata holds `BLANK`, with the digest in its place.

    >>> check(sealed(b"PAR1 ... " + BLANK + b" ... PAR1"))
    'intact'
    """
    start, end = _digits(content) or (0, 0)
    assert content[start:end] == ZEROS, "written without a blank seal"
    return content[:start] + _digest(content, start, end) + content[end:]


def check(content: bytes) -> Literal["intact", "damaged", "none"]:
    """Whether the bytes are those that were sealed; "none" if there is no seal.

    >>> check(b"PAR1 ... PAR1")
    'none'
    >>> check(sealed(b"PAR1 ... " + BLANK + b" ... PAR1").replace(b"...", b"..-"))
    'damaged'
    """
    digits = _digits(content)
    if digits is None:
        return "none"

    start, end = digits
    return "intact" if content[start:end] == _digest(content, start, end) else "damaged"


def _digits(content: bytes) -> tuple[int, int] | None:
    """Where the digits of the seal are: at the last place that looks like one, in the footer."""
    found = list(SEAL.finditer(content))
    return found[-1].span(1) if found else None


def _digest(content: bytes, start: int, end: int) -> bytes:
    sha = hashlib.sha256(content[:start])
    sha.update(ZEROS)
    sha.update(content[end:])
    return sha.hexdigest().encode()
