"""Problems as subcommands: one per generator, its options read off the generator's signature; and two from files."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import InvalidInput

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..environments import Problem

HELP = {
    "arms": "How many arms.",
    "base": "What every combination has before its levels add to it.",
    "best": "The mean reward of the best combination.",
    "factors": "How many factors.",
    "gap": "How far the best level of each factor is ahead.",
    "high": "The better level of the big factor.",
    "levels": "How many levels each factor has.",
    "low": "The other levels of the big factor.",
    "noise": "How rewards scatter about their mean.",
    "p": "The best arm's chance to beat any other.",
    "p_best": "The best arm's chance to beat any other.",
    "p_cycle": "The chance of an arm of the cycle to beat the next.",
    "sigma": "The standard deviation of Gaussian noise.",
    "small": "How far the two levels of the small factor are apart.",
    "step": "How far neighbouring levels or arms are apart.",
    "unit": "The unit of regret.",
}


class Recipe(NamedTuple):
    """How a subcommand makes its problem."""

    summary: str
    make: Callable[..., Problem]
    options: list[click.Option]

    def title(self, name: str, values: dict[str, Any]) -> str:
        """The problem and its parameters, for people.

        >>> Recipe("", print, []).title("rank-one", {"levels": 16, "gap": 0.2})
        'rank-one (levels 16, gap 0.2)'
        """
        return f"{name} ({', '.join(f'{key} {value}' for key, value in values.items())})"


def recipe_names() -> list[str]:
    """All problems that the command line offers."""
    from .. import environments

    return sorted([*map(_dashed, environments.generators()), "duels", "table"])


def recipe(name: str) -> Recipe:
    """How to make the problem `name`, one of `recipe_names()`."""
    from .. import environments

    if name == "duels":
        return _from_file(name, environments.load("duel_matrix").init, "matrix", environments.load_preferences)
    if name == "table":
        return _from_file(name, environments.load("table").init, "means", load_means)
    generator = environments.generators()[name.replace("-", "_")]
    return Recipe(_summary(generator), generator, list(options(generator)))


def options(generator: Callable[..., Problem]) -> Iterator[click.Option]:
    """One option per parameter with a default: its name, type, default and choices.

    >>> from factored_bandits import environments
    >>> [option.opts[0] for option in options(environments.spiked)]
    ['--levels', '--best', '--gap', '--factors']
    """
    hints = typing.get_type_hints(generator)
    for name, parameter in inspect.signature(generator).parameters.items():
        if parameter.default is not parameter.empty:
            yield click.Option(
                [f"--{_dashed(name)}"],
                type=_type(hints[name]),
                default=parameter.default,
                show_default=True,
                help=HELP.get(name),
            )


def _type(hint: Any) -> Any:
    return click.Choice(typing.get_args(hint)) if typing.get_origin(hint) is typing.Literal else hint


FILES = {
    "matrix": ("A preference matrix: text or CSV (rows of numbers), or .npy.", "Duels by the matrix in a file."),
    "means": ("The mean of every combination: .csv (two factors) or .npy (any number).", "The means in a file."),
}


def _from_file(name: str, init: Callable[..., Problem], option: str, load: Callable[[Path], Floats]) -> Recipe:
    text, summary = FILES[option]
    file = click.Option(
        [f"--{option}"],
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        required=True,
        metavar="FILE",
        help=text,
    )

    def make(**values: Any) -> Problem:
        return init(load(values.pop(option)), **values)

    return Recipe(summary, make, [file, *options(init)])


def load_means(path: Path) -> Floats:
    """The means in a `.npy` or `.csv` file."""
    import numpy as np

    if path.suffix.lower() not in (".npy", ".csv"):
        raise InvalidInput(f"--means {str(path)!r}: the file must end in .npy or .csv")
    try:
        if path.suffix.lower() == ".npy":
            return np.asarray(np.load(path, allow_pickle=False), dtype=np.float64)
        return np.loadtxt(path, delimiter=",", ndmin=2, encoding="utf-8-sig")
    except (ValueError, TypeError, EOFError, OSError) as error:
        raise InvalidInput(f"--means {str(path)!r} holds no array of numbers: {error}") from None


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _summary(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
