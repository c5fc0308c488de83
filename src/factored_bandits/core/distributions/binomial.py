"""How often something happened in n independent runs, held against a probability, exactly."""

from __future__ import annotations

from factored_bandits.core.stats import LEVEL, Verdict

from .beta import incomplete_beta


def at_least(count: int, runs: int, probability: float) -> float:
    """The probability that something happens in at least so many of the runs.

    >>> at_least(0, 5, 0.1), round(at_least(5, 5, 0.5), 9), at_least(6, 5, 0.5)
    (1.0, 0.03125, 0.0)
    """
    if count <= 0:
        return 1.0
    if count > runs:
        return 0.0
    return incomplete_beta(count, runs - count + 1.0, probability, 1.0 - probability)


def verdict_of_count(count: int, runs: int, most: float, comparisons: int = 1) -> Verdict:
    """Decide by the exact binomial distribution whether a probability is at most `most`.

    At `LEVEL` a side, shared by so many comparisons.

    Parameters
    ----------
    count
        In how many of the runs it happened.
    runs
        How many independent runs there were.
    most
        The probability that is held against it.
    comparisons
        How many comparisons decide a claim together.

    Returns
    -------
    Verdict
        `"holds"`, `"fails"` or `"undecided"`.

    Examples
    --------
    >>> [verdict_of_count(*counted, most=0.01) for counted in [(0, 500), (0, 400), (14, 500)]]
    ['holds', 'undecided', 'fails']
    """
    share = LEVEL / comparisons
    if 1.0 - at_least(count + 1, runs, most) <= share:
        return "holds"
    if at_least(count, runs, most) <= share:
        return "fails"
    return "undecided"
