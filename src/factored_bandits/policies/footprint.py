"""How much memory the state of a policy takes, known before it is made.

Nobody declares it: `init` is run on a few small problems, and what it returns is extrapolated.
Arrays of states are as long as the levels, or as pairs of levels of a factor or of all factors, so
their bytes are a + b sum(K) + c sum(K^2) + d sum(K)^2 for sizes K, exactly. A table with a row for
each combination (`blocks.combinations`) is counted apart, by its rows. What else grows faster is
limited by the policy's own `check` (a million combinations, 2,048 weights: below 100 MiB each), and
left out here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from factored_bandits.core import memory
from factored_bandits.core.arrays import Floats, Ints

from .blocks.combinations import MOST_ROWS, Table, capacity, slots_of
from .policy import Policy

SMALL = 2**9  # levels in all; states of so few are small, whatever the policy
LARGEST_PROBE = 150  # levels of a factor
LEVELS_OF_PROBE = 600  # in all factors: the square of it, a few times, takes milliseconds
BYTES_PER_PAIR = 0.01

# With a horizon of one round, a table of what was visited has one row, or few more; a row for every
# combination is for those that will be played whatever the horizon.
SHORTEST = 1

# of the features: the last two are the rows and slots of a table
TABLE_FROM = 4
TABLE = slice(TABLE_FROM, None)


def check_memory(policy: Policy, sizes: Ints, copies: int = 1) -> None:
    """Refuse a problem on which the state of a policy does not fit into memory.

    >>> from factored_bandits.policies import make
    >>> check_memory(make("dueling_tea"), np.array([200_000, 200_000]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: dueling_tea on 200,000 arms needs about 596 GiB of \
memory, and ...
    """
    if int(np.sum(sizes)) <= SMALL:
        return

    duel = policy.info.kind == "duel"
    levels = "arms" if duel and len(sizes) == 2 else "levels"
    one_side = sizes[: len(sizes) // 2] if duel else sizes
    shape = " x ".join(f"{size:,}" for size in one_side)
    at_once = f" in {copies} repetitions at a time" if copies > 1 else ""

    def fits(free: int) -> str:
        if copies > 1 and free > needed / copies:
            return f"{int(free // (needed / copies))} at a time would fit"
        most = _largest(coefficients, np.asarray(sizes), free / copies)
        return f"up to {most:,} {levels} would fit, or a policy that keeps less"

    coefficients = _coefficients(policy, sizes)
    needed = copies * float(coefficients @ _features(sizes))
    memory.check(f"{policy.label} on {shape} {levels}{at_once}", needed, fits)


def state_bytes(policy: Policy, sizes: Ints) -> float:
    """About how many bytes the state takes.

    >>> from factored_bandits.policies import make
    >>> round(state_bytes(make("dueling_tea"), np.array([1000, 1000])) / 8 / 1000**2, 2)
    2.01
    """
    return float(_coefficients(policy, sizes) @ _features(sizes))


def _coefficients(policy: Policy, sizes: Ints) -> Floats:
    """What a state takes per feature: a least-squares fit that is exact, see above."""
    ceiling = np.asarray(sizes)
    # No probe has more levels than the problem, which the policy has agreed to play.
    step = max(1, min(LARGEST_PROBE, LEVELS_OF_PROBE // len(ceiling)) // 3)
    probes = [np.minimum(ceiling, levels) for levels in (step, 2 * step, 3 * step)]

    sides = 2 if policy.info.kind == "duel" else 1
    if len(ceiling) > sides or sides == 1:
        # Factors of different sizes tell sum(K^2) from sum(K)^2.
        uneven = probes[0].copy()
        largest = int(ceiling[: len(ceiling) // sides].argmax())
        uneven[largest :: len(ceiling) // sides] = probes[2].max()
        probes.append(uneven)

    params = policy.encoded()
    try:
        states = [policy.module.init(params, probe, SHORTEST) for probe in probes]
    except Exception:
        # A policy of one's own may refuse small problems or a single round: nothing is known then.
        return np.zeros(len(_features(ceiling)))

    table = _table(states[2], probes[2])
    features = np.array([_features(probe) for probe in probes])
    found = np.array([nbytes(state) for state in states]) - features[:, TABLE] @ table
    fitted: Floats = np.linalg.lstsq(features[:, :TABLE_FROM], found, rcond=None)[0]

    # An array over pairs has a byte for each; less is a rounded length, such as a square root.
    fitted[2:][np.abs(fitted[2:]) < BYTES_PER_PAIR] = 0.0
    return np.concatenate([fitted, table])


def _features(sizes: Ints) -> Floats:
    levels = np.asarray(sizes, dtype=np.float64)
    rows = capacity(sizes, MOST_ROWS)
    return np.array([1.0, levels.sum(), (levels**2).sum(), levels.sum() ** 2, rows, slots_of(rows)])


def _table(state: Any, sizes: Ints) -> Floats:
    """The bytes per row and per slot of a table with a row for every combination."""
    tabled = set(Table._fields) <= set(getattr(state, "_fields", ()))
    if not tabled or len(state.keys) < capacity(sizes, MOST_ROWS):
        return np.zeros(2)

    rows = len(state.keys)
    by_row = sum(nbytes(field) for field in state if np.shape(field)[:1] == (rows,))
    return np.array([by_row / rows, state.slots.itemsize])


def _largest(coefficients: Floats, sizes: Ints, free: float) -> int:
    """How many levels the largest factor may have, if all shrink in proportion."""
    low = 0
    high = int(sizes.max())

    while low + 1 < high:
        middle = (low + high) // 2
        shrunk = np.ceil(sizes * (middle / sizes.max()))
        if coefficients @ _features(shrunk) <= free:
            low = middle
        else:
            high = middle

    return low


def nbytes(state: Any) -> int:
    """The bytes of all arrays in a state, also in tuples of arrays.

    >>> nbytes((np.zeros(3), (np.zeros(2), 1.0)))
    40
    """
    if isinstance(state, np.ndarray):
        return int(state.nbytes)
    if isinstance(state, Iterable) and not isinstance(state, (str, bytes)):
        return sum(map(nbytes, state))
    return 0
