"""Plans: the guess, the fixed test, what theory and simulation say, and the sentence on top."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits import planning
from factored_bandits.errors import InvalidInput
from factored_bandits.planning import _verdict
from factored_bandits.planning._fixed import fixed_test, margins, sample_size
from factored_bandits.planning._forecast import promised_rounds, rounds_decided, share_point
from factored_bandits.planning._guess import per_day
from factored_bandits.result import Elimination, Result

EASY = fb.Guess(factors=(3, 2), base_rate=0.3, lift=0.8)


def make(guess=EASY, traffic=None, policies="tea", repetitions=8, **options):
    return fb.plan(guess, traffic, policies, repetitions, **{"flat": False, "progress": False, **options})


@pytest.fixture(scope="module")
def easy():
    return make(traffic="100/day", policies=("tea", "uniform"), flat=True)


# The guess


def test_lifts_multiply():
    problem = fb.Guess((3, 2, 2), base_rate=0.1, lift=(0.5, 0.2, 1.0)).problem()
    for action in np.ndindex(*problem.sizes):
        expected = 0.1 * math.prod(1 + lift for lift, level in zip((0.5, 0.2, 1.0), action) if level == 0)
        assert problem.mean(action) == pytest.approx(expected)
    assert problem.best == (0, 0, 0)


def test_a_rate_of_one_is_possible():
    assert fb.Guess((2, 2), base_rate=0.25, lift=1.0).problem().mean((0, 0)) == 1.0


@pytest.mark.parametrize(
    ("factors", "base_rate", "lift", "complaint"),
    [
        ((), 0.1, 0.2, "factors must be the levels of each factor"),
        ("5,4", 0.1, 0.2, "factors must be the levels of each factor"),
        ((5, 1), 0.1, 0.2, "factors must be whole numbers from 2"),
        ((5, 2.5), 0.1, 0.2, "factors must be whole numbers from 2"),
        ((5, 4), 0.0, 0.2, "base_rate must lie between 0 and 1"),
        ((5, 4), 5, 0.2, "base_rate must lie between 0 and 1"),
        ((5, 4), math.nan, 0.2, "base_rate must lie between 0 and 1"),
        ((5, 4), 0.1, 0.0, "lift must be above 0"),
        ((5, 4), 0.1, math.nan, "lift must be above 0"),
        ((5, 4), 0.1, (0.1, -0.1), "lift must be above 0"),
        ((5, 4), 0.1, (0.1, 0.1, 0.1), "lift must be one number, or one for each of 2 factors"),
        ((5, 4), 0.5, 0.5, "a rate of 1.12, above 1"),
    ],
)
def test_wrong_guesses(factors, base_rate, lift, complaint):
    with pytest.raises(InvalidInput, match=re.escape(complaint)):
        fb.Guess(factors, base_rate, lift)


def test_traffic():
    assert [per_day(t) for t in (None, 5, "5", "5/day", "1,000 / week", "1/hour")] == [None, 5, 5, 5, 1000 / 7, 24]
    for wrong in (0, -1, math.inf, math.nan, True, "many", "5/month", "/day", "5/", ""):
        with pytest.raises(InvalidInput, match="traffic must be a number above 0"):
            per_day(wrong)


def test_what_cannot_be_planned():
    with pytest.raises(InvalidInput, match="plan is for factored problems"):
        make(fb.environments.identical_gap(3, 0.8))
    with pytest.raises(InvalidInput, match="plan needs a"):
        make((5, 4, 3))
    for wrong in ({"repetitions": 0}, {"seed": -1}, {"horizon": 0}, {"policies": "taa"}, {"policies": "dueling_tea"}):
        with pytest.raises(InvalidInput):
            make(**wrong)


# The fixed test


def test_sample_size_by_hand():
    # (1.959964 + 0.841621)^2 = 7.848880; times (0.0475 + 0.0564) / 0.01^2 = 1039
    assert sample_size(0.05, 0.06) == math.ceil(7.848880 * 1039)


def test_equal_rates_cannot_be_told_apart():
    with pytest.raises(InvalidInput, match="two equal rates"):
        sample_size(0.1, 0.1)


@pytest.mark.parametrize(("p", "q", "comparisons"), [(0.05, 0.06, 19), (0.3, 0.5, 4), (0.01, 0.011, 100)])
def test_sample_size_has_the_power_it_promises(p, q, comparisons):
    """By scipy's normal distribution: n gives 80 % at the corrected level, and n - 1 does not."""
    norm = pytest.importorskip("scipy.stats").norm
    n = sample_size(p, q, comparisons)

    def power(n):
        return norm.cdf(abs(p - q) / math.sqrt((p * (1 - p) + q * (1 - q)) / n) - norm.isf(0.025 / comparisons))

    assert power(n) >= 0.8 > power(n - 1)


