"""A matrix of numbers from a file: `.npy`, CSV or text; errors name the line."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import InvalidInputError


def parse_matrix(path: Path) -> Floats:
    """The numbers in a file, whatever they mean."""
    return _load_npy(path) if path.suffix == ".npy" else _load_text(path)


def _load_npy(path: Path) -> Floats:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError):
        raise InvalidInputError(f"{path}: not an array that NumPy has saved") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        raise InvalidInputError(f"{path}: not an array of numbers")
    return array.astype(np.float64)


def _load_text(path: Path) -> Floats:
    rows: list[list[float]] = []
    announced = None

    for number, line in enumerate(_lines(path), start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            row = [float(word) for word in _words(text)]
        except ValueError:
            raise InvalidInputError(
                f"{path}, line {number}: expected numbers, found {text!r}"
            ) from None

        if not rows and announced is None and len(row) == 1:
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


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InvalidInputError(
            f"{path}: not a text file (a NumPy array must be named .npy)"
        ) from None


def _words(text: str) -> list[str]:
    """The entries of a row, separated by commas, semicolons or space; empty ones stay, an error.

    >>> _words("0.5, ,0.7,")
    ['0.5', '', '0.7']
    """
    for separator in ",;":
        if separator in text:
            return [word.strip() for word in text.removesuffix(separator).split(separator)]
    return text.split()
