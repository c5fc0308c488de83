"""The paper's sentences on algorithms and constants: made-up results, known verdicts."""

from __future__ import annotations

import math
import types

import numpy as np
import pandas as pd
import pytest

import factored_bandits as fb
from factored_bandits import lab
from factored_bandits.core.distributions.binomial import at_least, verdict_of_count
from factored_bandits.lab import lookup
from factored_bandits.lab.paper import spare_plays
from factored_bandits.simulation.record import ELIMINATED

scipy_stats = pytest.importorskip("scipy.stats")

NOISE = np.array([-1.0, 0.0, 1.0, 0.5, -0.5])
POINTS = 10.0 ** np.arange(11)


def results(name: str, curve, eliminations=None, runs: int = 5, **columns) -> lab.Results:
    """Regret `curve(problem, policy, rounds)` in every run, with noise of a thousandth of it."""
    spec = lab.load(name).SPEC
    parts = []
    for instance in spec.instances("quick"):
        horizon = spec.quick.horizon_of(instance)
        rounds = np.append(POINTS[horizon > POINTS], horizon)
        for policy in spec.policies:
            noise = 1.0 + 1e-3 * np.roll(np.resize(NOISE, runs), len(policy))
            regret = np.outer(noise, curve(instance.name, policy, rounds))
            repetition = np.repeat(np.arange(runs), len(rounds))
            part = {"repetition": repetition, "round": np.tile(rounds, runs)}
            part |= {"regret": regret.ravel(), "problem": instance.name, "policy": policy}
            parts.append(pd.DataFrame(part))

    frame = pd.concat(parts).assign(experiment=name, arms="8", **columns)
    events = frame[:0] if eliminations is None else eliminations
    return lab.Results(spec, "quick", frame, events, frame[:0])


def verdicts(name: str, curve, **options) -> list[str]:
    return [claim.verdict for claim in lab.load(name).claims(results(name, curve, **options))]


def arms(problem: str) -> float:
    return float(problem.rpartition("=")[2])


@pytest.mark.parametrize(
    ("together", "expected"),
    [
        (1000.0, ["holds", "holds", "fails"]),
        (200.0, ["undecided", "undecided", "holds"]),
        (150.0, ["fails", "fails", "fails"]),
    ],
)
def test_sparring(together, expected):
    """One factor costs 100: sparring suffers if two cost more than 200, TEA must pay 200."""

    def curve(problem, policy, rounds):
        return (together if problem == "two factors" else 100.0) * rounds / rounds[-1]

    assert verdicts("sparring_factors", curve) == expected


@pytest.mark.parametrize(
    ("moving", "expected"), [(102.0, "holds"), (120.0, "fails"), (80.0, "fails")]
)
def test_moving_means(moving, expected):
    def curve(problem, policy, rounds):
        return (100.0 if "still" in problem else moving) * rounds / rounds[-1]

    assert verdicts("moving_means", curve) == [expected]


@pytest.mark.parametrize(
    ("name", "problem", "times"),
    [("moving_means", "means stand still", 1.08), ("sparring_factors", "one factor alone", 2.16)],
)
def test_a_tenth_of_a_mean_has_its_error_too(name, problem, times):
    """Runs that differ by 30 %, and 8 % more in each of them: surely within 10 %.

    Against a tenth of the mean, as if that were known, the 8 % would be lost in the noise.
    """
    found = results(name, lambda own, policy, rounds: rounds * (1.0 if own == problem else times))
    found.frame["regret"] *= 1.0 + 0.3 * NOISE[found.frame["repetition"]]
    assert lab.load(name).claims(found)[-1].verdict == "holds"


def test_spare_plays():
    """Plays of levels that are not the best: below M log K with B, like MK / 4 without."""

    def curve(problem, policy, rounds, few=0.5, many=0.25):
        K = float(problem.partition(",")[0][2:])
        M = spare_plays.PLAYS * K
        plays = few * M * math.log(K) if problem.endswith("B") else many * M * K
        return spare_plays.GAP * plays * rounds / rounds[-1]

    assert verdicts("spare_plays", curve) == ["holds", "holds"]
    many = verdicts("spare_plays", lambda *of: curve(*of, few=1.5, many=0.05))
    assert many == ["fails", "fails"]