def test_margins_are_averages_of_the_table():
    effects = [[0.3, 0.1, 0.0], [0.2, 0.1]]
    problems = [fb.environments.make("additive", effects=effects, base=0.1), EASY.problem()]
    problems += [fb.environments.make("logistic", effects=effects, base=0.1)]
    for problem in problems:
        table = np.array([problem.mean(a) for a in np.ndindex(*problem.sizes)]).reshape(problem.sizes)
        assert np.allclose(margins(problem)[0], table.mean(axis=1))
        assert np.allclose(margins(problem)[1], table.mean(axis=0))


def test_the_fixed_test_counts_and_costs():
    test = fixed_test(EASY.problem())
    assert test.comparisons == 3 + 1
    rows = 0.3 * (1 + 0.8 / 2) * np.array([1.8, 1.0])
    assert test.per_level[0] == sample_size(*rows, 4)
    assert test.per_factor == (3 * test.per_level[0], 2 * test.per_level[1])
    assert test.total % 6 == 0
    assert 0 <= test.total - max(test.per_factor) < 6
    assert test.lost == pytest.approx(test.total * (0.972 - 0.3 * (1 + 0.8 / 3) * (1 + 0.8 / 2)))


def test_the_fixed_test_succeeds_as_often_as_it_says():
    """Against tests with real zeros and ones; the tolerance is four standard errors, and 0.03 for normal averages."""
    guess, runs = fb.Guess((4, 3), base_rate=0.3, lift=0.3), 2000
    problem, rng = guess.problem(), np.random.default_rng(1)
    test = fixed_test(problem)
    means = np.array([problem.mean(a) for a in np.ndindex(4, 3)]).reshape(4, 3)
    cells = rng.binomial(test.total // 12, means, size=(runs, 4, 3)) / (test.total // 12)
    decided, found = np.ones(runs, dtype=bool), np.ones(runs, dtype=bool)
    z = pytest.importorskip("scipy.stats").norm.isf(0.025 / test.comparisons)
    for axis, size in ((2, 4), (1, 3)):
        rates = cells.mean(axis=axis)
        errors = rates * (1 - rates) * size / test.total
        ahead = rates[:, :1] - rates[:, 1:]
        decided &= (ahead > z * np.sqrt(errors[:, :1] + errors[:, 1:])).all(axis=1)
        found &= (ahead > 0).all(axis=1)
    assert abs(decided.mean() - test.decided) < 4 * math.sqrt(0.25 / runs) + 0.03
    assert abs(found.mean() - test.best_found) < 4 * math.sqrt(0.25 / runs) + 0.03
    assert 0.1 < test.decided < 0.8 < test.best_found


def test_gaussian_rewards_have_the_variance_of_the_noise():
    problem = fb.environments.make("additive", effects=[[0.2, 0.0]], noise="gaussian", sigma=0.5)
    assert fixed_test(problem).per_level == (math.ceil(7.848880 * 2 * 0.25 / 0.04),)


# Theory and simulation


def result(events, repetitions=3, sizes=(3, 2), **more):
    regret = np.outer(np.arange(1, repetitions + 1), [1.0, 10.0, 100.0])
    return Result(
        policy="tea",
        problem="",
        unit="reward",
        seed=0,
        sizes=sizes,
        checkpoints=np.array([10, 100, 1000]),
        regret=regret,
        correct=np.ones((repetitions, 3), dtype=bool),
        plays=[np.zeros((repetitions, size), dtype=int) for size in sizes],
        eliminations=[Elimination(*event) for event in events],
        best=(0,) * len(sizes),
        **more,
    )


def test_decided_is_when_only_the_best_is_left():
    events = [
        (0, 5, 0, 1, "out"),
        (0, 9, 1, 1, "out"),
        (0, 20, 0, 1, "in"),
        (0, 30, 0, 2, "out"),
        (0, 40, 0, 1, "out"),  # now both are out together
        (0, 50, 0, 1, "in"),
        (0, 60, 0, 1, "out"),  # a second time does not count
        (2, 7, 0, 1, "out"),
        (2, 8, 0, 0, "out"),  # the best is out: wrong, and not decided
        (2, 11, 1, 1, "out"),
    ]
    expected = [[40, 9], [math.inf, math.inf], [math.inf, 11]]
    assert rounds_decided(result(events), True).tolist() == expected
    assert np.isinf(rounds_decided(result(events), False)).all()


def test_repetitions_are_kept_apart_after_ctrl_c():
    interrupted = result([(4, 7, 1, 1, "out"), (1, 5, 1, 1, "out")], repetitions=2, sizes=(1, 2), interrupted=True)
    assert rounds_decided(interrupted, True).tolist() == [[0, 5], [0, 7]]


def test_loss_until_decided_and_at_the_horizon():
    each = planning.Forecast("tea", result([]), True, np.array([[100.0], [math.inf], [55.0]]), None)
    assert each.lost(np.array([100.0, math.inf, 55.0])) == pytest.approx((10 + 200 + 3 * 5.5) / 3)
    assert each.lost(5) == pytest.approx(0.5 * 2)


def test_a_share_is_reached_by_so_many_repetitions():
    rounds = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, math.inf])
    assert [share_point(rounds, share) for share in (0.5, 0.9, 0.95, 1.0)] == [5, 9, math.inf, math.inf]
    assert share_point(np.array([3.0]), 0.5) == 3.0


