"""Comparisons: the same numbers as single simulations, tables that say everything, and honest
interruptions.
"""

from __future__ import annotations

import dataclasses
import json
import types

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, UnknownNameError
from factored_bandits.policies.factored import uniform
from factored_bandits.simulation import compare as module
from factored_bandits.simulation.choosing import suitable
from factored_bandits.simulation.summaries import Facts, caption_of


def easy():
    return fb.environments.make("table", means=[[0.9, 0.1], [0.1, 0.1]])


def quiet(policies, environment=None, horizon=500, **options):
    return fb.compare(
        policies, environment or easy(), horizon, **{"repetitions": 4, "progress": False, **options}
    )


def test_each_result_is_what_simulate_gives():
    both = quiet("flat_ucb1, uniform", seed=3, checkpoints=[10, 100])
    for result in both.results:
        alone = fb.simulate(
            result.label, easy(), 500, 4, seed=3, checkpoints=[10, 100], progress=False
        )
        np.testing.assert_array_equal(result.regret, alone.regret)
    assert [result.label for result in both.results] == ["flat_ucb1", "uniform"]


def test_policies_are_accepted_in_every_form():
    made = fb.policies.make("flat_ucb1", alpha=0.5)
    labels = [result.label for result in quiet(["uniform", made, "flat_ucb1(alpha=1)"]).results]
    assert labels == ["uniform", "flat_ucb1(alpha=0.5)", "flat_ucb1(alpha=1.0)"]
    assert [result.label for result in quiet(uniform).results] == ["uniform"]
    assert [result.label for result in quiet(made).results] == ["flat_ucb1(alpha=0.5)"]


def test_table_is_sorted_and_says_what_was_measured():
    text = quiet("uniform, flat_ucb1", seed=11).table()
    header, first, second, caption = text.splitlines()
    assert (
        " ".join(header.split()) == "policy mean regret +- s.e. median worst best found found after"
    )
    assert (first.split()[0], second.split()[0]) == ("flat_ucb1", "uniform")
    assert (
        caption
        == "table (2 x 2 levels); regret in unit 'reward'; horizon 500; 4 repetitions; seed 11"
    )


def test_numbers_in_the_table_are_those_of_the_results():
    comparison = quiet("uniform", horizon=300, repetitions=5)
    last = comparison.results[0].regret[:, -1]
    cells = comparison.summary().rows[0]
    expected = [last.mean(), last.std(ddof=1) / np.sqrt(5), np.median(last), last.max()]
    assert [float(cell.replace(",", "")) for cell in cells[1:5]] == pytest.approx(expected, abs=0.5)


def test_one_repetition_has_no_standard_error():
    assert quiet("uniform", repetitions=1).summary().rows[0][2] == "-"
    assert quiet("uniform", repetitions=1).to_dict()["policies"][0]["standard_error"] is None


def test_columns_and_frame_are_tidy():
    comparison = quiet("uniform, flat_ucb1", checkpoints=[5, 50])
    frame = comparison.to_frame()
    assert len(frame) == 2 * 4 * 3  # policies, repetitions, checkpoints with the horizon
    means = frame[frame["round"] == 500].groupby("policy")["regret"].mean()
    for result in comparison.results:
        assert means[result.label] == pytest.approx(result.regret[:, -1].mean())


def test_json_keys_are_stable():
    document = json.loads(json.dumps(quiet("uniform, tea", horizon=300).to_dict(), allow_nan=False))
    assert list(document) == [
        *(
            "format",
            "version",
            "problem",
            "kind",
            "sizes",
            "best",
            "unit",
            "horizon",
            "repetitions",
            "seed",
        ),
        *("interrupted", "not_run", "policies"),
    ]
    assert (document["format"], document["version"]) == ("factored-bandits/comparison", 1)
    assert list(document["policies"][0]) == [
        *(
            "policy",
            "repetitions",
            "mean",
            "standard_error",
            "median",
            "worst",
            "best_found",
            "found_after",
        ),
        *("final_regret", "curve", "eliminations"),
    ]
    assert list(document["policies"][0]["curve"]) == ["round", "mean", "quantile_10", "quantile_90"]
    assert document["policies"][0]["eliminations"] is None
    summary = document["policies"][1]["eliminations"][0]
    assert list(summary) == [
        "factor",
        "level",
        "best",
        "first_eliminated",
        "eliminated_share",
        "re_entries",
        "eliminated_at_end",
    ]


@pytest.mark.parametrize(
    ("policies", "complaint"),
    [
        ("", "policies is empty"),
        ([], "policies is empty"),
        ("uniform, uniform", "'uniform' is listed twice"),
        ("taa", "did you mean 'tea'"),
        ("dueling_tea", "dueling_tea plays duels"),
        ("flat_ucb1(beta=1)", "no parameter of flat_ucb1 named 'beta'"),
        ("flat_ucb1(0.5)", "name\\(parameter=value"),
        ("flat_ucb1(alpha=0.5", "bracket"),
        ("flat_ucb1(alpha=open('x'))", "value of alpha must be a number or a word"),
        ("flat_ucb1(**{'alpha': 1})", "name\\(parameter=value"),
        ("1+1", "not written as name"),
    ],
)
def test_wrong_policies_are_named(policies, complaint):
    with pytest.raises(InvalidInputError, match=complaint):
        quiet(policies)