def test_the_module_without_spare_plays_is_tem():
    """The same active sets, B, D and N as `fb.TEM`, for phases that TEM itself has planned."""
    rng = np.random.default_rng(3)
    tem, module = fb.TEM(5), spare_plays.Module(5)
    means = np.array([1.0, 0.4, 0.0, 0.4, 0.6])
    sizes = set()
    t = 1
    while t < 12_000:
        active = tem.active_set(1.0 / fb.theory.f(t))
        if t > 1:
            module.refresh(math.log(fb.theory.f(t)))
        np.testing.assert_array_equal(np.flatnonzero(module.active), active)
        np.testing.assert_array_equal(np.flatnonzero(module.B), tem.B)
        sizes.add(len(active))

        arms = tem.schedule(16, rng)
        rewards = 2.0 * (rng.random(16) < means[arms]) - 1.0
        tem.feedback(arms, rewards)
        counts = np.bincount(arms, minlength=5)
        module.feedback(counts, np.bincount(arms, rewards, minlength=5))
        t += 16

    off = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(module.D[off], tem.D[off], atol=1e-6)
    np.testing.assert_array_equal(module.N[off], tem.N[off])
    assert len(sizes) > 2, "levels were eliminated"


def test_phases_are_estimated_as_such():
    """By its 10^6 rounds a repetition would be counted as minutes, and have a task of its own."""
    tasks = lab.make_tasks(lab.load("spare_plays").SPEC, "quick")
    assert sum(task.seconds for task in tasks) == pytest.approx(120 * spare_plays.SECONDS)
    assert len(tasks) <= 3


@pytest.mark.parametrize("to_all", [False, True])
def test_who_gets_the_spare_plays(to_all):
    module = spare_plays.Module(4, to_all)
    module.active = np.array([True, True, False, True])
    module.B = np.array([True, False, False, False])
    counts = module.schedule(12, np.random.default_rng(0))
    assert counts.tolist() == ([4, 4, 0, 4] if to_all else [10, 1, 0, 1])


@pytest.mark.parametrize(
    ("base", "expected"), [(6.0, ["holds", "fails"]), (1.2, ["fails", "holds"])]
)
def test_regret_against_the_number_of_factors(base, expected):
    found = verdicts("ossb_factors", lambda problem, policy, rounds: base ** arms(problem) * rounds)
    assert found == expected


def failing(runs: int) -> pd.DataFrame:
    """Eliminations at round 21 in some runs, of a level that re-enters at once."""
    rows = [
        (r, 0, t, event) for r in range(runs) for t, event in ((21, ELIMINATED), (23, "re-entered"))
    ]
    return pd.DataFrame(rows, columns=["repetition", "factor", "round", "event"])


@pytest.mark.parametrize(("failed", "expected"), [(0, "holds"), (4, "undecided"), (60, "fails")])
def test_failures_of_confidence_intervals(failed, expected):
    """Of 600 runs 1 / f(11) = 1.35 % allows 8; none may be seen by accident, 60 may not."""

    def still(problem, policy, rounds):
        return 0.0 * rounds

    found = results("failures", still, failing(failed), runs=600)
    [claim] = lab.load("failures").claims(found)
    assert claim.verdict == expected
    assert f"from round 11: tea {failed} of 600" in claim.measured
    assert lab.load("failures").failures_from(found, 31) == 0


@pytest.mark.parametrize(("count", "runs", "most"), [(0, 500, 0.01), (3, 100, 0.2), (40, 100, 0.2)])
def test_exact_binomial(count, runs, most):
    assert at_least(count, runs, most) == pytest.approx(scipy_stats.binom.sf(count - 1, runs, most))
    low = scipy_stats.binom.cdf(count, runs, most) <= 0.01
    high = scipy_stats.binom.sf(count - 1, runs, most) <= 0.01
    assert verdict_of_count(count, runs, most) == (
        "holds" if low else "fails" if high else "undecided"
    )


@pytest.mark.parametrize(("power", "expected"), [(0.8, "holds"), (3.0, "fails")])
def test_complexity(power, expected):
    """Memory is that of the states; time is what was measured."""
    found = results("complexity", lambda problem, policy, rounds: rounds, seconds=0.0)
    found.frame["seconds"] = found.frame.problem.map(arms) ** power * found.frame.regret
    memory, time = lab.load("complexity").claims(found)
    assert (memory.verdict, time.verdict) == ("holds", expected)
    assert lab.load("complexity").memory_slope("tea").value == pytest.approx(2.0, abs=0.1)
    assert lab.load("complexity").memory_slope("rank1_elim").value == pytest.approx(1.0, abs=0.1)
    assert len(lab.load("complexity").table(found).rows) == 4