def test_the_promise_holds_in_simulation(easy):
    tea = easy.forecasts[0]
    assert tea.theory == promised_rounds(easy.problem)
    assert (tea.decided < tea.theory).all()
    assert tea.best_found == 1.0
    settled = math.log(max(tea.theory) / tea.all_decided.max())
    assert 0 < settled < math.log(50), "too long, but of the right order"


def test_no_promise_where_the_paper_has_none():
    crossed = fb.environments.make("table", means=[[0.9, 0.2], [0.1, 0.4]])
    assert promised_rounds(crossed) == (math.inf, math.inf)
    plan = make(crossed, horizon=500, repetitions=2)
    assert any("not uniformly identifiable" in note for note in plan.notes)
    json.dumps(plan.to_dict(), allow_nan=False)
    raw = make(EASY, policies=[fb.policies.make("tea", reward_range=(0, 2))], horizon=500, repetitions=2)
    assert max(raw.forecasts[0].theory) > max(promised_rounds(EASY.problem()))


# The plan


def test_policies_beside_each_other(easy):
    assert [each.policy for each in easy.forecasts] == ["tea", "uniform", "ucb1"]
    assert [each.eliminates for each in easy.forecasts] == [True, False, False]
    overview, factors = easy.tables()
    assert [row[0] for row in overview.rows] == ["tea", "uniform", "ucb1", "fixed test"]
    assert [row[:3] for row in factors.rows] == [("0", "3", "tea"), ("1", "2", "tea")]
    assert all(row[1:4] == ("-", "-", "-") for row in overview.rows[1:3])
    uniform = easy.forecasts[1]
    error = 4 * easy.fixed.lost / math.sqrt(easy.repetitions * easy.fixed.total)
    assert abs(uniform.lost(easy.fixed.total) - easy.fixed.lost) < error, "an ordinary test loses as much"


