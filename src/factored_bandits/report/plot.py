"""Single figures for a notebook: `fb.plot.regret(comparison)` and the like.

Each function takes what the library returns (a result, a comparison, a benchmark) or a tidy frame,
and gives a figure of matplotlib, or with `interactive=True` one of plotly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError, MissingExtraError
from factored_bandits.simulation.benchmark import Benchmark
from factored_bandits.simulation.comparison import Comparison
from factored_bandits.simulation.eliminations import factor_titles
from factored_bandits.simulation.result import Result

from . import charts
from .bounds import bounds_chart
from .chart import Chart

if TYPE_CHECKING:
    import pandas

__all__ = ["assumption", "bounds", "eliminations", "profile", "quality", "regret", "slopes"]


def regret(
    source: Any,
    *,
    title: str | None = None,
    y: charts.Scale = "auto",
    runs: bool = False,
    interactive: bool = False,
) -> Any:
    """Regret over time, a panel for each problem: mean and the middle 80 % of the repetitions.

    Parameters
    ----------
    source
        A result, a comparison, a benchmark, a sequence of results, or a tidy frame.
    title
        The title; by default the problem.
    y
        The scale of the regret; "auto": logarithmic where the final regrets lie far apart.
    runs
        Draw every repetition as well.
    interactive
        Draw with plotly.

    Returns
    -------
    A figure of matplotlib, or of plotly.

    Raises
    ------
    InvalidInputError
        If there is nothing to draw, or the frame is not tidy.
    MissingExtraError
        If the library that draws is not installed.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.8)
    >>> comparison = fb.compare("uniform, flat_ucb1", problem, 2_000, 4, progress=False)
    >>> figure = fb.plot.regret(comparison)
    >>> [line.get_label() for line in figure.axes[0].lines[:2]]
    ['uniform', 'flat_ucb1']
    """
    caption = source.caption() if isinstance(source, Comparison) else None
    chart = charts.curves(_results(source), title=title, y=y, caption=caption)
    return _drawn(chart, interactive, runs)


def quality(source: Any, *, title: str | None = None, interactive: bool = False) -> Any:
    """How often the best was found, and what the recommendation lacks, against the calls.

    For runs with a fixed number of calls, in which a bad try costs no more than a good one.

    Parameters
    ----------
    source
        A result, a comparison, a benchmark, a sequence of results, or a tidy frame.
    title
        The title; by default the problem.
    interactive
        Draw with plotly.

    Returns
    -------
    A figure of matplotlib, or of plotly.

    Raises
    ------
    InvalidInputError
        If there is nothing to draw, or the frame does not say what was recommended.
    MissingExtraError
        If the library that draws is not installed.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.4)
    >>> comparison = fb.compare("uniform, flat_ucb1", problem, 500, 4, progress=False)
    >>> figure = fb.plot.quality(comparison)
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['runs that recommend the best', 'simple regret (unit: reward)']
    """
    caption = source.caption() if isinstance(source, Comparison) else None
    return _drawn(charts.quality(_results(source), title=title, caption=caption), interactive)


def eliminations(
    result: Result,
    *,
    title: str | None = None,
    factors: Sequence[str] | None = None,
    repetition: int | None = None,
    interactive: bool = False,
) -> Any:
    """When each level of each factor was active, in one repetition.

    Parameters
    ----------
    result
        The result of a policy that eliminates.
    title
        The title; by default it names the policy.
    factors
        Names for the factors; of a duel, one name for the arms.
    repetition
        The number of the repetition; by default the first that eliminated something.
    interactive
        Draw with plotly.

    Returns
    -------
    A figure of matplotlib, or of plotly.

    Raises
    ------
    InvalidInputError
        If nothing was eliminated, or there is not one name per factor.
    MissingExtraError
        If pandas or the library that draws is not installed.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.5)
    >>> result = fb.simulate("tea", problem, 10_000, repetitions=2, seed=1, progress=False)
    >>> figure = fb.plot.eliminations(result, factors=["ad", "position"])
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['ad', 'position']
    """
    if not result.eliminations:
        raise InvalidInputError(
            f"{result.label} eliminated nothing in {result.horizon:,} rounds: there is nothing to "
            "draw"
        )

    chart = charts.timeline(
        _frame(result),
        title=title or f"{result.label}: when each level was active",
        sizes=result.environment.factor_sizes,
        horizon=result.horizon,
        best=result.best,
        factors=factor_titles(result.environment, factors),
        repetition=repetition,
    )
    return _drawn(chart, interactive)


def profile(source: Any, *, title: str = "Performance profile", interactive: bool = False) -> Any:
    """On what share of the problems each policy is within a factor of the best.

    Parameters
    ----------
    source
        A benchmark, a tidy frame, a sequence of results, or a dict problem -> policy -> regret.
    title
        The title.
    interactive
        Draw with plotly.

    Returns
    -------
    A figure of matplotlib, or of plotly.

    Raises
    ------
    InvalidInputError
        If there is nothing to draw, or the frame is not tidy.
    MissingExtraError
        If the library that draws is not installed.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> easy = {"tea": 10.0, "flat_ucb1": 15.0}
    >>> hard = {"tea": 80.0, "flat_ucb1": 20.0}
    >>> figure = fb.plot.profile({"easy": easy, "hard": hard})
    >>> [line.get_label() for line in figure.axes[0].lines[:2]]
    ['flat_ucb1', 'tea']
    """
    if isinstance(source, Benchmark):
        chart = charts.profile(source.regrets(), title=title, caption=source.caption())
    else:
        chart = charts.profile(_results(source), title=title)

    return _drawn(chart, interactive)


def slopes(
    frame: pandas.DataFrame, *, title: str = "Final regret against K", interactive: bool = False
) -> Any:
    """Mean regret at the horizon against K, on logarithmic axes, with fitted slopes.

    Parameters
    ----------
    frame
        A tidy frame with a column `arms` ("64" or "16x16"), and one problem per K.
    title
        The title.
    interactive
        Draw with plotly.

    Returns
    -------
    A figure of matplotlib, or of plotly.

    Raises
    ------
    InvalidInputError
        If the frame is not tidy, or a policy has several problems of the same K.
    MissingExtraError
        If the library that draws is not installed.

    Examples
    --------
    >>> import factored_bandits as fb, pandas as pd
    >>> frame = pd.DataFrame({"policy": "tea", "arms": ["8", "16"], "round": 9, "regret": [3, 6]})
    >>> [text.get_text() for text in fb.plot.slopes(frame.assign(problem=frame.arms)).axes[0].texts]
    ['tea: slope 1.00']
    """
    return _drawn(charts.slopes(frame, title=title), interactive)


def bounds(
    result: Result, environment: Environment, *, title: str | None = None, interactive: bool = False
) -> Any:
    """Measured regret between the upper bound, if the policy has one, and the lower bound.

    Parameters
    ----------
    result
        The result of a simulation.
    environment
        The problem that it was run on.
    title
        The title; by default the problem.
    interactive
        Draw with plotly.

    Returns
    -------
    A figure of matplotlib, or of plotly.

    Raises
    ------
    InvalidInputError
        If the result is of another problem.
    MissingExtraError
        If the library that draws is not installed.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.spiked(levels=3, best=0.81, gap=0.5)
    >>> result = fb.simulate("tea", problem, horizon=10_000, repetitions=2, seed=1, progress=False)
    >>> [line.get_label() for line in fb.plot.bounds(result, problem).axes[0].lines[:3]]
    ['tea', 'upper bound', 'lower bound']
    """
    return _drawn(bounds_chart(result, environment, title=title), interactive)


def assumption(
    problems: Mapping[str, Sequence[Environment]],
    *,
    title: str = "Where the assumption holds",
    interactive: bool = False,
) -> Any:
    """How far groups of problems are identifiable and unimodal.

    Parameters
    ----------
    problems
        Problems of which all means are known, by the name of their group.
    title
        The title.
    interactive
        Draw with plotly.

    Returns
    -------
    A figure of matplotlib, or of plotly.

    Raises
    ------
    InvalidInputError
        If there is no problem.
    MissingExtraError
        If the library that draws is not installed.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> figure = fb.plot.assumption({"products": [fb.environments.spiked(3)]})
    >>> [axes.get_xlabel() for axes in figure.axes]
    ['contexts in which the best levels are best', 'unimodal problems']
    """
    return _drawn(charts.assumption(problems, title=title), interactive)


def _drawn(chart: Chart, interactive: bool, runs: bool = False) -> Any:
    return chart.interactive(runs=runs) if interactive else chart.figure(runs=runs)


def _results(source: Any) -> Any:
    """What `charts` takes: a frame, a mapping or a sequence as they are."""
    if isinstance(source, Result):
        return [source]
    if isinstance(source, (Comparison, Benchmark)):
        return source.results
    return source


def _frame(result: Result) -> pandas.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError.of("pandas", "frame", "a timeline of eliminations") from None

    return pd.DataFrame(result.eliminations).assign(policy=result.label, problem=result.problem)
