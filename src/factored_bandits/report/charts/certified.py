"""What could be signed in the end: how many of the wrong levels each policy has ruled out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factored_bandits.core.arrays import Bools, Floats
from factored_bandits.core.table import Table
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.certificate import ALPHA, certificate
from factored_bandits.inference.percent import percent
from factored_bandits.report.chart import Axis, Chart, Dot, Panel
from factored_bandits.report.palette import looks, short
from factored_bandits.simulation.result import Result

PERCENTS = tuple((share / 100.0, f"{share}%") for share in range(0, 101, 20))


def certified(
    results: Sequence[Result],
    name: str = "certified",
    title: str = "Wrong levels that are ruled out in the end",
    alpha: float = ALPHA,
) -> Chart:
    """The share of wrong levels that certificates rule out at the horizon, per policy.

    Parameters
    ----------
    results
        Of `fb.simulate(..., certify=True)`, of one or more problems.
    name
        The name of the chart's files.
    title
        The title.
    alpha
        The probability of error allowed per factor.

    Returns
    -------
    Chart
        A dot per policy, the mean over problems; the bar goes from the problem with the smallest
        share to the one with the largest.

    Raises
    ------
    InvalidInputError
        If there is no result, one holds no p-values, or one is there twice.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.identical_gap(3, 0.9)
    >>> options = {"repetitions": 4, "seed": 1, "progress": False, "certify": True}
    >>> chart = certified([fb.simulate("dueling_tea", problem, 3_000, **options)])
    >>> chart.panels[0].dots[0].value
    1.0
    """
    if not results:
        raise InvalidInputError("results is empty: there is nothing to draw")

    shares: dict[str, dict[str, float]] = {}
    mistakes = 0
    statements = 0
    for result in results:
        right, wrong = _ruled_out(result, alpha)
        own = shares.setdefault(result.label, {})
        if result.problem in own:
            raise InvalidInputError(
                f"{result.label} on {result.problem!r} is there twice; give each result once"
            )
        own[result.problem] = float(right.mean())
        mistakes += int(wrong.sum())
        statements += wrong.size

    # the largest share at the top
    order = sorted(shares, key=lambda policy: float(np.mean(list(shares[policy].values()))))
    drawn = looks(order, order)
    dots = []
    for policy in order:
        found = list(shares[policy].values())
        mean = float(np.mean(found))
        told = f"{policy}: {mean:.0%} of the wrong levels, {min(found):.0%} to {max(found):.0%}"
        dots.append(
            Dot(
                policy,
                short(policy),
                drawn[policy],
                mean,
                min(found),
                max(found),
                f"{mean:.0%}",
                told,
            )
        )

    listed = "; ".join(f"{dot.label} {dot.text}" for dot in reversed(dots))
    kinds = {result.environment.kind for result in results}
    levels = "arms" if kinds == {"duel"} else "levels"
    panel = Panel(
        title="",
        x=Axis(f"share of the wrong {levels} ruled out", (0.0, 1.06), ticks=PERCENTS),
        y=Axis("", (-0.7, len(dots) - 0.3), ticks=tuple((i, d.label) for i, d in enumerate(dots))),
        dots=tuple(dots),
        alt=f"Share of the wrong {levels} that are ruled out: {listed}.",
    )
    caption = (
        f"At confidence {percent(alpha)}, at the horizon. Dot: mean over problems. Bar: from the "
        "problem with the smallest share to the one with the largest. The best one was ruled out "
        f"in {mistakes} of {statements:,} cases (factors and runs)."
    )
    return Chart(name, title, caption, (panel,), numbers=(_table(shares, list(reversed(order))),))


def _ruled_out(result: Result, alpha: float) -> tuple[Floats, Bools]:
    """Per repetition the share of wrong levels ruled out; per factor, whether the best is."""
    shares = []
    mistakes = []
    for found in certificate(result, alpha):
        factors = list(dict.fromkeys(claim.factor for claim in found.claims))
        best = dict(zip(factors, result.best, strict=False))
        right = [c.p_value <= alpha for c in found.claims if c.level != best[c.factor]]
        shares.append(np.mean(right) if right else 1.0)
        mistakes.append([c.p_value <= alpha for c in found.claims if c.level == best[c.factor]])
    return np.array(shares), np.array(mistakes)


def _table(shares: dict[str, dict[str, float]], order: list[str]) -> Table:
    problems = list(dict.fromkeys(problem for found in shares.values() for problem in found))
    rows = [
        (problem, *(_cell(shares[policy].get(problem)) for policy in order)) for problem in problems
    ]
    columns = ("problem", *map(short, order))
    return Table("Wrong levels ruled out", columns, rows, align="l" + "r" * len(order))


def _cell(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
