"""What a folder of results holds, of whatever version: all that can be read, and what cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.core.stats import mean_of
from factored_bandits.errors import InvalidInputError, UnknownNameError

from .reading import joined, read_table
from .store import DAMAGED

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class Folder:
    """What was found in a folder of results.

    Parameters
    ----------
    frame
        The rows of `results`, of all versions of the code.
    left_out
        A sentence for each file that could not be read.
    set_aside
        The damaged files that runs have put away.
    """

    frame: pandas.DataFrame
    left_out: tuple[str, ...] = ()
    set_aside: tuple[Path, ...] = ()

    def containing(self, texts: Mapping[str, str]) -> Folder:
        """Only the rows whose columns contain these texts.

        Parameters
        ----------
        texts
            Per column, such as `policy`, what it must contain.

        Returns
        -------
        Folder
            With the rows that are left.

        Raises
        ------
        UnknownNameError
            If a text leaves no row.

        Examples
        --------
        >>> import pandas as pd
        >>> found = Folder(pd.DataFrame({"policy": ["tea", "uniform"]}))
        >>> list(found.containing({"policy": "uni"}).frame.policy)
        ['uniform']
        >>> found.containing({"policy": "taa"})
        Traceback (most recent call last):
        factored_bandits.errors.UnknownNameError: no policy named 'taa'; did you mean 'tea'?
        (known: tea, uniform)
        """
        frame = self.frame
        for column, text in texts.items():
            chosen = frame[frame[column].str.contains(text, regex=False)]
            if not len(chosen):
                raise UnknownNameError.of(column, text, frame[column].unique().tolist())
            frame = chosen

        return replace(self, frame=frame)


def read_folder(root: Path) -> Folder:
    """Read all of `results` in a folder.

    Parameters
    ----------
    root
        The folder that runs were told to use.

    Returns
    -------
    Folder
        The rows of every file that can be read, and complaints about the others.

    Raises
    ------
    InvalidInputError
        If there are no files at all.
    """
    tables: list[Any] = []
    left_out: list[str] = []

    for path in _paths(root, left_out):
        try:
            tables.append(read_table(path, "results"))
        except InvalidInputError as error:
            left_out.append(str(error))

    if not tables and not left_out:
        raise InvalidInputError(f"{str(root)!r} holds no results")

    aside = sorted((root / DAMAGED).glob("results/*/*.parquet"))
    return Folder(joined(tables, "results"), tuple(left_out), tuple(aside))


def _paths(root: Path, complaints: list[str]) -> Iterator[Path]:
    """The files of all experiments; folders that cannot be listed are complained about."""
    for folder in _entries(root / "results", complaints):
        entries = _entries(folder, complaints)
        yield from (path for path in entries if path.match("[!.]*.parquet"))


def _entries(folder: Path, complaints: list[str]) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        complaints.append(f"{str(folder)!r} cannot be opened: {error.strerror or error}")
        return []


def overview(frame: pandas.DataFrame) -> list[dict[str, Any]]:
    """Mean regret at the horizon and the time it took, per policy on a problem and version."""
    keys = ["experiment", "problem", "policy", "preset", "code", "horizon"]
    last = frame[frame["round"] == frame.horizon]
    rows = []

    for values, group in last.groupby(keys, sort=False):
        mean = mean_of(group.regret.to_numpy())
        named: Any = zip(keys, tuple(values), strict=True)
        row: dict[str, Any] = dict(named)
        row["horizon"] = int(row["horizon"])
        row["repetitions"] = len(group)
        row["mean"] = mean.value
        row["standard_error"] = mean.error
        row["seconds"] = float(group.seconds.sum())
        rows.append(row)

    return rows
