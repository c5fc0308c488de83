"""Bets by propensity: each lemma of docs/explanation/certificates.md, by exact expectations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import DumpError
from factored_bandits.policies.blocks import propensity_bets as blocks
from factored_bandits.policies.blocks.wealth import GAIN, PEAK, SQUARE, WEALTH

KNOWING = ["comband", "exp3", "lb_inf", "tsallis_inf"]
SIZES = (3, 2)
REWARDS = (0.0, 0.3, 1.0)


def any_round(rng, levels):
    """A table of bets with any past, and any probabilities; some stakes are at their limits."""
    bets = blocks.new_bets(levels)
    bets[WEALTH] = rng.uniform(0.1, 3.0, levels)
    bets[PEAK] = bets[WEALTH] + 1.0
    bets[GAIN] = rng.normal(0.0, 3.0, levels)
    bets[SQUARE] = rng.uniform(0.0, 2.0, levels)
    bets[blocks.FORECAST] = rng.beta(0.4, 0.4, levels).clip(blocks.CLOSEST, 1 - blocks.CLOSEST)
    probabilities = rng.dirichlet(np.full(levels, 0.5))
    return bets, probabilities


def settled(bets, probabilities, played, reward):
    """The table after one round of one factor."""
    after, queue = bets.copy(), blocks.new_queue()
    drawn = blocks.new_drawn(len(probabilities))
    blocks.await_reward(queue, drawn, 1, probabilities)
    offsets = np.array([0, len(probabilities)])
    blocks.bet(after, queue, drawn, offsets, 1, np.array([played]), reward)
    assert queue.tolist() == [0, 0]
    assert not drawn.any()
    return after


def stakes(bets, probabilities):
    """The stake on every level, written down from the page."""
    leader = int(probabilities.argmax())
    forecast = bets[blocks.FORECAST, leader]
    found = np.clip(bets[GAIN] / (bets[SQUARE] + 1.0), 0.0, 0.95 / (1.0 - forecast))
    found = np.minimum(found, 0.95 * probabilities[leader] / (probabilities * forecast))
    found[leader] = 0.0
    return found, leader


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_the_mean_factor_of_every_level(levels):
    """Lemma 1: over the draw and any rewards, 1 + stake p_k (mean of j - mean of k), exactly."""
    rng = np.random.default_rng(levels)
    bold = 0
    for _ in range(60):
        bets, probabilities = any_round(rng, levels)
        outcomes = rng.dirichlet(np.ones(len(REWARDS)), levels)  # of each level, any distribution
        means = outcomes @ np.array(REWARDS)
        expected = np.zeros(levels)
        for played, number in itertools.product(range(levels), range(len(REWARDS))):
            after = settled(bets, probabilities, played, REWARDS[number])
            weight = probabilities[played] * outcomes[played, number]
            expected += weight * after[WEALTH] / bets[WEALTH]
        stake, leader = stakes(bets, probabilities)
        wanted = 1.0 + stake * probabilities * (means[leader] - means)
        assert expected == pytest.approx(wanted, abs=1e-9)
        assert expected[means.argmax()] <= 1.0 + 1e-9, "the best level's wealth does not grow"
        bold += bool((stake > 0.5).any())
    assert bold > 20, "the stakes were worth a test"


def test_no_bet_can_lose_everything():
    """Lemma 2: whatever is drawn and comes, a twentieth of the wealth is left."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        bets, probabilities = any_round(rng, 4)
        for played, reward in itertools.product(range(4), REWARDS):
            after = settled(bets, probabilities, played, reward)
            assert (after[WEALTH] >= 0.05 * bets[WEALTH] * (1 - 1e-9)).all()
            assert (after[PEAK] >= after[WEALTH]).all()


def test_a_bet_left_out_because_its_reward_was_late_is_unfair():
    """Why the queue decides when a round is planned: two equal levels, failures of the likelier one
    late. Were late rounds left out, the wealth against the other would grow on average.
    """
    bets, probabilities = blocks.new_bets(2), np.array([0.6, 0.4])
    bets[GAIN] = 1.0
    every = without_late = 0.0
    for played, reward in itertools.product(range(2), (0.0, 1.0)):
        weight = 0.5 * probabilities[played]
        factor = settled(bets, probabilities, played, reward)[WEALTH, 1]
        every += weight * factor
        without_late += weight * (1.0 if (played, reward) == (0, 0.0) else factor)
    assert every == pytest.approx(1.0)
    assert without_late > 1.05


def taught(name, rounds):
    """Module, parameters and state of a policy after some rounds in which level 1 pays nothing,
    and the probabilities of the round that was planned last.
    """
    made = fb.policies.make(name)
    module, params = made.module, made.encoded()
    state = module.init(params, np.array(SIZES), rounds + 1)
    rng = np.random.default_rng(0)
    actions = np.zeros((1, 2), dtype=np.int64)
    for t in range(1, rounds + 1):
        module.plan(params, state, t, rng, actions)
        reward = float(rng.random() < (0.7 if actions[0, 0] != 1 else 0.1))
        module.learn(params, state, t, actions, np.array([reward]))
    module.plan(params, state, rounds + 1, rng, actions)
    return module, params, state


