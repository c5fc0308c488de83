"""Bradley-Terry scores with bootstrap intervals: the familiar companion of the certificate.

They are fitted by evalica. One tie of each two candidates, worth a tenth of a vote, is added, so
that a candidate which has never won has a score, too. The scale is that of chess: 400 points are
odds of 10 to 1, and the mean is 1,000.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.errors import MissingExtraError

RESAMPLES = 200
PRIOR = 0.1  # votes
CENTRE = 1000.0
SCALE = 400.0
LEVEL = 0.95

Kinds = tuple[tuple[tuple[Any, Any, Any], int], ...]  # left, right, who won; how often


class Score(NamedTuple):
    """The score of a candidate, with an interval of 95 % that holds for one look, not for many."""

    name: str
    score: float
    low: float
    high: float


def bradley_terry(
    names: Sequence[str], pairs: Mapping[str, Sequence[Any]], seed: int = 0
) -> list[Score]:
    """Scores, the best first.

    Parameters
    ----------
    names
        All candidates.
    pairs
        `model_a`, `model_b` and `winner`, as `ArenaResult.to_pairs` gives them.
    seed
        Of the bootstrap.

    Returns
    -------
    list of Score
        Empty without votes.

    Raises
    ------
    MissingExtraError
        If evalica is not installed.
    """
    kinds = Counter(zip(pairs["model_a"], pairs["model_b"], pairs["winner"], strict=True))
    return list(_fitted(tuple(names), tuple(sorted(kinds.items())), seed))


@lru_cache(maxsize=64)
def _fitted(names: tuple[str, ...], kinds: Kinds, seed: int) -> list[Score]:
    """Of each kind of vote their number: the cost does not grow with it. Kept until it changes."""
    try:
        import evalica
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError.of(str(error.name), "vote", "Bradley-Terry scores") from None

    if not kinds:
        return []
    winners = {
        "model_a": evalica.Winner.X,
        "model_b": evalica.Winner.Y,
        "tie": evalica.Winner.Draw,
    }
    ties = list(itertools.combinations(names, 2))
    xs = [*(a for (a, _, _), _ in kinds), *(a for a, _ in ties)]
    ys = [*(b for (_, b, _), _ in kinds), *(b for _, b in ties)]
    outcomes = [winners[won] for (_, _, won), _ in kinds] + [evalica.Winner.Draw] * len(ties)
    index = pd.Index(list(names))
    prior = np.full(len(ties), PRIOR)

    def fitted(counts: Any) -> Any:
        weights = np.concatenate([counts, prior])
        found = evalica.bradley_terry(xs, ys, outcomes, index=index, weights=weights, limit=1000)
        scores = found.scores.to_dict()
        logs = SCALE * np.log10([scores[name] for name in names])
        return CENTRE + logs - logs.mean()

    counts = np.array([count for _, count in kinds], dtype=float)
    votes = int(counts.sum())
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(votes, counts / votes, size=RESAMPLES)
    scores = fitted(counts)
    tail = 50.0 * (1.0 - LEVEL)
    spread = np.percentile([fitted(row.astype(float)) for row in drawn], [tail, 100 - tail], axis=0)
    rows = zip(names, scores, *spread, strict=True)
    found = [Score(name, float(at), float(low), float(high)) for name, at, low, high in rows]
    return sorted(found, key=lambda each: -each.score)
