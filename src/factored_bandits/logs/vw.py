"""Logs as text for Vowpal Wabbit's slates, and from it.

A row of a log is an example of several lines, closed by an empty one:

    slates shared COST |            the cost is minus the reward
    slates action SLOT |NS LEVEL    one line per level; slots and levels count from 0
    slates slot ACTION:P |NS NAME   one line per factor: what was chosen, and its propensity

Names become features. What Vowpal Wabbit could not read in them (spaces, colons, bars, percent
signs) is written as in web addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import numpy as np

from factored_bandits.errors import InvalidInputError

from .log import Label, Log

SAFE = "".join(chr(code) for code in range(33, 127) if chr(code) not in " :|%#\\")
LEVEL = "level"
FACTOR = "factor"


def to_vw(log: Log) -> Iterator[str]:
    """Write a log in the format of Vowpal Wabbit's slates.

    Parameters
    ----------
    log
        With propensities for each factor.

    Yields
    ------
    str
        One example after the other, each several lines and an empty one: write them to a file, or
        give `example.splitlines()` to a `Workspace("--slates")`.

    Raises
    ------
    InvalidInputError
        If propensities are missing.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> rows = {"ad": ["A", "B 2"], "clicks": [1, 0], "p": [0.25, 0.75]}
    >>> log = fb.load_log(rows, ["ad"], "clicks", "p")
    >>> print(next(fb.logs.to_vw(log)))
    slates shared -1 |
    slates action 0 |level ad=A
    slates action 0 |level ad=B%202
    slates slot 0:0.25 |factor ad
    <BLANKLINE>
    """
    if log.propensities is None:
        raise InvalidInputError(
            "slates need a propensity for each factor: fb.load_log(..., propensity={factor: "
            "column, ...})"
        )
    names = [quote(name, safe=SAFE) for name in log.factors]
    actions = [
        f"slates action {slot} |{LEVEL} {names[slot]}={quote(str(level), safe=SAFE)}\n"
        for slot, levels in enumerate(log.factors.values())
        for level in levels
    ]
    known = "".join(actions)
    for row, reward in enumerate(log.rewards.tolist()):
        slots = [
            f"slates slot {level}:{probability:.17g} |{FACTOR} {name}\n"
            for name, level, probability in zip(
                names, log.actions[row].tolist(), log.propensities[row].tolist(), strict=True
            )
        ]
        yield f"slates shared {0.0 - reward:.17g} |\n{known}{''.join(slots)}"


class _Example(NamedTuple):
    """One example as it stands in a file."""

    line: int
    cost: float
    levels: tuple[tuple[str, ...], ...]  # per slot
    factors: tuple[str, ...]
    chosen: tuple[int, ...]
    propensities: tuple[float, ...]


def from_vw(
    source: str | Path | Iterable[str], reward_range: tuple[float, float] = (0.0, 1.0)
) -> Log:
    """Read a log from Vowpal Wabbit's slates.

    Parameters
    ----------
    source
        The path of a file, or its lines.
    reward_range
        What rewards can be at all; a reward is minus the cost, so costs from 0 to 1 are the range
        (-1, 0).

    Returns
    -------
    Log
        Factors are named after the features of their slot, levels after those of their action; all
        are strings. Where that gives two levels one name they are numbered.

    Raises
    ------
    InvalidInputError
        If a line is none of a slates example, with its number; or if examples do not have the same
        slots and actions throughout.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> rows = {"ad": ["A", "B 2"], "clicks": [1, 0], "p": [0.25, 0.75]}
    >>> log = fb.load_log(rows, ["ad"], "clicks", "p")
    >>> fb.logs.from_vw("\\n".join(fb.logs.to_vw(log)).splitlines()).factors
    {'ad': ('A', 'B 2')}
    """
    if isinstance(source, str | Path):
        name = str(source)
        if not Path(source).is_file():
            raise InvalidInputError(f"no file {source}")
        lines: Iterable[str] = Path(source).read_text(encoding="utf-8").splitlines()
    else:
        name = "slates"
        lines = source

    examples = list(_examples(name, lines))
    if not examples:
        raise InvalidInputError(f"{name}: there are no examples")

    first = examples[0]
    low, high = reward_range
    for example in examples:
        if example.levels != first.levels or example.factors != first.factors:
            raise InvalidInputError(
                f"{name}, line {example.line}: an example with other slots or actions than the "
                f"first, in line {first.line}; a log has the same factors and levels throughout"
            )
        if not low <= -example.cost <= high:
            raise InvalidInputError(
                f"{name}, line {example.line}: the cost {example.cost:g} is the reward "
                f"{-example.cost:g}; expected one from {low:g} to {high:g} (reward_range)"
            )

    factors: dict[str, tuple[Label, ...]] = {
        factor: tuple(_own_names(level.removeprefix(f"{factor}=") for level in levels))
        for factor, levels in zip(_own_names(first.factors), first.levels, strict=True)
    }
    each = np.array([example.propensities for example in examples])
    return Log(
        factors,
        np.array([example.chosen for example in examples], dtype=np.int64),
        np.array([0.0 - example.cost for example in examples]),
        (float(low), float(high)),
        each,
        each.prod(axis=1),
    )


def _own_names(names: Iterable[str]) -> list[str]:
    """The names if each is a different one, else with numbers."""
    listed = list(names)
    if len(set(listed)) == len(listed) and "" not in listed:
        return listed
    return [f"{number} {name}".rstrip() for number, name in enumerate(listed)]


def _examples(name: str, lines: Iterable[str]) -> Iterator[_Example]:
    gathered: list[tuple[int, list[str], str]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            head, bar, features = line.partition("|")
            words = head.split()
            if len(words) < 2 or words[0] != "slates":
                raise _wrong(name, number, line, "slates shared, slates action or slates slot")
            gathered.append((number, words, _feature_names(features if bar else "")))
        elif gathered:
            yield _example(name, gathered)
            gathered = []
    if gathered:
        yield _example(name, gathered)


def _feature_names(features: str) -> str:
    """The features without their namespaces, as a name."""
    words = [
        word
        for part in f"|{features}".split("|")[1:]
        # a namespace touches its bar
        for word in (part.split() if part.startswith(" ") else part.split()[1:])
    ]
    return " ".join(unquote(word) for word in words)


def _example(name: str, gathered: list[tuple[int, list[str], str]]) -> _Example:
    line, words, _ = gathered[0]
    if words[1] != "shared" or len(words) != 3:
        raise _wrong(name, line, " ".join(words), "slates shared COST, as the first of an example")
    cost = _number(name, line, words[2])

    levels: dict[int, list[str]] = {}
    factors: list[str] = []
    chosen: list[int] = []
    propensities: list[float] = []
    for number, words, features in gathered[1:]:
        if words[1] == "action" and len(words) == 3 and words[2].isdigit():
            levels.setdefault(int(words[2]), []).append(features)
        elif words[1] == "slot" and len(words) == 3:
            action, _, share = words[2].split(",")[0].partition(":")
            actions = levels.get(len(factors), [])
            if not action.isdigit() or int(action) >= len(actions):
                raise _wrong(name, number, words[2], f"one of its {len(actions)} actions")
            probability = _number(name, number, share)
            if not 0.0 < probability <= 1.0:
                raise _wrong(name, number, share, "a probability above 0 and up to 1")
            factors.append(features)
            chosen.append(int(action))
            propensities.append(probability)
        else:
            raise _wrong(
                name, number, " ".join(words), "slates action SLOT or slates slot ACTION:P"
            )

    if not factors or sorted(levels) != list(range(len(factors))):
        raise InvalidInputError(
            f"{name}, line {line}: the example has {len(factors)} slots, and actions for the slots "
            f"{', '.join(map(str, sorted(levels))) or 'none'}"
        )
    per_slot = tuple(tuple(levels[slot]) for slot in range(len(factors)))
    return _Example(line, cost, per_slot, tuple(factors), tuple(chosen), tuple(propensities))


def _number(name: str, line: int, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise _wrong(name, line, text, "a number")
    return number


def _wrong(name: str, line: int, text: str, expected: str) -> InvalidInputError:
    return InvalidInputError(f"{name}, line {line}: {text.strip()!r}; expected {expected}")
