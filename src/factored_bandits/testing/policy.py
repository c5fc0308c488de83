"""`check_policy`: what every policy must keep, whoever wrote it."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from factored_bandits.core.arrays import Ints
from factored_bandits.core.linking import is_kernel
from factored_bandits.core.loop import SHIFT, SLOPE
from factored_bandits.core.rng import generators
from factored_bandits.errors import ContractError
from factored_bandits.policies import Policy, describe, make
from factored_bandits.policies.contract import state_fault
from factored_bandits.policies.registry import FOLDERS
from factored_bandits.simulation.runner import Runner
from factored_bandits.simulation.simulate import simulate
from factored_bandits.simulation.trial import check_recommendation

from . import problems
from .agents import goes_on_beyond_the_horizon, new_agent_answers, state_keeps_its_limits
from .problems import require

LIBRARY = "factored_bandits.policies"
WORDS = ("title", "assumption", "guarantee", "reference")
KERNELS = ("plan", "learn", "recommend", "idle", "active_sets")


class PolicyCheck(NamedTuple):
    """One check, and to which policies it applies."""

    run: Callable[[Policy], None]
    quick: bool = True  # neither compiles nor simulates for long
    needs: str = ""  # the capability without which there is nothing to check

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.run.__name__

    def applies(self, policy: Policy) -> bool:
        """Whether the policy has what is checked."""
        return not self.needs or bool(getattr(policy, self.needs))


def check_policy(policy: str | types.ModuleType | Policy, quick: bool = False) -> None:
    """Run every check on a policy; the first one that fails raises an error.

    Parameters
    ----------
    policy
        A module of your own; also a name, a label or a policy made by `fb.policies.make`.
    quick
        Leave out what takes long: compiling, and simulations of 20,000 rounds.

    Raises
    ------
    AssertionError
        If the policy breaks the contract; the message says in what.
    InvalidInputError
        If the module is not a policy at all.

    Examples
    --------
    >>> from factored_bandits.policies.dueling import dueling_uniform
    >>> check_policy(dueling_uniform, quick=True)
    """
    made = make(policy)
    for check in POLICY_CHECKS:
        if check.applies(made) and (check.quick or not quick):
            try:
                check.run(made)
            except ContractError as error:
                raise AssertionError(str(error)) from error


def interpreted_equals_compiled(policy: Policy) -> None:
    """The same numbers, bit for bit, with and without the compiler."""
    problem = problems.fitting(policy)
    records = []
    runs = []
    for disabled in (False, True):
        with problems.compiler(disabled):
            runner = problems.runner(policy, problem)
            records.append(runner.repetition(1, problems.never))
            runs.append(problems.first_slice(runner))

    for field in ("regret", "correct", "events", "plays"):
        compiled, interpreted = (getattr(record, field) for record in records)
        require(_equal(compiled, interpreted), f"{field} of a repetition differs when compiled")
    for field in ("regret", "plays", "correct", "clock", "shown", "events"):
        compiled, interpreted = (getattr(run, field) for run in runs)
        require(_equal(compiled, interpreted), f"{field} in the loop differs when compiled")


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    return np.array_equal(one, other)


def plans_are_legal(policy: Policy) -> None:
    """Blocks have at least one play, fit the buffer, and name levels that exist."""
    for block in problems.play_blocks(policy, 300):
        check_recommendation(block)  # the blocks are looked at while they are played


def state_is_arrays_only(policy: Policy) -> None:
    """State is data: arrays of numbers or flags, no two of which share memory."""
    state = problems.runner(policy, problems.fitting(policy)).new_state()
    fault = state_fault(policy.module, state)
    require(not fault, fault)


def state_is_described(policy: Policy) -> None:
    """Every field of a State of the library has a comment: a rule of the house."""
    if not _in_library(policy):
        return

    lines = [line.strip() for line in inspect.getsource(policy.module.State).splitlines()]
    fields = policy.module.State._fields
    declared = {field: _line_of(field, lines) for field in fields}
    ends = [*list(declared.values())[1:], len(lines)]

    for (field, first), end in zip(declared.items(), ends, strict=True):
        commented = lines[first - 1].startswith("#") or any("#" in x for x in lines[first:end])
        require(commented, f"State.{field} has no comment")


def _line_of(field: str, lines: list[str]) -> int:
    for number, line in enumerate(lines):
        if line.startswith(f"{field}:"):
            return number
    raise AssertionError(f"State.{field} is not declared in the class")


def learning_ignores_scratch(policy: Policy) -> None:
    """A copy of the state learns the same: nothing hides outside State."""
    copies: list[Any] = []

    def compare(state: Any) -> None:
        for field, original, copied in zip(state._fields, state, copies.pop(), strict=True):
            same = np.array_equal(original, copied, equal_nan=True)
            require(same, f"State.{field} of a copied state learns something else")

    for block in problems.play_blocks(policy, 120, after_learn=compare):
        copy = type(block.state)(*(array.copy() for array in block.state))
        arguments = (block.t, block.actions.copy(), block.rewards.copy())
        policy.module.learn(block.runner.params, copy, *arguments)
        copies.append(copy)


def idle_rounds_change_nothing(policy: Policy) -> None:
    """In idle rounds there is one play, as before, no random draw, and no reward matters."""
    module = policy.module
    problem = problems.fitting(policy)
    runner = problems.runner(policy, problem, 10**6)
    state = runner.new_state()
    policy_rng, rng = generators(5)
    run = runner.prepare(rng, state)
    t = 1
    before_idle = 0
    kept = 0

    while kept < 50 and t < 10**5:
        idle = module.idle(runner.params, state, t)
        require(idle >= before_idle - 1, f"round {t} was called idle, and is not")
        before = [array.copy() for array in state]
        random = policy_rng.bit_generator.state
        length = module.plan(runner.params, state, t, policy_rng, run.actions)

        for row in range(length):
            reward: float = kept % 2
            if not idle:
                reward = problem.module.sample(problem.data, t + row, run.actions[row], rng)
            run.rewards[row] = run.limits[SHIFT] + run.limits[SLOPE] * reward
        module.learn(runner.params, state, t, run.actions[:length], run.rewards[:length])

        if idle:
            require(length == 1, f"{length} plays are planned in an idle round")
            unchanged = policy_rng.bit_generator.state == random
            require(unchanged, "random numbers are drawn in an idle round")
            for field, old, new in zip(state._fields, before, state, strict=True):
                require(np.array_equal(old, new), f"State.{field} changes in an idle round")
            kept += 1

        t += length
        before_idle = idle

    require(kept == 50, "the policy never came to rest on an easy problem")


def recommendation_is_legal_from_the_start(policy: Policy) -> None:
    """`recommend` answers with levels that exist, also before anything is known."""
    runner = problems.runner(policy, problems.fitting(policy))
    action = np.full(len(runner.sizes), -1)
    policy.module.recommend(runner.params, runner.new_state(), action)
    legal = ((action >= 0) & (action < runner.sizes)).all()
    require(legal, f"recommend gives {action.tolist()} before the first round")
    if policy.info.kind == "duel":
        require(action[0] == action[1], f"recommend gives two arms, {action.tolist()}")


def finds_the_best(policy: Policy) -> None:
    """On an easy problem the recommendation after 20,000 rounds is right in most repetitions."""
    problem = problems.fitting(policy)
    result = simulate(policy, problem, 20_000, repetitions=10, seed=3, progress=False)
    share = result.correct[:, -1].mean()
    require(share >= 0.7, f"the best of {problem} was found in {share:.0%} of 10 repetitions")


def regret_is_at_most_that_of_uniform_play(policy: Policy) -> None:
    """No policy loses to uniform play on an easy problem, 4 standard errors aside."""
    problem = problems.fitting(policy)
    floor = "dueling_uniform" if problem.kind == "duel" else "uniform"
    options: dict[str, Any] = {"repetitions": 10, "seed": 3, "progress": False}
    own = simulate(policy, problem, 20_000, **options).summary()
    uniform = simulate(floor, problem, 20_000, **options).summary()
    slack = 4 * np.hypot(own.standard_error, uniform.standard_error)
    require(
        own.mean <= uniform.mean + slack,
        f"regret {own.mean:.4g} on {problem}, {uniform.mean:.4g} of uniform play",
    )


def propensities_are_probabilities(policy: Policy) -> None:
    """They add up to one, and what was played had a positive one."""

    def look(runner: Runner, state: Any, actions: Ints) -> None:
        known = policy.module.propensities(runner.params, state, len(actions))
        require(len(known) == len(runner.sizes), "propensities must be one array per factor")
        for column, probabilities in enumerate(known):
            total = probabilities.sum()
            require(abs(total - 1.0) <= 1e-6, f"propensities of factor {column} sum to {total}")
            require((probabilities >= 0).all(), f"a propensity of factor {column} is negative")
            chosen = probabilities[actions[:, column]]
            require((chosen > 0).all(), f"factor {column} played a level of probability 0")

    for _ in problems.play_blocks(policy, 300, after_plan=look):
        pass


def active_sets_change_with_their_version(policy: Policy) -> None:
    """Whenever a flag of the active sets changes, their version does."""
    seen: dict[int, list[bool]] = {}
    for block in problems.play_blocks(policy, 2500):
        flags, version = policy.module.active_sets(block.runner.params, block.state)
        known = seen.setdefault(int(version), flags.tolist())
        require(known == flags.tolist(), f"round {block.t}: flags changed, their version did not")


def is_described(policy: Policy) -> None:
    """INFO is filled in, and every parameter has a default; in the library with an example."""
    for field in WORDS:
        require(getattr(policy.info, field), f"INFO.{field} is empty")

    with_default = set(policy.module.Params._field_defaults)
    missing = set(policy.module.Params._fields) - with_default
    require(not missing, f"parameters without a default: {', '.join(sorted(missing))}")

    description = describe(policy)
    require(policy.name in str(description), "the description does not say the name")
    if _in_library(policy):
        require(description.text, "the docstring of the module has one paragraph only")
        require(">>>" in (policy.module.__doc__ or ""), "the docstring shows no example")


def kernels_are_marked(policy: Policy) -> None:
    """plan, learn, recommend, and idle and active_sets where there are such, are kernels."""
    for name in KERNELS:
        function = getattr(policy.module, name, None)
        marked = function is None or is_kernel(function)
        require(marked, f"{name} is not marked with @kernel, so it cannot be compiled")


def kind_is_the_folder(policy: Policy) -> None:
    """INFO.kind of a policy of the library is that of its folder."""
    if _in_library(policy):
        folder = policy.module.__name__.removeprefix(f"{LIBRARY}.").partition(".")[0]
        expected = FOLDERS[policy.info.kind]
        require(folder == expected, f"INFO.kind is {policy.info.kind!r}, the folder {folder!r}")


def label_makes_the_policy_again(policy: Policy) -> None:
    """`make` reads the label that results print; of a policy of the library."""
    if _in_library(policy):
        require(make(policy.label) == policy, f"make({policy.label!r}) gives another policy")


def _in_library(policy: Policy) -> bool:
    return bool(policy.module.__name__.startswith(f"{LIBRARY}."))


POLICY_CHECKS = (
    PolicyCheck(is_described),
    PolicyCheck(kind_is_the_folder),
    PolicyCheck(label_makes_the_policy_again),
    PolicyCheck(kernels_are_marked),
    PolicyCheck(state_is_arrays_only),
    PolicyCheck(state_is_described),
    PolicyCheck(recommendation_is_legal_from_the_start),
    PolicyCheck(plans_are_legal),
    PolicyCheck(learning_ignores_scratch),
    PolicyCheck(state_keeps_its_limits),
    PolicyCheck(new_agent_answers),
    PolicyCheck(goes_on_beyond_the_horizon),
    PolicyCheck(propensities_are_probabilities, needs="randomises"),
    PolicyCheck(active_sets_change_with_their_version, needs="eliminates"),
    PolicyCheck(idle_rounds_change_nothing, needs="skips"),
    PolicyCheck(interpreted_equals_compiled, quick=False),
    PolicyCheck(finds_the_best, quick=False),
    PolicyCheck(regret_is_at_most_that_of_uniform_play, quick=False),
)
