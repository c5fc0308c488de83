"""Rows (winner, loser, tie) from a list or from the text of a CSV file; errors name the row."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from factored_bandits.errors import InvalidInputError

YES = ("1", "true", "yes", "tie", "draw", "0.5")
NO = ("", "0", "false", "no")
COLUMNS = ("winner", "loser", "tie")

Row = tuple[str, Any, Any, bool]  # where it was found, winner, loser, tie


def rows_of_list(duels: Iterable[Sequence[Any]]) -> Iterator[Row]:
    """From pairs (winner, loser) or triples with a tie."""
    for number, duel in enumerate(duels):
        where = f"duel {number}"
        listed = isinstance(duel, Sequence) and not isinstance(duel, (str, bytes))
        if not listed or len(duel) not in (2, 3):
            raise InvalidInputError(
                f"{where}: expected (winner, loser) or (winner, loser, tie), found {duel!r}"
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
    """The columns of winner, loser and, if there is one, tie; whether the first row named them."""
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
