"""Find modules by walking a folder: one file = one algorithm, environment or experiment."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Iterator
from pathlib import Path


@functools.cache
def modules(package: str, folder: str) -> dict[str, str]:
    """The public modules below a folder: their full names by their file's stem.

    A name that begins with an underscore is private, and so is everything in a folder of such a
    name.

    >>> from factored_bandits import policies
    >>> found = modules(f"{policies.__name__}.factored", f"{policies.__path__[0]}/factored")
    >>> found["flat_ucb1"]
    'factored_bandits.policies.factored.flat.flat_ucb1'
    """
    return dict(sorted(_walk(package, Path(folder))))


def _walk(package: str, folder: Path) -> Iterator[tuple[str, str]]:
    for found in pkgutil.iter_modules([str(folder)]):
        if found.name.startswith("_"):
            continue
        name = f"{package}.{found.name}"
        if found.ispkg:
            yield from _walk(name, folder / found.name)
        else:
            yield found.name, name
