"""The decisions of an experiment as a tidy table: one row each, with propensities and rewards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from factored_bandits.core.files import draft_of
from factored_bandits.errors import MissingExtraError

from .config import Config
from .engine import is_held
from .store import Event, Experiment, Transaction

PAGE = 1000
KEPT = ("tell", "expire", "late")
ASKED = ("decision", "asked_at", "unit", "holdout")
OWN = (*ASKED, "settled", "settled_at", "reward", "late_reward", "late_at")


def pages(tx: Transaction, experiment: int) -> Iterator[list[Event]]:
    """The log of an experiment, page by page."""
    after = 0
    while page := tx.events(experiment, after, PAGE):
        yield page
        after = page[-1].n


def table(
    tx: Transaction, row: Experiment, progress: Callable[[int], None] | None = None
) -> dict[str, list[Any]]:
    """The columns of the table.

    Parameters
    ----------
    tx
        A transaction of the store; it is not ended.
    row
        The experiment.
    progress
        Called with the number of events after every page.

    Returns
    -------
    dict
        By name: the decision with its times in microseconds; a column for the level of each
        factor and, where it is known, one named `p.FACTOR` for the probability that it had; how
        the decision was settled, with its reward.
    """
    config = Config.of(row.config)
    by_decision: dict[int, dict[str, Any]] = {}
    for page in pages(tx, row.id):
        for event in page:
            if event.kind == "ask":
                by_decision[event.decision or 0] = _asked(config, event)
            elif event.kind in KEPT:
                by_decision[event.decision or 0].update(_settled(config, event))
        if progress is not None:
            progress(len(page))

    rows = list(by_decision.values())
    names: dict[str, None] = dict.fromkeys(name for each in rows for name in each)
    first = [name for name in ASKED if name != "holdout" or config.holdout]
    rest = [name for name in OWN if name not in ASKED]
    order = [*first, *(name for name in names if name not in OWN), *rest]
    return {name: [each.get(name) for each in rows] for name in order}


def rows_after(
    tx: Transaction, experiment: int, config: Config, after: int, most: int
) -> tuple[list[dict[str, Any]], int | None]:
    """The decisions after an event, one dict each, and where to go on; None at the end.

    Parameters
    ----------
    tx
        A transaction of the store; it is not ended.
    experiment
        The number of the experiment.
    config
        What it is.
    after
        The number of the last event that is not wanted any more.
    most
        How many events are read at most.

    Returns
    -------
    tuple
        The rows, with what became of each decision by now, and the number of the last event.
    """
    events = tx.events(experiment, after, most)
    rows = []
    for event in events:
        if event.kind == "ask":
            row = _asked(config, event)
            number = event.decision or 0
            for found in (tx.settled(experiment, number), tx.late(experiment, number)):
                if found is not None:
                    row.update(_settled(config, found))
            rows.append(row)
    return rows, events[-1].n if len(events) == most else None


def write_parquet(columns: dict[str, list[Any]], path: Path) -> None:
    """Write a table; the file appears complete or not at all.

    Parameters
    ----------
    columns
        What `table` gave.
    path
        The file.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    OSError
        If the file cannot be written.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError.of("pyarrow", "lab", "export --parquet") from None

    time = pa.timestamp("us", tz="UTC")
    arrays = {
        name: pa.array(values, type=time if name.endswith("_at") else None)
        for name, values in columns.items()
    }
    with draft_of(path) as draft:
        pq.write_table(pa.table(arrays), draft, compression="zstd")


def _asked(config: Config, event: Event) -> dict[str, Any]:
    decision = config.decision(event)
    found: dict[str, Any] = {
        "decision": decision.id,
        "asked_at": event.at,
        "unit": None if event.unit is None else event.unit.hex(),
    }
    if config.holdout:
        found["holdout"] = is_held(decision.id)
    for factor, level in decision.levels.items():
        name = f"factor.{factor}" if factor in OWN else factor
        found[name] = level
        if decision.propensity is not None:
            found[f"p.{name}"] = decision.propensity[factor]
    return found


def _settled(config: Config, event: Event) -> dict[str, Any]:
    if event.kind == "late":
        return {"late_at": event.at, **_reward(config, event.body, "late_reward")}
    named = {"settled": event.kind, "settled_at": event.at}
    return {**named, **_reward(config, event.body, "reward")}


def _reward(config: Config, body: Any, name: str) -> dict[str, Any]:
    """One number, or with semi-bandit feedback one for each factor."""
    if not isinstance(body, list):
        return {name: body}
    return {f"{name}.{factor}": x for factor, x in zip(config.given["factors"], body, strict=True)}
