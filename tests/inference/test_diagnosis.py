"""`Agent.diagnose`: bets against their definition, false alarms where a best level exists, power
where none does.
"""

from __future__ import annotations

import functools
import itertools
import json
import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import DumpError, InvalidInputError
from factored_bandits.inference import interaction_test as _interaction_test

FACTORS = {"ad": ["A", "B"], "position": ["top", "side"]}
make = fb.environments.make


def most_of(runs, probability):
    """Three standard errors more than a binomial count has on average."""
    return runs * probability + 3.0 * math.sqrt(runs * probability * (1.0 - probability))


def shuffled(rng, sizes, extra=0):
    """A block as TEA plays it while all levels are in: columns in random order, the rest of the
    places at random.
    """
    length = max(sizes) + extra
    columns = [
        rng.permutation(np.append(np.arange(size), rng.integers(0, size, length - size)))
        for size in sizes
    ]
    return np.stack(columns, axis=1)


def play(agent, problem, rounds, seed, look=None):
    rng = np.random.default_rng(seed)
    for t in range(1, rounds + 1):
        decision = agent.ask()
        agent.tell(
            decision.id, problem.module.sample(problem.data, t, np.array(decision.action), rng)
        )
        if look is not None and t % 25 == 0:
            look(agent.diagnose())
    return agent


def agent_for(problem, bound="paper", seed=0):
    factors = {f"factor {l}": list(range(size)) for l, size in enumerate(problem.sizes)}
    return fb.Agent("tea", factors=factors, bound=bound, seed=seed, diagnostics=True)


def wealth_from_scratch(blocks, sizes, l, winner, loser, m, c):
    """The log wealth of one bettor, play by play; m = None: in any context."""
    wealth, total, squares, seen, reward_sum = 0.0, 0.0, 0.0, 0, 0.0
    for actions, rewards in blocks:
        for row, (action, reward) in enumerate(zip(actions, rewards, strict=True)):
            if m is not None and action[m] != c:
                continue
            left = [int((actions[row:, l] == level).sum()) for level in (winner, loser)]
            if action[l] in (winner, loser) and min(left) > 0:
                won = action[l] == winner
                gain = (won - left[0] / sum(left)) * (reward - (reward_sum + 0.5) / (seen + 1))
                stake = min(max(total / (squares + 0.5), 0.0), 0.9)
                wealth, total, squares = (
                    wealth + math.log(1 + stake * gain),
                    total + gain,
                    squares + gain * gain,
                )
            seen, reward_sum = seen + 1, reward_sum + reward
    return wealth


def test_bets_are_what_they_are_said_to_be():
    rng, sizes = np.random.default_rng(3), (3, 2, 1)
    interaction_test, blocks = _interaction_test.InteractionTest(np.array(sizes), (0, 1, 2)), []
    for block in range(60):
        actions = shuffled(rng, sizes, extra=block % 3)
        rewards = (rng.random(len(actions)) < 0.2 + 0.5 * (actions[:, 0] == actions[:, 1])).astype(
            float
        )
        blocks.append((actions, rewards))
        interaction_test.learn(actions, rewards)
    for l in (0, 1):
        for winner, loser in itertools.permutations(range(sizes[l]), 2):
            places = [(None, 0, 6)]
            places += [
                (m, c, int(interaction_test.offsets[m]) + c)
                for m in range(3)
                if m != l
                for c in range(sizes[m])
            ]
            for m, c, place in places:
                expected = wealth_from_scratch(blocks, sizes, l, winner, loser, m, c)
                assert interaction_test.bets[l].wealth[winner, loser, place] == pytest.approx(
                    expected
                )
    assert max(bets.wealth.max() for bets in interaction_test.bets) > 2.0
    p_value, winner, place = next(interaction_test.worst(1))
    bettors = 3 * (2 - 1) * (6 - 2 + 1)  # factors, rivals, contexts and all plays together
    assert p_value == pytest.approx(
        min(1.0, bettors * math.exp(-interaction_test.bets[1].wealth[winner, 0, place]))
    )


