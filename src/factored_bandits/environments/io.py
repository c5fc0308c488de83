"""Duels of the past: who won against whom, from a CSV file or a list, as counts per pair of arms."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.errors import InvalidInputError, UnknownNameError

YES = ("1", "true", "yes", "tie", "draw", "0.5")
NO = ("", "0", "false", "no")
COLUMNS = ("winner", "loser", "tie")


@dataclass(frozen=True, eq=False)
class PastDuels:
    """How often each arm has won against each other; made by `load_duels` and `count_duels`."""

    labels: tuple[Any, ...]  # of the arms
    wins: Floats  # (K, K) of row over column, a tie counts one half for both

    def preferences(self, prior: float = 1.0) -> Floats:
        """The chance that row beats column, estimated, with `prior` tied duels of every pair added
        to what was seen.

        >>> count_duels([("A", "B"), ("A", "B"), ("B", "A")]).preferences(prior=0)
        array([[0.5       , 0.66666667],
               [0.33333333, 0.5       ]])
        """
        if not prior >= 0.0:
            raise InvalidInputError(f"prior must be a number of duels from 0, not {prior!r}")
        duels = self.wins + self.wins.T + prior
        return np.where(
            duels > 0.0, (self.wins + 0.5 * prior) / np.where(duels > 0.0, duels, 1.0), 0.5
        )


def load_duels(path: str | Path, arms: Sequence[Hashable] | None = None) -> PastDuels:
    """Past duels from a CSV file with a row (winner, loser) or (winner, loser, tie) for each.

    A first row with the words `winner` and `loser` says which columns these are, and other columns
    are passed over; without it they are the first two, and the third, if there is one, is the tie:
    1 or 0, yes or no, or empty. Columns are separated by commas, semicolons or tabs. `arms`: which
    labels there are; if not given, those in the file.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "past.csv"
    >>> _ = file.write_text("winner,loser,tie\\nA,B,\\nB,C,1\\nA,B,0\\n")
    >>> past = load_duels(file)
    >>> past.labels, past.wins[0].tolist(), past.wins[1].tolist()
    (('A', 'B', 'C'), [0.0, 2.0, 0.0], [0.0, 0.0, 0.5])
    """
    path = Path(path)
    if not path.is_file():
        raise InvalidInputError(f"no file {path}")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path}: not a text file") from None

    known = None if arms is None else {str(arm): arm for arm in arms}
    if known is not None and len(known) < len(arms or ()):
        raise InvalidInputError("two arms look the same in a file; give each a name of its own")
    counted = _count(_rows(path, text), known)
    if not counted.wins.any():
        raise InvalidInputError(f"{path}: no duels")
    return counted


def count_duels(
    duels: Iterable[Sequence[Any]], arms: Sequence[Hashable] | None = None
) -> PastDuels:
    """Past duels from pairs (winner, loser), or triples with a third entry that is true for a tie.

    >>> count_duels([("A", "B"), ("B", "A", True)], arms=["A", "B", "C"]).wins[0].tolist()
    [0.0, 1.5, 0.0]
    """
    known = None if arms is None else {arm: arm for arm in arms}
    return _count(_triples(duels), known)


Row = tuple[str, Any, Any, bool]  # where it stands, winner, loser, tie


def _count(rows: Iterator[Row], known: dict[Any, Any] | None) -> PastDuels:
    labels: dict[Any, int] = {label: i for i, label in enumerate(known or ())}
    duels: list[tuple[int, int, bool]] = []

    for where, winner, loser, tie in rows:
        for label in (winner, loser):
            if known is not None and label not in labels:
                raise InvalidInputError(
                    f"{where}: {UnknownNameError.of('arm', label, map(str, known))}"
                )
            labels.setdefault(label, len(labels))
        if winner == loser:
            raise InvalidInputError(f"{where}: {winner!r} cannot have duelled itself")
        duels.append((labels[winner], labels[loser], tie))

    wins = np.zeros((len(labels), len(labels)))
    for first, second, tie in duels:
        wins[first, second] += 0.5 if tie else 1.0
        wins[second, first] += 0.5 if tie else 0.0

    return PastDuels(tuple(known.values()) if known is not None else tuple(labels), wins)


def _triples(duels: Iterable[Sequence[Any]]) -> Iterator[Row]:
    for number, duel in enumerate(duels):
        where = f"duel {number}"
        if (
            isinstance(duel, (str, bytes))
            or not isinstance(duel, Sequence)
            or len(duel) not in (2, 3)
        ):
            raise InvalidInputError(
                f"{where}: expected (winner, loser) or (winner, loser, tie), found {duel!r}"
            )
        if not all(isinstance(label, Hashable) for label in duel[:2]):
            raise InvalidInputError(f"{where}: {duel[0]!r} and {duel[1]!r} must be labels of arms")
        yield where, duel[0], duel[1], len(duel) == 3 and _is_tie(where, duel[2])


def _rows(path: Path, text: str) -> Iterator[Row]:
    head = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), skipinitialspace=True
    )
    columns: list[int] | None = None

    try:
        for cells in reader:
            words = [cell.strip() for cell in cells]
            if not any(words):
                continue
            if columns is None:
                columns, named = _columns([word.lower() for word in words])
                if named:
                    continue
            yield _row(f"{path}, line {reader.line_num}", words, columns)
    except csv.Error as error:
        raise InvalidInputError(f"{path}, line {reader.line_num}: {error}") from None


def _columns(words: list[str]) -> tuple[list[int], bool]:
    """Where winner, loser and, if there is one, tie stand; and whether the first row has said so."""
    if "winner" in words and "loser" in words:
        return [words.index(name) for name in COLUMNS if name in words], True
    return [0, 1, 2], False


def _row(where: str, words: list[str], columns: list[int]) -> Row:
    if len(words) <= max(columns[:2]):
        raise InvalidInputError(
            f"{where}: expected a winner and a loser, found {', '.join(words)!r}"
        )

    winner = words[columns[0]]
    loser = words[columns[1]]
    if not winner or not loser:
        raise InvalidInputError(f"{where}: the {'loser' if winner else 'winner'} is empty")
    tie = words[columns[2]] if len(columns) == 3 and len(words) > columns[2] else ""
    return where, winner, loser, _is_tie(where, tie)


def _is_tie(where: str, value: Any) -> bool:
    word = ("yes" if value else "no") if isinstance(value, (bool, np.bool_)) else str(value).lower()
    if word not in YES + NO:
        raise InvalidInputError(
            f"{where}: the tie must be 1 or 0, yes or no, or empty, not {value!r}"
        )
    return word in YES
