"""The engine of the simulator: a policy on a problem, bound and ready to play repetitions."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from factored_bandits.core import loop
from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.core.checks import shown
from factored_bandits.core.kernel import bind, compiles, loop_name
from factored_bandits.core.rng import generators
from factored_bandits.core.run import CHECKPOINT, EVENTS, FAULT, ROUND, Run, new_clock
from factored_bandits.environments import Environment
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.evidence import joint_p_value
from factored_bandits.policies import Policy, make, names, scaling
from factored_bandits.policies.footprint import check_memory

from .faults import fault, located
from .record import RunRecord

# Plays between two looks at the clock and at Ctrl-C: doubled until a slice takes long enough.
FIRST_SLICE = 100
LONGEST_SLICE = 10**8
SLICE_SECONDS = 0.2

# Room for events in one slice: a few per level, and some more.
EVENTS_PER_LEVEL = 4
SPARE_EVENTS = 1_000

EXAMPLES = {"duel": "dueling_tea", "factored": "tea"}

Report = Callable[[int, int], bool]


class Runner:
    """Plays repetitions of a policy on a problem.

    Parameters
    ----------
    policy
        A made policy that fits the problem (see `check_playable`).
    environment
        The problem.
    checkpoints
        The rounds at which regret is noted; the last is the horizon.
    seed
        With the number of a repetition it decides everything that is random in it.
    permute
        Whether levels are shuffled in every repetition.
    skip_idle
        Whether to jump over rounds in which nothing can change.
    certify
        Whether to keep the p-values of the levels at the horizon.
    follow
        Whether to keep the confidence of the certificate at every checkpoint.
    """

    def __init__(
        self,
        policy: Policy,
        environment: Environment,
        checkpoints: Ints,
        seed: int,
        *,
        permute: bool = True,
        skip_idle: bool = True,
        certify: bool = False,
        follow: bool = False,
    ) -> None:
        self.policy = policy
        self.environment = environment
        self.checkpoints = checkpoints
        self.seed = seed
        self.permute = permute
        self.certify = certify
        self.follow = follow

        self.params = policy.encoded()
        self.sizes = np.array(environment.sizes, dtype=np.int64)
        self.offsets = offsets_of(self.sizes)
        declared = policy.reward_range
        self.reward_range = environment.reward_range if declared == "environment" else declared

        self.skip_idle = skip_idle

    @functools.cached_property
    def loop(self) -> Any:
        """What plays, compiled where that is possible; the compiler is imported only now."""
        return bind(
            loop.play,
            self.policy.name,
            compiled=self.policy.compiled,
            bounds_checked=self.own,
            **self._compiled_kernels(),
        )

    @property
    def loop_name(self) -> str:
        """The name under which its compiled loop is kept."""
        return loop_name(loop.play, self.policy.name, self._compiled_kernels(), self.own)

    def _compiled_kernels(self) -> dict[str, Callable[..., Any]]:
        """What takes the places in the loop when it is compiled.

        The library's own policies are tested in plain Python, which looks at every level of every
        play; compiled, they are trusted. Those of others are looked at always, and may draw by any
        method of a generator.
        """
        kernels = self.kernels(self.skip_idle)
        if not (self.policy.compiled and compiles()):
            return kernels
        if self.for_pairs:
            kernels["columns_of"] = loop.two_columns
        if self.own:
            kernels["held"] = loop.itself
        else:
            kernels["inside"] = loop.trusted
        return kernels

    @property
    def for_pairs(self) -> bool:
        """Whether its compiled loop plays actions of two columns only.

        All duels are such. For two factors it is another loop than for more of them, which is worth
        compiling only where the loop itself takes most of the time, or looks at every level.
        """
        info = self.policy.info
        return len(self.sizes) == 2 and (info.kind == "duel" or info.narrow or self.own)

    def compile(self) -> None:
        """Compile the loop and keep it, or load it, and play nothing."""
        policy_rng, rng = generators(self.seed)
        state = self.new_state()
        run = self.prepare(rng, state)
        self.loop.compile(self.params, state, self.environment.data, run, policy_rng, rng, 0)

    @property
    def horizon(self) -> int:
        """The last round."""
        return int(self.checkpoints[-1])

    @property
    def own(self) -> bool:
        """Whether the policy or the environment is from outside the library."""
        return self.policy.own or self.environment.own

    def kernels(self, skip_idle: bool = True) -> dict[str, Callable[..., Any]]:
        """What takes the places in the loop: the kernels of the policy and of the environment."""
        module = self.policy.module
        environment = self.environment
        skips = skip_idle and environment.stationary and self.policy.skips
        semi_bandit = self.policy.info.feedback == "semi-bandit"

        return {
            "plan": module.plan,
            "learn": module.learn,
            "recommend": module.recommend,
            "idle": module.idle if skips else loop.always_busy,
            "active_sets": module.active_sets if self.policy.eliminates else loop.no_active_sets,
            "sample": environment.module.sample,
            "regret": environment.module.regret,
            "draw": loop.draw_outcomes if semi_bandit else loop.draw,
            "teach": loop.teach_outcomes if semi_bandit else loop.teach,
            "sample_with_regret": getattr(
                environment.module, "sample_with_regret", loop.sample_with_regret
            ),
            "sample_outcomes": getattr(environment.module, "sample_outcomes", loop.sample_outcomes),
        }

    def new_state(self) -> Any:
        """The policy's state before the first round."""
        return self.policy.module.init(self.params, self.sizes, self.horizon)

    def p_values(self, state: Any) -> list[Floats]:
        """What the policy says of each of its levels; raises if it cannot certify."""
        return self.policy.p_values(self.params, state, self.reward_range)

    def prepare(self, rng: np.random.Generator, state: Any) -> Run:
        """The arrays of one repetition; `rng` draws the permutation."""
        columns = len(self.sizes)
        count = len(self.checkpoints)
        longest = self.policy.longest_block(self.sizes)
        low, high = self.reward_range or (-math.inf, math.inf)
        shift, slope = scaling(self.reward_range, self.policy.info.scale)

        shown = loop.NO_FLAGS
        if self.policy.eliminates:
            shown = self.policy.module.active_sets(self.params, state)[0].copy()
        capacity = EVENTS_PER_LEVEL * len(shown) + SPARE_EVENTS

        return Run(
            permutation=self._permutation(rng),
            offsets=self.offsets,
            checkpoints=self.checkpoints,
            limits=np.array([low, high, shift, slope]),
            clock=new_clock(),
            regret=np.zeros(count + 1),
            shortfall=np.zeros(count),
            plays=np.zeros(self.offsets[-1], dtype=np.int64),
            shown=shown,
            events=np.zeros((capacity, 3), dtype=np.int64),
            actions=np.zeros((longest, columns), dtype=np.int64),
            rewards=np.zeros(longest),
            action=np.zeros(columns, dtype=np.int64),
            outcomes=np.zeros((longest, columns)),
        )

    def _permutation(self, rng: np.random.Generator) -> Ints:
        orders = [
            rng.permutation(size) if self.permute else np.arange(size)
            for size in self.environment.sizes
        ]
        if self.environment.kind == "duel":
            # Both sides of a duel hold the same arms, or levels of the same factors.
            half = len(orders) // 2
            orders[half:] = orders[:half]

        return np.concatenate(orders)

    def repetition(
        self, index: int, report: Report, play: Callable[..., Any] | None = None
    ) -> RunRecord | None:
        """Play one repetition to the end.

        Parameters
        ----------
        index
            The number of the repetition.
        report
            Called with `index` and the next round now and then; it answers whether to stop.
        play
            The loop, if it is not the runner's own, compiled one.

        Returns
        -------
        What came out; None if `report` said stop.
        """
        began = time.thread_time()
        policy_rng, rng = generators(self.seed, index)
        state = self.new_state()
        run = self.prepare(rng, state)
        play = play or self.loop
        events = []
        budget = FIRST_SLICE
        confidence = np.zeros(len(self.checkpoints))

        while run.clock[ROUND] <= self.horizon:
            slice_began = time.perf_counter()
            passed = run.clock[CHECKPOINT]
            most = self._to_checkpoint(run) if self.follow else budget
            with located(self):
                play(
                    self.params,
                    state,
                    self.environment.data,
                    run,
                    policy_rng,
                    rng,
                    min(budget, most),
                )
            if time.perf_counter() - slice_began < SLICE_SECONDS:
                budget = min(2 * budget, LONGEST_SLICE)

            if run.clock[FAULT]:
                raise fault(self, run)
            if self.follow and run.clock[CHECKPOINT] > passed:
                # with the block that the checkpoint lies in, which is not cut
                p_value = joint_p_value(self.p_values(state))
                confidence[passed : run.clock[CHECKPOINT]] = 1.0 - p_value

            events.append(run.events[: run.clock[EVENTS]].copy())
            run.clock[EVENTS] = 0
            if report(index, int(run.clock[ROUND])):
                return None

        return RunRecord(
            repetition=index,
            regret=run.regret[:-1],
            correct=run.shortfall <= 0.0,
            simple_regret=run.shortfall,
            plays=tuple(np.split(run.plays, self.offsets[1:-1])),
            events=self._events(np.concatenate(events)),
            p_values=self._p_values(state, run) if self.certify else None,
            confidence=confidence if self.follow else None,
            seconds=time.thread_time() - began,
        )

    def _to_checkpoint(self, run: Run) -> int:
        """How many rounds are left to the next checkpoint, and one at least."""
        return max(1, int(self.checkpoints[run.clock[CHECKPOINT]] + 1 - run.clock[ROUND]))

    def _events(self, noted: Ints) -> Ints:
        """Rows (round, factor, level, active) from rows (round, level of all levels, active)."""
        rounds, levels, active = noted.T
        factors = np.searchsorted(self.offsets, levels, side="right") - 1
        return np.column_stack([rounds, factors, levels - self.offsets[factors], active])

    def _p_values(self, state: Any, run: Run) -> tuple[Floats, ...]:
        """What the policy says of each level at the end, by the environment's numbering."""
        found = []
        for l, known in enumerate(self.p_values(state)):
            first = self.offsets[l]
            levels = np.empty(len(known))
            levels[run.permutation[first : first + len(known)]] = known
            found.append(levels)

        return tuple(found)


