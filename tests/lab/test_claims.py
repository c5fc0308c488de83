"""Claims follow from the numbers, whichever way these fall: made-up results, known verdicts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from factored_bandits import lab
from factored_bandits.lab.page import claims_of, opening, summary
from factored_bandits.report.claims import Claim


def results(name: str, regret, preset="quick", policies=()) -> lab.Results:
    """Final regrets `regret(problem, policy)`, one per repetition, reached by a straight line."""
    spec, rows = lab.load(name).SPEC, []
    for instance in spec.instances(preset):
        horizon = spec.preset(preset).horizon_of(instance)
        for policy in policies or spec.preset(preset).policies or spec.policies:
            for repetition, last in enumerate(regret(instance.name, policy)):
                for t in (horizon // 2, horizon):
                    rows.append((name, instance.name, policy, repetition, t, last * t / horizon))
    frame = pd.DataFrame(
        rows, columns=["experiment", "problem", "policy", "repetition", "round", "regret"]
    )
    frame["arms"] = frame.problem.str.removeprefix("K=")
    return lab.Results(spec, preset, frame, frame[:0], frame[:0])


def verdicts(name: str, regret) -> dict[str, str]:
    return {claim.says: claim.verdict for claim in lab.load(name).claims(results(name, regret))}


def about(found: dict[str, str], *words: str) -> str:
    [verdict] = [verdict for says, verdict in found.items() if all(word in says for word in words)]
    return verdict


SPREAD = np.array([-1.0, 0.0, 1.0, 0.5, -0.5])


@pytest.mark.parametrize(
    ("tea", "expected"), [(90.0, "holds"), (110.0, "fails"), (100.2, "undecided")]
)
def test_rank1(tea, expected):
    found = verdicts(
        "rank1", lambda problem, policy: (tea + SPREAD) if policy == "tea" else 100.0 - SPREAD
    )
    assert about(found, "clearly outperform rank-1") == expected
    assert about(found, "the KL optimized version", "published") == expected
    assert about(found, "better constants of TEA") == expected
    opposite = {"holds": "fails", "fails": "holds", "undecided": "undecided"}[expected]
    assert about(found, "strongly biased", "published") == opposite


def test_one_problem_that_fails_is_enough():
    def regret(problem, policy):
        return (
            (200.0 if problem == "u*v*=1" else 50.0) + SPREAD if policy == "tea" else 100.0 - SPREAD
        )

    assert about(verdicts("rank1", regret), "clearly outperform rank-1") == "fails"


def test_slopes_decide_the_orders_of_additive_terms():
    orders = {"dueling_tea": 1.1, "rmed1": 1.9, "rmed2": 1.2, "rmed2fh": 1.8, "rucb": 2.0}
    orders["dts"] = 2.0

    def regret(problem, policy):
        arms = float(problem.removeprefix("K="))
        if policy == "multi_sbm":
            return 0.45 * 3e5 * (1 - 1 / arms) + SPREAD  # as uniform play has it
        return arms ** orders.get(policy, 1.0) * np.exp(0.01 * SPREAD)

    found = verdicts("additive_terms", regret)
    assert about(found, "Dueling TEA") == "holds"
    assert about(found, "indeed non-negligible") == "fails"
    told = {
        policy: about(found, f"in the bound of {policy} ")
        for policy in ("rmed1", "rmed2", "rmed2fh", "rucb", "dts", "multi_sbm")
    }
    assert told == {
        "rmed1": "holds",
        "rmed2": "fails",
        "rmed2fh": "holds",
        "rucb": "holds",
        "dts": "fails",
        "multi_sbm": "undecided",
    }


@pytest.mark.parametrize(("ours", "expected"), [(17491.0, "holds"), (20000.0, "fails")])
def test_published_means(ours, expected):
    def regret(problem, policy):
        return (ours if problem == "8x8" else 41823.0) + 10.0 * SPREAD - 5000.0 * (policy == "tea")

    found = verdicts("katariya_table", regret)
    assert about(found, "Katariya", "8x8") == expected
    assert about(found, "Katariya", "16x16") == "holds"
    assert about(found, "clearly outperform") == "holds"


def test_wide_errors_do_not_count_as_agreement():
    found = verdicts("katariya_table", lambda problem, policy: 17491.0 + 9000.0 * SPREAD)
    assert about(found, "Katariya", "8x8") == "undecided"


def dueling_095(tea: float, preset: str, absent: str = "") -> Claim:
    """The claim on many arms, where Dueling TEA has regret `tea` and all others 100."""

    def regret(problem, policy):
        if policy == absent:
            return []
        return (tea if "tea" in policy else 100.0) + SPREAD

    [claim] = lab.load("dueling_095").claims(results("dueling_095", regret, preset))
    return claim


@pytest.mark.parametrize(("tea", "so_far"), [(10.0, "holds"), (1000.0, "fails")])
def test_many_arms_are_neither_refuted_nor_proven_by_few(tea, so_far):
    claim = dueling_095(tea, "quick")
    assert claim.verdict == "undecided"
    assert claim.measured.endswith(f"so far it {so_far}, but 2048 arms decide, in the preset full")
    assert dueling_095(tea, "full").verdict == so_far


def test_a_claim_on_all_baselines_cannot_hold_without_one_of_them():
    claim = dueling_095(10.0, "full", absent="dts")
    assert claim.verdict == "undecided"
    assert claim.measured.endswith("; left out: dts")
    assert claim.decided_by.endswith("; left out: dts")
    worse = dueling_095(1000.0, "full", absent="dts")
    assert worse.verdict == "fails"
    assert worse.measured.endswith("; left out: dts")


def test_the_full_preset_leaves_out_dts_and_says_so():
    spec = lab.load("dueling_095").SPEC
    played = {
        chunk.cell.policy.label
        for task in lab.tasks.make_tasks(spec, "full")
        for chunk in task.chunks
        if chunk.cell.instance.name == spec.problems[-1].name
    }
    assert "dts" not in played
    assert len(played) == len(spec.policies) - 1


@pytest.mark.parametrize(("runs", "expected"), [(4, "undecided"), (5, "holds")])
def test_few_runs_need_a_larger_lead(runs, expected):
    """A lead of 3.9 standard errors: more than three, but 4 runs need 4.5, and 5 need 3.7."""
    noise = np.array([-1.0, 1.0, -1.0, 1.0, 0.0])[:runs]
    error = noise.std(ddof=1) / runs**0.5

    def regret(problem, policy):
        return 100.0 - 3.9 * error + noise if policy == "tea" else np.full(runs, 100.0)

    assert results("rank1", regret).beats("u*v*=1", "tea", "uniform") == expected
    assert results("rank1", regret).beats("u*v*=1", "tea", "uniform", 5) == "undecided"


@pytest.mark.parametrize(
    ("far", "runs", "expected"),
    [(0, 20, "holds"), (2, 20, "holds"), (8, 20, "fails"), (0, 2, "undecided")],
)
def test_dts_among_the_best(far, runs, expected):
    """On `far` problems it has five times the regret of the others, elsewhere 1.5 times."""
    noise = np.linspace(-0.01, 0.01, runs)
    problems = [instance.name for instance in lab.load("suite_duels").SPEC.instances("quick")]

    def regret(problem, policy):
        own = 5.0 if problem in problems[:far] else 1.5
        return (own if policy == "dts" else 1.0) + (noise if policy == "dts" else noise[::-1])

    policies = ("dts", "dueling_tea", "rucb")
    [claim] = lab.load("suite_duels").claims(results("suite_duels", regret, policies=policies))
    assert claim.verdict == expected
    assert "not run: paper p=0.7 K=256, paper p=0.95 K=512" in claim.measured


def test_a_slow_policy_with_fewer_repetitions_is_compared_on_those():
    def regret(problem, policy):
        return (20.0 if policy == "uniform" else 10.0) + SPREAD[
            : 2 if policy == "marginal_thompson" else 5
        ]

    found = results("rank1", regret)
    assert found.lead("u*v*=1", "marginal_thompson", "uniform") == lab.Mean(10.0, 0.0)
    assert found.beats("u*v*=1", "marginal_thompson", "uniform") == "holds"


# the others have tests of their own below, and in test_sentences.py
EXPERIMENTS = (
    "rank1",
    "dueling_07",
    "dueling_095",
    "additive_terms",
    "katariya_table",
    "delay",
)


def made_up(name: str) -> lab.Results:
    """Regret that differs by policy and problem."""
    found = results(name, lambda problem, policy: 50.0 + 10.0 * len(policy + problem) + SPREAD)
    if name in ("rank1", "delay"):
        found.frame["arms"] = "4x4"
    return found


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_number_names_whose_it_is_and_its_unit(name):
    module = lab.load(name)
    names = set(module.SPEC.quick.policies or module.SPEC.policies)
    for claim in module.claims(made_up(name)):
        assert any(policy in claim.measured for policy in names), claim.measured
        assert "regret" in claim.unit
        if name == "delay":
            assert claim.ours, "the paper says nothing of delays"
        assert claim.ours or claim.says.startswith(("Section", "Theorem", "Appendix"))


def test_figures_that_claims_lead_to_are_there():
    for name in EXPERIMENTS:
        found = made_up(name)
        drawn = {chart.name for chart in lab.load(name).charts(found)}
        assert {claim.figure for claim in lab.load(name).claims(found)} <= drawn


def test_titles_say_what_was_run():
    found = made_up("dueling_095")
    charts = lab.load("dueling_095").charts(found)
    titles = " ".join([lab.load("dueling_095").SPEC.title, *(chart.title for chart in charts)])
    assert "16 to 256 arms" in titles
    assert "2048" not in titles


def test_the_reason_of_a_failure_is_what_fails():
    def regret(problem, policy):
        base = 200.0 if problem == "u*v*=1" else 50.0
        return base + SPREAD if policy == "tea" else 100.0 - SPREAD

    claims = lab.load("rank1").claims(results("rank1", regret))
    [claim] = [claim for claim in claims if "clearly outperform rank-1" in claim.says]
    assert claim.verdict == "fails"
    assert claim.decided_by == "u*v*=1: tea 200 +- 0, rank1_elim 100 +- 0"


def test_the_opening_has_all_who_were_compared():
    found = [made_up(name) for name in ("rank1", "dueling_07", "dueling_095")]
    first = opening(found, claims_of(found))
    assert [panel.title.partition(",")[0] for panel in first.chart.panels] == [
        "Rank-one rewards",
        "Duels",
        "Duels",
    ]
    assert [len(panel.dots) for panel in first.chart.panels] == [10, 11, 11]
    claimed = {dot.key: dot.claimed for dot in first.chart.panels[1].dots}
    assert {policy for policy, side in claimed.items() if side < 0} == {
        "rmed1",
        "rmed2",
        "rmed2fh",
    }
    assert first.sentence.startswith("The paper says that TEA")
    assert first.sentence.count(".") == 1, "one sentence"
    assert "of 9 of its sentences that these experiments can decide" in first.sentence


def test_a_dot_agrees_with_the_claim():
    """Where all comparisons of a claim hold, its dots lie on the right side, and by how much."""
    found = results(
        "dueling_095",
        lambda problem, policy: (10.0 if policy == "dueling_tea" else 30.0) + 0.1 * SPREAD,
    )
    claim = dueling_095(10.0, "full")
    _, others = lab.load("dueling_095").peers(found)
    assert claim.verdict == "holds"
    assert {peer.verdict for peer in others} == {"holds"}
    assert [peer.ratio.value for peer in others] == pytest.approx([3.0] * len(others))


def test_an_opening_without_comparisons():
    found = [made_up("delay")]
    first = opening(found, claims_of(found))
    assert first.chart is None
    assert first.sentence == "None of the paper's sentences was put to the test here."
    alone = summary([Claim("horizon", "", "", "undecided")], compared=False)
    assert alone == (
        "What the paper says: its one sentence that this experiment can decide is undecided."
    )


@pytest.mark.parametrize(
    ("mean", "text"),
    [
        ((1234.5, 12.0), "1,234 +- 12"),
        ((1.234, 0.5), "1.2 +- 0.5"),
        ((-1e-12, 0.9), "0 +- 0.9"),
        ((0.0, 0.0), "0 +- 0"),
    ],
)
def test_means_in_words(mean, text):
    assert str(lab.Mean(*mean)) == text


def test_logarithmic_growth():
    rounds = np.geomspace(1, 1e12, 13)

    def frame(curve):
        parts = [
            pd.DataFrame(
                {
                    "problem": "u*v*=0.75",
                    "policy": "tea",
                    "repetition": r,
                    "round": rounds,
                    "regret": curve + r,
                }
            )
            for r in range(3)
        ]
        return pd.concat(parts)

    module = lab.load("horizon")
    for curve, expected in ((np.log(rounds), "holds"), (1e-9 * rounds, "fails")):
        found = lab.Results(module.SPEC, "quick", frame(curve), frame(curve)[:0], frame(curve)[:0])
        assert module.claims(found)[0].verdict == expected
