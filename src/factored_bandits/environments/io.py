"""Read from files and lists: duels of the past, as counts per pair of arms; preference matrices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.checks import finite, shown
from factored_bandits.errors import InvalidInputError, UnknownNameError

from ._duel_rows import Row, rows_of_file, rows_of_list
from ._matrix_file import parse_matrix
from ._text_file import existing, path_of, read_text
from .preferences import check_preferences


@dataclass(frozen=True, eq=False)
class PastDuels:
    """How often each arm has won against each other; made by `load_duels` and `count_duels`.

    Attributes
    ----------
    labels
        Of the arms.
    wins
        (K, K), how often row has won against column; a tie counts one half for both.

    Examples
    --------
    >>> past = count_duels([("A", "B"), ("A", "C")])
    >>> past.labels, past.wins[0].tolist()
    (('A', 'B', 'C'), [0.0, 1.0, 1.0])
    """

    labels: tuple[Any, ...]
    wins: Floats

    def preferences(self, prior: float = 1.0) -> Floats:
        """Estimate the probability that row beats column.

        Parameters
        ----------
        prior
            So many tied duels of every pair are added to what was seen.

        Returns
        -------
        A matrix (K, K) as `environments.make("duel_matrix", preferences=...)` takes it.

        Raises
        ------
        InvalidInputError
            If `prior` is negative.

        Examples
        --------
        >>> count_duels([("A", "B"), ("A", "B"), ("B", "A")]).preferences(prior=0)
        array([[0.5       , 0.66666667],
               [0.33333333, 0.5       ]])
        """
        if finite("prior", prior) < 0.0:
            raise InvalidInputError(f"prior must be a number of duels from 0, not {prior!r}")

        duels = self.wins + self.wins.T + prior
        seen = duels > 0.0
        return np.where(seen, (self.wins + 0.5 * prior) / np.where(seen, duels, 1.0), 0.5)


def load_duels(path: str | Path, arms: Sequence[Hashable] | None = None) -> PastDuels:
    """Past duels from a CSV file with a row for each.

    The first row names the columns, and those that are not needed are passed over. Either they are
    `winner`, `loser` and, if there is one, `tie`: 1 or 0, yes or no, or empty. Or they are two
    candidates and a `winner`, as judges of language models write them: `model_a`, `model_b`,
    `winner` (or `left` and `right`, `first` and `second`, `model_1` and `model_2`, `a` and `b`);
    the winner is the name of a column, its last letter, the candidate itself, or a tie such as
    `tie (bothbad)`. Without names the columns are winner, loser and tie. They are separated by
    commas, semicolons or tabs; the file is UTF-8, or UTF-16 with a byte order mark.

    Parameters
    ----------
    path
        The file.
    arms
        Which labels there are; if not given, those in the file.

    Returns
    -------
    The counts.

    Raises
    ------
    InvalidInputError
        If there is no such file, a line of it is wrong, or a label is not among `arms`: the
        message names the line and the column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "past.csv"
    >>> _ = file.write_text("winner,loser,tie\\nA,B,\\nB,C,1\\nA,B,0\\n")
    >>> past = load_duels(file)
    >>> past.labels, past.wins[0].tolist(), past.wins[1].tolist()
    (('A', 'B', 'C'), [0.0, 2.0, 0.0], [0.0, 0.0, 0.5])
    >>> _ = file.write_text("model_a,model_b,winner\\nA,B,model_a\\nB,C,tie (bothbad)\\nA,B,a\\n")
    >>> load_duels(file).wins.tolist() == past.wins.tolist()
    True
    """
    path = path_of(path)
    text = read_text(path)

    listed = _listed("arms", arms)
    known = None if arms is None else {str(arm): arm for arm in listed}
    if known is not None and len(known) < len(listed):
        raise InvalidInputError("two arms look the same in a file; give each a name of its own")
    counted = _count(rows_of_file(path, text), known)
    if not counted.wins.any():
        raise InvalidInputError(f"{path}: no duels")
    return counted


def count_duels(
    duels: Iterable[Sequence[Any]], arms: Sequence[Hashable] | None = None
) -> PastDuels:
    """Past duels from pairs (winner, loser), or triples with a third entry that is true for a tie.

    Parameters
    ----------
    duels
        The pairs or triples.
    arms
        Which labels there are; if not given, those in `duels`.

    Returns
    -------
    The counts.

    Raises
    ------
    InvalidInputError
        If a duel is no pair or triple, or a label is not among `arms`: the message gives the
        number of the duel.

    Examples
    --------
    >>> count_duels([("A", "B"), ("B", "A", True)], arms=["A", "B", "C"]).wins[0].tolist()
    [0.0, 1.5, 0.0]
    """
    listed = _listed("arms", arms)
    try:
        known = None if arms is None else {arm: arm for arm in listed}
    except TypeError:
        raise InvalidInputError(f"arms must be a list of labels, not {shown(arms)}") from None
    return _count(rows_of_list(_listed("duels", duels)), known)


def _listed(name: str, given: Any) -> list[Any]:
    """What was given, in a list; nothing for None."""
    try:
        return [] if given is None and name == "arms" else list(given)
    except TypeError:
        raise InvalidInputError(f"{name} must be a list, not {shown(given)}") from None


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


def load_preferences(path: str | Path) -> Floats:
    """A preference matrix from a file: `.npy`, CSV, or text.

    A text holds rows of numbers, separated by spaces, commas or semicolons; `#` begins a comment,
    and a first line may give the number of arms.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    The matrix; entry (i, j) is the probability that arm i beats arm j.

    Raises
    ------
    InvalidInputError
        If there is no such file, or it holds no preference matrix: the message names the line or
        the entry.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "three.txt"
    >>> _ = file.write_text("3  # arms\\n.5 .6 .7\\n.4 .5 .6\\n.3 .4 .5\\n")
    >>> load_preferences(file)[0]
    array([0.5, 0.6, 0.7])
    """
    path = existing(path_of(path))
    matrix = parse_matrix(path)
    try:
        check_preferences(matrix)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None

    return matrix


def load_numbers(path: str | Path) -> Floats:
    """An array of numbers from a file: `.npy` of any shape, or rows of a CSV file or text.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "means.csv"
    >>> _ = file.write_text("0.1,0.2\\n0.3,0.4\\n")
    >>> load_numbers(file)[1].tolist()
    [0.3, 0.4]
    """
    return parse_matrix(existing(path_of(path)), announced=False)