@pytest.mark.parametrize("name", KNOWING)
def test_the_mean_factor_inside_a_policy(name):
    """Over the draws of both factors; level 1 of the first is now the best in every context."""
    module, params, state = taught(name, 60)
    probabilities = module.propensities(params, state, 1)
    means = np.array([[0.2, 0.9], [0.5, 0.95], [0.3, 0.1]])  # of pairs of levels
    expected = np.zeros(sum(SIZES))
    for pair in itertools.product(*map(range, SIZES)):
        for reward in (0.0, 1.0):
            copy = type(state)(*(array.copy() for array in state))
            module.learn(params, copy, 61, np.array([pair]), np.array([reward]))
            weight = probabilities[0][pair[0]] * probabilities[1][pair[1]]
            weight *= means[pair] if reward else 1.0 - means[pair]
            expected += weight * copy.bets[WEALTH] / state.bets[WEALTH]

    stake, leader = stakes(state.bets[:, :3], probabilities[0])
    ahead = means[leader] - means  # of level k, per context
    wanted = 1.0 + stake * probabilities[0] * (ahead @ probabilities[1])
    assert expected[:3] == pytest.approx(wanted, abs=1e-9)
    assert stake[1] > 0.1
    assert expected[1] < 1.0


def literal(rounds, sizes):
    """Log wealth and its peak per level, from (probabilities, action, reward) of each round."""
    levels = [(l, k) for l, size in enumerate(sizes) for k in range(size)]
    wealth, peak = dict.fromkeys(levels, 0.0), dict.fromkeys(levels, 0.0)
    gain, square = dict.fromkeys(levels, 0.0), dict.fromkeys(levels, 0.0)
    forecast, plays = dict.fromkeys(levels, 0.5), dict.fromkeys(levels, 1)
    for probabilities, action, x in rounds:
        for l, played in enumerate(action):
            p = probabilities[l]
            j = int(np.argmax(p))
            m = forecast[l, j]
            for k in range(sizes[l]):
                if k == j:
                    continue
                z = p[k] / p[j] * (x - m) * (played == j) - (x - m) * (played == k)
                stake = max(0.0, gain[l, k] / (square[l, k] + 1.0))
                stake = min(stake, 0.95 / (1.0 - m), 0.95 * p[j] / (p[k] * m))
                wealth[l, k] += np.log1p(stake * z)
                peak[l, k] = max(peak[l, k], wealth[l, k])
                gain[l, k] += z
                square[l, k] += z * z
            plays[l, played] = min(plays[l, played] + 1, 200)
            forecast[l, played] += (x - forecast[l, played]) / plays[l, played]
    return np.array([np.exp(-peak[level]) for level in levels])


@pytest.mark.parametrize(
    ("name", "delay"),
    [("lb_inf", 0), ("comband", 25), ("exp3", 25), ("lb_inf", 25), ("tsallis_inf", 25)],
)
def test_an_agent_bets_as_the_page_says(name, delay):
    """Rewards of any size, in any order, some lost: the p-values are those of the literal form,
    with the probabilities by which each play was drawn.
    """
    rng = np.random.default_rng(3)
    agent = fb.Agent(name, factors={"a": [0, 1, 2], "b": [0, 1]}, seed=2, horizon=400)
    open_ones, rounds = [], {}
    for _ in range(400):
        decision = agent.ask()
        known = agent.policy.module.propensities(agent._params, agent._state, 1)
        reward = float(np.clip(rng.normal(0.3 + 0.2 * decision.action[0], 0.2), 0.0, 1.0))
        lost = rng.random() < 0.05
        rounds[decision.id] = (known, decision.action, 0.0 if lost else reward)
        open_ones.append((decision.id, None if lost else reward))
        while len(open_ones) > rng.integers(delay + 1):
            identifier, reward = open_ones.pop(rng.integers(len(open_ones)))
            if reward is None:
                agent.expire(identifier)
            else:
                agent.tell(identifier, reward)
    assert agent.backlog == 0 or delay

    learned = [rounds[t] for t in range(1, agent.status().learned + 1)]
    found = [claim.p_value for claim in fb.certificate(agent).claims]
    assert found == pytest.approx(literal(learned, SIZES), rel=1e-6)
    assert min(found) < 0.05


def test_without_room_there_is_no_bet():
    """A round that was planned when the queue was full has none, however soon its reward comes."""
    queue, drawn = blocks.new_queue(), blocks.new_drawn(2)
    bets = blocks.new_bets(2)
    room, offsets = len(drawn) // 3, np.array([0, 2])
    for t in range(1, room + 6):
        blocks.await_reward(queue, drawn, t, np.array([0.6, 0.4]))
    assert queue[blocks.LENGTH] == room

    for t in range(1, room + 6):
        before = bets.copy()
        blocks.bet(bets, queue, drawn, offsets, t, np.array([1]), 0.0)
        assert np.array_equal(before, bets) == (t > room)
    assert queue.tolist() == [0, 0]


def test_a_queue_goes_round():
    """Rows are used again, in order, as long as one waits."""
    queue, drawn = blocks.new_queue(), blocks.new_drawn(1000)
    bets, offsets = blocks.new_bets(1000), np.array([0, 1000])
    probabilities = np.full(1000, 0.001)
    room = len(drawn) // 1001
    assert room == blocks.LEAST
    blocks.await_reward(queue, drawn, 1, probabilities)
    for t in range(2, 4 * room):
        blocks.await_reward(queue, drawn, t, probabilities)
        blocks.bet(bets, queue, drawn, offsets, t - 1, np.array([t % 1000]), 1.0)
        assert queue.tolist() == [(t - 1) % room, 1]
    assert bets[blocks.PLAYS].sum() == 1000 + 4 * room - 2


@pytest.mark.parametrize("name", [*KNOWING, "vdb"])
def test_a_wealth_above_its_peak_is_a_damaged_dump(name):
    problem = {"arms": [0, 1]} if name == "vdb" else {"factors": {"a": [0, 1]}}
    agent = fb.Agent(name, horizon=10, **problem)
    agent._state.bets[WEALTH, 1] = 7.0
    with pytest.raises(DumpError, match="the wealth of level 1 is above its peak"):
        fb.Agent.load(agent.dump())
