"""Records as tables and back: what a task stores, and what is read from it.

Three tables: `results` has a row per repetition and checkpoint, `eliminations` one per elimination
and re-entry, `plays` one per repetition and level, with the p-value of its being the best at the
horizon where the policy has one.
"""

from __future__ import annotations

import functools
import io
import itertools
import platform
from collections.abc import Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

from factored_bandits import __version__
from factored_bandits.core.arrays import Floats, Ints, offsets_of
from factored_bandits.environments import Environment
from factored_bandits.errors import MissingExtraError
from factored_bandits.simulation.checkpoints import checkpoints_of
from factored_bandits.simulation.record import ELIMINATED, RE_ENTERED, RunRecord

from . import seal as _seal
from .tasks import Chunk, Task

if TYPE_CHECKING:
    import pandas

FRAMES = ("results", "eliminations", "plays")

# The columns of each table.
KEYS = ("experiment", "problem", "policy", "repetition")
MEASURED = ("round", "regret", "correct", "simple_regret", "confidence")
# the same in every row of a chunk
FACTS = (
    "horizon",
    "regret_unit",
    "arms",
    "task",
    "preset",
    "seed",
    "code",
    "version",
    "numpy",
    "numba",
    "machine",
)
COLUMNS = {
    "results": (*KEYS, *MEASURED, *FACTS, "seconds"),
    "eliminations": (*KEYS, "round", "factor", "level", "event", "task"),
    "plays": (*KEYS, "factor", "level", "plays", "p_value", "task"),
}
# Columns by type; all others are text.
INTEGERS = ("repetition", "round", "horizon", "seed", "factor", "level", "plays")
REALS = ("regret", "simple_regret", "confidence", "seconds", "p_value")
BOOLEANS = ("correct",)


def tables_of(task: Task, chunk: Chunk, records: Sequence[RunRecord]) -> dict[str, dict[str, Any]]:
    """The columns of the three tables for one chunk; a single value is the same in every row."""
    return {
        "results": _results(task, chunk, records),
        "eliminations": _eliminations(task, chunk, records),
        "plays": _plays(task, chunk, records),
    }


def _results(task: Task, chunk: Chunk, records: Sequence[RunRecord]) -> dict[str, Any]:
    cell = chunk.cell
    points = checkpoints_of(cell.spec.checkpoints, cell.horizon)
    facts = {
        "horizon": cell.horizon,
        "regret_unit": cell.problem.unit,
        "arms": arms(cell.problem),
        "task": task.name,
        "preset": task.preset,
        "seed": cell.spec.seed,
        "code": cell.code,
        "version": __version__,
        "numpy": np.__version__,
        "numba": _version("numba"),
        "machine": f"{platform.system()} {platform.machine()} {platform.node()}",
    }
    return {
        **_labels(chunk, [len(points)] * chunk.repetitions),
        "round": np.tile(points, chunk.repetitions),
        "regret": np.concatenate([record.regret for record in records]),
        "correct": np.concatenate([record.correct for record in records]),
        "simple_regret": _noted([record.simple_regret for record in records], len(points)),
        "confidence": _noted([record.confidence for record in records], len(points)),
        **facts,
        "seconds": np.repeat([record.seconds for record in records], len(points)),
    }


def _noted(columns: Sequence[Floats | None], rows: int) -> Floats:
    """What was noted at the checkpoints, nan where nobody did."""
    unknown = np.full(rows, np.nan)
    return np.concatenate([unknown if column is None else column for column in columns])


def _labels(chunk: Chunk, counts: Sequence[int]) -> dict[str, Any]:
    """The columns that say of what a row is, for so many rows per repetition."""
    cell = chunk.cell
    repetitions = np.arange(chunk.first, chunk.first + chunk.repetitions)

    return {
        "experiment": cell.spec.name,
        "problem": cell.instance.name,
        "policy": cell.policy.label,
        "repetition": np.repeat(repetitions, counts),
    }


def _eliminations(task: Task, chunk: Chunk, records: Sequence[RunRecord]) -> dict[str, Any]:
    events = np.concatenate([record.events for record in records])

    return {
        **_labels(chunk, [len(record.events) for record in records]),
        "round": events[:, 0],
        "factor": events[:, 1],
        "level": events[:, 2],
        "event": np.array([ELIMINATED, RE_ENTERED], dtype=object)[events[:, 3]],
        "task": task.name,
    }


def _plays(task: Task, chunk: Chunk, records: Sequence[RunRecord]) -> dict[str, Any]:
    sizes = chunk.cell.problem.sizes
    levels = sum(sizes)

    # per level of all factors, the same for every repetition
    factor = np.repeat(np.arange(len(sizes)), sizes)
    level = np.concatenate([np.arange(size) for size in sizes])

    return {
        **_labels(chunk, [levels] * chunk.repetitions),
        "factor": np.tile(factor, chunk.repetitions),
        "level": np.tile(level, chunk.repetitions),
        "plays": np.concatenate([plays for record in records for plays in record.plays]),
        "p_value": [p for record in records for p in _p_values(record, levels)],
        "task": task.name,
    }


