"""What was found, against the calls: in results, in tables and as a chart."""

from __future__ import annotations

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.certificate import certificate
from factored_bandits.report.charts import quality

PROBLEM = fb.environments.make("additive", effects=[[0.3, 0.0, 0.1], [0.2, 0.0]], base=0.2)


@pytest.fixture(scope="module")
def comparison():
    return fb.compare(
        "uniform, logistic_halving",
        PROBLEM,
        60,
        6,
        seed=2,
        checkpoints=[1, 20, 60],
        progress=False,
        compiled=False,
    )


def test_simple_regret_is_zero_where_the_best_is_recommended(comparison):
    losses = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5}
    for result in comparison.results:
        assert np.array_equal(result.simple_regret <= 0.0, result.correct)
        assert set(result.simple_regret.round(9).ravel()) <= losses
        assert result.columns()["simple_regret"].shape == (18,)


def test_the_chart_shows_means_with_two_standard_errors(comparison):
    found, lost = quality(comparison.results).panels
    for line, result in zip(found.lines, comparison.results, strict=True):
        share = result.correct.mean(axis=0)
        error = result.correct.std(axis=0, ddof=1) / np.sqrt(6)
        np.testing.assert_allclose(line.y, share)
        np.testing.assert_allclose(line.low, np.maximum(0.0, share - 2 * error))
        np.testing.assert_allclose(line.high, np.minimum(1.0, share + 2 * error))
    for line, result in zip(lost.lines, comparison.results, strict=True):
        np.testing.assert_allclose(line.y, result.simple_regret.mean(axis=0))
    assert "At the end" in found.alt


def test_a_frame_and_its_results_give_the_same_chart(comparison):
    by_frame = quality(comparison.to_frame())
    by_results = quality(comparison.results)
    assert by_frame.numbers[0].rows == by_results.numbers[0].rows
    for one, other in zip(by_frame.panels, by_results.panels, strict=True):
        for a, b in zip(one.lines, other.lines, strict=True):
            assert a.key == b.key
            np.testing.assert_array_equal(a.y, b.y)


def test_a_frame_that_does_not_say_what_was_recommended(comparison):
    frame = comparison.to_frame().drop(columns="simple_regret")
    with pytest.raises(InvalidInputError, match="has no columns 'correct' and 'simple_regret'"):
        quality(frame)


def test_the_table_of_a_comparison(comparison):
    table = comparison.quality()
    assert table.columns[-1] == "found after"
    means = [result.simple_regret[:, -1].mean() for result in comparison.results]
    best = comparison.results[int(np.argmin(means))]
    assert table.rows[0][0] == best.label
    assert table.rows[0][1] == f"{best.correct[:, -1].mean():.0%}"


def test_confidence_at_checkpoints_is_that_of_the_certificate():
    """At the horizon it is the certificate's; nothing else changes; the first time counts."""
    problem = fb.environments.identical_gap(3, 0.9)
    options = {"repetitions": 3, "seed": 1, "progress": False, "compiled": False}
    followed = fb.simulate(
        "dueling_leader_tea", problem, 400, checkpoints=40, certify="checkpoints", **options
    )
    plain = fb.simulate("dueling_leader_tea", problem, 400, checkpoints=40, certify=True, **options)
    assert np.array_equal(followed.regret, plain.regret)
    last = [each.confidence for each in certificate(plain)]
    assert followed.confidence[:, -1].tolist() == last

    after = followed.certified_after(0.95)
    for row, at in enumerate(after):
        sure = followed.checkpoints[followed.confidence[row] >= 0.95]
        assert at == (sure[0] if len(sure) else np.inf)
    assert (after < 400).any()
    with pytest.raises(InvalidInputError, match="simulate it with certify='checkpoints'"):
        plain.certified_after()
    with pytest.raises(InvalidInputError, match="certify must be True or False"):
        fb.simulate("dueling_leader_tea", problem, 10, certify="always", **options)


def test_a_comparison_says_when_it_was_certified():
    problem = fb.environments.identical_gap(3, 0.95)
    comparison = fb.compare(
        "dueling_leader_tea",
        problem,
        300,
        3,
        progress=False,
        compiled=False,
        certify="checkpoints",
    )
    table = comparison.quality()
    after = np.median(comparison.results[0].certified_after())
    assert table.columns[-1] == "certified after"
    assert table.rows[0][-1] == f"{after:,.0f}"

    chart = quality(comparison.results)
    *_, certified = chart.panels
    result = comparison.results[0]
    shares = [(result.certified_after() <= n).mean() for n in result.checkpoints]
    assert certified.y.label == "runs certified at 95%"
    np.testing.assert_array_equal(certified.lines[0].y, shares)
    assert chart.numbers[0].columns[-1] == "certified after"
    assert chart.numbers[0].rows[0][-1] == f"{after:,.0f}"
