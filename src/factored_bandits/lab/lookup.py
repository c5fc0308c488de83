"""Experiments by name: one file each, found by file name."""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from factored_bandits.core import discovery
from factored_bandits.errors import UnknownNameError

from .spec import Spec

FOLDER = Path(__file__).parent / "paper"
PACKAGE = f"{__package__}.paper"
# The paper's own come first, in its order.
FIRST = (
    "rank1",
    "dueling_07",
    "dueling_095",
    "additive_terms",
    "katariya_table",
    "bounds",
    "horizon",
    "sparring_factors",
    "moving_means",
    "spare_plays",
    "ossb_factors",
    "failures",
    "complexity",
    "utility_duels",
    "doubler_growth",
    "smaller_gaps",
    "additive_horizons",
)


def names() -> list[str]:
    """The names of all experiments, in the order in which they are reported.

    Returns
    -------
    list of str
        The paper's own first.

    Examples
    --------
    >>> names()[0], names()[-1]
    ('rank1', 'suite_factored')
    """
    found = discovery.modules(PACKAGE, str(FOLDER))
    return [*FIRST, *(name for name in found if name not in FIRST)]


def load(name: str) -> types.ModuleType:
    """The module of an experiment.

    Parameters
    ----------
    name
        One of `names()`.

    Returns
    -------
    module
        With `SPEC` and `claims(results)`; where the experiment has them, with `charts(results)`,
        `table(results)` and its own `play`.

    Raises
    ------
    UnknownNameError
        If there is no such experiment.

    Examples
    --------
    >>> load("rank1").SPEC.name
    'rank1'
    """
    if name not in names():
        raise UnknownNameError.of("experiment", name, names())
    return importlib.import_module(f"{PACKAGE}.{name}")


@functools.lru_cache(maxsize=64)
def spec_of(name: str, source: str) -> Spec:
    """The experiment of this name; with `source`, the one that this text describes."""
    if source:
        from .config import parse

        return parse(source, name)
    spec: Spec = load(name).SPEC
    return spec


def own_play(name: str) -> Callable[..., Any] | None:
    """The experiment's own way to play a repetition, if it does not use the simulator."""
    return _part(name, "play")


def own_seconds(name: str) -> float | None:
    """What a repetition of an experiment with its own `play` takes, where it says so."""
    found: float | None = getattr(load(name), "SECONDS", None)
    return found


def charts_of(spec: Spec) -> Callable[..., Any] | None:
    """The experiment's own charts of its results; an experiment from a file has none."""
    return None if spec.source else _part(spec.name, "charts")


def table_of(spec: Spec) -> Callable[..., Any] | None:
    """The experiment's own table of its results; an experiment from a file has none."""
    return None if spec.source else _part(spec.name, "table")


def _part(name: str, part: str) -> Callable[..., Any] | None:
    """A function that the module of an experiment may have."""
    found: Callable[..., Any] | None = getattr(load(name), part, None)
    return found
