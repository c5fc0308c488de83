"""`load_log`: from columns to a checked `Log`; an error names row, column, value, and what fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError

from .columns import REWARD, Columns, columns_of, distinct
from .log import Label, Log

Factors = Sequence[str] | Mapping[str, Sequence[Label]]
CLOSE = 1e-9  # by which a product of probabilities may be off


def load_log(
    source: Any,
    factors: Factors | None = None,
    reward: str = REWARD,
    propensity: str | Mapping[str, str] | None = None,
    time: str | None = None,
    reward_range: tuple[float, float] = (0.0, 1.0),
    block: str | None = None,
) -> Log:
    """Read decisions of the past with their rewards.

    Parameters
    ----------
    source
        A data frame of pandas, polars or Arrow (anything that narwhals knows), the path of a CSV,
        TSV or Parquet file, a dict of columns, a list of dicts, or a list of (decision, reward)
        with decisions of an `Agent`. Other columns are passed over.
    factors
        The columns of the factors; or a dict with the levels of each, and then no other level may
        occur. Of decisions it need not be given.
    reward
        The column of the rewards.
    propensity
        The column with the probability that the combination of the row had, given everything
        before; or a dict with such a column for each factor, if the factors were drawn
        independently. Of decisions it need not be given.
    time
        A column to sort the rows by. By default they are in the order in which they happened.
    reward_range
        What rewards can be at all, (low, high).
    block
        A column with a number for rows that were planned together, as `Decision.block` of `tea`. By
        default every row was drawn anew. Of decisions it need not be given.

    Returns
    -------
    Log
        For `fb.evaluate`, `fb.effects` and `Agent(history=...)`.

    Raises
    ------
    InvalidInputError
        If something does not fit: which row (the first is 1), which column, which value, and what
        was expected.
    MissingExtraError
        If a frame or a file is given and narwhals is not installed.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> columns = {"ad": ["A", "B", "A"], "clicks": [1, 0, 1], "p": [0.5, 0.5, 0.5]}
    >>> fb.load_log(columns, factors=["ad"], reward="clicks", propensity="p")
    Log(3 rows, ad: 2 levels, mean reward 0.6667, with propensities)
    >>> fb.load_log({"ad": ["A", "B"], "clicks": [1, 7]}, factors=["ad"], reward="clicks")
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: log, row 2, column 'clicks': 7 is no reward; \
expected a number from 0 to 1 (reward_range)

    and of an agent's own decisions:

    >>> agent = fb.Agent("uniform", factors={"ad": ["A", "B"]}, seed=1)
    >>> rows = [(agent.ask(), reward) for reward in (1.0, 0.0, 1.0, 0.0)]
    >>> fb.load_log(rows)
    Log(4 rows, ad: 2 levels, mean reward 0.5, with propensities)
    """
    columns = columns_of(source)
    low, high = _range(reward_range)
    names = _factor_names(factors, columns)
    propensity = _own_propensities(columns) if propensity is None else propensity

    given = columns.get(reward, "reward")
    if len(given) == 0:
        raise InvalidInputError(f"{columns.name}: there are no rows")

    upto = f"a number from {low:g} to {high:g} (reward_range)"
    rewards = _numbers(columns, reward, given, "reward", upto, lambda x: (low <= x) & (x <= high))
    levels, actions = _encoded(columns, names, factors)
    each, joint = _propensities(columns, propensity, names)
    order, times = _order(columns, time, len(given))
    blocks = _blocks(columns, columns.own_block if block is None else block)

    return Log(
        dict(zip(names, levels, strict=True)),
        actions[order],
        rewards[order],
        (low, high),
        None if each is None else each[order],
        None if joint is None else joint[order],
        times,
        None if blocks is None else blocks[order],
    )


def _blocks(columns: Columns, column: str | None) -> Ints | None:
    if column is None:
        return None
    values = columns.get(column, "block")
    numbers = _numbers(columns, column, values, "block", "a whole number", lambda x: x % 1.0 == 0.0)
    return numbers.astype(np.int64)


def _range(given: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidInputError(
            f"reward_range must be (low, high) with low < high, not {shown(given)}"
        )
    return low, high


def _factor_names(factors: Any, columns: Columns) -> tuple[str, ...]:
    if factors is None:
        if columns.own_factors:
            return columns.own_factors
        raise InvalidInputError("factors: say which columns are the factors, factors=[...]")

    listed = isinstance(factors, Sequence | Mapping) and not isinstance(factors, str)
    if not listed or not len(factors):
        raise InvalidInputError(
            f"factors must be a list of columns, or a dict with their levels, not {shown(factors)}"
        )
    names = tuple(factors)
    if len(set(names)) < len(names):
        raise InvalidInputError(f"factors: a column stands there twice: {', '.join(names)}")
    return names


def _own_propensities(columns: Columns) -> dict[str, str] | None:
    found = {name: f"p.{name}" for name in columns.own_factors if f"p.{name}" in columns.lists}
    return found or None


# ------------------------------------------------------------ cells


def _wrong(columns: Columns, row: int, column: str, value: Any, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"{columns.name}, row {row + 1}, column {column!r}: {shown(value)} is {what}"
    )


def _numbers(
    columns: Columns,
    column: str,
    values: Sequence[Any],
    what: str,
    expected: str,
    fits: Callable[[Any], Any],
) -> Floats:
    """A column of numbers that fit."""
    array = np.array(values)
    if array.dtype.kind in "biuf":
        numbers = array.astype(np.float64)
        if fits(numbers).all():  # which NaN and infinity do not
            return numbers

    # slowly, to find the first that does not
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        number = float(value) if isinstance(value, Real | np.bool_) else math.nan
        if not math.isfinite(number) or not fits(number):
            raise _wrong(columns, row, column, value, f"no {what}; expected {expected}")
        numbers[row] = number
    return numbers


def _encoded(
    columns: Columns, names: tuple[str, ...], factors: Any
) -> tuple[list[tuple[Label, ...]], Ints]:
    """The levels of each factor, and per row which it was."""
    levels = []
    encoded = []
    for name in names:
        values = [
            _label(columns, row, name, v) for row, v in enumerate(columns.get(name, "factor"))
        ]
        known = list(factors[name]) if isinstance(factors, Mapping) else distinct(values)
        index = {_exact(level): i for i, level in enumerate(known)}
        for row, value in enumerate(values):
            if _exact(value) not in index:
                expected = ", ".join(map(repr, known))
                raise _wrong(columns, row, name, value, f"no level; expected one of {expected}")
        levels.append(tuple(known))
        encoded.append([index[_exact(value)] for value in values])
    return levels, np.array(encoded, dtype=np.int64).T.copy()


def _exact(level: Any) -> tuple[bool, Any]:
    return isinstance(level, bool), level  # True is not 1, though they are equal


def _label(columns: Columns, row: int, column: str, value: Any) -> Label:
    label = value.item() if isinstance(value, np.generic) else value
    finite = not isinstance(label, float) or math.isfinite(label)
    if not finite or not isinstance(label, str | int | float):
        raise _wrong(columns, row, column, value, "no level; expected a string or a finite number")
    return label


def _propensities(
    columns: Columns, given: str | Mapping[str, str] | None, names: tuple[str, ...]
) -> tuple[Floats | None, Floats | None]:
    """Per factor, and of the combination, as far as they are known."""
    if given is None:
        return None, None
    if isinstance(given, str):
        joint = _probabilities(columns, given)
        # a single factor is the combination
        return (joint[:, None] if len(names) == 1 else None), joint

    if not isinstance(given, Mapping) or set(given) != set(names):
        raise InvalidInputError(
            "propensity must be a column, or a dict with a column for each factor "
            f"({', '.join(names)}), not {shown(given)}"
        )
    each = np.column_stack([_probabilities(columns, given[name]) for name in names])
    return each, each.prod(axis=1)


def _probabilities(columns: Columns, column: str) -> Floats:
    expected = "a number above 0 and up to 1: what was played could be played"
    values = columns.get(column, "propensity")
    numbers = _numbers(
        columns, column, values, "probability", expected, lambda p: (p > 0.0) & (p <= 1.0 + CLOSE)
    )
    return np.minimum(numbers, 1.0)


def _order(
    columns: Columns, time: str | None, rows: int
) -> tuple[Sequence[int], tuple[Any, ...] | None]:
    if time is None:
        return range(rows), None

    values = columns.get(time, "time")
    for row, value in enumerate(values):
        if value is None or value != value:  # NaN and NaT are not equal to themselves
            raise _wrong(columns, row, time, value, "no time; expected one, to sort by")
    try:
        order = sorted(range(rows), key=lambda row: values[row])
    except TypeError as error:
        raise InvalidInputError(
            f"{columns.name}, column {time!r}: times of several types cannot be sorted ({error})"
        ) from None
    return order, tuple(values[row] for row in order)
