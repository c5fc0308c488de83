"""Columns as lists, of whatever holds them: a file, a data frame, a dict, rows, or decisions.

Data frames of pandas, polars, Arrow and others are read by way of narwhals.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from factored_bandits.core.checks import shown
from factored_bandits.errors import InvalidInputError, MissingExtraError, did_you_mean

READERS = ("pyarrow", "polars", "pandas")  # of files, the first that is there
EXPECTED = (
    "a data frame (pandas, polars, Arrow), the path of a CSV or Parquet file, a dict of columns, a "
    "list of dicts, or a list of (decision, reward)"
)
REWARD = "reward"


class Columns(NamedTuple):
    """What messages call it, and its columns."""

    name: str
    lists: Mapping[str, Sequence[Any]]
    own_factors: tuple[str, ...] = ()  # of decisions: their factors, with columns p.FACTOR
    own_block: str | None = None  # of decisions: the column of their blocks

    def get(self, column: Any, purpose: str) -> Sequence[Any]:
        """A column by its name."""
        if isinstance(column, str) and column in self.lists:
            return self.lists[column]
        known = ", ".join(map(str, self.lists))
        raise InvalidInputError(
            f"{self.name}: no column {shown(column)} for the {purpose}"
            f"{did_you_mean(column, self.lists)} (columns: {known})"
        )


def columns_of(source: Any) -> Columns:
    """The columns of anything that has some."""
    if isinstance(source, str | Path):
        return _of_file(Path(source))
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if isinstance(source, list | tuple):
        return _of_rows(source)
    return _of_frame(source)


def _of_mapping(source: Mapping[str, Any]) -> Columns:
    lists = {name: list(values) for name, values in source.items()}
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInputError(f"log: columns must have equal lengths, not {lengths}")
    return Columns("log", lists)


def _of_rows(rows: Sequence[Any]) -> Columns:
    if rows and all(isinstance(row, Mapping) for row in rows):
        names: dict[str, None] = {}
        for row in rows:
            names.update(dict.fromkeys(row))
        return Columns("log", {name: [row.get(name) for row in rows] for name in names})

    pairs = all(isinstance(row, tuple | list) and len(row) == 2 for row in rows)
    if rows and pairs and all(hasattr(row[0], "levels") for row in rows):
        return _of_decisions(rows)
    raise InvalidInputError(f"a log must be {EXPECTED}, not {shown(rows)}")


def _of_decisions(rows: Sequence[Any]) -> Columns:
    """Decisions of an agent, in the order of their ids, with the columns that they have."""
    ordered = sorted(rows, key=lambda row: row[0].id)
    names = tuple(ordered[0][0].levels)
    lists: dict[str, list[Any]] = {
        name: [decision.levels.get(name) for decision, _ in ordered] for name in names
    }
    lists[REWARD] = [reward for _, reward in ordered]
    if all(decision.propensity is not None for decision, _ in ordered):
        for name in names:
            lists[f"p.{name}"] = [decision.propensity[name] for decision, _ in ordered]
    blocks = [getattr(decision, "block", None) for decision, _ in ordered]
    if None in blocks:
        return Columns("log", lists, names)
    lists["block"] = blocks
    return Columns("log", lists, names, "block")


def _of_frame(frame: Any) -> Columns:
    nw = _narwhals()
    try:
        found = nw.from_native(frame)
    except TypeError:
        raise InvalidInputError(f"a log must be {EXPECTED}, not {shown(frame)}") from None
    return Columns("log", _lists(found))


def _of_file(path: Path) -> Columns:
    if not path.is_file():
        raise InvalidInputError(f"no file {path}")
    ending = path.suffix.lower()
    if ending not in (".csv", ".tsv", ".parquet"):
        raise InvalidInputError(f"{path}: a log is a .csv, .tsv or .parquet file")

    nw = _narwhals()
    backend = next((name for name in READERS if importlib.util.find_spec(name)), None)
    if backend is None:
        raise MissingExtraError.of("pyarrow", "logs", f"reading {path.name}")
    try:
        if ending == ".parquet":
            frame = nw.read_parquet(str(path), backend=backend)
        else:
            separator = "\t" if ending == ".tsv" else ","
            frame = nw.read_csv(str(path), backend=backend, separator=separator)
    except Exception as error:  # each reader has errors of its own
        raise InvalidInputError(f"{path}: {error}") from None
    return Columns(str(path), _lists(frame))


def _lists(frame: Any) -> Mapping[str, Sequence[Any]]:
    if hasattr(frame, "collect"):
        frame = frame.collect()
    return _LazyLists(frame)


class _LazyLists(Mapping[str, Sequence[Any]]):
    """Columns of a frame, made into lists when they are asked for."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name not in self._frame.columns:
            raise KeyError(name)
        listed: list[Any] = self._frame[name].to_list()
        return listed

    def __iter__(self) -> Any:
        return iter(self._frame.columns)

    def __len__(self) -> int:
        return len(self._frame.columns)


def _narwhals() -> Any:
    try:
        import narwhals
    except ModuleNotFoundError:
        raise MissingExtraError.of("narwhals", "logs", "reading a data frame or a file") from None
    return narwhals


def distinct(values: Iterable[Any]) -> list[Any]:
    """Each value once, in the order of first appearance."""
    return list(dict.fromkeys(values))
