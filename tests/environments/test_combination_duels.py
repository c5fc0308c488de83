"""Duels of combinations, and conjoint experiments from files."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.simulation.runner import check_fit

DATA = Path(__file__).parents[3] / "shared" / "data"
TAXES = (*(f"taxrate{i}" for i in range(1, 7)), "taxrev")
EFFECTS = [[0.0, 1.0, 0.2], [0.5, 0.0]]


def problem(**changes):
    return fb.environments.make("duel_combinations", effects=EFFECTS, **changes)


def test_the_log_odds_are_the_difference_of_sums():
    made = problem()
    assert made.kind == "duel"
    assert made.factor_names == ("0", "1")
    assert made.mean([1, 0, 0, 1]) == pytest.approx(1.0 / (1.0 + math.exp(-1.5)))
    assert made.mean([0, 1, 1, 0]) == pytest.approx(1.0 - made.mean([1, 0, 0, 1]))
    worst = 1.0 / (1.0 + math.exp(-1.5)) - 0.5
    assert made.regret([0, 1, 0, 1]) == pytest.approx(worst)
    assert made.regret([1, 0, 0, 1]) == pytest.approx(worst / 2)


def test_verdicts_are_drawn_by_it():
    made = problem(tie=0.25)
    rng = np.random.default_rng(1)
    action = np.array([1, 0, 0, 1])
    drawn = [made.module.sample(made.data, 1, action, rng) for _ in range(4000)]
    # four standard errors
    assert abs(drawn.count(0.5) / 4000 - 0.25) < 4 * math.sqrt(0.25 * 0.75 / 4000)
    wins = drawn.count(1.0) / (4000 - drawn.count(0.5))
    assert abs(wins - made.mean(action)) < 4 * math.sqrt(0.25 / 3000)


def test_a_simulation_renumbers_both_sides_alike(monkeypatch):
    """The best is found and certified whatever the order of the levels."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    options = {"repetitions": 3, "seed": 1, "progress": False, "certify": True}
    result = fb.simulate("duel_top_two", problem(), 500, **options)
    assert result.correct[:, -1].all()
    certificates = fb.certificate(result)
    for certificate in certificates:
        assert certificate.ruled_out()["0"] == [0, 2]
        assert set(certificate.best().items()) <= {("0", 1), ("1", 0)}
    assert {event.factor for event in result.eliminations} == {0, 1}


def test_policies_for_arms_refuse_it():
    with pytest.raises(fb.errors.InvalidInputError, match="rucb compares arms"):
        check_fit(fb.policies.make("rucb"), problem())
    with pytest.raises(fb.errors.InvalidInputError, match="the theory is about duels of arms"):
        fb.theory.gaps(problem())


@pytest.mark.parametrize(
    ("effects", "said"),
    [
        ([[0.0, 1.0]], "effects needs at least two factors"),
        ([[0.0], [1.0]], "effects needs a factor with at least two levels"),
    ],
)
def test_what_is_no_duel_of_combinations(effects, said):
    with pytest.raises(fb.errors.InvalidInputError, match=said):
        fb.environments.make("duel_combinations", effects=effects)


@pytest.mark.full
@pytest.mark.parametrize("policy", ["duel_top_two", "dueling_uniform"])
def test_interpreted_equals_compiled(policy):
    options = {"repetitions": 3, "seed": 4, "progress": False, "certify": policy == "duel_top_two"}
    compiled = fb.simulate(policy, problem(tie=0.2), 700, **options, compiled=True)
    plain = fb.simulate(policy, problem(tie=0.2), 700, **options, compiled=False)
    for one, other in zip(compiled.records, plain.records, strict=True):
        assert np.array_equal(one.regret, other.regret)
        assert all(np.array_equal(a, b) for a, b in zip(one.plays, other.plays, strict=True))
        assert np.array_equal(one.events, other.events)


# Files


def written(path, rows):
    text = "\n".join(",".join(map(str, row)) for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["plans.csv", "plans.csv.gz"])
def test_a_file_gives_back_the_effects_it_was_drawn_from(tmp_path, name):
    truth = problem(tie=0.1)
    rng = np.random.default_rng(5)
    rows = [("won", "colour", "ignored", "size")]
    for _ in range(3000):
        action = rng.integers([3, 2, 3, 2])
        verdict = truth.module.sample(truth.data, 1, action, rng)
        rows.append((verdict, f"c{action[0]}", 7, f"s{action[1]}"))
        rows.append((1.0 - verdict, f"c{action[2]}", 7, f"s{action[3]}"))

    past = fb.environments.load_conjoint(written(tmp_path / name, rows), "won", ["colour", "size"])
    assert past.factors == {"colour": ("c0", "c1", "c2"), "size": ("s0", "s1")}
    assert past.duels.shape == (3000, 4)
    made = past.environment()
    assert made.best == truth.best
    assert made.params["tie"] == pytest.approx(0.1, abs=4 * math.sqrt(0.09 / 3000))
    for found, true in zip(made.params["effects"], EFFECTS, strict=True):
        # a tie in ten takes a tenth off; the rest is about four standard errors
        expected = 0.9 * (np.array(true) - np.mean(true))
        np.testing.assert_allclose(found, expected, atol=0.2)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("won", "a"), (1, 2), (0, 3)], "lacks the column 'b'; its columns are won, a"),
        ([("won", "a", "b"), (1, 2, 3)], "1 rows; two rows are shown together"),
        ([("won", "a", "b"), (1, 2, 3), (1, 2, 4)], "rows 1 and 2 below the names: won is '1' and"),
        ([("won", "a", "b"), ("x", 2, 3), (0, 2, 4)], "one is 1 and the other 0"),
        ([("won", "a", "b")], "lacks rows"),
    ],
)
def test_wrong_files_are_named(tmp_path, rows, said):
    path = written(tmp_path / "plans.csv", rows)
    with pytest.raises(fb.errors.InvalidInputError, match=said):
        fb.environments.load_conjoint(path, "won", ["a", "b"])


def test_other_wrong_arguments(tmp_path):
    with pytest.raises(fb.errors.InvalidInputError, match="no file"):
        fb.environments.load_conjoint(tmp_path / "none.csv", "won", ["a", "b"])
    with pytest.raises(fb.errors.InvalidInputError, match="at least two names of columns"):
        fb.environments.load_conjoint(tmp_path / "none.csv", "won", "a")
    broken = tmp_path / "broken.csv.gz"
    broken.write_bytes(b"no gzip")
    with pytest.raises(fb.errors.InvalidInputError, match="no text compressed by gzip"):
        fb.environments.load_conjoint(broken, "won", ["a", "b"])


@pytest.mark.skipif(
    not (DATA / "cregg_taxes.csv.gz").is_file(),
    reason="the conjoint experiment of the R package cregg is not in ../shared/data",
)
def test_taxes_that_people_chose_between():
    """16,000 choices between seven tax rates: a sum of effects explains 64.6 % of them."""
    past = fb.environments.load_conjoint(DATA / "cregg_taxes.csv.gz", "chose_plan", TAXES)
    made = past.environment()
    assert made.factor_sizes == (4, 4, 4, 4, 5, 6, 5)
    assert past.verdicts.shape == (16_000,)
    means = np.array([made.mean(duel) for duel in past.duels[:4000]])
    agreed = ((means > 0.5) == (past.verdicts[:4000] > 0.5)).mean()
    # four standard errors of 4,000
    assert abs(agreed - 0.646) < 4 * math.sqrt(0.646 * 0.354 / 4000)
