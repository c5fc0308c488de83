"""A warm start from past duels, and how sure an agent is."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.environments import count_duels
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.tem import bounds as _bounds

ARMS = ["a", "b", "c", "d", "e"]
DUELS = fb.policies.names("duel")
ABLE = [name for name in DUELS if fb.policies.make(name).warm_starts]
PLACES = {  # arrays that say where a policy stands in its own plan, not what it knows
    "savage": ("order", "clock"),
    "multi_sbm": ("chosen",),
    "rmed2fh": ("clock",),
}


def past(seed=0, arms=5, most=6):
    wins = np.random.default_rng(seed).integers(0, most, (arms, arms)).astype(float)
    wins[0, 1] = wins[1, 0] = 0.0  # a pair that never met
    np.fill_diagonal(wins, 0.0)
    return wins


def listed(wins, seed=0):
    pairs = [(ARMS[i], ARMS[j]) for i, j in np.ndindex(wins.shape) for _ in range(int(wins[i, j]))]
    return [pairs[k] for k in np.random.default_rng(seed).permutation(len(pairs))]


def test_who_can_begin_with_past_duels():
    assert {
        "rmed1",
        "rucb",
        "dts",
        "savage",
        "self_sparring",
        "multi_sbm",
        "dueling_uniform",
    } <= set(ABLE)
    assert not {"dueling_tea", "vdb", "sparring", "doubler", "winner_stays"} & set(ABLE)


# What these make of a duel depends on those before it; each has a test of its own.
BY_ORDER = ("multi_sbm", "dueling_leader_tea")


@pytest.mark.parametrize("name", [name for name in ABLE if name not in BY_ORDER])
def test_a_warm_start_is_learning_duel_by_duel(name):
    policy, wins = fb.policies.make(name), past()
    module, params = policy.module, policy.encoded()
    warm_started, learned = (module.init(params, np.array([5, 5]), 1000) for _ in range(2))
    module.warm_start(params, warm_started, wins)
    for t, (winner, loser) in enumerate(listed(wins), start=1):
        i, j = ARMS.index(winner), ARMS.index(loser)
        action, outcome = ((i, j), 1.0) if i < j else ((j, i), 0.0)
        module.learn(params, learned, t, np.array([action]), np.array([outcome]))
    for field, ours, theirs in zip(warm_started._fields, warm_started, learned, strict=True):
        if field not in PLACES.get(name, ()):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, err_msg=field)


def test_multi_sbm_teaches_the_base_bandits_of_both_arms():
    policy, wins = fb.policies.make("multi_sbm"), past()
    module, params = policy.module, policy.encoded()
    warm_started, learned = (module.init(params, np.array([5, 5]), 0) for _ in range(2))
    module.warm_start(params, warm_started, wins)
    for i, j in np.ndindex(5, 5):
        for _ in range(int(wins[i, j])):
            module.learn(params, learned, 1, np.array([[j, i]]), np.array([0.0]))
            module.learn(params, learned, 1, np.array([[i, j]]), np.array([1.0]))
    np.testing.assert_allclose(warm_started.tables, learned.tables)
    assert warm_started.pulls.tolist() == learned.pulls.tolist()


def test_savage_goes_on_with_the_pairs_that_have_the_fewest_duels():
    wins = past(most=4)
    agent = fb.Agent("savage", arms=ARMS, horizon=10**6, history=wins, seed=2)
    duels, rng = wins + wins.T, np.random.default_rng(0)
    upper = np.triu_indices(5, 1)
    for _ in range(300):
        decision = agent.ask()
        i, j = decision.action
        assert duels[i, j] == duels[upper].min()
        duels[i, j] += 1
        duels[j, i] += 1
        agent.tell(decision.id, float(rng.random() < 0.5))


def test_a_clear_history_settles_savage_at_once():
    wins = np.zeros((5, 5))
    wins[3] = 200.0
    wins[3, 3] = 0.0
    agent = fb.Agent("savage", arms=ARMS, horizon=1000, history=wins)
    assert agent.ask().action == (3, 3)
    assert [row.level for row in agent.status().rows if row.active] == ["d"]
    assert agent.confidence() == pytest.approx(0.999)


@pytest.mark.parametrize("name", ABLE)
def test_a_clear_history_is_believed_and_costs_no_exploration(name):
    wins = np.full((5, 5), 30.0)
    wins[2], wins[:, 2] = 55.0, 5.0
    np.fill_diagonal(wins, 0.0)
    agent = fb.Agent(name, arms=ARMS, horizon=10_000, history=wins, seed=1)
    assert agent.best() == "c"
    with_best, rng = 0, np.random.default_rng(0)
    for _ in range(100):
        decision = agent.ask()
        i, j = decision.action
        agent.tell(decision.id, float(rng.random() < 0.5 + 0.4 * ((i == 2) - (j == 2))))
        with_best += 2 in decision.action
    assert agent.best() == "c"
    # uniform play would give 36; these three go on to explore
    if name not in ("dueling_uniform", "multi_sbm", "savage"):
        assert with_best > 60


@pytest.mark.parametrize("name", ["rmed1", "rucb", "self_sparring"])
def test_every_form_of_a_history_says_the_same(name, tmp_path):
    wins = past()
    pairs = listed(wins)
    (tmp_path / "past.csv").write_text("winner,loser\n" + "".join(f"{w},{l}\n" for w, l in pairs))
    shuffled = count_duels(pairs, arms=ARMS[::-1])
    files = [tmp_path / "past.csv", str(tmp_path / "past.csv")]
    forms = [wins, wins.astype(int), pairs, [*map(list, pairs)], *files, shuffled]
    dumps = {
        json.dumps(json.loads(fb.Agent(name, arms=ARMS, history=form).dump())["agent"])
        for form in forms
    }
    assert len(dumps) == 1
    assert dumps != {json.dumps(json.loads(fb.Agent(name, arms=ARMS).dump())["agent"])}


def test_ties_count_one_half_for_both():
    agent = fb.Agent("rucb", arms=ARMS, history=[("a", "b", True), ("a", "b"), ("c", "a", "yes")])
    assert agent._state.wins[0].tolist() == [0.0, 1.5, 0.5, 0.0, 0.0]
    with pytest.raises(
        InvalidInputError, match="dts does not learn from ties, and there are ties in the history"
    ):
        fb.Agent("dts", arms=ARMS, history=[("a", "b", True)])


def test_past_duels_count_as_rounds_and_survive_a_dump():
    """RUCB's p_value grows with log t: after 200 past duels, t = 201 and not 1."""
    wins = past(most=20)
    agent, seen = fb.Agent("rucb", arms=ARMS, history=wins, seed=4), []
    original = agent.policy.module.plan
    noting = fb.policies.make(_noting(agent.policy.module, original, seen))
    agent._learner.steps._policy = noting
    agent.ask()
    assert seen == [int(wins.sum()) + 1]
    fresh = fb.Agent("rucb", arms=ARMS, history=wins, seed=4)
    fresh.tell(fresh.ask().id, 1.0)
    again = fb.Agent.load(fresh.dump())
    assert again._past == int(wins.sum())
    assert [again.ask() for _ in range(10)] == [fresh.ask() for _ in range(10)]