def ever_behind(means, seed, blocks, extra, arrange=shuffled):
    """Per factor the smallest p_value of each level at any time."""
    rng, interaction_test = (
        np.random.default_rng(seed),
        _interaction_test.InteractionTest(np.array(means.shape), (0, 1)),
    )
    peaks = [bets.wealth.copy() for bets in interaction_test.bets]
    for _ in range(blocks):
        actions = arrange(rng, means.shape, extra)
        interaction_test.learn(
            actions, (rng.random(len(actions)) < means[tuple(actions.T)]).astype(float)
        )
        for peak, bets in zip(peaks, interaction_test.bets, strict=True):
            np.maximum(peak, bets.wealth, out=peak)
    for peak, bets in zip(peaks, interaction_test.bets, strict=True):
        bets.wealth[:] = peak
    return [[p_value for p_value, _, _ in interaction_test.worst(at)] for at in (0, 1)]


IDENTIFIABLE = {
    "A/A": np.full((2, 2), 0.5),
    "matters": np.array(
        [[0.5, 0.1, 0.9], [0.5, 0.1, 0.9]]
    ),  # the first factor is an A/A test in very different contexts
    "a little better": np.array([[0.52, 0.3], [0.5, 0.3]]),
}


@pytest.mark.parametrize("name", IDENTIFIABLE)
def test_a_best_level_is_rarely_found_behind(name):
    """With probability at most alpha / 2 each, two factors sharing alpha; 60 runs, three standard
    errors.
    """
    runs, alpha = 60, 0.6
    found = [ever_behind(IDENTIFIABLE[name], seed, 45, seed % 2) for seed in range(runs)]
    assert sum(p_values[0][0] <= alpha for p_values in found) <= most_of(runs, alpha / 2)
    assert sum(min(map(max, p_values)) <= alpha for p_values in found) <= most_of(runs, alpha)


def test_bets_need_the_random_order():
    """The same numbers from blocks in which the context gives the level away: found out at once."""

    def in_order(rng, sizes, extra):
        return np.stack([np.arange(2), np.arange(2)], axis=1)

    means, runs = np.array([[0.2, 0.2], [0.8, 0.8]]).T, 20
    found = [ever_behind(means, seed, 60, 0, in_order) for seed in range(runs)]
    assert sum(p_values[0][0] <= 0.6 for p_values in found) > most_of(runs, 0.3)


@functools.cache
def long_runs(name):
    return [ever_behind(IDENTIFIABLE[name], seed, 250, seed % 2) for seed in range(200)]


@pytest.mark.full
@pytest.mark.parametrize("alpha", [0.1, 0.6])
@pytest.mark.parametrize("name", IDENTIFIABLE)
def test_false_alarms_over_long_runs(name, alpha):
    found = long_runs(name)
    assert sum(p_values[0][0] <= alpha for p_values in found) <= most_of(len(found), alpha / 2)


@pytest.mark.parametrize("bound", ["paper", "betting"])
def test_no_alarm_from_an_agent_where_a_best_level_exists(bound):
    """Interactions that leave the best levels the best, while TEA rules levels out; alpha = 0.05 at
    every look.
    """
    runs, alarms = 8, 0
    for seed in range(runs):
        problem = make("interaction", sizes=(2, 3), kappa=2.0, draw=seed)
        looks = []
        play(agent_for(problem, bound, seed), problem, 250, seed, looks.append)
        alarms += any(look.alarms for look in looks)
    assert alarms <= most_of(runs, 0.05)


CROSSED = {
    "each has its own best": make("table", means=[[0.9, 0.1], [0.1, 0.9]]),
    "and a third factor": make(
        "table", means=[[[0.95, 0.75], [0.2, 0.05]], [[0.2, 0.05], [0.95, 0.75]]]
    ),
}


