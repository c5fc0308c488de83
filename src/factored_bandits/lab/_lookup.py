"""Experiments by name: one file each, found by file name."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import UnknownName
from ._spec import Spec

FOLDER = Path(__file__).parent
PACKAGE = __name__.rpartition(".")[0]


def names() -> list[str]:
    """The names of all experiments.

    >>> "rank1" in names()
    True
    """
    return sorted(m.name for m in pkgutil.iter_modules([str(FOLDER)]) if not m.name.startswith("_"))


def load(name: str) -> types.ModuleType:
    """The module of an experiment.

    >>> load("rank1").SPEC.name
    'rank1'
    """
    if name not in names():
        raise UnknownName.of("experiment", name, names())
    return importlib.import_module(f"{PACKAGE}.{name}")


@functools.lru_cache(maxsize=64)
def spec_of(name: str, source: str) -> Spec:
    """The experiment of this name; with `source`, the one that this text describes."""
    if source:
        from ._toml import parse

        return parse(source, name)
    spec: Spec = load(name).SPEC
    return spec


def own_play(name: str) -> Callable[..., Any] | None:
    """The experiment's own way to play a repetition, if it does not use the simulator."""
    return getattr(load(name), "play", None)