def _noting(module, plan, seen):
    import problems

    mine = problems.variant(module.__name__.rpartition(".")[2])
    mine.plan = lambda params, state, t, rng, actions: (
        seen.append(t) or plan(params, state, t, rng, actions)
    )
    return mine


def test_an_old_dump_without_a_past_is_read():
    from factored_bandits.agent.saved.dump import seal, unseal

    agent = fb.Agent("rmed1", arms=ARMS)
    content = unseal(agent.dump())
    del content["past"]
    assert fb.Agent.load(seal(content)).ask() == agent.ask()


@pytest.mark.parametrize("name", [name for name in DUELS if name not in ABLE])
def test_those_who_cannot_say_who_can(name):
    with pytest.raises(
        InvalidInputError, match=rf"{name} cannot use past duels.*Those that can: .*rmed1.*savage"
    ):
        fb.Agent(name, arms=ARMS, horizon=1000, history=[("a", "b")])


@pytest.mark.parametrize(
    ("history", "complaint"),
    [
        (np.zeros((4, 4)), "wins must be an array of 5 x 5 numbers, not of shape (4, 4)"),
        (np.full((5, 5), -1.0), "wins[0][0] = -1 and wins[0][0] = -1 are no counts of duels"),
        (
            np.full((5, 5), 0.3),
            "are no counts of duels (whole numbers; a tie counts one half on both sides)",
        ),
        (np.full((5, 5), math.nan), "are no counts of duels"),
        (np.eye(5), "wins[0][0] = 1; an arm cannot have beaten itself"),
        ([("a", "z")], "history: duel 0: no arm named 'z'"),
        ([("a", "a")], "history: duel 0: 'a' cannot have duelled itself"),
        ([("a",)], "history: duel 0: expected (winner, loser)"),
        ("nowhere.csv", "no file nowhere.csv"),
        (
            count_duels([("x", "y")]),
            "history: there is no arm 'x' here; the arms are a, b, c, d, e",
        ),
        (7, "history must be the path of a CSV file, a list of (winner, loser)"),
    ],
)
def test_a_history_that_is_none_is_refused(history, complaint):
    with pytest.raises(InvalidInputError) as caught:
        fb.Agent("rmed1", arms=ARMS, history=history)
    assert complaint in str(caught.value)


