"""Duels by matrix: entry (i, j) is the chance that arm i beats arm j.

>>> import factored_bandits as fb
>>> fb.environments.make("duel_matrix", preferences=[[0.5, 0.6], [0.4, 0.5]]).best
(0, 0)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments.base import Environment
from factored_bandits.environments.checks import TOLERANCE, finite, integer
from factored_bandits.environments.preferences import Unit, build
from factored_bandits.errors import InvalidInputError


def init(preferences: Any, unit: Unit = "average", tie: float = 0.0) -> Environment:
    """`preferences[i][j] + preferences[j][i]` must be 1, with 1/2 on the diagonal. `tie`: the
    chance of a tie.
    """
    try:
        matrix = np.array(preferences, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(
            "preferences must be a square matrix of numbers, every row of the same length"
        ) from None

    check(matrix)
    return build(
        "duel_matrix", preferences=matrix, tie=tie, unit=unit, params={"preferences": matrix}
    )


def check(matrix: Floats) -> None:
    """Square, chances, and consistent; or an error that names the entry."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidInputError(f"preferences must be a square matrix, not of shape {matrix.shape}")
    if len(matrix) < 2:
        raise InvalidInputError("preferences needs at least two arms")
    outside = ~((matrix >= 0.0) & (matrix <= 1.0))
    if outside.any():
        i, j = (int(x) for x in np.argwhere(outside)[0])
        raise InvalidInputError(
            f"preferences[{i}][{j}] = {matrix[i, j]:g} is not a chance between 0 and 1"
        )

    uneven = np.abs(np.diag(matrix) - 0.5) > TOLERANCE
    if uneven.any():
        i = int(uneven.argmax())
        raise InvalidInputError(
            f"preferences[{i}][{i}] = {matrix[i, i]:g}; an arm against itself must be 0.5"
        )

    wrong = np.abs(matrix + matrix.T - 1.0) > TOLERANCE
    if wrong.any():
        i, j = (int(x) for x in np.argwhere(wrong)[0])
        raise InvalidInputError(
            f"preferences[{i}][{j}] + preferences[{j}][{i}] = {matrix[i, j]:g} + {matrix[j, i]:g} "
            "= "
            f"{matrix[i, j] + matrix[j, i]:g}; the two must add up to 1"
        )


def load_preferences(path: str | Path) -> Floats:
    """A preference matrix from `.npy`, CSV, or text: rows of numbers, `#` comments, optionally a
    first line with K.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "three.txt"
    >>> _ = file.write_text("3  # arms\\n.5 .6 .7\\n.4 .5 .6\\n.3 .4 .5\\n")
    >>> load_preferences(file)[0]
    array([0.5, 0.6, 0.7])
    """
    path = Path(path)
    if not path.is_file():
        raise InvalidInputError(f"no file {path}")
    matrix = _load_npy(path) if path.suffix == ".npy" else _parse(path)
    try:
        check(matrix)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None

    return matrix


def _load_npy(path: Path) -> Floats:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError):
        raise InvalidInputError(f"{path}: not an array that NumPy has saved") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        raise InvalidInputError(f"{path}: not an array of numbers")
    return array.astype(np.float64)


def _parse(path: Path) -> Floats:
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
    """The entries of a row, separated by commas, semicolons or space; an entry left empty stays, to
    be complained of.

    >>> _words("0.5, ,0.7,")
    ['0.5', '', '0.7']
    """
    for separator in ",;":
        if separator in text:
            return [word.strip() for word in text.removesuffix(separator).split(separator)]
    return text.split()


def cyclic(
    arms: int = 4, p_best: float = 0.6, p_cycle: float = 0.9, unit: Unit = "average"
) -> Environment:
    """Arm 0 beats all others with `p_best`; the others beat one another in a cycle (Komiyama et al.
    2015).

    Arm i beats the arm after it, and loses to the arm before it, with chance `p_cycle`; in longer
    cycles, arms further apart are beaten going the shorter way round.

    >>> cyclic().mean([1, 2]), cyclic().mean([3, 1]), cyclic().mean([0, 3])
    (0.9, 0.9, 0.6)
    """
    arms = integer("arms", arms, least=4)  # one winner and a cycle of three
    for label, p in (("p_best", p_best), ("p_cycle", p_cycle)):
        if not 0.5 < finite(label, p) <= 1.0:
            raise InvalidInputError(f"{label} must lie in (0.5, 1], not {p!r}")

    ring = arms - 1
    matrix = np.full((arms, arms), 0.5)
    matrix[0, 1:], matrix[1:, 0] = p_best, 1.0 - p_best

    for i in range(ring):
        for ahead in range(1, ring):
            if 2 * ahead != ring:
                matrix[1 + i, 1 + (i + ahead) % ring] = (
                    p_cycle if 2 * ahead < ring else 1.0 - p_cycle
                )

    return init(preferences=matrix, unit=unit)


def hard_condorcet(
    arms: int = 16, p: float = 0.55, draw: int = 0, unit: Unit = "average"
) -> Environment:
    """Arm 0 barely beats all others; who beats whom among those is drawn at random, and clear (0.75
    to 0.95).

    To an algorithm that looks at the share of duels won, many other arms look better than arm 0.
    Another `draw` gives another problem.

    >>> problem = hard_condorcet(4)
    >>> problem.best, problem.mean([0, 3]), round(problem.mean([1, 2]), 3)
    ((0, 0), 0.55, 0.877)
    """
    arms = integer("arms", arms, least=2)
    draw = integer("draw", draw, least=0)
    if not 0.5 < finite("p", p) <= 1.0:
        raise InvalidInputError(f"p must lie in (0.5, 1], not {p!r}")
    rng = np.random.default_rng(draw)
    matrix = np.full((arms, arms), 0.5)
    matrix[0, 1:], matrix[1:, 0] = p, 1.0 - p

    for i, j in zip(*np.triu_indices(arms - 1, 1), strict=True):
        clear = 0.5 + rng.uniform(0.25, 0.45) * rng.choice([-1.0, 1.0])
        matrix[1 + i, 1 + j], matrix[1 + j, 1 + i] = clear, 1.0 - clear

    return init(preferences=matrix, unit=unit)


GENERATORS = {"cyclic": cyclic, "hard_condorcet": hard_condorcet}
