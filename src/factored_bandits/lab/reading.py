"""Files of results, checked before their numbers are believed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factored_bandits.errors import InvalidInputError, MissingExtraError

from . import seal as _seal
from .tables import COLUMNS, schema_of

if TYPE_CHECKING:
    import pandas

# columns of few texts that are repeated in every row: categories in memory
REPEATED = ("regret_unit", "arms", "task", "preset", "code", "version", "numpy", "numba", "machine")


def check_file(path: Path, frame: str) -> None:
    """Refuse a file that is not as it was written.

    Parameters
    ----------
    path
        The file.
    frame
        The table that it should hold: `results`, `eliminations` or `plays`.

    Raises
    ------
    InvalidInputError
        If it cannot be opened, is damaged, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_file(Path(folder), "plays")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    factored_bandits.errors.InvalidInputError: '...' cannot be opened: Is a directory
    """
    content = _content(path)
    # a file from before there were seals must be read to be judged
    if _seal.check(content) != "intact":
        _table(path, content, frame)


def read_table(path: Path, frame: str) -> Any:
    """The columns of one file, as a table of pyarrow; refuses what `check_file` refuses."""
    return _table(path, _content(path), frame)


def read_files(paths: Iterable[Path], frame: str) -> pandas.DataFrame:
    """The rows of several files below each other; none if there are no files."""
    return joined([read_table(path, frame) for path in paths], frame)


def joined(tables: list[Any], frame: str) -> pandas.DataFrame:
    """Tables of pyarrow as one frame."""
    pyarrow = _pyarrow()
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError.of("pandas", "lab", "the laboratory") from None

    if not tables:
        return pd.DataFrame({name: [] for name in COLUMNS[frame]})

    table = pyarrow.concat_tables(tables)
    categories = [name for name in REPEATED if name in table.column_names]
    rows: pandas.DataFrame = table.to_pandas(categories=categories)
    return rows


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInputError(
            f"{str(path)!r} cannot be opened: {error.strerror or error}"
        ) from None


def _table(path: Path, content: bytes, frame: str) -> Any:
    """What the bytes of a file hold, if they are intact and the table has the right columns."""
    pyarrow = _pyarrow()
    # before pyarrow sees them: it trusts what a file says about itself
    if _seal.check(content) == "damaged":
        raise InvalidInputError(f"{str(path)!r} is damaged: its checksum does not match")

    try:
        file = pyarrow.parquet.ParquetFile(
            pyarrow.BufferReader(content), page_checksum_verification=True
        )
        _check_columns(path, file.schema_arrow, frame)
        table = file.read(columns=list(COLUMNS[frame])).select(COLUMNS[frame])
        table.validate(full=True)
    except InvalidInputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InvalidInputError(f"{str(path)!r} is damaged, or no Parquet file: {reason}") from None

    return table.replace_schema_metadata(None)


def _check_columns(path: Path, schema: Any, frame: str) -> None:
    """Complain about a table that another program has written."""
    lacks = []
    for field in schema_of(COLUMNS[frame]):
        index = schema.get_field_index(field.name)  # -1 also if there are two of them
        if index < 0 or schema.field(index).type != field.type:
            lacks.append(field.name)

    if lacks:
        raise InvalidInputError(
            f"{str(path)!r} is no table of {frame}: it lacks {len(lacks)} of the columns, such as "
            f"{lacks[0]!r}"
        )


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError.of("pyarrow", "lab", "the laboratory") from None
    return pyarrow
