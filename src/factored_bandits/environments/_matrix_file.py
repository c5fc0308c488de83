"""A matrix of numbers from a file: `.npy`, CSV or text; errors name the line and the column."""

from __future__ import annotations

import math
import tokenize
from pathlib import Path

import numpy as np

from factored_bandits.core import memory
from factored_bandits.core.arrays import Floats
from factored_bandits.errors import InvalidInputError

from ._text_file import read_text
from .checks import BYTES_PER_ENTRY

# Arrays of numbers are saved in one of these versions.
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def parse_matrix(path: Path, announced: bool = True) -> Floats:
    """The numbers in a file; the first line of a text may announce the number of rows."""
    return _load_npy(path) if path.suffix.lower() == ".npy" else _load_text(path, announced)


def _load_npy(path: Path) -> Floats:
    """The array, if its header is true and it fits into memory: the header is read first."""
    try:
        shape, dtype, held = _header(path)
    except (ValueError, EOFError, OSError, KeyError, tokenize.TokenError):
        raise InvalidInputError(f"{path}: not an array that NumPy has saved") from None
    if dtype.kind not in "fiu":
        raise InvalidInputError(f"{path}: not an array of numbers")

    entries = math.prod(shape)
    claimed = f"an array of {' x '.join(f'{length:,}' for length in shape)} numbers"
    memory.check(
        f"{path}: {claimed}",
        BYTES_PER_ENTRY * entries,
        fits=lambda free: f"{free // BYTES_PER_ENTRY:,} numbers would fit",
    )
    size = entries * dtype.itemsize
    if size > held:
        raise InvalidInputError(
            f"{path}: the file is cut off; {claimed} takes {memory.amount(size)}, and "
            f"{memory.amount(held)} are there"
        )

    return np.asarray(np.load(path, allow_pickle=False), dtype=np.float64)


def _header(path: Path) -> tuple[tuple[int, ...], np.dtype[np.generic], int]:
    """Shape and type of the array in a file, and how many bytes the file holds of it."""
    with path.open("rb") as file:
        read = HEADERS[np.lib.format.read_magic(file)]
        shape, _, dtype = read(file)
        held = path.stat().st_size - file.tell()

    if min(shape, default=0) < 0:
        raise ValueError("a negative length")
    return shape, dtype, held


def _load_text(path: Path, announces: bool) -> Floats:
    rows: list[list[float]] = []
    announced = None
    lines = read_text(path, " (a NumPy array must be named .npy)").splitlines()

    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        row = [
            _number(f"{path}, line {number}, column {column}", word)
            for column, word in enumerate(_words(text), start=1)
        ]

        if announces and not rows and announced is None and len(row) == 1:
            announced = row[0]
            continue
        if rows and len(row) != len(rows[0]):
            raise InvalidInputError(
                f"{path}, line {number}: {len(row)} numbers where the rows before have "
                f"{len(rows[0])}"
            )
        rows.append(row)

    if not rows:
        raise InvalidInputError(f"{path}: no rows of numbers")
    if announced is not None and announced != len(rows):
        raise InvalidInputError(
            f"{path}: the first line announces {announced:g} arms, {len(rows)} rows follow"
        )

    return np.array(rows)


def _number(where: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        found = repr(word) if word else "nothing"
        raise InvalidInputError(f"{where}: expected a number, found {found}") from None


def _words(text: str) -> list[str]:
    """The entries of a row, separated by commas, semicolons or space; empty ones stay, an error.

    >>> _words("0.5, ,0.7,")
    ['0.5', '', '0.7']
    """
    for separator in ",;":
        if separator in text:
            return [word.strip() for word in text.removesuffix(separator).split(separator)]
    return text.split()
