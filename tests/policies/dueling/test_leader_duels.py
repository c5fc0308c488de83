"""`dueling_leader_tea` against a literal form, at its edges, and against reference values."""

from __future__ import annotations

import math

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.policies.dueling import dueling_leader_tea as module
from factored_bandits.testing.problems import compiler

PARAMS = module.Params()
MATRIX = np.array(
    [
        [0.5, 0.6, 0.7, 0.6, 0.9],
        [0.4, 0.5, 0.9, 0.2, 0.5],
        [0.3, 0.1, 0.5, 0.8, 0.5],
        [0.4, 0.8, 0.2, 0.5, 0.5],
        [0.1, 0.5, 0.5, 0.5, 0.5],
    ]
)


def new_state(arms):
    return module.init(PARAMS, np.array([arms, arms]), 0)


def play(state, rng, rounds, answer, first=1):
    """Rounds in which every duel is answered at once; yields each plan before it is learned."""
    actions = np.zeros((1, 2), dtype=np.int64)
    for t in range(first, first + rounds):
        module.plan(PARAMS, state, t, rng, actions)
        yield t, actions
        module.learn(PARAMS, state, t, actions, np.array([answer(*actions[0])]))


def drawn(matrix, seed, tie=0.1):
    """Outcomes by a preference matrix, one in ten a tie."""
    rng = np.random.default_rng(seed)

    def answer(first, second):
        return 0.5 if rng.random() < tie else float(rng.random() < matrix[first, second])

    return answer


# A literal form: lists of duels, and everything computed anew


class Literal:
    """What the page says, without any state but lists of duels, the leader and the beaters."""

    def __init__(self, arms, leader):
        self.arms = range(arms)
        self.leader = leader
        self.money = [1.0] * arms
        self.now = []  # (arm, its outcome) against the present leader, without ties
        self.reign = 0  # duels in `now` that are older than the leader's reign
        self.beaten = {}  # arm: (the former leader that beat it, its outcomes against that one)

    def outcomes(self, k):
        return [x for arm, x in self.now if arm == k]

    def candidates(self, t):
        return [k for k in self.arms if k != self.leader and self.money[k] <= t * (1 + 1e-12)]

    def turn(self, k):
        outcomes = self.outcomes(k)
        evidence = log_likelihood(outcomes)
        if 2 * sum(outcomes) <= len(outcomes):
            evidence = -min(3.0, max(math.log(self.money[k]), evidence))
        return math.log(1 + len(outcomes)) - evidence

    def expected(self, k):
        """The share of wins against the leader."""
        reign = [y for _, y in self.now[self.reign :]]
        common = min(0.5, (sum(reign) + 2.0) / (len(reign) + 4.0))
        return (sum(self.outcomes(k)) + 8.0 * common) / (len(self.outcomes(k)) + 8.0)

    def opponent(self, k):
        outcomes = self.outcomes(k)
        beater, lost = self.beaten.get(k, (self.leader, []))
        ahead = 2 * sum(outcomes) > len(outcomes)
        if ahead or beater == self.leader or 2 * sum(lost) >= len(lost):
            return self.leader
        lack, other = (max(0.01, 0.5 - self.expected(arm)) for arm in (k, beater))
        with_beater = (log_likelihood(lost) - 2.0) / len(lost) / (lack + other)
        with_leader = (log_likelihood(outcomes) + 1.0) / (len(outcomes) + 1.0) / lack
        return beater if with_beater > with_leader else self.leader

    def bet(self, arm, x, share):
        if share < 0.5:
            self.money[arm] *= 1.0 + (1.0 - 2.0 * share) * (1.0 - 2.0 * x)

    def learn(self, k, opponent, x):
        outcomes = self.outcomes(k) if opponent == self.leader else self.beaten[k][1]
        own = self.expected(k) if opponent == self.leader else smoothed(outcomes)
        self.bet(k, x, own)
        self.bet(opponent, 1.0 - x, 1.0 - smoothed(outcomes))
        if x != 0.5 and opponent != self.leader:
            outcomes.append(x)
        if x != 0.5 and opponent == self.leader:
            self.now.append((k, x))
            self.take_over(k)

    def take_over(self, k):
        outcomes = self.outcomes(k)
        needed = math.log(len(self.arms)) + 2.0
        if 2 * sum(outcomes) > len(outcomes) and log_likelihood(outcomes) >= needed:
            for arm in set(self.arms) - {k, self.leader}:
                _, before = self.beaten.get(arm, (None, []))
                if smoothed(self.outcomes(arm)) < smoothed(before):
                    self.beaten[arm] = (self.leader, self.outcomes(arm))
            self.now = [(self.leader, 1.0 - x) for x in outcomes]
            self.reign = len(self.now)
            self.leader = k


