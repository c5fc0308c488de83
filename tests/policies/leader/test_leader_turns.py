"""Where the leaders hardly fail: when factors take turns, what a block holds then, and its bets."""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies.factored import leader_tea
from factored_bandits.policies.leader import block, turns
from factored_bandits.policies.leader.bet import bet
from factored_bandits.policies.leader.tilts import ODDS, TILTS
from policies.leader.arrangements import bernoulli, copied, mean_growth

PARAMS = fb.policies.make("leader_tea").encoded()
RULES = ["leader_tea", "leader_tea(rule=likelihood)", "leader_tea(rule=guarded)"]


def led(*sizes, plays=200.0, failures=0.0):
    """Level 0 leads everywhere, all levels are candidates, and factors take turns."""
    state = leader_tea.init(PARAMS, np.array(sizes), 0)
    state.leader[:] = 0
    state.leaders_plays[0] = plays
    state.leaders_sum[0] = plays - failures
    state.taking_turns[0] = True
    return state


def played(label, means, rounds, seed):
    """Every block of a run with the state that it was planned in; rewards are 0 and 1."""
    params = fb.policies.make(label).encoded()
    sizes = np.array(means.shape)
    state = leader_tea.init(params, sizes, 0)
    rng = np.random.default_rng(seed)
    t = 1
    while t <= rounds:
        actions = np.zeros((leader_tea.longest_block(sizes), len(sizes)), dtype=np.int64)
        before = copied(state)
        length = leader_tea.plan(params, state, t, rng, actions)
        actions = actions[:length]
        yield t, before, copied(state), actions
        rewards = (rng.random(length) < means[tuple(actions.T)]).astype(float)
        leader_tea.learn(params, state, t, actions, rewards)
        t += length


@pytest.mark.parametrize("label", RULES)
def test_in_turns_a_block_holds_all_candidates_of_one_factor(label):
    """No other factor leaves its leader, nobody is thinned out, and the factors alternate."""
    turn_blocks = 0
    alternations = 0
    for _, before, state, actions in played(label, np.outer([1.0] + [0.8] * 5, [1, 0.8]), 4000, 1):
        if not before.taking_turns[0] or len(actions) == 1:
            continue
        turn_blocks += 1
        turn = int(state.turn[0])
        base = state.offsets[turn]
        for l, leader in enumerate(state.leader):
            if l != turn:
                assert (actions[:, l] == leader).all()

        active = np.flatnonzero(state.active[base : state.offsets[turn + 1]])
        levels, counts = np.unique(actions[:, turn], return_counts=True)
        assert levels.tolist() == active.tolist()
        assert (counts[levels != state.leader[turn]] == 1).all()

        if (state.active_count > 1).all():
            alternations += 1
            assert turn != before.turn[0]
    assert turn_blocks > 10
    assert alternations > 3


def test_in_turns_the_leader_has_slots_for_a_few_failures():
    """As many plays as let it fail twice, at most 128 and a sixteenth of the rounds before."""
    actions = np.zeros((500, 2), dtype=np.int64)
    rng = np.random.default_rng(1)
    for plays, failures, t, slots in [
        (99.0, 4.5, 10_000, 2.0 / 0.05),
        (1e4, 0.0, 10_000, 128.0),
        (1e4, 0.0, 640, 40.0),
        (1e4, 0.0, 16, 3.0),  # the usual ones, for 3 candidates that nothing is known of
    ]:
        state = led(4, 4, plays=plays, failures=failures)
        length = leader_tea.plan(PARAMS, state, t, rng, actions)
        assert length == 3 + math.ceil(slots - 1e-9)


def test_turns_begin_where_the_leaders_hardly_fail_and_two_factors_are_open():
    for plays, failures, begin, stay in [
        (0.0, 0.0, False, False),
        (37.0, 0.0, False, True),  # 2 of 39, with the failures that are assumed
        (39.0, 0.0, True, True),
        (398.0, 17.0, True, True),
        (398.0, 19.0, False, True),
        (398.0, 37.0, False, True),
        (398.0, 39.0, False, False),
    ]:
        state = led(2, 2, plays=plays, failures=failures)
        assert turns.turns_pay(state) == stay
        state.taking_turns[0] = False
        assert turns.turns_pay(state) == begin
        state.active_count[1] = 1
        assert not turns.turns_pay(state), "there is nobody to take turns with"


def test_one_factor_never_takes_turns():
    means = np.array([1.0, 0.7, 0.7])
    assert not any(before.taking_turns[0] for _, before, _, _ in played(RULES[0], means, 500, 1))