def test_the_sharper_bound_decides_sooner():
    """Why it is the first of the default policies; the verdict goes by the policy that decides first."""
    plan = make(policies="tea, tea(bound=betting)", traffic=100)
    paper, betting = (share_point(each.all_decided, 0.5) for each in plan.forecasts)
    assert betting < paper / 3
    assert plan.verdict.sentence.startswith("tea(bound=betting) has decided everything")
    assert [each.theory is None for each in plan.forecasts] == [False, True]
    assert plan.forecasts[1].best_found == 1.0


def test_days_follow_from_traffic(easy):
    half = share_point(easy.forecasts[0].all_decided, 0.5)
    assert f"({half / 100:.0f} days)" in easy.verdict.sentence
    assert easy.verdict.within_a_year is True
    assert "days" not in str(make(horizon=10_000, repetitions=2))


def test_same_seed_same_plan(easy):
    again = make(traffic="100/day", policies=("tea", "uniform"), flat=True)
    assert again.to_dict() == easy.to_dict()


def test_json(easy):
    document = json.loads(json.dumps(easy.to_dict(), allow_nan=False))
    tea, uniform, _ = document["policies"]
    everything, *factors = tea["decided"]
    assert everything["factor"] is None
    assert [each["factor"] for each in factors] == [0, 1]
    assert everything["median"] == max(everything["median"], *(each["median"] for each in factors))
    assert everything["median"] <= everything["quantile_90"] <= everything["theory"]
    assert tea["censored"] == 0.0
    assert uniform["decided"] is None
    assert document["guess"] == {"base_rate": 0.3, "lift": [0.8, 0.8], "best_rate": pytest.approx(0.972)}
    assert document["fixed_test"]["total"] == easy.fixed.total
    assert document["traffic_per_day"] == 100.0


def test_censoring_is_said():
    plan = make(horizon=300, repetitions=3)
    row = plan.tables()[0].rows[0]
    assert row[2] == row[3] == "more than 300"
    assert row[5].startswith("more than ")
    tea = plan.to_dict()["policies"][0]
    assert tea["censored"] == 1.0
    assert tea["decided"][0]["median"] is None
    assert plan.verdict.within_a_year is None
    assert "had not decided everything after 300 rounds" in plan.verdict.sentence
    assert make(traffic=100, horizon=300, repetitions=3).verdict.within_a_year is None, "300 rounds are three days"


def test_a_year_is_too_short():
    plan = make(traffic=1, repetitions=4)
    half = share_point(plan.forecasts[0].all_decided, 0.5)
    assert plan.verdict.within_a_year is False
    assert plan.verdict.sentence.startswith("This cannot be decided within a year at 1 a day (365 rounds): tea needs")
    assert plan.verdict.traffic_needed == pytest.approx(half / 365)
    assert str(plan).startswith(plan.verdict.sentence)
    quick = make(traffic=plan.verdict.traffic_needed * 1.0001, repetitions=4)
    assert quick.verdict.within_a_year is True


def test_a_year_is_too_short_and_the_simulation_too():
    verdict = make(traffic=1, horizon=400, repetitions=2).verdict
    assert verdict.within_a_year is False
    assert "needs more than 400" in verdict.sentence
    low = fb.Guess((3, 2), base_rate=0.1, lift=0.8)
    assert "or a lift of more than 0.8" in make(low, traffic=1, horizon=400, repetitions=2).verdict.sentence
    assert "larger differences" in make(EASY.problem(), traffic=1, horizon=400, repetitions=2).verdict.sentence
    assert "no lift that is possible" in make(traffic=0.1, horizon=5000, repetitions=2).verdict.sentence


