"""The bounds of TEM: each against its definition from scratch, its guarantee by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factored_bandits as fb
from factored_bandits.policies.tem import bounds as _bounds
from factored_bandits.policies.tem import state as _tem_state

BOUNDS = list(_bounds.BOUNDS)
SHARP = ["bernstein", "betting"]


class FromScratch:
    """Keeps every phase, and answers by going through all of them again."""

    def __init__(self, size: int, bound: str) -> None:
        self.size, self.bound = size, bound
        self.phases: list[tuple[np.ndarray, np.ndarray]] = []

    def lead(self, i: int, j: int) -> tuple[float, int, float]:
        """D_ij, N_ij and the evidence of i over j."""
        total, n, evidence, squares = 0.0, 0, 0.0, 0.0
        for arms, rewards in self.phases:
            differences = np.subtract.outer(rewards[arms == i], rewards[arms == j])
            if differences.size == 0:
                continue
            comparisons = min(differences.shape)
            if self.bound == "bernstein":
                centre = min(_bounds.CENTRE, total / n if n else 0.0)
                evidence += comparisons * ((differences - centre) ** 2).mean()
            else:
                stake = min(max(total / (squares + _bounds.PRIOR), 0.0), _bounds.STAKE)
                evidence += comparisons * np.log(1.0 + stake * differences).mean()
            total += comparisons * differences.mean()
            squares += comparisons * (differences**2).mean()
            n += comparisons
        return total, n, evidence

    def is_eliminated(self, i: int, delta: float) -> bool:
        log_inv_delta = math.log(1.0 / delta) + math.log(2 * self.size)
        for j in range(self.size):
            if j == i:
                continue
            total, _, evidence = self.lead(j, i)
            if self.bound == "betting" and evidence > log_inv_delta:
                return True
            v = max(evidence, 1.0)
            exponent = log_inv_delta + math.log(3.105546) + 1.4 * math.log(1.0 + math.log2(v))
            boundary = _bounds.K1 * math.sqrt(v * exponent) + _bounds.REACH * exponent
            if self.bound == "bernstein" and total > boundary:
                return True
        return False


@settings(max_examples=40, deadline=None)
@given(
    bound=st.sampled_from(SHARP),
    size=st.integers(2, 4),
    seed=st.integers(0, 10**6),
    deltas=st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=4),
    extra=st.integers(0, 5),
)
def test_equals_its_definition(bound, size, seed, deltas, extra):
    rng, tem, scratch = np.random.default_rng(seed), fb.TEM(size, bound), FromScratch(size, bound)
    advantage = np.linspace(-0.9, 0.9, size)
    seen_eliminated = False
    for delta in deltas:
        for _ in range(30):
            active = tem.active_set(delta)
            arms = tem.schedule(len(active) + extra, rng)
            rewards = np.where(rng.random(len(arms)) < 0.5 + 0.5 * advantage[arms], 1.0, -1.0)
            tem.feedback(arms, rewards)
            scratch.phases.append((arms, rewards))
        expected = [i for i in range(size) if not scratch.is_eliminated(i, delta)]
        assert tem.active_set(delta).tolist() == (expected or list(range(size)))
        seen_eliminated = seen_eliminated or len(expected) < size
    for i, j in itertools.permutations(range(size), 2):
        total, n, _ = scratch.lead(i, j)
        assert tem.D[i, j] == pytest.approx(total)
        assert tem.N[i, j] == n


@pytest.mark.parametrize("bound", BOUNDS)
def test_radius_and_threshold_agree(bound):
    """The lower end of a lead is positive exactly when the other arm is eliminated."""
    if bound == "betting":
        pytest.skip("betting bounds no distance")
    rng, tem = np.random.default_rng(4), fb.TEM(3, bound)
    for _ in range(400):
        tem.active_set(0.3)
        arms = tem.schedule(len(tem.active), rng)
        tem.feedback(
            arms, np.where(rng.random(len(arms)) < (0.9, 0.5, 0.1)[0] - 0.4 * arms, 1.0, -1.0)
        )
    state = tem._state
    code = _bounds.BOUNDS[bound]
    log_inv_delta = math.log(1 / 0.3)
    for i, j in itertools.permutations(range(3), 2):
        difference, n = _tem_state.pair(state, 0, i, j)
        evidence = _tem_state.evidence_of(state, 0, i, j)
        lower = difference / n - _bounds.radius(n, 3, log_inv_delta, code, evidence)
        tau = _bounds.threshold(code, difference, n, 3, evidence)
        assert (lower > 0) == (difference > 0 and tau > log_inv_delta)
        assert len(state.evidence) == (9 if bound == "bernstein" else 0)
        assert evidence == (state.evidence[i * 3 + j] if bound == "bernstein" else 0.0)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.filterwarnings("error")
def test_a_recommendation_before_anything_is_learned(bound):
    """The first arm, without a division by zero."""
    assert fb.Agent("dueling_tea", arms=["a", "b", "c"], bound=bound).best() == "a"
    factors = {"page": ["x", "y"], "button": ["u", "v"]}
    agent = fb.Agent("tea", factors=factors, bound=bound)
    assert agent.best() == {"page": "x", "button": "u"}


def test_epochs_add_up_to_one():
    """zeta(1.4), the constant of the stitched boundary."""
    from scipy.special import zeta

    assert math.exp(_bounds.LOG_ZETA) == pytest.approx(float(zeta(_bounds.EPOCH_POWER)), rel=1e-6)


def ever_eliminated(
    bound: str, draw, size: int, phases: int, delta: float, seed: int, extra: int = 0
) -> bool:
    """Does arm 0, which is as good as any, ever leave the active set?"""
    rng, tem = np.random.default_rng(seed), fb.TEM(size, bound)
    for phase in range(phases):
        if 0 not in tem.active_set(delta):
            return True
        arms = tem.schedule(len(tem.active) + extra, rng)
        tem.feedback(arms, draw(rng, phase, arms))
    return 0 not in tem.active_set(delta)


def fair_bernoullis(rng, phase, arms):
    return rng.choice([-1.0, 1.0], len(arms))


def rare_successes(rng, phase, arms):
    return np.where(rng.random(len(arms)) < 0.05, 1.0, -1.0)


def beta(rng, phase, arms):
    return 2.0 * rng.beta(0.5, 0.5, len(arms)) - 1.0


def cut_gaussian(rng, phase, arms):
    """Gaussian noise cut off at the ends of the range; its mean moves from phase to phase."""
    return np.clip(rng.normal(0.5 * math.sin(phase / 7.0), 0.5, len(arms)), -1.0, 1.0)


def drifting_context(rng, phase, arms):
    """The others decide: the rounds of a phase differ much, and more so from phase to phase."""
    probability = rng.permutation(np.linspace(0.02, 0.98, len(arms))) ** (1 + phase % 5)
    return np.where(rng.random(len(arms)) < probability, 1.0, -1.0)


@pytest.mark.parametrize(
    "draw",
    [
        drifting_context,
        pytest.param(rare_successes, marks=pytest.mark.full),
        pytest.param(fair_bernoullis, marks=pytest.mark.full),
        pytest.param(beta, marks=pytest.mark.full),
    ],
    ids=lambda d: d.__name__,
)
@pytest.mark.parametrize("bound", BOUNDS)
def test_an_arm_as_good_as_any_stays(bound, draw):
    """At delta = 0.5 a best arm is ever eliminated with probability at most delta / 2.

    150 runs, 3 standard errors.
    """
    runs, delta = 150, 0.5
    eliminated = sum(
        ever_eliminated(bound, draw, 3, 100, delta, seed, extra=seed % 3) for seed in range(runs)
    )
    assert eliminated <= runs * delta / 2 + 3 * math.sqrt(runs * delta / 2 * (1 - delta / 2))


@pytest.mark.parametrize("sigma", [1.0, 0.1])
def test_an_arm_as_good_as_any_stays_with_unbounded_rewards(sigma):
    """Gaussian noise without a range, for which only the paper's bound is made.

    Ruled out with probability at most alpha.
    """
    runs, alpha = 200, 0.5
    problem = fb.environments.make(
        "additive", effects=[[0.3] * 3, [0.6, -0.9]], noise="gaussian", sigma=sigma
    )
    result = fb.simulate("tea", problem, 3000, repetitions=runs, progress=False, certify=True)
    assert result.p_values[1][:, 1].max() < 1.0 / fb.theory.f(3000), "the other factor is decided"
    for level in range(3):
        eliminated = (result.p_values[0][:, level] <= alpha).sum()
        assert eliminated <= runs * alpha + 3 * math.sqrt(runs * alpha * (1 - alpha))


DRAWS = [fair_bernoullis, rare_successes, beta, cut_gaussian, drifting_context]


@pytest.mark.full
@pytest.mark.parametrize("draw", DRAWS, ids=lambda d: d.__name__)
@pytest.mark.parametrize("bound", SHARP)
def test_coverage_over_long_runs(bound, draw):
    runs, delta = 400, 0.5
    eliminated = sum(ever_eliminated(bound, draw, 2, 2000, delta, seed) for seed in range(runs))
    assert eliminated <= runs * delta / 2 + 3 * math.sqrt(runs * delta / 2 * (1 - delta / 2))


def test_the_coverage_test_can_fail(monkeypatch):
    """A bettor who may stake on what he has already seen ruins the guarantee."""

    def looks_ahead(rng, phase, arms):
        return np.where(arms == 0, -0.2, 0.2) + rng.uniform(-0.5, 0.5, len(arms))

    assert (
        sum(ever_eliminated("betting", looks_ahead, 3, 100, 0.5, seed) for seed in range(20)) == 20
    )


@pytest.mark.parametrize("policy", ["tea", "dueling_tea"])
def test_sharper_bounds_settle_sooner(policy):
    """paper > hoeffding > bernstein > betting in regret, each by more than 3 standard errors."""
    problem = (
        fb.environments.identical_gap(16, 0.8)
        if policy == "dueling_tea"
        else fb.environments.spiked(8, 0.75, 0.3)
    )
    summaries = [
        fb.simulate(
            fb.policies.make(policy, bound=bound), problem, 3e5, repetitions=12, progress=False
        ).summary()
        for bound in BOUNDS
    ]
    for loose, tight in itertools.pairwise(summaries):
        assert tight.mean + 3 * math.hypot(tight.standard_error, loose.standard_error) < loose.mean
        assert tight.correct == 1.0


def test_hoeffding_is_two_thirds_of_the_paper_s_constant():
    """Rounds until the first elimination scale with the constant, 8 against 12."""
    problem = fb.environments.make("table", means=[0.2, 0.8])
    first = []
    for bound in ("paper", "hoeffding"):
        result = fb.simulate(
            fb.policies.make("tea", bound=bound), problem, 20_000, repetitions=60, progress=False
        )
        rounds = [min(e.round for e in result.eliminations if e.repetition == k) for k in range(60)]
        first.append((np.mean(rounds), np.std(rounds) / math.sqrt(60)))
    (paper, paper_error), (hoeffding, error) = first
    ratio = hoeffding / paper
    # 0.06: the logarithms differ too
    assert (
        abs(ratio - 2 / 3) < 3 * ratio * math.hypot(error / hoeffding, paper_error / paper) + 0.06
    )


def expected_rounds(bound, first, second):
    """Rounds until the worse of two Bernoulli arms is eliminated, if every sum were average.

    A phase is a play of each; paired differences are 2, 0 or -2 on TEM's scale.
    """
    ahead, behind = first * (1 - second), second * (1 - first)
    mean, square = 2 * (ahead - behind), 4 * (ahead + behind)
    evidence, n = 0.0, 0
    while True:
        if bound == "betting":
            stake = min(n * mean / (n * square + _bounds.PRIOR), _bounds.STAKE)
            evidence += ahead * math.log1p(2 * stake) + behind * math.log1p(-2 * stake)
        else:
            evidence += square - 2 * mean * _bounds.CENTRE + _bounds.CENTRE**2
        n += 1
        tau = _bounds.threshold(_bounds.BOUNDS[bound], n * mean, n, 2, evidence)
        if tau > _bounds.log_f(2.0 * n + 1):
            return 2 * n + 1


@pytest.mark.parametrize("bound", BOUNDS)
def test_power_is_what_the_bound_says(bound):
    """Rounds until a level is eliminated, against the bound's formula at the average.

    Within 15 % and 3 standard errors.
    """
    first, second, runs = 0.7, 0.4, 60
    problem = fb.environments.make("table", means=[first, second])
    result = fb.simulate(
        fb.policies.make("tea", bound=bound), problem, 20_000, repetitions=runs, progress=False
    )
    rounds = [min(e.round for e in result.eliminations if e.repetition == k) for k in range(runs)]
    expected = expected_rounds(bound, first, second)
    assert abs(np.mean(rounds) - expected) < 0.15 * expected + 3 * np.std(rounds) / math.sqrt(runs)
