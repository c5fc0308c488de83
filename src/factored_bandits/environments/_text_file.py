"""The text of a file: UTF-8 or UTF-16 with its mark; others get a hint that names the place."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LONGEST_NAME = 500  # characters of a path that are shown
NEARBY = 12  # characters before and after a letter that cannot be read


def path_of(given: Any) -> Path:
    """The path of a file."""
    try:
        return Path(given)
    except TypeError:
        raise InvalidInputError(f"path must be the path of a file, not {shown(given)}") from None


def existing(path: Path) -> Path:
    """The path, if there is a file."""
    try:
        found = path.is_file()
    except (OSError, ValueError):  # too long for the system, or with letters that no name has
        found = False
    if not found:
        name = str(path)
        raise InvalidInputError(f"no file {name if len(name) <= LONGEST_NAME else shown(name)}")
    return path


def read_text(path: Path, hint: str = "") -> str:
    """The text; `hint` says what else a file that is no text may be.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "names.csv"
    >>> _ = file.write_bytes("Zo\u00eb".encode("utf-16"))
    >>> read_text(file) == "Zo\u00eb"
    True
    """
    try:
        data = existing(path).read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror or error}") from None

    try:
        return data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        # Text of one byte per letter has no zeros; UTF-16 without a mark and binary files have.
        if b"\0" in data or data.startswith(UTF_16):
            raise InvalidInputError(f"{path}: not a text file{hint}") from None
        raise InvalidInputError(_not_utf_8(path, data, error.start)) from None


def _not_utf_8(path: Path, data: bytes, at: int) -> str:
    """What the letter may be, and how to put it right."""
    line = 1 + data.count(b"\n", 0, at)
    begin = 1 + data.rfind(b"\n", 0, at)
    shown = data[max(begin, at - NEARBY) : at + NEARBY].split(b"\n")[0].decode("cp1252", "replace")
    return (
        f"{path}, line {line}, letter {1 + len(data[begin:at].decode('utf-8', 'replace'))}: not "
        f"UTF-8; in the encoding of Windows or Latin-1 it would read {shown.strip()!r}. Save the "
        f"file as UTF-8, for example with: iconv -f CP1252 -t UTF-8 {path.name} > new.csv"
    )