def test_the_lift_that_would_do():
    """With the lift that the sentence asks for, it takes about a year: within a third, as rates change too."""
    guess = fb.Guess((3, 2), base_rate=0.2, lift=0.3)
    rounds = share_point(make(guess).forecasts[0].all_decided, 0.5)
    lift = _verdict.lift_for(guess, 0.25)
    assert 0.5 < lift < 0.7
    fewer = share_point(make(fb.Guess((3, 2), 0.2, lift)).forecasts[0].all_decided, 0.5)
    assert 2 / 3 < fewer / (0.25 * rounds) < 4 / 3
    assert _verdict.lift_for(guess, 1e-4) is None, "no rate above 1"


def test_policies_that_rule_nothing_out():
    plan = make(policies="uniform", horizon=500, repetitions=2)
    assert "None of these policies rules levels out" in plan.verdict.sentence
    assert plan.tables()[1].rows == []


def test_parameters_of_policies_are_passed_on():
    plan = make(policies=("uniform", "ucb1(alpha=0.5)"), horizon=500, repetitions=2, flat=True)
    assert [each.policy for each in plan.forecasts] == ["uniform", "ucb1(alpha=0.5)"]


def test_flat_bandit_is_left_out_where_it_cannot_be():
    large = fb.Guess((101, 101, 101), base_rate=0.05, lift=0.2)
    plan = make(large, policies="uniform", horizon=100, repetitions=1, flat=True)
    assert [each.policy for each in plan.forecasts] == ["uniform"]
    assert "no flat bandit: ucb1 looks at every combination" in str(plan)


def test_ctrl_c_keeps_what_is_finished(monkeypatch):
    real = planning.simulate

    def simulate(policy, *args, **options):
        if policy.name == "ucb1":
            raise KeyboardInterrupt
        return real(policy, *args, **options)

    monkeypatch.setattr(planning, "simulate", simulate)
    plan = make(policies="uniform", horizon=500, repetitions=2, flat=True)
    assert plan.interrupted
    assert plan.not_run == ["ucb1"]
    assert "interrupted: ucb1 not run" in str(plan)
    with pytest.raises(KeyboardInterrupt):
        make(policies="ucb1", horizon=500)


def staged(monkeypatch, interrupt=()):
    """Simulations of 1,000 rounds first, then of 3,000, then of all; Ctrl-C comes in those listed."""
    real, lengths = planning.simulate, []

    def simulate(policy, problem, horizon, *args, **options):
        lengths.append(horizon)
        if horizon in interrupt:
            raise KeyboardInterrupt
        return real(policy, problem, horizon, *args, **options)

    monkeypatch.setattr(planning, "simulate", simulate)
    monkeypatch.setattr(planning, "STAGES", (1000, 3000))
    return lengths


def test_the_simulation_is_as_long_as_it_must_be(monkeypatch, easy):
    lengths = staged(monkeypatch)
    plan = make()
    assert lengths == [1000, 3000]
    assert plan.forecasts[0].result.horizon == 3000
    assert plan.forecasts[0].decided.tolist() == easy.forecasts[0].decided.tolist()


def test_ctrl_c_in_the_longer_simulation_leaves_the_shorter(monkeypatch):
    lengths = staged(monkeypatch, interrupt=[3000])
    plan = make(policies="tea,uniform")
    assert lengths == [1000, 3000]
    assert plan.interrupted
    assert plan.not_run == ["uniform"]
    assert plan.tables()[0].rows[0][2] == "more than 1,000"


def test_picture(easy, tmp_path):
    path = tmp_path / "plan.svg"
    axes = easy.plot(path).axes[0]
    assert path.stat().st_size > 1000
    lines = {line.get_label().partition(":")[0]: line for line in axes.lines}
    assert {"tea", "uniform", "ucb1", "fixed test"} <= set(lines)
    from factored_bandits.report.palette import look

    assert lines["tea"].get_color() == look("tea").colour
    assert lines["tea"].get_ydata()[[0, -1]].tolist() == [0.0, 1.0]
    assert lines["fixed test"].get_xdata()[0] == pytest.approx(easy.fixed.total / 100)
    assert axes.get_xlabel() == "days"
    assert make(horizon=300, repetitions=2).plot().axes[0].get_xlabel() == "rounds"
