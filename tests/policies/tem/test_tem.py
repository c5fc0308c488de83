"""`fb.TEM` against the literal pseudo-code, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError
from factored_bandits.policies.tem import active_set as _tem
from factored_bandits.policies.tem import bounds as _bounds
from factored_bandits.policies.tem import phase as _tem_phase
from factored_bandits.policies.tem import state as _tem_state
from oracles import literal

deltas = st.floats(1e-9, 1.04)


class Beside:
    """A TEM and its oracle, fed the same and compared after every step."""

    def __init__(self, size: int, seed: int) -> None:
        self.tem = fb.TEM(size)
        self.oracle = literal.init(None, np.array([size]), 0)
        self.rng = np.random.default_rng(seed)

    def look(self, delta: float) -> None:
        active = self.tem.active_set(delta)
        literal.get_active_set(self.oracle, 0, delta)
        assert active.tolist() == np.flatnonzero(self.oracle.active[0]).tolist()
        assert self.tem.active.tolist() == active.tolist()
        assert self.tem.B.tolist() == np.flatnonzero(self.oracle.B[0]).tolist()

    def play(self, extra: int, advantage: np.ndarray) -> None:
        length = len(self.tem.active) + extra
        arms = self.tem.schedule(length, self.rng)
        self.check_schedule(arms, length)
        rewards = np.where(self.rng.random(length) < 0.5 + 0.5 * advantage[arms], 1.0, -1.0)
        self.tem.feedback(arms, rewards)
        literal.give_feedback(self.oracle, 0, arms.reshape(-1, 1), rewards)
        np.testing.assert_allclose(self.tem.D, self.oracle.D[0], rtol=0, atol=1e-12)
        assert np.array_equal(self.tem.N, self.oracle.N[0])

    def check_schedule(self, arms: np.ndarray, length: int) -> None:
        counts = np.bincount(arms, minlength=self.tem.size)
        outside = np.setdiff1d(np.arange(self.tem.size), self.tem.active)
        merely_active = np.setdiff1d(self.tem.active, self.tem.B)
        assert len(arms) == length
        assert (counts[outside] == 0).all()
        assert (counts[merely_active] == 1).all()
        assert counts[self.tem.B].max() - counts[self.tem.B].min() <= 1


@settings(max_examples=150, deadline=None)
@given(
    size=st.integers(1, 7),
    seed=st.integers(0, 10**6),
    steps=st.lists(
        st.tuples(deltas, st.integers(0, 9), st.integers(1, 25), st.booleans()),
        min_size=1,
        max_size=12,
    ),
    spread=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_equals_the_pseudo_code(size, seed, steps, spread):
    beside = Beside(size, seed)
    for delta, extra, phases, reverse in steps:
        advantage = spread * np.linspace(-1, 1, size) * (-1 if reverse else 1)
        for _ in range(phases):
            beside.look(delta)
            beside.play(extra, advantage)
    beside.look(steps[-1][0])


@settings(max_examples=120, deadline=None)
@given(
    size=st.integers(2, 6),
    seed=st.integers(0, 10**6),
    steps=st.lists(
        st.tuples(st.sampled_from([1, 1, 2, 5]), st.integers(0, 3)), min_size=20, max_size=120
    ),
)
def test_late_rewards_are_learned_in_order(size, seed, steps):
    """Several phases may be open; each is learned whole, in order, and seen by the next call."""
    state, oracle = _tem_state.new_state(np.array([size])), literal.init(None, np.array([size]), 0)
    rng, t, waiting = np.random.default_rng(seed), 1, []
    advantage = np.linspace(-1, 1, size)
    for planned, extra in steps:
        for _ in range(planned):
            _tem.active_set(state, 0, _bounds.log_f(t))
            literal.get_active_set(oracle, 0, 1.0 / literal.f(t))
            assert state.active.tolist() == oracle.active[0].tolist()
            assert (state.membership != _tem_state.OUTSIDE_B).tolist() == oracle.B[0].tolist()
            actions = np.zeros((int(state.active.sum()) + extra, 1), dtype=np.int64)
            _tem_phase.schedule(state, 0, len(actions), rng, actions)
            waiting.append(actions)
            t += len(actions)
        for _ in range(rng.integers(0, len(waiting) + 1)):
            actions = waiting.pop(0)
            rewards = np.where(
                rng.random(len(actions)) < 0.5 + 0.5 * advantage[actions[:, 0]], 1.0, -1.0
            )
            _tem_phase.feedback(state, 0, actions, rewards)
            literal.give_feedback(oracle, 0, actions, rewards)
    for i in range(size):
        for j in range(size):
            if i != j:
                difference, n = _tem_state.pair(state, 0, i, j)
                assert n == oracle.N[0, i, j]
                assert difference == pytest.approx(oracle.D[0, i, j], abs=1e-12)


def test_growing_confidence_as_in_tea():
    beside, advantage, t = Beside(6, 3), np.linspace(-0.9, 0.9, 6), 1
    for phase in range(1500):
        beside.look(1.0 / literal.f(t))
        beside.play(phase % 3, advantage)
        t += len(beside.tem.active) + phase % 3
    assert len(beside.tem.active) < 6


def test_arms_are_eliminated_and_re_enter():
    beside, advantage = Beside(3, 0), np.array([-0.9, 0.0, 0.9])
    for _ in range(200):
        beside.look(0.9)
        beside.play(0, advantage)
    beside.look(0.9)
    eliminated = set(range(3)) - set(beside.tem.active)
    assert eliminated
    beside.look(1e-300)  # so sure that nothing is eliminated
    assert eliminated <= set(beside.tem.active)
    assert not eliminated & set(beside.tem.B)
    for _ in range(50):  # arms that re-entered play, but never more than once a phase
        beside.play(4, advantage)
        beside.look(0.9)


def test_if_all_are_eliminated_all_re_enter_and_b_is_refilled():
    """Force a cycle in D: each arm is beaten by another, so that no arm survives."""
    beside = Beside(3, 1)
    beside.look(1.0)
    beside.play(0, np.zeros(3))
    state, oracle = beside.tem._state, beside.oracle
    for i in range(3):
        _tem_state.leave_cohort(state, 0, i)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        oracle.D[0, i, j], oracle.D[0, j, i] = 900.0, -900.0
        oracle.N[0, i, j] = oracle.N[0, j, i] = 1000
        at = min(i, j) * 3 + max(i, j)
        state.D[at] = 900.0 if i < j else -900.0
        state.N[at] = 1000
    state.dirty[0] = _tem_state.STALE
    beside.look(0.5)
    assert beside.tem.active.tolist() == [0, 1, 2]
    for _ in range(5):
        beside.look(0.5)
        beside.play(2, np.array([0.9, -0.9, -0.9]))
    for delta in (0.5, 1e-30, 0.9):
        beside.look(delta)


def test_b_runs_empty_and_becomes_the_active_set():
    """The leader is eliminated by arms that had re-entered: B is empty, and refilled from K*."""
    beside = Beside(3, 5)
    ahead, behind = np.array([0.95, -0.95, -0.95]), np.array([-0.95, 0.95, 0.9])
    for _ in range(120):
        beside.look(0.9)
        beside.play(0, ahead)
    beside.look(0.9)
    assert beside.tem.active.tolist() == [0]
    refilled = False
    for _ in range(1500):
        beside.look(1e-200 if len(beside.tem.active) == 1 else 0.9)
        beside.play(0, behind)
        refilled = refilled or (0 not in beside.tem.B and len(beside.tem.B) > 0)
    assert refilled


@pytest.mark.parametrize("size", [1, 2])
def test_smallest_sizes(size):
    beside = Beside(size, 2)
    for phase in range(300):
        beside.look(0.8)
        beside.play(phase % 4, np.linspace(-0.9, 0.9, size))
    assert beside.tem.active.tolist() == [size - 1]


def test_first_call_keeps_everyone_before_all_pairs_are_played():
    tem = fb.TEM(5)
    assert tem.active_set(1.0).tolist() == [0, 1, 2, 3, 4]
    assert tem.active_set(1e-9).tolist() == [0, 1, 2, 3, 4]
    assert (tem.N == 0).all()


def test_left_over_slots_are_spread_evenly_at_random():
    """Each of 4 arms in B gets one of 2 spare slots with probability 1/2; 4 standard errors."""
    tem, rng = fb.TEM(4), np.random.default_rng(0)
    twice = np.zeros(4)
    first = np.zeros(4)
    for _ in range(4000):
        arms = tem.schedule(6, rng)
        twice += np.bincount(arms, minlength=4) == 2
        first[arms[0]] += 1
    assert (abs(twice - 2000) < 4 * np.sqrt(4000 / 4)).all()
    assert (abs(first - 1000) < 4 * np.sqrt(4000 * 3 / 16)).all()


def test_wrong_input_is_refused_and_changes_nothing():
    tem, rng = fb.TEM(3), np.random.default_rng(0)
    with pytest.raises(InvalidInputError, match="call schedule"):
        tem.feedback([0, 1, 2], [0, 0, 0])
    arms = tem.schedule(3, rng)
    for bad in ([2.0, 0, 0], [np.nan, 0, 0]):
        with pytest.raises(RewardOutOfRangeError, match=r"rewards\[0\]"):
            tem.feedback(arms, bad)
    with pytest.raises(InvalidInputError, match="that schedule"):
        tem.feedback([0, 0, 0], [0, 0, 0])
    with pytest.raises(InvalidInputError, match="one for each play"):
        tem.feedback(arms, [0.0])
    assert (tem.N == 0).all()
    for delta in (0, -1, 3, "a", float("nan")):
        with pytest.raises(InvalidInputError, match="delta"):
            tem.active_set(delta)
    for length in (2, 3.5, "x"):
        with pytest.raises(InvalidInputError, match="length"):
            tem.schedule(length, rng)
    for size in (0, 2.5, True):
        with pytest.raises(InvalidInputError, match="size"):
            fb.TEM(size)
    with pytest.raises(InvalidInputError, match="bound"):
        fb.TEM(2, bound="none")


@given(st.one_of(st.integers(1, 10**6), st.integers(1, 4 * 10**15)), st.floats(-3e-16, 3e-16))
@settings(max_examples=500, deadline=None)
def test_first_round_at_is_exact(t, nudge):
    """The very first round at which log f reaches log(1 / delta), also a hair beside a round."""
    log_inv_delta = _bounds.log_f(float(t)) * (1.0 + nudge)
    found = _bounds.first_round_at(log_inv_delta)
    assert _bounds.log_f(float(found)) >= log_inv_delta
    assert found == 1 or _bounds.log_f(float(found - 1)) < log_inv_delta


def test_first_round_at_the_ends():
    assert _bounds.first_round_at(-10.0) == 1
    assert _bounds.first_round_at(np.inf) == 2**62