def _p_values(record: RunRecord, levels: int) -> list[float | None]:
    """One per level; None where nothing is proved, and for the second position of duels."""
    known = [] if record.p_values is None else np.concatenate(record.p_values).tolist()
    return known + [None] * (levels - len(known))


def records_of(
    results: pandas.DataFrame,
    eliminations: pandas.DataFrame,
    plays: pandas.DataFrame,
    sizes: Sequence[int],
) -> tuple[RunRecord, ...]:
    """The records from which the rows of one policy on one problem were made.

    Parameters
    ----------
    results, eliminations, plays
        The rows of the three tables.
    sizes
        The number of levels of each factor.

    Returns
    -------
    tuple of RunRecord
        In ascending order of the repetitions.
    """
    edges = offsets_of(sizes)[1:-1]
    rows = _by_repetition(results, ("round",))
    own = _by_repetition(plays, ("factor", "level"))
    # files are read in any order, but the events of a repetition are in one of them, in order
    events = _by_repetition(eliminations, ())
    found = []

    for repetition, here in rows.items():
        levels = own.get(repetition, plays.iloc[:0])
        record = RunRecord(
            repetition=repetition,
            regret=here.regret.to_numpy(dtype=np.float64),
            correct=here.correct.to_numpy(dtype=np.bool_),
            simple_regret=_or_none(here.simple_regret.to_numpy(dtype=np.float64)),
            confidence=_or_none(here.confidence.to_numpy(dtype=np.float64)),
            plays=tuple(np.split(levels.plays.to_numpy(), edges)),
            events=_events(events.get(repetition, eliminations.iloc[:0])),
            p_values=_known(np.split(levels.p_value.to_numpy(dtype=np.float64), edges)),
            seconds=float(here.seconds.iloc[0]),
        )
        found.append(record)

    return tuple(found)


def _by_repetition(frame: pandas.DataFrame, keys: Sequence[str]) -> dict[int, pandas.DataFrame]:
    """The rows of each repetition, ordered by the columns `keys`."""
    ordered = frame.sort_values(["repetition", *keys], kind="stable")
    repetitions = ordered.repetition.to_numpy(dtype=np.int64)
    numbers, firsts = np.unique(repetitions, return_index=True)
    edges = itertools.pairwise([*firsts.tolist(), len(ordered)])
    return {
        number: ordered.iloc[low:high]
        for number, (low, high) in zip(numbers.tolist(), edges, strict=True)
    }


def _or_none(noted: Floats) -> Floats | None:
    return None if np.isnan(noted).any() else noted


def _known(p_values: Sequence[Floats]) -> tuple[Floats, ...] | None:
    """Those of the factors that have some; None if no factor has."""
    known = tuple(each for each in p_values if not np.isnan(each).any())
    return known or None


def _events(rows: pandas.DataFrame) -> Ints:
    """Rows (round, factor, level, active)."""
    active = (rows.event == RE_ENTERED).to_numpy(dtype=np.int64)
    columns = [rows[name].to_numpy(dtype=np.int64) for name in ("round", "factor", "level")]
    return np.column_stack([*columns, active])


def arms(problem: Environment) -> str:
    """How many arms or levels: "16", "16x16".

    >>> import factored_bandits as fb
    >>> arms(fb.environments.identical_gap(16, 0.7)), arms(fb.environments.spiked(4))
    ('16', '4x4')
    """
    return "x".join(map(str, problem.factor_sizes))


def parquet(parts: Sequence[dict[str, Any]]) -> bytes:
    """Tables below each other, as the bytes of a sealed Parquet file.

    The types do not depend on the rows.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError.of("pyarrow", "lab", "the laboratory") from None

    schema = schema_of(tuple(parts[0]))
    tables = [_table(columns, schema) for columns in parts]
    buffer = io.BytesIO()
    with pyarrow.parquet.ParquetWriter(
        buffer, schema, compression="zstd", write_page_checksum=True
    ) as writer:
        writer.write_table(pyarrow.concat_tables(tables))
        writer.add_key_value_metadata({_seal.KEY: _seal.BLANK})

    return _seal.sealed(buffer.getvalue())


def _table(columns: dict[str, Any], schema: Any) -> Any:
    """Columns as a table of pyarrow; a single value stands in as many rows as the others have."""
    import pyarrow

    rows = len(columns["repetition"])
    filled = [
        pyarrow.repeat(pyarrow.scalar(column, field.type), rows)
        if isinstance(column, str | int)
        else pyarrow.array(column, field.type)
        for column, field in zip(columns.values(), schema, strict=True)
    ]
    return pyarrow.table(filled, schema=schema)


def schema_of(columns: Sequence[str]) -> Any:
    """The types of some columns, as a schema of pyarrow.

    >>> schema_of(["policy", "regret"]).types
    [DataType(string), DataType(double)]
    """
    import pyarrow

    kinds = dict.fromkeys(INTEGERS, pyarrow.int64())
    kinds |= dict.fromkeys(REALS, pyarrow.float64())
    kinds |= dict.fromkeys(BOOLEANS, pyarrow.bool_())
    return pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in columns])


@functools.cache
def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "none"
