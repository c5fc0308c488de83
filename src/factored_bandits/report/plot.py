"""Single figures for a notebook: `fb.plot.regret(comparison)` and the like.

Each function takes what the library returns (a result, a comparison, a survey) or a tidy frame, and
gives a figure of matplotlib, or with `interactive=True` one of plotly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.simulation.benchmark import Benchmark
from factored_bandits.simulation.compare import Comparison
from factored_bandits.simulation.result import Result

from . import charts
from .bounds import bounds_chart
from .chart import Chart

if TYPE_CHECKING:
    import pandas

__all__ = ["bounds", "eliminations", "profile", "regret", "slopes"]


def regret(
    source: Any,
    *,
    title: str | None = None,
    y: charts.Scale = "auto",
    runs: bool = False,
    interactive: bool = False,
) -> Any:
    """Regret over time, a panel for each problem: mean, the middle 80 % of the repetitions, with
    `runs` each of them.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.8)
    >>> figure = fb.plot.regret(fb.compare("uniform, flat_ucb1", problem, 2_000, repetitions=4, progress=False))
    >>> [line.get_label() for line in figure.axes[0].lines[:2]]
    ['uniform', 'flat_ucb1']
    """
    caption = source.caption() if isinstance(source, Comparison) else None
    return _drawn(
        charts.curves(_results(source), title=title, y=y, caption=caption), interactive, runs
    )


def eliminations(
    result: Result,
    *,
    title: str | None = None,
    factors: Sequence[str] | None = None,
    repetition: int | None = None,
    interactive: bool = False,
) -> Any:
    """Which level of each factor was in when, in one repetition (the first, unless said); `factors`
    are names.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.5)
    >>> result = fb.simulate("tea", problem, 10_000, repetitions=2, seed=1, progress=False)
    >>> [axes.get_title(loc="left") for axes in fb.plot.eliminations(result, factors=["ad", "place"]).axes]
    ['ad', 'place']
    """
    if not result.eliminations:
        raise InvalidInputError(
            f"{result.label} eliminated nothing in {result.horizon:,} rounds: there is nothing to "
            "draw"
        )

    # A duel has two columns over the same arms, which are noted once.
    duel = result.kind == "duel"
    chart = charts.timeline(
        _frame(result),
        title=title or f"{result.label}: when each level was active",
        sizes=result.sizes[:1] if duel else result.sizes,
        horizon=result.horizon,
        best=result.best,
        factors=factors or (["arm"] if duel else None),
        repetition=repetition,
    )
    return _drawn(chart, interactive)


def profile(source: Any, *, title: str = "Performance profile", interactive: bool = False) -> Any:
    """On what share of the problems each policy is within a factor of the best, of a survey or a
    tidy frame.

    >>> import factored_bandits as fb
    >>> figure = fb.plot.profile({"easy": {"tea": 10.0, "flat_ucb1": 15.0}, "hard": {"tea": 80.0, "flat_ucb1": 20.0}})
    >>> [line.get_label() for line in figure.axes[0].lines[:2]]
    ['flat_ucb1', 'tea']
    """
    if isinstance(source, Benchmark):
        return _drawn(
            charts.profile(source.regrets(), title=title, caption=source.caption()), interactive
        )
    return _drawn(charts.profile(_results(source), title=title), interactive)


def slopes(
    frame: pandas.DataFrame, *, title: str = "Final regret against K", interactive: bool = False
) -> Any:
    """Mean regret at the horizon against K, on logarithmic axes, with fitted slopes; the frame has
    a column `arms`.

    >>> import factored_bandits as fb, pandas as pd
    >>> frame = pd.DataFrame({"policy": "tea", "arms": ["8", "16"], "round": 9, "regret": [3, 6]})
    >>> [text.get_text() for text in fb.plot.slopes(frame.assign(problem=frame.arms)).axes[0].texts]
    ['tea: slope 1.00']
    """
    return _drawn(charts.slopes(frame, title=title), interactive)


def bounds(
    result: Result, environment: Environment, *, title: str | None = None, interactive: bool = False
) -> Any:
    """Measured regret between the upper bound, if the paper has one for the policy, and the lower
    bound.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.5)
    >>> result = fb.simulate("tea", problem, horizon=10_000, repetitions=2, seed=1, progress=False)
    >>> [line.get_label() for line in fb.plot.bounds(result, problem).axes[0].lines[:3]]
    ['tea', 'upper bound', 'lower bound']
    """
    return _drawn(bounds_chart(result, environment, title=title), interactive)


def _drawn(chart: Chart, interactive: bool, runs: bool = False) -> Any:
    return chart.interactive(runs=runs) if interactive else chart.figure(runs=runs)


def _results(source: Any) -> Any:
    """What `charts` takes: a frame, a mapping or a sequence as they are."""
    if isinstance(source, Result):
        return [source]
    if isinstance(source, Comparison):
        return source.results
    if isinstance(source, Benchmark):
        return source.results

    return source


def _frame(result: Result) -> pandas.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError.of("pandas", "frame", "a timeline of eliminations") from None
    return pd.DataFrame(result.eliminations).assign(policy=result.label, problem=result.problem)
