"""A policy of one's own with slips to choose from, as the text of a file."""

from __future__ import annotations

from pathlib import Path

SOURCE = """
from typing import NamedTuple

import numpy as np

from factored_bandits.core.kernel import kernel
from factored_bandits.policies import Info

INFO = Info("Slips", "factored", (0.0, 1.0), "none", "none", "none")


class Params(NamedTuple):
    empty: int = 10**9  # from this round on: a block of no plays,
    long: int = 10**9  # a block of a hundred,
    level: int = 10**9  # a level that does not exist,
    index: int = 10**9  # an index outside an array,
    recommended: int = 10**9  # a recommendation that does not exist


class State(NamedTuple):
    sizes: np.ndarray  # (L,)
    plays: np.ndarray  # (largest size,)
    last: np.ndarray  # (1,) the last round


def init(params, sizes, horizon):
    return State(
        np.array(sizes), np.zeros(max(sizes), dtype=np.int64), np.zeros(1, dtype=np.int64)
    )


@kernel
def plan(params, state, t, rng, actions):
    for l in range(actions.shape[1]):
        actions[0, l] = int(rng.random() * state.sizes[l])
        if t >= params.level:
            actions[0, l] = 10**9
    if t >= params.empty:
        return 0
    if t >= params.long:
        return 100
    return 1


@kernel
def learn(params, state, t, actions, rewards):
    level = actions[0, 0]
    if t >= params.index:
        level += 10**9
    state.plays[level] += 1
    state.last[0] = t


@kernel
def recommend(params, state, action):
    for l in range(len(action)):
        action[l] = 0
        if state.last[0] >= params.recommended:
            action[l] = -10**9
"""


def written(folder: Path, *changes: tuple[str, str], name: str = "slips.py") -> Path:
    """The file, with changes."""
    text = SOURCE
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file = folder / name
    file.write_text(text)
    return file


def line_of(file: Path, text: str) -> int:
    """The number of the only line that begins with `text`."""
    lines = file.read_text().splitlines()
    [number] = [n for n, line in enumerate(lines, 1) if line.strip().startswith(text)]
    return number
