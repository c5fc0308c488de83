"""Rows (winner, loser, tie) from a list or from the text of a CSV file; errors name the row."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

YES = ("1", "true", "yes", "tie", "draw", "0.5")
NO = ("", "0", "false", "no")
TIES = (
    "tie",
    "tied",
    "draw",
    "both",
    "bothbad",
    "tie bothbad",
    "both bad",
    "tie both bad",
    "equal",
)

# What the columns of two candidates are called; the first pair that is there counts.
PAIRS = (
    ("model_a", "model_b"),
    ("left", "right"),
    ("first", "second"),
    ("model_1", "model_2"),
    ("a", "b"),
)

Row = tuple[str, Any, Any, bool]  # where it was found, winner, loser, tie


def rows_of_list(duels: Iterable[Sequence[Any]]) -> Iterator[Row]:
    """From pairs (winner, loser) or triples with a tie."""
    for number, duel in enumerate(duels):
        where = f"duel {number}"
        listed = isinstance(duel, Sequence) and not isinstance(duel, (str, bytes))
        if not listed or len(duel) not in (2, 3):
            raise InvalidInputError(
                f"{where}: expected (winner, loser) or (winner, loser, tie), found {shown(duel)}"
            )
        if not all(isinstance(label, Hashable) for label in duel[:2]):
            raise InvalidInputError(f"{where}: {duel[0]!r} and {duel[1]!r} must be labels of arms")
        yield where, duel[0], duel[1], len(duel) == 3 and _is_tie(where, duel[2])


def rows_of_file(path: Path, text: str) -> Iterator[Row]:
    """From the text of a CSV file."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), skipinitialspace=True
    )
    columns: Columns | None = None

    try:
        for cells in reader:
            words = [cell.strip() for cell in cells]
            if not any(words):
                continue

            where = f"{path}, line {reader.line_num}"
            if columns is None:
                columns, named = columns_of(where, [word.lower() for word in words])
                if named:
                    continue
            yield columns.row(where, words)
    except csv.Error as error:
        raise InvalidInputError(f"{path}, line {reader.line_num}: {error}") from None


def columns_of(where: str, words: list[str]) -> tuple[Columns, bool]:
    """Which columns hold what, and whether the first row named them."""
    if "winner" in words and "loser" in words:
        tie = words.index("tie") if "tie" in words else None
        return Decided(words.index("winner"), words.index("loser"), tie), True

    pair = next((pair for pair in PAIRS if set(pair) <= set(words)), None)
    if pair is not None and "winner" in words:
        first, second = map(words.index, pair)
        return Judged(pair, first, second, words.index("winner")), True

    # `a,b` may well be two candidates; no candidate is called winner, and none model_a
    if "winner" in words or (pair is not None and "_" in pair[0]):
        raise InvalidInputError(
            f"{where}: the columns must be winner and loser, or model_a, model_b and winner; these "
            f"are {', '.join(words)}"
        )

    return Decided(0, 1, 2), False


class Columns(Protocol):
    """Where a row says who won."""

    def row(self, where: str, words: list[str]) -> Row:
        """Who won, who lost, whether it was a tie."""


class Decided(NamedTuple):
    """Columns of the winner, the loser, and perhaps ties."""

    winner: int
    loser: int
    tie: int | None

    def row(self, where: str, words: list[str]) -> Row:
        """Who won, who lost, whether it was a tie."""
        if len(words) <= max(self.winner, self.loser):
            raise InvalidInputError(
                f"{where}: expected a winner and a loser, found {', '.join(words)!r}"
            )

        winner = _filled(where, "winner", words, self.winner)
        loser = _filled(where, "loser", words, self.loser)
        if self.tie is None or len(words) <= self.tie:
            return where, winner, loser, False
        return where, winner, loser, _is_tie(_at(where, self.tie), words[self.tie])


class Judged(NamedTuple):
    """Columns of two candidates, and who of them won."""

    names: tuple[str, str]  # of the two columns
    first: int
    second: int
    winner: int

    def row(self, where: str, words: list[str]) -> Row:
        """Who won, who lost, whether it was a tie."""
        if len(words) <= max(self.first, self.second, self.winner):
            raise InvalidInputError(
                f"{where}: expected {self.names[0]}, {self.names[1]} and winner, found "
                f"{', '.join(words)!r}"
            )

        first = _filled(where, self.names[0], words, self.first)
        second = _filled(where, self.names[1], words, self.second)
        verdict = _filled(where, "winner", words, self.winner)
        won = self._who(_at(where, self.winner), verdict, first, second)

        if won == "second":
            return where, second, first, False
        return where, first, second, won == "tie"

    def _who(self, where: str, verdict: str, first: str, second: str) -> str:
        """Which candidate the verdict means, or a tie."""
        word = " ".join(verdict.lower().replace("(", " ").replace(")", " ").split())
        said = {
            "first": verdict == first or word in (self.names[0], self.names[0].split("_")[-1]),
            "second": verdict == second or word in (self.names[1], self.names[1].split("_")[-1]),
            "tie": word in TIES,
        }
        meant = [who for who, is_it in said.items() if is_it]

        if not meant:
            raise InvalidInputError(
                f"{where}: the winner must be {self.names[0]}, {self.names[1]}, tie, or one of "
                f"{first!r} and {second!r}, not {verdict!r}"
            )
        if len(meant) > 1:
            raise InvalidInputError(
                f"{where}: {verdict!r} stands for more than one outcome ({', '.join(meant)}); "
                f"write {self.names[0]}, {self.names[1]} or tie"
            )
        return meant[0]


def _filled(where: str, name: str, words: list[str], column: int) -> str:
    if not words[column]:
        raise InvalidInputError(f"{_at(where, column)}: the {name} is empty")
    return words[column]


def _at(where: str, column: int) -> str:
    return f"{where}, column {column + 1}"


def _is_tie(where: str, value: Any) -> bool:
    word = ("yes" if value else "no") if isinstance(value, (bool, np.bool_)) else str(value).lower()
    if word not in YES + NO:
        raise InvalidInputError(
            f"{where}: the tie must be 1 or 0, yes or no, or empty, not {shown(value)}"
        )
    return word in YES