def smoothed(outcomes):
    return (sum(outcomes) + 4.0) / (len(outcomes) + 8.0)


def log_likelihood(outcomes):
    """The log likelihood ratio of the observed share of wins against 1/2."""
    counts = [sum(outcomes), len(outcomes) - sum(outcomes)]
    return sum(count * math.log(2 * count / len(outcomes)) for count in counts if count)


def test_it_is_the_literal_form():
    """Leaders, candidates, opponents and money, round by round, with ties and take-overs."""
    seen = {"leaders": set(), "beaters": 0}
    for seed in range(4):
        state = new_state(5)
        literal = None
        previous = None
        answer = drawn(MATRIX, seed)
        told = []

        def noted(first, second, answer=answer, told=told):
            told.append(answer(first, second))
            return told[-1]

        for t, actions in play(state, np.random.default_rng(seed), 400, noted):
            if previous is not None:
                k, opponent, first = previous
                if k != opponent:
                    literal.learn(k, opponent, told[-1] if first == k else 1.0 - told[-1])
                assert state.leader[0] == literal.leader
                assert np.exp(state.wealth) == pytest.approx(literal.money)
            literal = literal or Literal(5, int(state.leader[0]))

            k, opponent = state.pair.tolist()
            assert sorted(actions[0]) == sorted([k, opponent])
            allowed = literal.candidates(t)
            assert (k == opponent) == (not allowed)
            if allowed:
                least = min(literal.turn(arm) for arm in allowed)
                assert literal.turn(k) == pytest.approx(least, abs=1e-9)
                assert opponent == literal.opponent(k)
                seen["beaters"] += opponent != literal.leader
            previous = (k, opponent, int(actions[0, 0]))
            seen["leaders"].add((seed, literal.leader))
    assert len(seen["leaders"]) > 6, "the leader has changed"
    assert seen["beaters"] > 20, "former leaders were met"


def test_an_arm_that_wins_every_duel_takes_over():
    """log 4 + 2 is passed by 5 wins: 5 log 2 = 3.47 > 3.39 > 4 log 2."""
    state = new_state(4)
    rng = np.random.default_rng(0)
    actions = np.zeros((1, 2), dtype=np.int64)
    module.plan(PARAMS, state, 1, rng, actions)
    rival, leader = state.pair.tolist()
    module.wait_for(state, leader, rival, 4)
    for wins in range(1, 6):
        assert state.leader[0] == leader
        module.learn(PARAMS, state, wins, np.array([[rival, leader]]), np.array([1.0]))
    assert state.leader[0] == rival
    assert (state.won[leader], state.duels[leader]) == (0.0, 5.0)
    assert state.duels.sum() == 5.0
    assert state.wealth[leader] > 0.0
    assert state.pending.sum() == 0


def test_one_arm_duels_itself_for_ever():
    """An agent wants two arms; the simulator takes one."""
    state = new_state(1)
    rng = np.random.default_rng(0)
    for _, actions in play(state, rng, 3, lambda first, second: 1.0):
        assert actions.tolist() == [[0, 0]]
        assert [known.tolist() for known in module.propensities(PARAMS, state, 1)] == [[1.0]] * 2
    assert module.idle(PARAMS, state, 4) == module.FOREVER
    assert module.p_values(PARAMS, state)[0].tolist() == [1.0]


def test_open_questions_go_to_different_arms():
    """Nobody answers: each of the other arms is asked about once before any is asked twice."""
    agent = fb.Agent("dueling_leader_tea", arms=list(range(6)), seed=2)
    asked = [agent.ask() for _ in range(10)]
    leader = set.intersection(*(set(decision.action) for decision in asked))
    rivals = [arm for decision in asked for arm in decision.action if {arm} != leader]
    assert sorted(np.bincount(rivals, minlength=6)) == [0, 2, 2, 2, 2, 2]
    assert {decision.propensity["first"] for decision in asked} == {0.5}


def test_a_late_duel_of_two_others_changes_nothing_else():
    state = new_state(4)
    state.leader[0] = 3
    module.wait_for(state, 0, 1, 1)
    before = [array.copy() for array in state]
    module.learn(PARAMS, state, 5, np.array([[0, 1]]), np.array([1.0]))
    for field, old, new in zip(state._fields, before, state, strict=True):
        same = field in ("pending", "pair")
        assert same or np.array_equal(old, new), field
    assert state.pending.sum() == 0


