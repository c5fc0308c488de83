"""Logs from every source are the same log; complaints name row, column, value, and what fits."""

from __future__ import annotations

import datetime
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, MissingExtraError

COLUMNS = {
    "ad": ["A", "B", "A", "C"],
    "size": [1, 2, 2, 1],
    "clicks": [1.0, 0.0, 0.25, 1.0],
    "p": [0.2, 0.1, 0.3, 0.4],
    "when": [datetime.datetime(2026, 1, day) for day in (3, 1, 2, 4)],
    "other": [None, "x", "y", "z"],
}
ORDER = [1, 2, 0, 3]


def written(folder, ending):
    path = folder / f"log.{ending}"
    if ending == "parquet":
        pyarrow.parquet.write_table(pa.table(COLUMNS), path)
    else:
        separator = "\t" if ending == "tsv" else ","
        pd.DataFrame(COLUMNS).to_csv(path, index=False, sep=separator)
    return path


SOURCES = {
    "pandas": lambda folder: pd.DataFrame(COLUMNS),
    "polars": lambda folder: pl.DataFrame(COLUMNS),
    "lazy polars": lambda folder: pl.LazyFrame(COLUMNS),
    "arrow": lambda folder: pa.table(COLUMNS),
    "dict": lambda folder: {name: np.array(values) for name, values in COLUMNS.items()},
    "rows": lambda folder: [
        dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)
    ],
    "csv": lambda folder: written(folder, "csv"),
    "tsv": lambda folder: str(written(folder, "tsv")),
    "parquet": lambda folder: written(folder, "parquet"),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same_log(kind, tmp_path):
    log = fb.load_log(
        SOURCES[kind](tmp_path),
        factors=["ad", "size"],
        reward="clicks",
        propensity="p",
        time="when",
    )
    assert log.factors == {"ad": ("A", "B", "C"), "size": (1, 2)}
    assert [type(level) for level in log.factors["size"]] == [int, int]
    assert log.actions.tolist() == [[[0, 0], [1, 1], [0, 1], [2, 0]][i] for i in ORDER]
    assert log.rewards.tolist() == [COLUMNS["clicks"][i] for i in ORDER]
    assert log.joint.tolist() == [COLUMNS["p"][i] for i in ORDER]
    assert log.propensities is None
    assert list(log.times) == sorted(log.times)
    assert len(log) == 4
    assert log.levels(0) == {"ad": "B", "size": 2}
    assert len(log.head(3)) == len(log.head(3).times) == 3


def test_propensities_per_factor_multiply():
    columns = {"a": [1, 2], "b": [1, 1], "r": [0, 1], "pa": [0.5, 0.25], "pb": [1.0, 0.5]}
    log = fb.load_log(columns, ["a", "b"], "r", propensity={"b": "pb", "a": "pa"})
    assert log.propensities.tolist() == [[0.5, 1.0], [0.25, 0.5]]
    assert log.joint.tolist() == [0.5, 0.125]


def test_levels_can_be_given_and_true_is_not_one():
    log = fb.load_log({"a": [True, 1, "1"], "r": [0, 0, 0]}, {"a": ["1", 1, True, 2]}, "r")
    assert log.actions[:, 0].tolist() == [2, 1, 0]
    assert log.sizes.tolist() == [4]


def test_decisions_of_an_agent_in_any_order():
    agent = fb.Agent("tea", factors={"a": [1, 2], "b": ["x", "y", "z"]}, seed=1, compiled=False)
    rows = []
    for _ in range(20):
        decision = agent.ask()
        rows.append((decision, float(decision.levels["a"] == 2)))
        agent.tell(*((decision.id, rows[-1][1])))
    log = fb.load_log(rows[::-1], factors={"a": [1, 2], "b": ["x", "y", "z"]})
    assert [tuple(action) for action in log.actions.tolist()] == [row[0].action for row in rows]
    assert log.propensities.tolist() == [list(row[0].propensity.values()) for row in rows]
    assert fb.load_log(rows).factors.keys() == {"a", "b"}


def test_decisions_without_propensities():
    agent = fb.Agent("flat_thompson", factors={"a": [1, 2]})
    log = fb.load_log([(agent.ask(), 1.0)])
    assert log.joint is None
    with pytest.raises(InvalidInputError, match="an estimate needs to know with which probability"):
        log.known_joint("an estimate")


