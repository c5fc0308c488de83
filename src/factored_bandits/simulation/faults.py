"""What went wrong in a run, as a sentence: a reward, a plan, or a line of somebody's own code."""

from __future__ import annotations

import contextlib
import linecache
import math
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from factored_bandits.core.run import CAUSE, COLUMN, FAULT, LENGTH, PLANNED, REWARD, VALUE, Run
from factored_bandits.errors import ContractError, FactoredBanditsError, RewardOutOfRangeError

if TYPE_CHECKING:
    from .runner import Runner

# Frames of these packages are not where a mistake in somebody's own code is.
LIBRARIES = ("factored_bandits", "numpy", "numba", "contextlib")


def fault(runner: Runner, run: Run) -> FactoredBanditsError:
    """The error that the clock of a run tells of."""
    t = int(run.clock[FAULT])
    cause = run.clock[CAUSE]
    value = int(run.clock[VALUE])

    if cause == REWARD:
        return wrong_reward(runner, t, run.action, run.rewards[0])
    if cause == LENGTH:
        return wrong_length(runner, t, value)
    function = "plan" if cause == PLANNED else "recommend"
    return wrong_level(runner, t, function, int(run.clock[COLUMN]), value)


def wrong_reward(runner: Runner, t: int, levels: Any, reward: float) -> RewardOutOfRangeError:
    """A reward outside the declared range, or not a number."""
    action = tuple(int(level) for level in levels)
    low, high = runner.reward_range or (-math.inf, math.inf)
    return RewardOutOfRangeError(
        f"{runner.policy.label}: the reward {reward:.6g} of action {action} in round "
        f"{t} lies outside the declared range ({low:g}, {high:g}); "
        f"declare the range that {runner.environment.name} has, or None for unbounded rewards"
    )


def wrong_length(runner: Runner, t: int, length: Any) -> ContractError:
    """A block that is empty, or that does not fit into `actions`."""
    longest = runner.policy.longest_block(runner.sizes)
    return ContractError(
        f"{runner.policy.label}: plan returned {length!r} in round {t}; it returns how many rows "
        f"of actions it filled, 1 to {longest} here (longest_block(sizes) allows more)"
        f"{_defined(runner, 'plan')}"
    )


def wrong_level(runner: Runner, t: int, function: str, column: int, level: int) -> ContractError:
    """A level that does not exist, planned or recommended."""
    environment = runner.environment
    duel = environment.kind == "duel" and not environment.compares_combinations
    what = f"arm {level} in position" if duel else f"level {level} of factor"
    levels = "arms" if duel else "its levels"
    return ContractError(
        f"{runner.policy.label}: {function} chose {what} {column} in round {t}; {levels} are "
        f"numbered 0 to {runner.sizes[column] - 1}{_defined(runner, function)}"
    )


def _defined(runner: Runner, function: str) -> str:
    code = getattr(runner.policy.module, function).__code__
    return f" ({code.co_filename}, line {code.co_firstlineno})"


@contextlib.contextmanager
def located(runner: Runner) -> Iterator[None]:
    """Errors in somebody's own code become a `ContractError` with the file and the line."""
    try:
        yield
    except FactoredBanditsError:
        raise
    except Exception as error:
        names = f"{runner.policy.label} on {runner.environment.name}"
        place = _place(error)
        if place:
            raise ContractError(f"{names}: {type(error).__name__}: {error}; {place}") from error
        if isinstance(error, IndexError):
            raise ContractError(
                f"{names}: {error}, in a compiled kernel, which does not tell the line; "
                "NUMBA_DISABLE_JIT=1 runs it as plain Python, which does"
            ) from error
        raise


def _place(error: Exception) -> str:
    """The innermost line outside the libraries; empty if there is none."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in LIBRARIES:
            continue
        code = frame.f_code
        text = linecache.getline(code.co_filename, line, frame.f_globals).strip()
        return f"{code.co_filename}, line {line}, in {code.co_name}: {text}"

    return ""
