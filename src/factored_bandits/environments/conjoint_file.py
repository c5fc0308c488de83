"""Conjoint experiments from files: two combinations were shown, and one of them was chosen."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.checks import finite
from factored_bandits.errors import InvalidInputError

from ._text_file import existing, path_of, read_text
from .base import Environment
from .dueling import duel_combinations

STEPS = 50  # of Newton's method
PRECISION = 1e-10


@dataclass(frozen=True, eq=False)
class PastConjoint:
    """Duels of combinations that people have judged; made by `load_conjoint`.

    Attributes
    ----------
    factors
        The labels of the levels of each factor, sorted.
    duels
        (n, 2 L), the levels of the first combination, then those of the second.
    verdicts
        (n,), 1 if the first was chosen, 0 if the second was, 0.5 for a tie.

    Examples
    --------
    >>> levels = {"tax": ("high", "low"), "price": ("5", "9")}
    >>> duels = np.array([[0, 0, 1, 0], [1, 1, 0, 0]])
    >>> past = PastConjoint(levels, duels, verdicts=np.array([0.0, 1.0]))
    >>> [values.round(2).tolist() for values in past.effects()]
    [[-0.48, 0.48], [-0.2, 0.2]]
    """

    factors: dict[str, tuple[str, ...]]
    duels: Ints
    verdicts: Floats

    def effects(self, ridge: float = 1.0) -> list[Floats]:
        """Fit the effect of each level on the log-odds of being chosen.

        Parameters
        ----------
        ridge
            The weight of the squared effects, which keeps levels that were seldom shown near 0.

        Returns
        -------
        Per factor the effects of its levels; their mean is 0.

        Raises
        ------
        InvalidInputError
            If `ridge` is not positive.
        """
        if finite("ridge", ridge) <= 0.0:
            raise InvalidInputError(f"ridge must be positive, not {ridge!r}")

        shown = _differences(self.duels, [len(levels) for levels in self.factors.values()])
        weights = np.zeros(shown.shape[1])
        for _ in range(STEPS):
            # the logistic function, without overflow
            p = 0.5 + 0.5 * np.tanh(0.5 * (shown @ weights))
            gradient = shown.T @ (self.verdicts - p) - ridge * weights
            hessian = (shown.T * (p * (1.0 - p))) @ shown + ridge * np.eye(len(weights))
            step = np.linalg.solve(hessian, gradient)
            # no log-odds move by more than 2 L in a step, so that it never overshoots far
            weights += step / max(1.0, float(np.abs(step).max()))
            if np.abs(step).max() < PRECISION:
                break

        ends = offsets_of([len(levels) for levels in self.factors.values()])
        parts = np.split(weights, ends[1:-1])
        return [np.asarray(part - part.mean()) for part in parts]

    def environment(self, ridge: float = 1.0) -> Environment:
        """Make the problem in which people choose as they did here, as far as a sum explains it.

        Parameters
        ----------
        ridge
            As in `effects`.

        Returns
        -------
        A `duel_combinations` with the fitted effects and the share of ties.
        """
        ties = float((self.verdicts == 0.5).mean())
        return duel_combinations.init(self.effects(ridge), ties)


def load_conjoint(path: str | Path, chosen: str, factors: Sequence[str]) -> PastConjoint:
    """Read a conjoint experiment: a CSV file with two rows for every choice.

    Parameters
    ----------
    path
        The file, UTF-8 text or that compressed by gzip. The first row names the columns; then rows
        2 i and 2 i + 1 are the two combinations that were shown together.
    chosen
        The column that says which was chosen: 1 in one of the two rows and 0 in the other, or 0.5
        in both for a tie.
    factors
        The columns of the factors, at least two.

    Returns
    -------
    What was shown and chosen.

    Raises
    ------
    InvalidInputError
        If there is no such file or column, or a line of it is wrong: the message names it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plans.csv"
    >>> rows = ["won,tax,price", "1,low,9", "0,high,9", "0,high,9", "1,low,5"]
    >>> _ = file.write_text("\\n".join(rows))
    >>> past = load_conjoint(file, chosen="won", factors=["tax", "price"])
    >>> past.factors, past.verdicts.tolist()
    ({'tax': ('high', 'low'), 'price': ('5', '9')}, [1.0, 0.0])
    >>> past.environment().best
    (1, 0, 1, 0)
    """
    names = list(factors)
    if isinstance(factors, str) or len(names) < 2:
        raise InvalidInputError(f"factors must be at least two names of columns, not {factors!r}")

    where = path_of(path)
    rows = list(csv.DictReader(io.StringIO(_text(where), newline="")))
    missing = [name for name in (chosen, *names) if rows and name not in rows[0]]
    if missing or not rows:
        there = ", ".join(map(str, rows[0])) if rows else "none"
        wanted = f"the column {missing[0]!r}" if missing else "rows"
        raise InvalidInputError(f"{where}: it lacks {wanted}; its columns are {there}")
    if len(rows) % 2:
        raise InvalidInputError(
            f"{where}: {len(rows):,} rows; two rows are shown together, so it must be even"
        )

    verdicts = [_verdict(where, i, rows[i : i + 2], chosen) for i in range(0, len(rows), 2)]
    labels = {name: tuple(sorted({row[name] for row in rows})) for name in names}
    index = {name: {label: k for k, label in enumerate(labels[name])} for name in names}
    levels = np.array([[index[name][row[name]] for name in names] for row in rows])
    return PastConjoint(labels, levels.reshape(-1, 2 * len(names)), np.array(verdicts))


def _text(path: Path) -> str:
    if path.suffix != ".gz":
        return read_text(path)
    try:
        return gzip.decompress(existing(path).read_bytes()).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path}: no text compressed by gzip ({error})") from None


def _verdict(path: Path, first: int, pair: list[dict[str, Any]], chosen: str) -> float:
    try:
        shares = [float(row[chosen]) for row in pair]
    except (TypeError, ValueError):
        shares = []
    if len(shares) != 2 or sum(shares) != 1.0 or shares[0] not in (0.0, 0.5, 1.0):
        found = " and ".join(repr(row[chosen]) for row in pair)
        raise InvalidInputError(
            f"{path}, rows {first + 1} and {first + 2} below the names: {chosen} is {found}; of "
            "two that are shown together one is 1 and the other 0, or both are 0.5"
        )
    return shares[0]


def _differences(duels: Ints, sizes: list[int]) -> Floats:
    """(n, d): 1 where a level is shown first, -1 where it is second, 0 where on both sides."""
    offsets = offsets_of(sizes)
    shown = np.zeros((len(duels), int(offsets[-1])))
    rows = np.arange(len(duels))
    for l in range(len(sizes)):
        np.add.at(shown, (rows, offsets[l] + duels[:, l]), 1.0)
        np.add.at(shown, (rows, offsets[l] + duels[:, len(sizes) + l]), -1.0)
    return shown
