"""`tune`: the best level of each factor in few calls of a score, or of a judge."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from factored_bandits.core.checks import integer
from factored_bandits.policies import Policy

from .arena import certified
from .budget import Budget
from .combinations import Combinations, check_question, checked_scale
from .duels import CombinationDuels
from .play import play, play_sync
from .report import common
from .run import Run
from .settings import Settings, settings
from .tune_result import TuneResult


async def tune(
    factors: Mapping[str, Sequence[Any]],
    *,
    budget: Budget | int,
    score: Callable[..., Any] | None = None,
    judge: Callable[..., Any] | None = None,
    against: Any = None,
    items: Sequence[Any] | None = None,
    concurrency: int = 8,
    swap: Literal[True, "both"] = True,
    reward_range: tuple[float, float] = (0.0, 1.0),
    stop_at: float | None = 0.95,
    likely_at: float | None = None,
    journal: str | Path | None = None,
    policy: str | Policy | None = None,
    seed: int = 0,
    progress: bool = True,
    tries: int = 5,
    timeout: float | None = 120.0,
    backoff: float = 1.0,
) -> TuneResult:
    """Choose the best level of each factor, such as prompt, model and temperature, in few calls.

    Parameters
    ----------
    factors
        The levels of each factor.
    budget
        What may be spent at most; a number alone is a number of calls.
    score
        `score(levels)`, or with items `score(levels, item)`, where `levels` is a dict of a level
        for each factor: a number of `reward_range`, None if there is none yet (it is asked again
        later), or `fb.Score(value, cost)`. A coroutine function, or a plain one, which is called
        in threads. Give either this or `judge`.
    judge
        `judge(a, b)`, or with items `judge(a, b, item)`, of two combinations in random order, or of
        one and the baseline; it answers as that of `arena` does.
    against
        With a judge: a baseline that every combination is compared with, anything that the judge
        understands. Without it two combinations meet, and every factor in which they differ learns
        from the verdict.
    items
        What combinations are tried upon; one is drawn at random for every decision.
    concurrency
        How many calls may be in flight.
    swap
        With a judge: True for a random order, "both" for both orders in two calls.
    reward_range
        What scores can be at all, (low, high).
    stop_at
        Stop when the certificate of all factors together is as sure as this; None: go on to the
        end of the budget.
    likely_at
        Stop when the posterior of the policy is as sure as this; None: never. A belief, no
        confidence: it names one of two equal candidates in most runs (`result.likely`).
    journal
        A file of JSON lines that every answer is written to before it is used. If the file is
        there, the run goes on from it.
    policy
        The policy that chooses combinations. By default "duel_top_two" where combinations meet.
        Otherwise "tea(bound=betting)", which is sure after the fewest calls; with `stop_at=None`
        and a number of calls "logistic_halving", which proves nothing and finds more within them.
    seed
        Same seed and same order of answers, same decisions.
    progress
        Show the calls, the cost and what is in front, on standard error.
    tries, timeout, backoff
        As in `arena`.

    Returns
    -------
    TuneResult
        The best combination, how sure that is, or per factor the levels that cannot be told
        apart; print it.

    Raises
    ------
    InvalidInputError
        If an argument is wrong.
    DumpError
        If the journal is damaged, or of another run.
    JudgeError
        If no call works any more; its `result` is what was found until then.

    Examples
    --------
    >>> import asyncio
    >>> import factored_bandits as fb
    >>> baseline = {"prompt": "plain", "model": "small"}
    >>> async def judge(a, b):
    ...     good = [(x["prompt"] == "kind") + (x["model"] == "large") for x in (a, b)]
    ...     return 0.5 if good[0] == good[1] else int(good[0] > good[1])
    >>> factors = {"prompt": ["plain", "kind", "rude"], "model": ["small", "large"]}
    >>> run = fb.tune(factors, judge=judge, against=baseline, budget=3_000, progress=False)
    >>> asyncio.run(run).best
    {'prompt': 'kind', 'model': 'large'}
    """
    return await play(_prepared(locals()), _result)


def tune_sync(factors: Mapping[str, Sequence[Any]], **options: Any) -> TuneResult:
    """Choose the best level of each factor without asyncio: `tune` for scripts and notebooks.

    Ctrl-C ends it with the result so far, whose `stopped` is "interrupted".

    Parameters
    ----------
    factors
        The levels of each factor.
    **options
        Those of `tune`, such as `score` and `budget`.

    Returns
    -------
    TuneResult
        That of `tune`.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> factors = {"model": ["small", "large"]}
    >>> def score(levels):
    ...     return float(levels["model"] == "large")
    >>> fb.tune_sync(factors, score=score, budget=fb.Budget(calls=500)).best
    {'model': 'large'}
    """
    arguments = inspect.signature(tune).bind(factors, **options)
    arguments.apply_defaults()
    return play_sync(_prepared(arguments.arguments), _result)


def _prepared(arguments: dict[str, Any]) -> Run:
    """A run from the arguments of `tune`, checked."""
    given = dict(arguments)
    names = ("factors", "score", "judge", "against", "items", "swap", "reward_range", "policy")
    question = {name: given.pop(name) for name in names}
    seed = integer("seed", given.pop("seed"), 0)

    how: Settings = settings(**given)
    check_question(question["score"], question["judge"], question["against"])
    if question["judge"] is None or question["against"] is not None:
        return Run(Combinations(**question, seed=seed, how=how), how)

    checked_scale(question["reward_range"], compares=True)
    whole = ("factors", "judge", "items", "swap", "policy")
    duels = CombinationDuels(**{name: question[name] for name in whole}, seed=seed, how=how)
    return Run(duels, how)


def _result(run: Run) -> TuneResult:
    assert isinstance(run.problem, Combinations | CombinationDuels)
    named = run.problem.labels
    factors = dict(zip(named.names, named.levels, strict=True))
    return TuneResult(
        **common(run, certified(run)), factors=factors, reward_range=run.problem.range
    )
