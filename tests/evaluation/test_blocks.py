"""Logs of policies that plan blocks and eliminate levels: intervals, counted, and complaints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError
from factored_bandits.evaluation.blocks import blocks_of

FACTORS = {"a": [0, 1], "b": [0, 1, 2]}


def rate(levels):
    return 0.2 + 0.5 * levels["a"] + 0.1 * (levels["b"] == 2)


def own_log(name, rounds, seed):
    """Decisions of an agent; the factors do not interact."""
    rng = np.random.default_rng(seed)
    agent = fb.Agent(name, factors=FACTORS, seed=seed, compiled=False)
    rows = []
    for _ in range(rounds):
        decision = agent.ask()
        reward = float(rng.random() < rate(decision.levels))
        agent.tell(decision.id, reward)
        rows.append((decision, reward))
    return fb.load_log(rows, factors=FACTORS)


def wrong_about_combination(name, rounds, seed, alpha):
    """Whether the interval of the best combination is ever wrong, looked at four times."""
    log = own_log(name, rounds, seed)
    for rows in np.linspace(rounds / 4, rounds, 4).astype(int):
        found = fb.evaluate({"a": 1, "b": 2}, log.head(rows), alpha=alpha)
        if not found.lower <= 0.8 <= found.upper:
            return True
    return False


@pytest.mark.parametrize("name", ["tea(bound=betting)", "leader_tea"])
def test_intervals_hold(name):
    alpha, runs = 0.2, 12
    wrong = sum(wrong_about_combination(name, 240, seed, alpha) for seed in range(runs))
    assert wrong <= int(binom.ppf(1 - 1e-6, runs, alpha))


@pytest.mark.full
@pytest.mark.parametrize("name", ["tea(bound=betting)", "leader_tea"])
def test_intervals_hold_in_many_runs(name):
    alpha, runs = 0.1, 100
    wrong = sum(wrong_about_combination(name, 600, seed, alpha) for seed in range(runs))
    assert wrong <= int(binom.ppf(1 - 1e-6, runs, alpha))


def test_eliminated_levels_are_judged_by_the_blocks_that_had_them():
    log = own_log("tea(bound=betting)", 1500, 3)
    found = {(one.factor, one.level): one for one in fb.effects(log).levels}
    worse = found["a", 0]
    assert worse.plays < 100  # eliminated soon
    # with b as tea drew it, from 0.2 to 0.3 for level 0, 0.7 to 0.8 for level 1
    assert worse.lower <= 0.25 <= worse.upper < 0.7 < found["a", 1].upper
    assert found["a", 1].lower > 0.65


def test_a_block_is_a_step():
    log = own_log("tea", 30, 1)
    blocks = blocks_of(log)
    assert blocks.longest == 3
    assert blocks.block.tolist() == [row // 3 for row in range(30)]
    values = np.arange(30.0)
    process = blocks.process(values, 0.0, 1.0, 1.0)
    assert process.values.tolist() == values.reshape(10, 3).sum(axis=1).tolist()
    assert process.rows == 30
    assert process.scale == 3.0
    assert process.forecasts[0] == 1.5  # three rows of 1/2
    assert blocks_of(own_log("uniform", 30, 1)) is None


def test_blocks_from_a_column():
    log = own_log("tea", 60, 1)
    columns = {
        "a": log.actions[:, 0],
        "b": log.actions[:, 1],
        "r": log.rewards,
        "pa": log.propensities[:, 0],
        "pb": log.propensities[:, 1],
        "block": log.blocks,
    }
    names = {"a": "pa", "b": "pb"}
    again = fb.load_log(columns, FACTORS, "r", names, block="block")
    assert str(fb.effects(again)) == str(fb.effects(log))
    columns["block"] = [0.5] * 60
    with pytest.raises(InvalidInputError) as raised:
        fb.load_log(columns, FACTORS, "r", names, block="block")
    assert str(raised.value) == (
        "log, row 1, column 'block': 0.5 is no block; expected a whole number"
    )


def test_rows_that_are_missing_in_a_block():
    log = own_log("tea", 60, 1)
    kept = np.arange(60) != 4
    with pytest.raises(InvalidInputError) as raised:
        fb.effects(log.some(kept))
    assert str(raised.value) == (
        "the propensities of 'a' in the block that begins in row 4 do not add up to 1 over the "
        "levels played in it: rows are missing, or the policy did not play all that it could"
    )
    assert fb.effects(log.head(59)).rows == 59  # a block that is cut off at the end is left out


def test_what_could_never_be_played():
    log = own_log("tea", 60, 1)
    log.actions[log.actions[:, 1] == 2, 1] = 1
    log.propensities[:, 1] = 0.5
    with pytest.raises(InvalidInputError, match="b=2 could not be played in any row of the log"):
        fb.evaluate({"b": 2}, log)
