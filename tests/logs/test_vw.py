"""Slates of Vowpal Wabbit: there and back, read and learned from by the real one."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError

ODD = {"head line": ["a b", "c:d", "e|f", "100%"], "size": [1, 2.5, "z#"], "ünï": ["é", "ø"]}


def odd_log(rows=300, seed=1):
    rng = np.random.default_rng(seed)
    actions = np.column_stack([rng.integers(len(levels), size=rows) for levels in ODD.values()])
    # the third level of the second factor, and the second of the third, are the best
    rates = 0.1 + 0.4 * (actions[:, 1] == 2) + 0.4 * (actions[:, 2] == 1)
    rewards = (rng.random(rows) < rates).astype(float)
    each = np.tile([1 / len(levels) for levels in ODD.values()], (rows, 1))
    factors = {name: tuple(levels) for name, levels in ODD.items()}
    return fb.logs.Log(factors, actions, rewards, (0.0, 1.0), each, each.prod(axis=1))


def lines_of(log):
    return "\n".join(fb.logs.to_vw(log)).splitlines()


def test_there_and_back():
    log = odd_log()
    again = fb.logs.from_vw(lines_of(log))
    assert again.factors == {name: tuple(map(str, levels)) for name, levels in ODD.items()}
    assert again.actions.tolist() == log.actions.tolist()
    assert again.rewards.tolist() == log.rewards.tolist()
    assert again.propensities.tolist() == log.propensities.tolist()
    assert again.joint.tolist() == log.joint.tolist()


def test_a_file(tmp_path):
    path = tmp_path / "log.vw"
    path.write_text("\n".join(fb.logs.to_vw(odd_log(5))), encoding="utf-8")
    assert len(fb.logs.from_vw(path)) == 5
    with pytest.raises(InvalidInputError, match="no file nowhere"):
        fb.logs.from_vw("nowhere")


def test_the_form_that_the_documentation_of_vowpal_wabbit_shows():
    example = [
        "slates shared 0.8 | shared_0 shared_1",
        "slates action 0 | action_1",
        "slates action 0 | action_2",
        "slates action 0 | action_3",
        "slates action 1 |A same",
        "slates action 1 |B same",
        "slates slot 1:0.8,0:0.1,2:0.1 | slot_0",
        "slates slot 0:0.6,1:0.4 | slot_1",
        "",
    ]
    log = fb.logs.from_vw(example * 2, reward_range=(-1, 0))
    assert log.factors == {
        "slot_0": ("action_1", "action_2", "action_3"),
        "slot_1": ("0 same", "1 same"),
    }
    assert log.actions.tolist() == [[1, 0]] * 2
    assert log.rewards.tolist() == [-0.8] * 2
    assert log.propensities.tolist() == [[0.8, 0.6]] * 2


@pytest.mark.skipif(
    importlib.util.find_spec("vowpalwabbit") is None,
    reason="vowpalwabbit is not installed; it has wheels for Python 3.11 to 3.14 on Linux",
)
def test_vowpal_wabbit_reads_every_label_and_learns_what_is_best():
    log = odd_log(1500)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("vw_learns.py"))],
        input="\n".join(fb.logs.to_vw(log)),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)

    assert len(told["read"]) == len(log)
    for row, labels in enumerate(told["read"]):
        kinds, costs, slots, chosen = zip(*labels, strict=True)
        assert kinds == (0, *[1] * 9, *[2] * 3)
        assert costs[0] == -log.rewards[row]
        assert slots[1:10] == (*[0] * 4, *[1] * 3, *[2] * 2)
        assert [each[0][0] for each in chosen[10:]] == log.actions[row].tolist()
        read = [each[0][1] for each in chosen[10:]]
        assert read == pytest.approx(log.propensities[row], rel=1e-6)  # in single precision

    best = [slot[0] for slot in told["decided"]]
    assert [action for action, _ in best][1:] == [2, 1]
    assert all(probability > 0.9 for _, probability in best)


GOOD = [
    "slates shared -1 |",
    "slates action 0 |n x",
    "slates action 0 |n y",
    "slates slot 1:0.5 |f a",
]


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "shared -1 |", "'shared -1 |'; expected slates shared, slates action or slates slot"),
        (
            1,
            "slates shared |",
            "'slates shared'; expected slates shared COST, as the first of an example",
        ),
        (1, "slates shared x |", "'x'; expected a number"),
        (2, "slates actor 0 |", "'slates actor 0'; expected slates action SLOT or slates slot"),
        (4, "slates slot 2:0.5 |", "'2:0.5'; expected one of its 2 actions"),
        (4, "slates slot 1:0 |", "'0'; expected a probability above 0 and up to 1"),
        (4, "slates slot 1 |", "''; expected a number"),
    ],
)
def test_a_wrong_line_is_named(line, text, message):
    lines = [*GOOD[: line - 1], text, *GOOD[line:]]
    with pytest.raises(InvalidInputError) as raised:
        fb.logs.from_vw(lines)
    assert str(raised.value).startswith(f"slates, line {line}: {message}")


def test_examples_that_make_no_log():
    with pytest.raises(InvalidInputError, match="slates: there are no examples"):
        fb.logs.from_vw(["", ""])
    with pytest.raises(InvalidInputError, match="line 6: an example with other slots or actions"):
        fb.logs.from_vw([*GOOD, "", *GOOD[:2], *GOOD[1:]])
    with pytest.raises(InvalidInputError, match="line 1: the example has 0 slots, and actions for"):
        fb.logs.from_vw(GOOD[:3])
    with pytest.raises(InvalidInputError) as raised:
        fb.logs.from_vw(["slates shared 0.5 |", *GOOD[1:]])
    assert str(raised.value) == (
        "slates, line 1: the cost 0.5 is the reward -0.5; expected one from 0 to 1 (reward_range)"
    )
    bare = fb.load_log({"a": [1], "b": [1], "r": [0], "p": [1]}, ["a", "b"], "r", "p")
    with pytest.raises(InvalidInputError, match="slates need a propensity for each factor"):
        next(fb.logs.to_vw(bare))