def test_two_different_policies_of_one_name_are_refused():
    twin = types.ModuleType("elsewhere.uniform")
    twin.__dict__.update(
        {key: value for key, value in vars(uniform).items() if not key.startswith("__")}
    )
    with pytest.raises(InvalidInputError, match="'uniform' stands for two different policies"):
        quiet(["uniform", twin])


def test_nothing_runs_if_one_policy_cannot(monkeypatch):
    monkeypatch.setattr(module, "simulate", lambda *args, **kwargs: pytest.fail("ran"))
    large = fb.environments.make("rank1", factors=[[0.5] * 1001, [0.5] * 1001])
    with pytest.raises(InvalidInputError, match="flat_ucb1 looks at every combination"):
        quiet("tea, flat_ucb1", large)
    with pytest.raises(UnknownNameError):
        quiet("tea, nobody")
    with pytest.raises(InvalidInputError, match="dueling_tea plays duels"):
        quiet("uniform, dueling_tea")
    with pytest.raises(InvalidInputError, match="horizon must be a whole number"):
        quiet("tea", horizon="long")


@pytest.mark.parametrize("name", fb.policies.names())
def test_a_label_can_be_read_back(name):
    made = fb.policies.make(name)
    assert fb.policies.make(made.label) == made
    assert fb.policies.make(f" {name.replace('_', '-')} ( ) ") == made


def test_parameters_are_read_as_literals():
    assert fb.policies.make("flat_ucb1(alpha=0.5)") == fb.policies.make("flat_ucb1", alpha=0.5)
    assert fb.policies.make("tea(bound=paper, reward_range=(0, 1))") == fb.policies.make(
        "tea", reward_range=(0, 1)
    )


def test_suitable_leaves_out_who_refuses():
    large = fb.environments.make("rank1", factors=[[0.5] * 1001, [0.5] * 1001])
    able, refused = suitable(large, 100)
    assert "tea" in [policy.name for policy in able]
    assert "flat_ucb1" not in [policy.name for policy in able]
    assert "takes at most" in refused["flat_ucb1"]
    assert {policy.name for policy in able} | set(refused) == set(fb.policies.names("factored"))


def interrupt_in(monkeypatch, second):
    """The first policy is simulated; for the second, Ctrl-C comes and `second` is what simulate
    does.
    """
    real, calls = module.simulate, []

    def pretend(*args, **kwargs):
        calls.append(args[0].label)
        return real(*args, **kwargs) if len(calls) == 1 else second()

    monkeypatch.setattr(module, "simulate", pretend)


def test_interrupted_before_the_second_policy_finished_anything(monkeypatch):
    def stop():
        raise KeyboardInterrupt

    interrupt_in(monkeypatch, stop)
    comparison = quiet("uniform, flat_ucb1, tea")
    assert comparison.interrupted
    assert comparison.not_run == ["flat_ucb1", "tea"]
    assert comparison.caption().endswith("; interrupted: flat_ucb1 not run, tea not run")
    assert comparison.to_dict()["interrupted"] is True


def test_interrupted_in_the_middle_of_the_second_policy(monkeypatch):
    def some():
        result = fb.simulate("flat_ucb1", easy(), 500, repetitions=2, progress=False)
        return dataclasses.replace(result, interrupted=True)

    interrupt_in(monkeypatch, some)
    comparison = quiet("uniform, flat_ucb1, tea")
    assert comparison.not_run == ["tea"]
    assert "flat_ucb1 only 2 of 4" in comparison.caption()
    assert comparison.summary().columns[-1] == "repetitions"
    assert {row[0]: row[-1] for row in comparison.summary().rows} == {
        "uniform": "4",
        "flat_ucb1": "2",
    }


def test_interrupted_with_nothing_to_show(monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "simulate", stop)
    with pytest.raises(KeyboardInterrupt):
        quiet("uniform")


def test_eliminations_are_those_of_eliminating_policies():
    comparison = quiet("uniform, tea", horizon=3_000)
    (table,) = comparison.eliminations()
    assert table.title.startswith("tea:")
    rounds = [
        event.round for event in comparison.results[1].eliminations if event.event == "eliminated"
    ]
    assert rounds, "this problem is easy: something must be ruled out"
    assert quiet("uniform").eliminations_table() == "none of these policies eliminates"
    with pytest.raises(InvalidInputError, match="factors must be 2 names"):
        comparison.eliminations(["ad"])


def test_duels_have_one_list_of_arms():
    comparison = quiet("dueling_uniform", fb.environments.identical_gap(4, 0.9))
    assert comparison.to_dict()["sizes"] == [4]
    assert comparison.to_dict()["best"] == [0]
    assert comparison.caption().startswith("duel_utility (4 arms); regret in unit 'average'")


def test_sizes_of_the_same_mean_stand_in_a_caption_in_one_order():
    sizes = ["8x32", "32x8", "20x20", "16x24", "24x16", "30x10", "10x30", "4x4"]
    facts = [Facts("sum", "", 100, 1, None, arms) for arms in sizes]
    said = "K = 4 x 4, 10 x 30, 16 x 24, 20 x 20, 24 x 16, 30 x 10, 32 x 8, 8 x 32"
    assert said in caption_of(facts)
    assert caption_of(facts) == caption_of(facts[::-1])