def check_playable(policy: Policy, environment: Environment, horizon: int) -> None:
    """Refuse what the policy cannot play, before anything is built or compiled."""
    check_fit(policy, environment)
    sizes = np.array(environment.sizes, dtype=np.int64)
    policy.check(sizes, horizon)
    check_memory(policy, sizes)


def check_fit(policy: Policy, environment: Environment) -> None:
    """Refuse a policy of the other kind, and feedback from which it cannot learn."""
    if not isinstance(environment, Environment):
        raise InvalidInputError(
            "environment must be made by fb.environments (make(...) or a generator), "
            f"not {shown(environment)}"
        )

    if policy.info.kind != environment.kind:
        kinds = {"duel": "duels", "factored": "factored problems"}
        raise InvalidInputError(
            f"{policy.name} plays {kinds[policy.info.kind]}, {environment.name} is one of "
            f"{kinds[environment.kind]}; "
            f"use a policy for {kinds[environment.kind]}, such as {EXAMPLES[environment.kind]!r}"
        )

    if environment.compares_combinations and not policy.info.combinations:
        able = [name for name in names("duel") if make(name).info.combinations]
        raise InvalidInputError(
            f"{policy.name} compares arms, {environment.name} compares combinations of several "
            f"factors; policies for that are {', '.join(able)}"
        )

    if policy.info.feedback == "semi-bandit" and not environment.semi_bandit:
        raise InvalidInputError(
            f"{policy.name} learns from the outcome of each factor, and {environment.name} only "
            "gives the reward; rank1 with noise='bernoulli' gives both"
        )

    tie = environment.params.get("tie")
    if tie and not policy.info.ties:
        raise InvalidInputError(
            f"{policy.name} cannot learn from ties, and {environment.name} has them (tie={tie:g})"
        )
