"""What is played while nothing can be decided: the best as far as is known."""

from __future__ import annotations

from factored_bandits.agent import Decision
from factored_bandits.service.config import Config

from .fold import Fold

NUMBER = 0  # of a decision that is in no log; those of the log begin with 1


def fallback_of(fold: Fold) -> Decision:
    """A decision without a number and without a propensity; no reward is learned for it.

    >>> from factored_bandits.service.config import made
    >>> fallback_of(Fold(made({"arms": ["A", "B"]}, {})[0], compiled=False))
    Decision(id=0, action=(0, 0), levels={'first': 'A', 'second': 'A'}, propensity=None)
    """
    return _decision(fold.config, fold.agent.best())


def _decision(config: Config, best: object) -> Decision:
    arms = config.given["arms"]
    if arms is not None:  # nobody compares anything now: one arm, twice
        index = arms.index(best)
        return Decision(NUMBER, (index, index), {"first": best, "second": best}, None)

    assert isinstance(best, dict)
    factors = config.given["factors"]
    action = tuple(levels.index(best[name]) for name, levels in factors.items())
    return Decision(NUMBER, action, dict(best), None)