def test_an_eliminated_arm_reenters_in_the_round_that_the_status_says():
    state = new_state(2)
    answer = drawn(np.array([[0.5, 0.9], [0.1, 0.5]]), 1, tie=0.0)
    rng = np.random.default_rng(1)
    rounds = (t for t, _ in play(state, rng, 60, answer) if state.pair[0] == state.pair[1])
    t = next(rounds)
    (rows,) = module.status(PARAMS, state, t)
    loser = next(row for row in rows if not row.active)
    assert loser.reentry == t + module.idle(PARAMS, state, t)
    assert loser.gap > 0.2
    assert np.isnan(loser.lower)
    assert module.candidates(state, math.log(loser.reentry - 1)) == 0
    assert module.candidates(state, math.log(loser.reentry + 1)) == 1


# History


def test_past_duels_choose_the_leader_and_are_evidence():
    history = [("b", "a")] * 12 + [("b", "c")] * 12 + [("a", "c")] * 3
    agent = fb.Agent("dueling_leader_tea", arms=["a", "b", "c"], history=history, seed=1)
    assert agent.best() == "b"
    assert fb.certificate(agent).best() == {"arm": "b"}
    state = agent._state
    assert state.won.tolist() == [0.0, 0.0, 0.0]
    assert state.duels.tolist() == [12.0, 0.0, 12.0]
    assert state.reign.tolist() == [24.0, 24.0]
    again = fb.Agent.load(agent.dump())
    assert again.ask().levels == agent.ask().levels


def test_the_money_of_a_history_is_the_sum_that_the_page_gives():
    wins = np.array([[0.0, 2.0, 0.0], [5.0, 0.0, 1.5], [0.0, 0.5, 0.0]])
    for k, wealth in enumerate(module.wealth_of_history(wins)):
        parts = [
            (1 - stake) ** wins[k, j] * (1 + stake) ** wins[j, k]
            for j in range(3)
            for stake in (0.05, 0.1, 0.2, 0.4, 0.8)
            if j != k
        ]
        assert wealth == pytest.approx(math.log(0.5 + 0.5 * sum(parts) / len(parts)))


# Dumps


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("won", [9.0, 0.0], "more duels are won than were played"),
        ("reign", [2.0, 1.0], "more duels are won than were played"),
        ("wealth", [3.0, 0.0], "a wealth lies above its peak"),
        ("pending", [1, 0], "pending does not count the duels"),
        ("leader", [-1], "there are duels, and no leader"),
        ("beater_won", [1.0, 0.0], "more duels are won than were played"),
        ("beater_duels", [1.0, 0.0], "there are duels, and no arm that they were played with"),
    ],
)
def test_a_state_that_contradicts_itself_is_refused(field, value, message):
    state = new_state(2)
    for _ in play(state, np.random.default_rng(0), 5, lambda i, j: float(i < j)):
        pass
    planned = np.zeros((0, 2), dtype=np.int64)
    assert state.contradiction(PARAMS, planned) is None
    getattr(state, field)[:] = value
    assert message in state.contradiction(PARAMS, planned)


# Many arms, and reference values


def test_the_best_of_many_arms_is_found_soon():
    """48 arms, one of them better: 1,500 rounds are 31 an arm."""
    problem = fb.environments.identical_gap(48, 0.95)
    with compiler(disabled=True):
        result = fb.simulate("dueling_leader_tea", problem, 1500, 3, seed=1, progress=False)
    assert result.correct[:, -1].all()


def test_memory_grows_with_the_arms_not_with_their_pairs():
    sizes = [sum(array.nbytes for array in new_state(arms)) for arms in (1000, 2000)]
    assert sizes[1] < 2 * sizes[0] < 200_000


# The prototype of the specification, mean regret at 50,000 rounds.
REFERENCE = {
    "identical_gap(16, 0.7)": (lambda: fb.environments.identical_gap(16, 0.7), 435),
    "identical_gap(64, 0.7)": (lambda: fb.environments.identical_gap(64, 0.7), 2338),
    "identical_gap(128, 0.95)": (lambda: fb.environments.identical_gap(128, 0.95), 1837),
    "arithmetic(32)": (lambda: fb.environments.arithmetic(32, 0.5 / 31), 1302),
    "hard_condorcet(16)": (fb.environments.hard_condorcet, 982),
}


@pytest.mark.full
@pytest.mark.parametrize("name", REFERENCE)
def test_regret_is_below_the_reference(name):
    make, reference = REFERENCE[name]
    options = {"repetitions": 40, "seed": 1, "progress": False}
    summary = fb.simulate("dueling_leader_tea", make(), 50_000, **options).summary()
    assert summary.mean + 3 * summary.standard_error < reference


@pytest.mark.full
@pytest.mark.parametrize("p", [0.7, 0.95])
def test_the_best_of_512_arms_is_found(p):
    problem = fb.environments.identical_gap(512, p)
    result = fb.simulate("dueling_leader_tea", problem, 10**5, 8, seed=1, progress=False)
    assert result.correct[:, -1].all()
