"""`simulate`: one policy on one problem, many repetitions, the same numbers on any number of
workers.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
import time
import types
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from factored_bandits.core import loop
from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.kernel import bind, compiles
from factored_bandits.core.progress import Progress
from factored_bandits.core.rng import generators
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError
from factored_bandits.policies import Policy, make, scaling

from .result import Elimination, Result

LONGEST = 10**15
# plays between looks at the clock and at Ctrl-C
FIRST_SLICE = 1_000
LONGEST_SLICE = 10**8
SLICE_SECONDS = 0.2


def simulate(
    policy: str | types.ModuleType | Policy,
    environment: Environment,
    horizon: float,
    repetitions: int = 20,
    seed: int = 0,
    checkpoints: Sequence[int] | int | None = None,
    workers: int | None = None,
    *,
    permute: bool = True,
    skip_idle: bool = True,
    progress: bool = True,
    certify: bool = False,
) -> Result:
    """Run `policy` on `environment` and measure its regret.

    `checkpoints`: the rounds at which regret is noted, or how many (log-spaced; default 100).
    `permute`: shuffle the levels in every repetition, so that nobody profits from the order in
    which they are listed; results are always in the order of the environment. `skip_idle`: jump
    over rounds in which nothing can change. `certify`: keep what `fb.certificate` needs.

    >>> import factored_bandits as fb
    >>> environment = fb.environments.spiked(levels=4, best=0.81, gap=0.5)
    >>> result = fb.simulate("tea", environment, horizon=100_000, repetitions=4, seed=1, progress=False)
    >>> result.regret.shape, result.summary().correct
    ((4, 100), 1.0)
    """
    made = make(policy)
    rounds = integer("horizon", horizon, 1, LONGEST)
    repetitions = integer("repetitions", repetitions, 1, 10**9)
    seed = integer("seed", seed, 0, 2**63)
    workers = (
        integer("workers", (os.cpu_count() or 1) if workers is None else workers, 1, 4096)
        if compiles()
        else 1
    )
    points = checkpoints_of(checkpoints, rounds)
    check_fit(made, environment)
    job = Job(made, environment, points, seed, permute, skip_idle, certify)

    with Progress(
        f"{made.label} on {environment}", repetitions * math.log1p(rounds), progress
    ) as bar:
        done, interrupted = _run_all(job, repetitions, workers, bar)

    if not done:
        raise KeyboardInterrupt
    return _collect(job, done, interrupted)


class Job:
    """A policy on a problem, bound and ready to run repetitions."""

    def __init__(
        self,
        policy: Policy,
        problem: Environment,
        checkpoints: Ints,
        seed: int,
        permute: bool,
        skip_idle: bool,
        certify: bool = False,
    ) -> None:
        self.policy = policy
        self.problem = problem
        self.checkpoints = checkpoints
        self.seed = seed
        self.permute = permute
        self.certify = certify
        self.p_values: dict[int, list[Floats]] = {}  # per repetition, if they are to be kept
        module = policy.module
        self.params = policy.encoded()
        self.sizes = np.array(problem.sizes, dtype=np.int64)
        self.start = np.concatenate([[0], np.cumsum(self.sizes)])
        self.range = (
            problem.reward_range if policy.reward_range == "environment" else policy.reward_range
        )
        state = (
            self.new_state()
        )  # refuses a problem that the policy cannot take, before anything is compiled
        if certify:
            policy.p_values(self.params, state, self.range)  # refuses a policy that cannot
        skips = skip_idle and problem.stationary and policy.skips
        semi_bandit = policy.info.feedback == "semi-bandit"
        self.loop = bind(
            loop.play,
            policy.name,
            plan=module.plan,
            learn=module.learn,
            recommend=module.recommend,
            idle=module.idle if skips else loop.always_busy,
            active_sets=module.active_sets if policy.eliminates else loop.no_active_sets,
            sample=problem.module.sample,
            regret=problem.module.regret,
            draw=loop.draw_outcomes if semi_bandit else loop.draw,
            teach=loop.teach_outcomes if semi_bandit else loop.teach,
            sample_outcomes=getattr(problem.module, "sample_outcomes", loop.sample_outcomes),
        )

    def new_state(self) -> Any:
        """The policy's state before the first round."""
        return self.policy.module.init(self.params, self.sizes, int(self.checkpoints[-1]))

    def prepare(self, rng: np.random.Generator, state: Any) -> loop.Run:
        """The arrays of one repetition; `rng` draws the permutation."""
        module = self.policy.module
        count = len(self.checkpoints)
        low, high = self.range or (-math.inf, math.inf)
        shift, slope = scaling(self.range, self.policy.info.scale)
        longest = self.policy.longest_block(self.sizes)
        shown = loop.NO_FLAGS
        if self.policy.eliminates:
            shown = module.active_sets(self.params, state)[0].copy()
        return loop.Run(
            permutation=self._permutation(rng),
            start=self.start,
            checkpoints=self.checkpoints,
            limits=np.array([low, high, shift, slope]),
            clock=np.array([1, 0, 0, 0, 0]),
            regret=np.zeros(count + 1),
            correct=np.zeros(count, dtype=np.bool_),
            plays=np.zeros(self.start[-1], dtype=np.int64),
            shown=shown,
            events=np.zeros((4 * len(shown) + 1000, 3), dtype=np.int64),
            actions=np.zeros((longest, len(self.sizes)), dtype=np.int64),
            rewards=np.zeros(longest),
            action=np.zeros(len(self.sizes), dtype=np.int64),
            outcomes=np.zeros((longest, len(self.sizes))),
        )

    def _permutation(self, rng: np.random.Generator) -> Ints:
        orders = [
            rng.permutation(size) if self.permute else np.arange(size)
            for size in self.problem.sizes
        ]
        if self.problem.kind == "duel":  # both places hold the same arms
            orders[1] = orders[0]
        return np.concatenate(orders)

    def repetition(
        self, index: int, report: Callable[[int, int], bool]
    ) -> tuple[loop.Run, Ints] | None:
        """Play one repetition to the end; None if `report` says stop."""
        policy_rng, rng = generators(self.seed, index)
        state = self.new_state()
        run = self.prepare(rng, state)
        events = []
        horizon = int(self.checkpoints[-1])
        budget = FIRST_SLICE

        while run.clock[loop.ROUND] <= horizon:
            began = time.perf_counter()
            self.loop(self.params, state, self.problem.data, run, policy_rng, rng, budget)
            if time.perf_counter() - began < SLICE_SECONDS:
                budget = min(2 * budget, LONGEST_SLICE)
            if run.clock[loop.FAULT]:
                self._refuse(run)
            events.append(run.events[: run.clock[loop.EVENTS]].copy())
            run.clock[loop.EVENTS] = 0
            if report(index, int(run.clock[loop.ROUND])):
                return None

        if self.certify:
            self.p_values[index] = self._doubts(state, run)
        return run, np.concatenate(events)

    def _doubts(self, state: Any, run: loop.Run) -> list[Floats]:
        """What the policy says of each level at the end, by the environment's numbering."""
        found = []
        for l, known in enumerate(self.policy.p_values(self.params, state, self.range)):
            levels = np.empty(len(known))
            levels[run.permutation[self.start[l] : self.start[l] + len(known)]] = known
            found.append(levels)
        return found

    def _refuse(self, run: loop.Run) -> None:
        action = tuple(int(level) for level in run.action)
        low, high = self.range or (-math.inf, math.inf)
        raise RewardOutOfRangeError(
            f"{self.policy.label}: the reward {run.rewards[0]:.6g} of action {action} in round "
            f"{run.clock[loop.FAULT]} "
            f"lies outside the declared range ({low:g}, {high:g}); declare the range that "
            f"{self.problem.name} has, "
            "or None for raw rewards"
        )


