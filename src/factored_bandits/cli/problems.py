"""Problems as subcommands: one per generator, with its parameters as options; two from files."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from factored_bandits.errors import InvalidInputError

from .values import Choice, Count, Number, YesNo

if TYPE_CHECKING:
    from factored_bandits.core.arrays import Floats
    from factored_bandits.environments import Environment

HELP = {
    "arms": "How many arms.",
    "base": "What every combination has before its levels add to it.",
    "best_moves": "Whether the best level changes from phase to phase.",
    "best": "The mean reward of the best combination.",
    "draw": "Which of the random problems: a seed.",
    "factors": "How many factors.",
    "gap": "How far the best level of each factor is ahead.",
    "high": "The better level of the big factor.",
    "kappa": "How much more a level can matter in the best context than its gap says.",
    "levels": "How many levels each factor has.",
    "link": "How a difference in utility becomes a probability to win.",
    "low": "The other levels of the big factor.",
    "noise": "How rewards scatter about their mean.",
    "pattern": "How all means move in time.",
    "p": "The probability that the best arm beats any other.",
    "p_best": "The probability that the best arm beats any other.",
    "p_cycle": "The probability that an arm of the cycle beats the next.",
    "scale": "The largest utility possible.",
    "sigma": "The standard deviation of Gaussian noise.",
    "small": "How far the two levels of the small factor are apart.",
    "step": "How far neighbouring levels or arms are apart.",
    "swing": "How far all means move in time.",
    "tie": "The probability that a duel ends in a tie.",
    "unit": "The unit of regret.",
}


class Recipe(NamedTuple):
    """How a subcommand makes its problem."""

    summary: str
    make: Callable[..., Environment]
    options: list[click.Option]

    def title(self, name: str, values: dict[str, Any]) -> str:
        """The problem and its parameters, for people.

        >>> Recipe("", print, []).title("rank1", {"levels": 16, "gap": 0.2})
        'rank1 (levels 16, gap 0.2)'
        """
        given = ", ".join(f"{key} {value}" for key, value in values.items() if value is not None)
        return f"{name} ({given})"


def recipe_names() -> list[str]:
    """All problems that the command line offers."""
    from factored_bandits import environments

    return sorted([*map(_dashed, environments.generators()), "duels", "table"])


def recipe(name: str) -> Recipe:
    """How to make the problem `name`, one of `recipe_names()`."""
    from factored_bandits import environments

    if name == "duels":
        loaders = {"matrix": environments.load_preferences, "duels_log": _preferences_of_log}
        text = "Duels by the preference matrix in a file, or like the past duels in a file."
        return _from_file(text, environments.load("duel_matrix").init, **loaders)

    if name == "table":
        return _from_file("The means in a file.", environments.load("table").init, means=load_means)
    generator = environments.generators()[name.replace("-", "_")]
    return Recipe(_summary(generator), generator, list(options(generator)))


def options(generator: Callable[..., Environment]) -> Iterator[click.Option]:
    """One option per parameter with a default: its name, type, default and choices.

    >>> from factored_bandits import environments
    >>> [option.opts[0] for option in options(environments.spiked)]
    ['--levels', '--best', '--gap', '--factors']
    """
    hints = typing.get_type_hints(generator)
    for name, parameter in inspect.signature(generator).parameters.items():
        if parameter.default is not parameter.empty:
            yield click.Option(
                [_option(name)],
                type=_type(hints[name]),
                default=parameter.default,
                show_default=True,
                help=HELP.get(name),
            )


def _type(hint: Any) -> Any:
    if typing.get_origin(hint) is typing.Literal:
        return Choice(typing.get_args(hint))
    return {int: Count(), float: Number(), bool: YesNo()}.get(hint, hint)


FILES = {
    "matrix": "A preference matrix: text or CSV (rows of numbers), or .npy.",
    "duels_log": "Past duels: CSV with columns winner,loser[,tie] or model_a,model_b,winner.",
    "means": "The mean of every combination: .csv (two factors) or .npy (any number).",
}


def _from_file(
    summary: str, init: Callable[..., Environment], **loaders: Callable[[Path], Floats]
) -> Recipe:
    """One of the files that `loaders` read makes the problem."""
    path = click.Path(exists=True, dir_okay=False, path_type=Path)
    files = [
        click.Option([_option(key)], type=path, metavar="FILE", help=FILES[key]) for key in loaders
    ]

    def make(**values: Any) -> Environment:
        given = {key: values.pop(key) for key in loaders}
        chosen = [key for key, file in given.items() if file is not None]
        if len(chosen) != 1:
            wanted = " or ".join(f"{_option(key)} FILE" for key in loaders)
            raise InvalidInputError(f"give {wanted}{', not both' if chosen else ''}")
        return init(loaders[chosen[0]](given[chosen[0]]), **values)

    return Recipe(summary, make, [*files, *options(init)])


def _option(name: str) -> str:
    return f"--{_dashed(name)}"


def _preferences_of_log(path: Path) -> Floats:
    """Share of past duels that each arm has won; a pair counts as if it had tied once more."""
    from factored_bandits.environments import load_duels

    return load_duels(path).preferences()


def load_means(path: Path) -> Floats:
    """The means in a `.npy` or `.csv` file."""
    from factored_bandits.environments.io import load_numbers

    if path.suffix.lower() not in (".npy", ".csv"):
        raise InvalidInputError(f"--means {str(path)!r}: the file must end in .npy or .csv")
    try:
        return load_numbers(path)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"--means {str(path)!r} holds no array of numbers: {error}"
        ) from None


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _summary(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
