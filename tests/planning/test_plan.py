"""Plans: what theory and simulation say, and the sentence on top."""

from __future__ import annotations

import json
import math

import pytest
from plans import EASY, make

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError
from factored_bandits.planning import run as _run
from factored_bandits.planning import verdict as _verdict
from factored_bandits.planning.forecast import guaranteed_rounds, share_point


@pytest.fixture(scope="module")
def easy():
    return make(traffic="100/day", policies=("tea", "uniform"), flat=True)


def test_what_cannot_be_planned():
    with pytest.raises(InvalidInputError, match="plan is for factored problems"):
        make(fb.environments.identical_gap(3, 0.8))
    with pytest.raises(InvalidInputError, match="plan needs a"):
        make((5, 4, 3))
    for wrong in (
        {"repetitions": 0},
        {"seed": -1},
        {"horizon": 0},
        {"policies": "taa"},
        {"policies": "dueling_tea"},
    ):
        with pytest.raises(InvalidInputError):
            make(**wrong)


# Theory and simulation


def test_the_guarantee_holds_in_simulation(easy):
    tea = easy.forecasts[0]
    assert tea.theory == guaranteed_rounds(easy.problem)
    assert (tea.decided < tea.theory).all()
    assert tea.best_found == 1.0
    settled = math.log(max(tea.theory) / tea.all_decided.max())
    assert 0 < settled < math.log(50), "too long, but of the right order"


def test_no_guarantee_where_the_paper_has_none():
    crossed = fb.environments.make("table", means=[[0.9, 0.2], [0.1, 0.4]])
    assert guaranteed_rounds(crossed) == (math.inf, math.inf)
    plan = make(crossed, horizon=500, repetitions=2)
    assert any("not uniformly identifiable" in note for note in plan.notes)
    json.dumps(plan.to_dict(), allow_nan=False)
    unbounded = make(
        EASY, policies=[fb.policies.make("tea", reward_range=(0, 2))], horizon=500, repetitions=2
    )
    assert max(unbounded.forecasts[0].theory) > max(guaranteed_rounds(EASY.problem()))


# The plan


def test_policies_beside_each_other(easy):
    assert [each.policy for each in easy.forecasts] == ["tea", "uniform", "flat_ucb1"]
    assert [each.eliminates for each in easy.forecasts] == [True, False, False]
    overview, factors = easy.tables()
    test = "full factorial test (fixed size)"
    assert [row[0] for row in overview.rows] == ["tea", "uniform", "flat_ucb1", test]
    assert [row[:3] for row in factors.rows] == [("0", "3", "tea"), ("1", "2", "tea")]
    assert all(row[1:4] == ("-", "-", "-") for row in overview.rows[1:3])
    uniform = easy.forecasts[1]
    error = 4 * easy.fixed.lost / math.sqrt(easy.repetitions * easy.fixed.total)
    assert abs(uniform.lost(easy.fixed.total) - easy.fixed.lost) < error, (
        "an ordinary test loses as much"
    )


def test_the_sharper_bound_decides_sooner():
    """Why it is the first of the default policies; the verdict goes by the policy that decides
    first.
    """
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
    assert document["assumptions"] == {
        "base_rate": 0.3,
        "lift": [0.8, 0.8],
        "best_rate": pytest.approx(0.972),
    }
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
    assert make(traffic=100, horizon=300, repetitions=3).verdict.within_a_year is None, (
        "300 rounds are three days"
    )


def test_a_year_is_too_short():
    plan = make(traffic=1, repetitions=4)
    half = share_point(plan.forecasts[0].all_decided, 0.5)
    assert plan.verdict.within_a_year is False
    assert plan.verdict.sentence.startswith(
        "This cannot be decided within a year at 1 a day (365 rounds): tea needs"
    )
    assert plan.verdict.traffic_needed == pytest.approx(half / 365)
    assert str(plan).startswith(plan.verdict.sentence)
    quick = make(traffic=plan.verdict.traffic_needed * 1.0001, repetitions=4)
    assert quick.verdict.within_a_year is True


