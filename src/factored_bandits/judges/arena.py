"""`arena`: the best of several candidates in few calls of a judge."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from factored_bandits.core.checks import integer
from factored_bandits.inference.certificate import ALPHA, Certificate, certificate
from factored_bandits.policies import Policy

from .budget import Budget
from .duels import Duels
from .play import play, play_sync
from .report import common
from .result import ArenaResult
from .run import Run
from .settings import Settings, settings


async def arena(
    candidates: Sequence[Any] | Mapping[Any, Any],
    judge: Callable[..., Any],
    *,
    budget: Budget | int,
    items: Sequence[Any] | None = None,
    concurrency: int = 8,
    swap: Literal[True, "both"] = True,
    stop_at: float | None = 0.95,
    likely_at: float | None = None,
    journal: str | Path | None = None,
    policy: str | Policy | None = None,
    seed: int = 0,
    progress: bool = True,
    tries: int = 5,
    timeout: float | None = 120.0,
    backoff: float = 1.0,
) -> ArenaResult:
    """Find the best of several candidates in few calls of a judge.

    The best is the Condorcet winner: the one that is preferred to every other.

    Parameters
    ----------
    candidates
        What is compared: a list of labels, which the judge gets, or a dict of a label for
        everything that the judge gets, such as prompts.
    judge
        `judge(a, b)`, or with items `judge(a, b, item)`: 1 if a is better, 0 if b is, 0.5 for a
        tie, None if there is no verdict yet (it is asked again later), or `fb.Verdict(winner,
        cost)`. A coroutine function, or a plain one, which is called in threads.
    budget
        What may be spent at most; a number alone is a number of calls.
    items
        What candidates are judged upon, such as questions; one is drawn at random for every
        decision.
    concurrency
        How many calls may be in flight.
    swap
        True: which of the two the judge sees first is drawn at random. "both": the judge sees them
        in both orders, in two calls, and two verdicts that differ are a tie.
    stop_at
        Stop when the certificate is as sure as this; None: go on to the end of the budget.
    likely_at
        Stop when the posterior of the policy is as sure as this; None: never. A belief, no
        confidence: it names one of two equal candidates in most runs (`result.likely`).
    journal
        A file of JSON lines that every verdict is written to before it is used. If the file is
        there, the run goes on from it.
    policy
        The policy that chooses who meets; by default "duel_top_two". With fewer than ten to
        fifteen calls per candidate, or verdicts in large batches, "duel_halving" finds more.
    seed
        Same seed and same order of verdicts, same decisions.
    progress
        Show the calls, the cost and who is in front, on standard error.
    tries
        How often a call is tried before it is given up; then it counts as no evidence. A retry is
        a new decision if the policy can take the failed one back, otherwise the same call.
    timeout
        Seconds that a call may take; None for any time.
    backoff
        Seconds before the second try, doubled from try to try and at most 60, a random part of it
        left out. A service that says `Retry-After` is taken at its word.

    Returns
    -------
    ArenaResult
        The best, how sure that is, or the set that cannot be told apart; print it.

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
    >>> async def judge(a, b):
    ...     return fb.Verdict(winner=a > b, cost=0.01)
    >>> result = asyncio.run(fb.arena([3, 1, 4, 1.5], judge, budget=fb.Budget(calls=200)))
    >>> result.best, result.top, result.confidence >= 0.95
    (4, (4,), True)
    """
    return await play(_prepared(locals()), _result)


def arena_sync(
    candidates: Sequence[Any] | Mapping[Any, Any], judge: Callable[..., Any], **options: Any
) -> ArenaResult:
    """Find the best of several candidates, without asyncio: `arena` for scripts and notebooks.

    Ctrl-C ends it with the result so far, whose `stopped` is "interrupted".

    Parameters
    ----------
    candidates
        What is compared.
    judge
        Who compares.
    **options
        Those of `arena`, such as `budget`.

    Returns
    -------
    ArenaResult
        That of `arena`.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> print(fb.arena_sync(["A", "B"], lambda a, b: a > b, budget=99, concurrency=1))
    best: B, confidence 96.62%, if one candidate does best against every opponent
    candidate  verdict   n  wins  ties  losses  win rate  not the best
    B          best      9     9     0       0      100%         0.00%
    A          not best  9     0     0       9        0%        96.62%
    stopped because the certificate has reached 0.95: 9 calls
    the candidate shown first won 44% of 9 verdicts without ties (14% to 79%)
    """
    arguments = inspect.signature(arena).bind(candidates, judge, **options)
    arguments.apply_defaults()
    return play_sync(_prepared(arguments.arguments), _result)


def _prepared(arguments: dict[str, Any]) -> Run:
    """A run from the arguments of `arena`, checked."""
    given = dict(arguments)
    candidates = given.pop("candidates")
    judge = given.pop("judge")
    items = given.pop("items")
    swap = given.pop("swap")
    policy = given.pop("policy")
    seed = integer("seed", given.pop("seed"), 0)

    how: Settings = settings(**given)
    return Run(Duels(candidates, judge, items, swap, policy, seed, how), how)


def _result(run: Run) -> ArenaResult:
    assert isinstance(run.problem, Duels)
    return ArenaResult(**common(run, certified(run)), candidates=run.problem.names)


def certified(run: Run) -> Certificate | None:
    """The certificate at the confidence that was wanted; None if the policy proves nothing."""
    if not run.certifies:
        return None
    stop_at = run.settings.stop_at
    return certificate(run.problem.agent, ALPHA if stop_at is None else 1.0 - stop_at)
