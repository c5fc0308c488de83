"""Votes: which of two answers of language models people preferred."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.environments import count_duels, make
from factored_bandits.environments._text_file import path_of
from factored_bandits.environments.suites.instance import Instance
from factored_bandits.errors import InvalidInputError

from .source import Dataset, Source, checksum, table_of

SOURCE = Source(
    "votes",
    "8,931 votes on the answers of 59 language models, with ties",
    "Apache-2.0",
    "LLMFAO: large language model feedback analysis and optimization, from the package evalica",
    {"llmfao.csv": "106564a4bf06f047a4662979384313c22d9b4ca901e780f9e8419f8e5581adb1"},
)
PRIOR = 8.0  # votes per pair, by which observed shares are drawn towards the fit
ROUNDS = 20_000
ITERATIONS = 2000


def votes(path: str | Path) -> Dataset:
    """Duels of language models: by fitted strengths, and by observed shares; ties at their share.

    Parameters
    ----------
    path
        A CSV file with columns `left`, `right` and `winner` ("left", "right", and anything else
        is a tie).

    Returns
    -------
    Two problems, and where they come from: `models fitted`, in which the Bradley-Terry model holds,
    and `models observed`, in which shares of wins are drawn towards the fit with 8 votes per pair.

    Raises
    ------
    InvalidInputError
        If there is no such file, a column is missing, or all votes are ties.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "votes.csv"
    >>> _ = file.write_text("left,right,winner\\nA,B,left\\nB,C,left\\nA,C,tie\\nC,A,right\\n")
    >>> [(one.name, one.problem().sizes) for one in votes(file)]
    [('models fitted 3', (3, 3)), ('models observed 3', (3, 3))]
    """
    path = path_of(path)
    other = {"left": "right", "right": "left"}
    rows = table_of(path, ["left", "right", "winner"])
    decided = [
        (row[row["winner"]], row[other[row["winner"]]]) for row in rows if row["winner"] in other
    ]
    if not decided:
        raise InvalidInputError(f"{path.name}: every vote is a tie")

    past = count_duels(decided)
    ties = len(rows) - len(decided)
    share = ties / len(rows)
    strengths = bradley_terry(past.wins)
    why = f"{len(decided):,} votes and {ties:,} ties"
    fitted = partial(make, "duel_utility", utilities=strengths, link="logistic", tie=share)

    mixed = shrunk(past.wins, strengths)

    # A winner of most duels need not beat everybody: then regret is counted by duels won.
    unit = "average" if (mixed >= 0.5).all(axis=1).any() else "copeland"
    observed = partial(make, "duel_matrix", preferences=mixed, unit=unit, tie=share)

    size = len(strengths)
    return Dataset(
        SOURCE,
        checksum(path),
        (
            Instance(f"models fitted {size}", fitted, ROUNDS, why),
            Instance(f"models observed {size}", observed, ROUNDS, why),
        ),
    )


def shrunk(wins: Floats, strengths: Floats) -> Floats:
    """Shares of wins, drawn towards what strengths say with `PRIOR` votes per pair.

    >>> import numpy as np
    >>> shrunk(np.array([[0.0, 12.0], [0.0, 0.0]]), np.zeros(2))
    array([[0.5, 0.8],
           [0.2, 0.5]])
    """
    expected = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
    shares: Floats = (wins + PRIOR * expected) / (wins + wins.T + PRIOR)
    np.fill_diagonal(shares, 0.5)
    return shares


def bradley_terry(wins: Floats, prior: float | Floats = 0.5) -> Floats:
    """Log strengths by Zermelo's iteration; `prior` wins of each pair keep them finite.

    >>> import numpy as np
    >>> even = bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]]), prior=0.0)
    >>> bool(abs(even[0] - even[1] - np.log(3.0)) < 1e-9)
    True
    """
    counted = wins + prior * (1.0 - np.eye(len(wins)))
    duels = counted + counted.T
    strengths = np.ones(len(wins))
    for _ in range(ITERATIONS):
        pairs = duels / (strengths[:, None] + strengths[None, :])
        strengths = counted.sum(axis=1) / pairs.sum(axis=1)
        strengths /= math.exp(float(np.log(strengths).mean()))
    return np.log(strengths)