def test_utility_duels_are_identifiable_and_a_cycle_is_not():
    module = lab.load("utility_duels")
    found = results("utility_duels", lambda p, policy, t: (1.0 + ("uniform" in policy)) * t)
    every, learns = module.claims(found)
    assert (every.verdict, learns.verdict) == ("holds", "holds")
    assert "300 of 300" in every.measured
    assert module.drawn("logistic", 5, 2).params["link"] == "logistic"
    assert not fb.theory.identifiability(fb.environments.cyclic(7)).holds


@pytest.mark.parametrize(("power", "expected"), [(1, "fails"), (2, "holds"), (3, "fails")])
def test_growth_of_doubler(power, expected):
    """log t is too little, log^3 t too much; a linear beginning and a constant do no harm."""

    def curve(problem, policy, rounds):
        return 5.0 + np.log10(rounds) + 100.0 * np.log10(rounds) ** power

    found = results("doubler_growth", curve)
    # noise of a thousandth of the regret would hide that log t does not bend
    if power == 1:
        found.frame["regret"] -= 1e-3 * np.log10(found.frame["round"]) ** 2
    [claim] = lab.load("doubler_growth").claims(found)
    assert claim.verdict == expected


def test_smaller_gaps():
    """RMED gains on Dueling TEA with K by a power, and has a head start at the larger gap."""

    def curve(problem, policy, rounds, power=0.5, start=2.0):
        other = policy != "dueling_tea"
        return (
            (1.0 + other * (start if "0.95" in problem else 1.0))
            * arms(problem) ** (1.0 + power * other)
            * rounds
        )

    assert verdicts("smaller_gaps", curve) == ["holds", "holds"]
    assert verdicts("smaller_gaps", lambda *of: curve(*of, power=-0.5, start=0.5)) == ["fails"] * 2


@pytest.mark.parametrize(
    ("additive", "expected"), [(1, ["holds", "fails", "fails"]), (2, ["fails", "holds", "holds"])]
)
def test_horizons_of_additive_terms(additive, expected):
    """K (log K + log T) is mostly additive up to T = K, K^2 + K log T up to exp(K)."""

    def curve(problem, policy, rounds):
        K = arms(problem)
        term = 20.0 * K + K * math.log(K) if additive == 1 else K**2
        return 10.0 * (term + K * np.log(rounds))

    assert verdicts("additive_horizons", curve) == expected


@pytest.mark.parametrize(
    ("factor", "expected"), [(3.0, "holds"), (1.0, "undecided"), (0.3, "fails")]
)
def test_a_budget_of_verdicts_counts_every_verdict_alike(factor, expected, monkeypatch):
    """Simple regret of `dueling_leader_tea` is so many times that of `duel_top_two`."""
    checkpoints = np.array([1, 10, 100, 500])

    def result(self, problem, policy):
        other = policy == "dueling_leader_tea"
        noise = 1.0 + 0.01 * NOISE * (-1.0 if other else 1.0)
        regret = np.outer(noise * (factor if other else 1.0), 1.0 / checkpoints)
        return types.SimpleNamespace(checkpoints=checkpoints, simple_regret=regret)

    monkeypatch.setattr(lab.Results, "result", result)
    found = results("fixed_budget_duels", lambda problem, policy, rounds: rounds)
    claims = lab.load("fixed_budget_duels").claims(found)
    assert [claim.verdict for claim in claims] == [expected] * 2
    # between two checkpoints the value of the later one stands for all verdicts
    mean = (1 + 9 / 10 + 90 / 100 + 400 / 500) / 500
    assert f"duel_top_two {mean:.2g} +-" in claims[0].measured


# those before it are in test_claims.py
NEW = lookup.FIRST[lookup.FIRST.index("sparring_factors") :]


@pytest.mark.parametrize("name", NEW)
def test_a_sentence_is_quoted_with_its_section(name):
    found = results(
        name,
        lambda problem, policy, rounds: rounds * arms_of(problem),
        seconds=1.0,
        eliminations=failing(0),
    )
    papers = [claim for claim in lab.load(name).claims(found) if not claim.ours]
    assert papers
    for claim in papers:
        assert claim.says.startswith(("Section ", "Theorem "))
        assert '"' in claim.says or name == "complexity"
        assert claim.unit
    drawn = {chart.name for chart in lab.load(name).charts(found)} if name != "failures" else {""}
    assert {claim.figure for claim in papers} <= drawn | {""}


def arms_of(problem: str) -> float:
    digits = "".join(c if c.isdigit() else " " for c in problem.rpartition("=")[2]).split()
    return float(digits[0]) if digits else 1.0