def _run_all(
    job: Job, repetitions: int, workers: int, bar: Progress
) -> tuple[dict[int, tuple[loop.Run, Ints]], bool]:
    """All repetitions, on threads (the compiled loop runs outside the interpreter's lock)."""
    stop = threading.Event()
    reached = [0.0] * repetitions

    def report(index: int, t: int) -> bool:
        reached[index] = math.log1p(min(t, job.checkpoints[-1]))
        return stop.is_set()

    done: dict[int, tuple[loop.Run, Ints]] = {}
    waiting = "compiling (once; kept for next time)" if compiles() else ""
    pending: dict[Future[Any], int] = {}
    remaining = iter(range(repetitions))

    with ThreadPoolExecutor(workers) as pool:
        try:
            while len(done) < repetitions:
                for index in itertools.islice(remaining, 2 * workers - len(pending)):
                    pending[pool.submit(job.repetition, index, report)] = index
                finished, _ = wait(pending, timeout=0.1, return_when="FIRST_COMPLETED")
                for future in finished:
                    done[pending.pop(future)] = future.result()
                bar.update(sum(reached), "" if any(reached) else waiting)
        except BaseException as error:
            stop.set()
            pool.shutdown(cancel_futures=True)
            if not isinstance(error, KeyboardInterrupt):
                raise
            return done, True

    return done, False