def test_a_year_is_too_short_and_the_simulation_too():
    verdict = make(traffic=1, horizon=400, repetitions=2).verdict
    assert verdict.within_a_year is False
    assert "needs more than 400" in verdict.sentence
    low = fb.Assumptions((3, 2), base_rate=0.1, lift=0.8)
    assert (
        "or a lift of more than 83 %"
        in make(low, traffic=1, horizon=400, repetitions=2).verdict.sentence
    )
    assert (
        "larger differences"
        in make(EASY.problem(), traffic=1, horizon=400, repetitions=2).verdict.sentence
    )
    assert (
        "no lift that is possible"
        in make(traffic=0.1, horizon=5000, repetitions=2).verdict.sentence
    )


def test_the_lift_that_would_do():
    """With the lift that the sentence asks for, it takes about a year: within a third, as rates
    change too.
    """
    assumptions = fb.Assumptions((3, 2), base_rate=0.2, lift=0.3)
    rounds = share_point(make(assumptions).forecasts[0].all_decided, 0.5)
    lift = _verdict.lift_for(assumptions, 0.25)
    assert 0.5 < lift < 0.7
    fewer = share_point(make(fb.Assumptions((3, 2), 0.2, lift)).forecasts[0].all_decided, 0.5)
    assert 2 / 3 < fewer / (0.25 * rounds) < 4 / 3
    assert _verdict.lift_for(assumptions, 1e-4) is None, "no rate above 1"


def test_policies_that_rule_nothing_out():
    plan = make(policies="uniform", horizon=500, repetitions=2)
    assert "None of these policies rules levels out" in plan.verdict.sentence
    assert plan.tables()[1].rows == []


def test_parameters_of_policies_are_passed_on():
    plan = make(policies=("uniform", "flat_ucb1(alpha=0.5)"), horizon=500, repetitions=2, flat=True)
    assert [each.policy for each in plan.forecasts] == ["uniform", "flat_ucb1(alpha=0.5)"]


def test_flat_bandit_is_left_out_where_it_cannot_be():
    large = fb.Assumptions((101, 101, 101), base_rate=0.05, lift=0.2)
    plan = make(large, policies="uniform", horizon=100, repetitions=1, flat=True)
    assert [each.policy for each in plan.forecasts] == ["uniform"]
    assert "no flat bandit: flat_ucb1 looks at every combination" in str(plan)


def test_ctrl_c_keeps_what_is_finished(monkeypatch):
    real = _run.simulate

    def simulate(policy, *args, **options):
        if policy.name == "flat_ucb1":
            raise KeyboardInterrupt
        return real(policy, *args, **options)

    monkeypatch.setattr(_run, "simulate", simulate)
    plan = make(policies="uniform", horizon=500, repetitions=2, flat=True)
    assert plan.interrupted
    assert plan.not_run == ["flat_ucb1"]
    assert "interrupted: flat_ucb1 not run" in str(plan)
    with pytest.raises(KeyboardInterrupt):
        make(policies="flat_ucb1", horizon=500)


def staged(monkeypatch, interrupt=()):
    """Simulations of 1,000 rounds, then 3,000, then all; Ctrl-C comes in those listed."""
    real, lengths = _run.simulate, []

    def simulate(policy, problem, horizon, *args, **options):
        lengths.append(horizon)
        if horizon in interrupt:
            raise KeyboardInterrupt
        return real(policy, problem, horizon, *args, **options)

    monkeypatch.setattr(_run, "simulate", simulate)
    monkeypatch.setattr(_run, "STAGES", (1000, 3000))
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
    test = "full factorial test"
    assert {"tea", "uniform", "flat_ucb1", test} <= set(lines)
    labels = [text.get_text() for text in axes.texts]
    assert labels == [f"{test} (fixed size)"], "the line itself is labelled, too"
    from factored_bandits.report.palette import look

    assert lines["tea"].get_color() == look("tea").colour
    assert lines["tea"].get_ydata()[[0, -1]].tolist() == [0.0, 1.0]
    assert lines[test].get_xdata()[0] == pytest.approx(easy.fixed.total / 100)
    assert axes.get_xlabel() == "days"
    assert make(horizon=300, repetitions=2).plot().axes[0].get_xlabel() == "rounds"
