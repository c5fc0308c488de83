"""Whatever a newcomer gives for an argument: a sentence of the library, never an error from inside.

Every public entry is called with every kind of object in the place of every argument.
"""

from __future__ import annotations

import datetime
import inspect
import pathlib

import numpy as np
import pandas as pd
import pytest

import factored_bandits as fb
from factored_bandits import environments
from factored_bandits.errors import FactoredBanditsError

NAN = float("nan")
HUGE = 10**400
THINGS = [
    *(None, "", "x", "é", "5", b"x", True, -1, 0, 1, 2.5, NAN, float("inf"), HUGE, 1e308, 1 + 2j),
    *([], {}, (), set(), [1], [[1]], [[]], [[1, 2], [3]], ["a", "b"], [None], [NAN], [[NAN]]),
    *([[HUGE]], [1e308, 1e308], {"a": [1]}, {"a": 1}, {1: 2}, object(), int, range(3), "a" * 5000),
    *(np.array(3), np.array([]), np.array([1, 2]), np.array(["a"]), np.zeros((2, 2, 2)), np.eye(2)),
    *(np.float64(0.5), np.int64(3), np.bool_(True), np.ma.masked, np.full((2, 2), NAN)),
    *(pd.Series([0.1, 0.2]), pd.DataFrame({"a": [0.1, 0.2]}), pd.NA, pd.NaT, pd.Index(["a", "b"])),
    *(datetime.timedelta(days=1), pathlib.Path("x"), np, fb.policies.make("uniform")),
    *({"a": "xyz"}, {"a": ["x", "x"]}, {"": ["x"]}, {"a": [[1], [2]]}, {"a": pd.Series(["x"])}),
    *({"a": {"x", "y"}}, {"a": [NAN, 1]}, {"a": [b"x"]}, ["a", "a"], "ab", [("a",)], [("a", "c")]),
]

SMALL = environments.spiked(2)
RUN = {"environment": SMALL, "horizon": 10, "repetitions": 1, "seed": 0, "checkpoints": None}
RUN |= {"workers": 1, "progress": False, "certify": False}
DATA = {
    "factors": [[0.5, 0.4], [0.3, 0.2]],
    "effects": [[0.1, 0.0], [0.2, 0.0]],
    "preferences": [[0.5, 0.6], [0.4, 0.5]],
    "utilities": [0.1, 0.0],
    "means": [[0.1, 0.2], [0.3, 0.4]],
}


def one_round(**given):
    agent = fb.Agent(**given)
    agent.tell(agent.ask().id, 0.5)
    agent.dump()


def arguments_of(function):
    parameters = inspect.signature(function).parameters.items()
    return {
        name: DATA[name] if each.default is each.empty else each.default
        for name, each in parameters
    }


CALLS = {
    "simulate": (fb.simulate, {"policy": "uniform", **RUN, "permute": True, "skip_idle": True}),
    "compare": (fb.compare, {"policies": "uniform", **RUN}),
    "Agent of factors": (
        one_round,
        {
            "policy": "uniform",
            "factors": {"a": ["x", "y"]},
            "reward_range": (0, 1),
            "default": None,
            "seed": 0,
            "horizon": None,
            "history": None,
            "diagnostics": False,
        },
    ),
    "Agent of duels": (one_round, {"policy": "rmed1", "arms": ["a", "b"], "history": None}),
    "Agent with parameters": (
        one_round,
        {"policy": "tea", "factors": {"a": ["x", "y"]}, "bound": "paper"},
    ),
    "policies.make": (fb.policies.make, {"policy": "flat_ucb1", "reward_range": None, "alpha": 1}),
    "policies.names": (fb.policies.names, {"kind": "duel"}),
    "environments.make": (environments.make, {"name": "rank1"}),
    "load_duels": (fb.load_duels, {"path": "nowhere.csv", "arms": None}),
    "count_duels": (environments.count_duels, {"duels": [("a", "b")], "arms": None}),
    "load_preferences": (fb.load_preferences, {"path": "nowhere.csv"}),
    "mean": (SMALL.mean, {"action": [0, 0]}),
    "benchmark": (fb.benchmark, {"instances": [], "policies": "uniform"}),
}
CALLS |= {
    f"make {name}": (environments.load(name).init, arguments_of(environments.load(name).init))
    for name in environments.names()
}
CALLS |= {
    f"generator {name}": (make, arguments_of(make))
    for name, make in environments.generators().items()
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_every_argument_may_be_anything(name, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.chdir(tmp_path)
    function, good = CALLS[name]

    for argument in good:
        for thing in THINGS:
            try:
                function(**{**good, argument: thing})
            except FactoredBanditsError as error:
                said = str(error)
            else:
                continue
            assert "\n" not in said, (argument, said)
            assert len(said) < 1200, (argument, said)
            assert " object at 0x" not in said or type(thing) is object, (argument, said)