@pytest.mark.parametrize("name", CROSSED)
def test_alarm_where_the_best_level_depends_on_the_context(name):
    problem = CROSSED[name]
    assert not fb.theory.identifiability(problem).holds
    for seed in range(4):
        found = play(agent_for(problem, seed=seed), problem, 500, seed).diagnose()
        assert set(found.alarms) == {"factor 0", "factor 1"}
        assert {("factor 0", "factor 1"), ("factor 1", "factor 0")} <= set(found.pairs)
        for finding in found.of("factor 0"):
            if finding.context == "factor 1":
                assert finding.when == finding.beaten_by, (
                    "level 0 is best when the other is 0, level 1 when it is 1"
                )
    assert "which one is best depends on factor 1" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["alarms"] == found.alarms


def test_a_cycle_of_duels():
    """Each arm wins against the next: there is no best arm, whatever the first place meets."""
    agent = fb.Agent("dueling_tea", arms=["rock", "paper", "scissors"], seed=3, diagnostics=True)
    for _ in range(900):
        decision = agent.ask()
        ahead = (decision.action[0] - decision.action[1]) % 3
        agent.tell(decision.id, (0.5, 1.0, 0.0)[ahead])
    found = agent.diagnose()
    assert found.alarms == ["arm"]
    assert "rock is behind scissors when opponent is paper" in str(found)
    assert found.of("arm")[0].context == "opponent"


def test_quiet_and_what_is_behind():
    problem = make("additive", effects=[[0.0, 0.6], [0.0, 0.3]], base=0.05)
    found = play(agent_for(problem, seed=5), problem, 400, 5).diagnose()
    assert (found.alarms, found.pairs) == ([], [])
    assert str(found).splitlines()[0] == (
        "no sign after 400 rounds that a factor has no best level (confidence 95.00%)"
    )
    assert "  factor 0: 0 is behind 1" in str(found)


def test_late_answers_and_a_dump_change_nothing():
    rng, agents = (
        np.random.default_rng(2),
        [fb.Agent("tea", factors=FACTORS, seed=2, diagnostics=True) for _ in "ab"],
    )
    for _ in range(30):
        asked = [[agent.ask().id for _ in range(6)] for agent in agents]
        rewards = {identifier: float(rng.integers(2)) for identifier in asked[0]}
        for identifier in rewards:
            agents[0].tell(identifier, rewards[identifier])
        for identifier in rng.permutation(list(rewards)):
            agents[1].tell(identifier, rewards[identifier])
        agents[1] = fb.Agent.load(agents[1].dump())
    assert agents[0].diagnose() == agents[1].diagnose()
    assert agents[0].dump() == agents[1].dump()
    assert agents[0].diagnose().findings[0].p_value < 1.0 or agents[0].diagnose().rounds == 180


def test_rewards_of_any_range():
    small, large = (
        fb.Agent("tea", factors=FACTORS, reward_range=r, diagnostics=True)
        for r in ((0, 1), (-10, 30))
    )
    for t in range(60):
        small.tell(small.ask().id, t % 3 / 2)
        large.tell(large.ask().id, -10 + 40 * (t % 3) / 2)
    assert small.diagnose() == large.diagnose()


def test_what_cannot_be_diagnosed():
    with pytest.raises(InvalidInputError, match="diagnostics=True"):
        fb.Agent("tea", factors=FACTORS).diagnose()
    with pytest.raises(InvalidInputError, match=r"flat_ucb1 does not; these do: leader_tea, tea$"):
        fb.Agent("flat_ucb1", factors=FACTORS, diagnostics=True)
    with pytest.raises(InvalidInputError, match="declared range"):
        fb.Agent("tea", factors=FACTORS, reward_range=None, diagnostics=True)
    with pytest.raises(InvalidInputError, match="more than 1,000,000"):
        fb.Agent("tea", factors={"a": range(100), "b": range(100)}, diagnostics=True)
    with pytest.raises(InvalidInputError, match="alpha must lie"):
        fb.Agent("tea", factors=FACTORS, diagnostics=True).diagnose(alpha=0)
    text = fb.Agent("tea", factors=FACTORS, diagnostics=True).dump()
    from factored_bandits.agent.saved.dump import seal, unseal

    content = unseal(text)
    del content["diagnostics"]["seen"]
    with pytest.raises(DumpError, match="it lacks 'seen'"):
        fb.Agent.load(seal(content))