def test_plays_of_all_leaders_together_are_counted_until_one_changes():
    state = led(2, 2, plays=0.0)
    actions = np.array([[0, 0], [0, 1], [1, 0], [0, 0], [0, 0]])
    turns.record_leaders(state, actions, np.array([1.0, 0.0, 0.0, 0.25, 7.0]))
    assert state.leaders_plays[0] == 3.0
    assert state.leaders_sum[0] == 2.25

    state.leaders_plays[0] = turns.MOST_REMEMBERED
    state.leaders_sum[0] = turns.MOST_REMEMBERED
    failures = np.zeros(5)
    turns.record_leaders(state, actions, failures)
    assert state.leaders_plays[0] == turns.MOST_REMEMBERED
    assert state.leaders_sum[0] < turns.MOST_REMEMBERED - 2.9

    # successes of level 1 of the first factor beside failures of its leader
    actions = np.array([[0, 0], [1, 0], [1, 0], [1, 0]])
    leader_tea.learn(PARAMS, state, 1, actions, np.array([0.0, 1.0, 1.0, 1.0]))
    assert state.leader.tolist() == [1, 0]
    assert state.leaders_plays[0] == state.leaders_sum[0] == 0.0
    assert not state.taking_turns[0]


def test_another_era_begins_with_turns():
    """What was seen beside candidates of other factors no longer counts by likelihood."""
    eras = 0
    last = None
    for _, before, _, _ in played(RULES[2], np.outer([1.0, 0.8, 0.8], [1.0, 0.8, 0.8]), 3000, 2):
        if before.taking_turns[0] and not last.taking_turns[0]:
            eras += 1
            assert not before.era_blocks.any()
        last = before
    assert eras > 0


def test_in_turns_bets_are_weighed_by_the_rate_of_all_leaders():
    """The likelihood of each tilt, the leader's rate from its plays beside all other leaders."""
    state = led(2, 2, plays=99.0, failures=1.0)
    state.recent_blocks[:] = 6.0
    state.recent_means[:] = [6.0, 5.0, 4.0, 6.0] * 2
    rate = 98.5 / 100.0
    weights = [math.exp(-d * 4.0 - 6.0 * math.log(1 - rate + rate * math.exp(-d))) for d in TILTS]

    state.block_plays[:2] = [9, 1]
    state.block_sums[:2] = [8.0, 0.0]
    values = [10 * (1 + odds) / (10 + 2 * odds) for odds in ODDS]
    bet(state, 0, 1, 0)
    expected = np.dot(weights, values) / np.sum(weights)
    assert state.log_wealth[1] == pytest.approx(math.log(expected))


def test_in_turns_an_equal_level_gains_nothing_on_average():
    """Lemma 4 through `learn`, under a drift; a level that is better loses."""
    drift = [1.0, 0.9, 0.95, 0.6]
    state = led(2, 2)
    state.recent_blocks[:] = 8.0
    state.recent_means[:] = [8.0, 8.0, 3.0, 8.0] * 2
    columns = [(0, 0, 0, 1), (0, 0, 0, 0)]

    equal = mean_growth(PARAMS, state, columns, lambda action, slot: bernoulli(drift[slot]))
    assert equal == pytest.approx([1.0] * 4, abs=1e-12)

    def better(action, slot):
        return bernoulli(drift[slot] if action[0] == 1 else 0.9 * drift[slot])

    assert mean_growth(PARAMS, state, columns, better)[1] < 1.0


def test_an_agent_is_saved_in_the_middle_of_turns():
    agent = fb.Agent("leader_tea", factors={"a": [1, 2, 3], "b": [1, 2]}, seed=3)
    rng = np.random.default_rng(3)

    def step(agents):
        decisions = [each.ask() for each in agents]
        assert len({tuple(decision.levels.values()) for decision in decisions}) == 1
        away = sum(level != 1 for level in decisions[0].levels.values())
        reward = float(rng.random() < 0.7**away)
        for each, decision in zip(agents, decisions, strict=True):
            each.tell(decision.id, reward)

    for _ in range(500):
        step([agent])
    assert agent._state.taking_turns[0]

    again = fb.Agent.load(agent.dump())
    assert again._state.taking_turns[0]
    for _ in range(300):
        step([agent, again])
    assert again.dump() == agent.dump()


@pytest.mark.parametrize("label", RULES)
def test_turns_lose_less_where_the_best_combination_never_fails(label):
    """With them the means are 238, 224 and 228, without them 392, 284 and 295."""
    problem = fb.environments.spiked(16, best=1.0)
    result = fb.simulate(label, problem, 10_000, 60, seed=1, progress=False)
    assert result.correct[:, -1].all()
    assert result.regret[:, -1].mean() < 250.0


def test_most_plays_is_what_a_turn_can_need():
    assert block.most_plays(3) == 2 + turns.MOST_SLOTS