def test_factors_have_no_past_duels():
    with pytest.raises(InvalidInputError, match="tea cannot use a history"):
        fb.Agent("tea", factors={"colour": ["red", "blue"]}, history=[("red", "blue")])


# How sure


def play(agent, rounds, best):
    rng = np.random.default_rng(1)
    for _ in range(rounds):
        decision = agent.ask()
        i, j = decision.action
        agent.tell(decision.id, float(rng.random() < 0.5 + 0.45 * ((i == best) - (j == best))))


@pytest.mark.parametrize("name", ["interleaved_filter", "savage", "beat_the_mean"])
def test_confidence_of_a_filter_is_one_less_one_in_the_horizon(name):
    agent = fb.Agent(name, arms=ARMS[:3], horizon=20_000, seed=3)
    assert agent.confidence() == 0.0
    play(agent, 12_000, best=1)
    assert agent.best() == "b"
    assert agent.confidence() == pytest.approx(1.0 - 1.0 / 20_000, abs=1e-12)
    assert agent.confidence() == fb.certificate(agent).confidence
    assert fb.certificate(agent).best() == {"arm": "b"}


def test_confidence_of_tea_is_that_of_the_certificate_in_every_round():
    """There is one number; where only one arm is active, it is high."""
    agent = fb.Agent("dueling_tea", arms=ARMS[:3], seed=3)
    seen = []
    for _ in range(60):
        play(agent, 100, best=1)
        found = fb.certificate(agent)
        assert agent.confidence() == found.confidence == 1.0 - found.p_value
        seen.append((sum(row.active for row in agent.status().rows), agent.confidence()))
    assert all(level > 0.99 for active, level in seen if active == 1)
    assert min(active for active, _ in seen) == 1
    assert max(level for _, level in seen) > 0.999
    assert agent.best() == "b"


def test_confidence_of_tea_is_the_level_at_which_the_last_arm_is_eliminated():
    """The active set at a delta just above has one arm, just below more than one.

    The certificate spends delta on the pairs of arms, so delta is what it has left of the p-value.
    """
    tem, rng = fb.TEM(3), np.random.default_rng(0)
    while len(tem.active_set(delta=1e-3)) > 1:
        arms = tem.schedule(len(tem.active), rng)
        tem.feedback(arms, np.where(arms == 2, 0.9, -0.1))
    agent = fb.Agent("dueling_tea", arms=ARMS[:3])
    agent._state = tem._state
    delta = (1.0 - agent.confidence()) / _bounds.spent(3, _bounds.BOUNDS["paper"])
    assert len(tem.active_set(delta=delta * 1.001)) == 1
    assert len(tem.active_set(delta=delta * 0.999)) > 1


def test_confidence_of_tea_adds_the_p_values_of_the_factors():
    agent = fb.Agent("tea", factors={"a": [0, 1], "b": [0, 1], "c": [0]}, seed=3)
    assert agent.confidence() == 0.0
    while agent.confidence() < 0.9:
        decision = agent.ask()
        agent.tell(decision.id, 1.0 if decision.action[:2] == (1, 1) else 0.0)
    assert agent.best() == {"a": 1, "b": 1, "c": 0}
    assert 0.9 < agent.confidence() < 1.0
    smallest = {"a": 1.0, "b": 1.0, "c": 1.0}
    for claim in fb.certificate(agent).claims:
        smallest[claim.factor] = min(smallest[claim.factor], claim.others)
    assert 1.0 - agent.confidence() == pytest.approx(sum(smallest.values()))


def test_no_statement_is_none():
    assert fb.Agent("rmed1", arms=ARMS).confidence() is None
    assert fb.Agent("dueling_tea", arms=ARMS, positions="both").confidence() is None
    assert (
        fb.Agent("beat_the_mean", arms=ARMS, horizon=100, constant="komiyama").confidence() is None
    )
    assert fb.Agent("flat_ucb1", factors={"colour": ["red", "blue"]}).confidence() is None
    unbounded = {"factors": {"colour": ["red", "blue"]}, "reward_range": None}
    assert fb.Agent("tea", **unbounded).confidence() == 0.0
    assert fb.Agent("tea", bound="betting", **unbounded).confidence() is None
