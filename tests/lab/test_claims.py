"""Claims follow from the numbers, whichever way these fall: made-up results, known verdicts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from factored_bandits import lab
from factored_bandits.report.claims import Claim


def results(name: str, regret) -> lab.Results:
    """Final regrets `regret(problem, policy)`, one per repetition; a straight line leads to them."""
    spec, rows = lab.load(name).SPEC, []
    for instance in spec.instances("quick"):
        horizon = spec.quick.horizon_of(instance)
        for policy in spec.quick.policies or spec.policies:
            for repetition, last in enumerate(regret(instance.name, policy)):
                for t in (horizon // 2, horizon):
                    rows.append((name, instance.name, policy, repetition, t, last * t / horizon))
    frame = pd.DataFrame(
        rows, columns=["experiment", "problem", "policy", "repetition", "round", "regret"]
    )
    frame["arms"] = frame.problem.str.removeprefix("K=")
    return lab.Results(spec, "quick", frame, frame[:0], frame[:0])


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
    assert about(found, "outperforms Rank1Elim") == expected
    assert about(found, "beats Rank1ElimKL", "published") == expected
    opposite = {"holds": "fails", "fails": "holds", "undecided": "undecided"}[expected]
    assert about(found, "strongly biased", "published") == opposite


def test_one_problem_that_fails_is_enough():
    def regret(problem, policy):
        return (
            (200.0 if problem == "u*v*=1" else 50.0) + SPREAD if policy == "tea" else 100.0 - SPREAD
        )

    assert about(verdicts("rank1", regret), "outperforms Rank1Elim") == "fails"


def test_slopes_decide_the_orders_of_additive_terms():
    orders = {"dueling_tea": 1.1, "rmed1": 1.9, "rmed2": 1.2, "rucb": 2.0, "dts": 2.0}

    def regret(problem, policy):
        arms = float(problem.removeprefix("K="))
        if policy == "multi_sbm":
            return 0.45 * 3e5 * (1 - 1 / arms) + SPREAD  # as uniform play has it
        return arms ** orders.get(policy, 1.0) * np.exp(0.01 * SPREAD)

    found = verdicts("additive_terms", regret)
    assert about(found, "Dueling TEA") == "holds"
    told = {
        policy: about(found, f"dominates {policy}:")
        for policy in ("rmed1", "rmed2", "rucb", "dts", "multi_sbm")
    }
    assert told == {
        "rmed1": "holds",
        "rmed2": "fails",
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
    assert about(found, "TEA outperforms") == "holds"


def test_wide_errors_do_not_count_as_agreement():
    found = verdicts("katariya_table", lambda problem, policy: 17491.0 + 9000.0 * SPREAD)
    assert about(found, "Katariya", "8x8") == "undecided"


@pytest.mark.parametrize(("tea", "expected"), [(10.0, "holds"), (1000.0, "undecided")])
def test_many_arms_cannot_be_refuted_by_few(tea, expected):
    found = lab.load("dueling_095").claims(
        results("dueling_095", lambda problem, policy: (tea if "tea" in policy else 100.0) + SPREAD)
    )
    assert [claim.verdict for claim in found] == [expected]
    assert isinstance(found[0], Claim)


def test_a_slow_policy_with_fewer_repetitions_is_compared_on_those():
    def regret(problem, policy):
        return (20.0 if policy == "uniform" else 10.0) + SPREAD[
            : 2 if policy == "marginal_thompson" else 5
        ]

    found = results("rank1", regret)
    assert found.lead("u*v*=1", "marginal_thompson", "uniform") == lab.Mean(10.0, 0.0)
    assert found.beats("u*v*=1", "marginal_thompson", "uniform") == "holds"


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