def changed(column, row, value):
    return {**COLUMNS, column: [*COLUMNS[column][:row], value, *COLUMNS[column][row + 1 :]]}


def load(source, **arguments):
    defaults = {"factors": ["ad", "size"], "reward": "clicks", "propensity": "p", "time": "when"}
    return fb.load_log(source, **{**defaults, **arguments})


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("clicks", 1.5, "1.5 is no reward; expected a number from 0 to 1 (reward_range)"),
        ("clicks", None, "None is no reward; expected a number from 0 to 1 (reward_range)"),
        ("clicks", float("nan"), "nan is no reward; expected a number from 0 to 1 (reward_range)"),
        ("clicks", "1", "'1' is no reward; expected a number from 0 to 1 (reward_range)"),
        (
            "p",
            0.0,
            "0.0 is no probability; expected a number above 0 and up to 1: what was played could "
            "be played",
        ),
        (
            "p",
            1.1,
            "1.1 is no probability; expected a number above 0 and up to 1: what was played could "
            "be played",
        ),
        ("ad", None, "None is no level; expected a string or a finite number"),
        ("size", float("inf"), "inf is no level; expected a string or a finite number"),
        ("when", None, "None is no time; expected one, to sort by"),
    ],
)
def test_a_wrong_cell_is_named(column, value, message):
    with pytest.raises(InvalidInputError) as raised:
        load(changed(column, 2, value))
    assert str(raised.value) == f"log, row 3, column {column!r}: {message}"


def test_a_file_is_named_and_rows_count_from_one(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("ad,r\nA,1\nB,\n")
    with pytest.raises(InvalidInputError) as raised:
        fb.load_log(path, ["ad"], "r")
    assert str(raised.value) == (
        f"{path}, row 2, column 'r': None is no reward; expected a number from 0 to 1 "
        "(reward_range)"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"factors": ["Ad"]},
            "log: no column 'Ad' for the factor; did you mean 'ad'? (columns: ad, size, clicks, p, "
            "when, other)",
        ),
        ({"factors": None}, "factors: say which columns are the factors, factors=[...]"),
        (
            {"factors": "ad"},
            "factors must be a list of columns, or a dict with their levels, not 'ad'",
        ),
        ({"factors": ["ad", "ad"]}, "factors: a column stands there twice: ad, ad"),
        (
            {"factors": {"ad": ["A", "B"]}},
            "log, row 4, column 'ad': 'C' is no level; expected one of 'A', 'B'",
        ),
        (
            {"propensity": {"ad": "p"}},
            "propensity must be a column, or a dict with a column for each factor (ad, size), not "
            "{'ad': 'p'}",
        ),
        ({"reward_range": (1, 0)}, "reward_range must be (low, high) with low < high, not (1, 0)"),
        (
            {"time": "other"},
            "log, row 1, column 'other': None is no time; expected one, to sort by",
        ),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InvalidInputError) as raised:
        load(COLUMNS, **arguments)
    assert str(raised.value) == message


def test_times_of_several_types():
    with pytest.raises(InvalidInputError, match="column 'when': times of several types cannot"):
        load(changed("when", 1, "yesterday"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "a log must be a data frame"),
        (17, "a log must be a data frame"),
        ({"ad": [1, 2], "clicks": [1]}, "log: columns must have equal lengths"),
        ({"ad": [], "clicks": []}, "log: there are no rows"),
        ("nowhere.csv", "no file nowhere.csv"),
        (__file__, "a log is a .csv, .tsv or .parquet file"),
    ],
)
def test_what_is_no_log(source, message):
    with pytest.raises(InvalidInputError, match=message):
        fb.load_log(source, factors=["ad"], reward="clicks")


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "log.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InvalidInputError, match=r"log\.parquet: "):
        fb.load_log(path, factors=["ad"], reward="clicks")


def test_without_narwhals_frames_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(MissingExtraError) as raised:
        fb.load_log(pd.DataFrame(COLUMNS), factors=["ad"])
    assert str(raised.value) == (
        "reading a data frame or a file needs narwhals, which is not installed: pip install "
        '"factored-bandits[logs]"'
    )
    assert len(load(COLUMNS)) == 4  # plain Python needs nothing