def _collect(job: Job, done: dict[int, tuple[loop.Run, Ints]], interrupted: bool) -> Result:
    order = sorted(done)
    runs = [done[index][0] for index in order]
    plays = np.array([run.plays for run in runs])
    eliminations = []

    for index in order:
        rounds, levels, inside = done[index][1].T
        factors = np.searchsorted(job.start, levels, side="right") - 1
        records = zip(
            rounds.tolist(),
            factors.tolist(),
            (levels - job.start[factors]).tolist(),
            inside,
            strict=True,
        )
        eliminations += [
            Elimination(index, t, factor, level, "in" if i else "out")
            for t, factor, level, i in records
        ]

    return Result(
        policy=job.policy.label,
        problem=str(job.problem),
        unit=job.problem.unit,
        seed=job.seed,
        sizes=job.problem.sizes,
        checkpoints=job.checkpoints,
        regret=np.array([run.regret[:-1] for run in runs]),
        correct=np.array([run.correct for run in runs]),
        plays=[plays[:, a:b] for a, b in zip(job.start[:-1], job.start[1:], strict=True)],
        eliminations=eliminations,
        best=job.problem.best,
        interrupted=interrupted,
        p_values=[
            np.array(rows) for rows in zip(*(job.p_values[index] for index in order), strict=True)
        ]
        if job.certify
        else None,
    )


def check_fit(policy: Policy, problem: Environment) -> None:
    """Refuse a policy for duels on a factored problem, the other way round, and feedback from which
    it cannot learn.
    """
    if not isinstance(problem, Environment):
        raise InvalidInputError(
            "environment must be made by fb.environments (make(...) or a generator), not "
            f"{problem!r}"
        )

    if policy.info.kind != problem.kind:
        kinds = {"duel": "duels", "factored": "factored problems"}
        raise InvalidInputError(
            f"{policy.name} plays {kinds[policy.info.kind]}, {problem.name} is one of "
            f"{kinds[problem.kind]}; "
            f"fb.policies.names({problem.kind!r}) lists the policies that fit"
        )

    if policy.info.feedback == "semi-bandit" and not problem.semi_bandit:
        raise InvalidInputError(
            f"{policy.name} learns from the outcome of each factor, and {problem.name} only gives "
            "the reward; "
            "rank1 with noise='bernoulli' gives both"
        )

    if problem.params.get("tie") and not policy.info.ties:
        raise InvalidInputError(
            f"{policy.name} cannot learn from ties, and {problem.name} has them "
            f"(tie={problem.params['tie']:g})"
        )


def integer(name: str, value: Any, low: int, high: int) -> int:
    """`value` as an integer, if it is one and lies from `low` to `high`.

    >>> integer("horizon", 1e6, 1, LONGEST)
    1000000
    """
    try:
        integer = int(value)
        fits = integer == value and low <= integer <= high and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):
        fits = False

    if not fits:
        raise InvalidInputError(
            f"{name} must be a whole number from {low} to {high:,}, not {value!r}"
        )

    return integer


def checkpoints_of(given: Sequence[int] | int | None, horizon: int) -> Ints:
    """The rounds at which regret is noted: those given, or so many, log-spaced; the horizon is the
    last.

    >>> checkpoints_of(5, 10_000).tolist()
    [1, 10, 100, 1000, 10000]
    """
    if given is None or isinstance(given, int):
        count = integer("checkpoints", 100 if given is None else given, 1, 10**6)
        spaced = np.unique(np.geomspace(1, horizon, min(count, horizon)).round().astype(np.int64))
        if len(spaced) < min(count, horizon):  # small rounds coincide: fill up from below
            spaced = np.unique(np.concatenate([spaced, np.arange(1, min(count, horizon) + 1)]))
            spaced = spaced[
                np.unique(np.linspace(0, len(spaced) - 1, min(count, horizon)).round().astype(int))
            ]
        spaced[-1] = horizon
        return spaced

    points = [integer("a checkpoint", point, 1, horizon) for point in given]
    if points != sorted(set(points)) or not points:
        raise InvalidInputError(
            f"checkpoints must be distinct rounds in ascending order, not {list(given)!r}"
        )

    return np.array(points if points[-1] == horizon else [*points, horizon], dtype=np.int64)
