"""The sampler: what becomes a factor, which outcomes the agent hears, what is refused."""

from __future__ import annotations

import copy
import pickle

import pytest

pytest.importorskip("optuna.samplers", reason="needs the extra optuna")

import noisy
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

import factored_bandits as fb
from factored_bandits.errors import InvalidInputError, RewardOutOfRangeError
from factored_bandits.optuna.chain import LINK, link_of

FACTORS = {"colour": ["red", "blue"], "size": [1, 2, 3]}


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def params_of(study):
    return [trial.params for trial in study.trials]


def suggest(trial):
    return trial.suggest_categorical("colour", ["red", "blue"]), trial.suggest_int("size", 1, 3)


def test_trials_are_the_decisions_of_the_agent():
    study = optuna.create_study(
        sampler=fb.optuna.Sampler("tea", FACTORS, (0, 10), seed=4), direction="maximize"
    )
    agent = fb.Agent("tea", factors=FACTORS, reward_range=(0, 10), seed=4)

    def objective(trial):
        colour, size = suggest(trial)
        return 3.0 * size + (colour == "blue")

    study.optimize(objective, n_trials=60)
    for trial in study.trials:
        decision = agent.ask()
        assert trial.params == decision.levels
        agent.tell(decision.id, trial.value)
    assert fb.optuna.best_params(study) == agent.best() == {"colour": "blue", "size": 3}
    assert fb.optuna.confidence(study) == agent.confidence()
    assert fb.optuna.status(study) == agent.status()


def test_minimising_is_maximising_the_negative():
    up = optuna.create_study(
        sampler=fb.optuna.Sampler(search_space=FACTORS, reward_range=(0, 4)), direction="maximize"
    )
    down = optuna.create_study(
        sampler=fb.optuna.Sampler(search_space=FACTORS, reward_range=(-4, 0)),
        direction="minimize",
    )
    up.optimize(lambda trial: suggest(trial)[1], n_trials=60)
    down.optimize(lambda trial: -suggest(trial)[1], n_trials=60)
    assert params_of(up) == params_of(down)
    assert fb.optuna.best_params(down)["size"] == 3


def test_failed_pruned_and_nan_trials_count_as_the_default():
    sampler = fb.optuna.Sampler("tea", FACTORS, (-1, 1), default=-0.5)
    study = optuna.create_study(sampler=sampler, direction="maximize")
    agent = fb.Agent("tea", factors=FACTORS, reward_range=(-1, 1), default=-0.5)

    def objective(trial):
        suggest(trial)
        if trial.number % 4 == 0:
            raise RuntimeError("out of memory")
        if trial.number % 4 == 1:
            raise optuna.TrialPruned
        return float("nan") if trial.number % 4 == 2 else 0.25

    study.optimize(objective, n_trials=40, catch=RuntimeError)
    for trial in study.trials:
        decision = agent.ask()
        assert trial.params == decision.levels
        if trial.state == TrialState.COMPLETE:
            agent.tell(decision.id, 0.25)
        else:
            agent.expire(decision.id)
    assert fb.optuna.status(study) == agent.status()


def test_the_default_of_minimisation_is_the_largest_value():
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space={"x": [0, 1]}))

    def objective(trial):
        if trial.suggest_int("x", 0, 1):
            raise optuna.TrialPruned
        return 0.9

    study.optimize(objective, n_trials=80)
    assert fb.optuna.best_params(study) == {"x": 0}


def test_parameters_with_few_values_become_factors_by_themselves():
    study = optuna.create_study(sampler=fb.optuna.Sampler(max_levels=5), direction="maximize")

    def objective(trial):
        suggest(trial)
        trial.suggest_float("rate", 0.1, 0.5, step=0.1)
        trial.suggest_int("many", 1, 6)
        trial.suggest_float("real", 0, 1)
        trial.suggest_categorical("only", ["one"])
        return 0.5

    study.optimize(objective, n_trials=4)
    assert link_of(study.trials[0]) is None
    links = [link_of(trial) for trial in study.trials[1:]]
    assert [link.decision for link in links] == [1, 2, 3]
    assert list(links[0].levels) == ["colour", "rate", "size"]
    assert {row.level for row in fb.optuna.status(study).rows if row.factor == "rate"} == {
        0.1,
        0.2,
        0.3,
        0.4,
        0.5,
    }
    assert len({trial.params["real"] for trial in study.trials}) == 4


def test_a_level_of_a_list_serves_a_continuous_parameter():
    space = {"rate": [1e-4, 1e-2], "depth": IntDistribution(2, 6, step=2)}
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space=space))
    for _ in range(20):
        trial = study.ask()
        assert trial.suggest_float("rate", 1e-5, 1, log=True) in space["rate"]
        assert trial.suggest_int("depth", 2, 6, step=2) in (2, 4, 6)
        study.tell(trial, 0.5)


def test_other_parameters_go_to_the_independent_sampler():
    class Always(optuna.samplers.RandomSampler):
        def sample_independent(self, study, trial, param_name, param_distribution):
            assert param_name == "real"
            return 0.125

    sampler = fb.optuna.Sampler(search_space=FACTORS, independent_sampler=Always())
    study = optuna.create_study(sampler=sampler)

    def objective(trial):
        suggest(trial)
        return trial.suggest_float("real", 0, 1)

    study.optimize(objective, n_trials=5)
    assert [trial.value for trial in study.trials] == [0.125] * 5


def test_a_branch_that_was_not_run_has_no_effect():
    space = {"model": ["tree", "net"], "depth": [2, 4, 8], "width": [16, 64]}
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space=space), direction="maximize")

    def objective(trial):
        if trial.suggest_categorical("model", ["tree", "net"]) == "tree":
            return trial.suggest_int("depth", 2, 8) / 10
        return trial.suggest_int("width", 16, 64) / 70

    study.optimize(objective, n_trials=150)
    assert fb.optuna.status(study).learned == 150
    best = fb.optuna.best_params(study)
    assert (best["model"], best["width"]) == ("net", 64)


def test_threads_share_the_agent():
    study = noisy.study_in(None)
    study.optimize(noisy.objective, n_trials=40, n_jobs=4)
    status = fb.optuna.status(study)
    assert (status.asked, status.learned, status.waiting) == (40, 40, 0)
    assert sorted(link_of(trial).decision for trial in study.trials) == list(range(1, 41))
    assert fb.optuna.waiting(study) == ()


def test_outcomes_in_another_order_are_learned_in_order():
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space=FACTORS))
    trials = [study.ask() for _ in range(3)]
    for trial in trials:
        suggest(trial)
    study.tell(trials[2], 0.5)
    study.tell(trials[1], 0.5)
    assert fb.optuna.status(study).learned == 0
    assert fb.optuna.waiting(study) == (0,)
    study.tell(trials[0], 0.5)
    assert fb.optuna.status(study).learned == 3


def test_a_forgotten_trial_is_played_again_when_released():
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space=FACTORS))
    forgotten = study.ask()
    levels = suggest(forgotten)
    other = study.ask()
    suggest(other)
    study.tell(other, 0.5)

    with pytest.raises(InvalidInputError, match="nobody waits for trial 1; open are: 0"):
        fb.optuna.release(study, 1)
    assert fb.optuna.release(study) == (0,)
    again = study.ask()
    assert suggest(again) == levels
    study.tell(again, 0.5)
    assert fb.optuna.status(study).learned == 2


def test_enqueued_trials_take_no_decision():
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space=FACTORS))
    study.enqueue_trial({"colour": "red", "size": 2})
    study.optimize(lambda trial: suggest(trial)[1] / 3, n_trials=3)
    assert study.trials[0].params == {"colour": "red", "size": 2}
    assert [link_of(trial) is None for trial in study.trials] == [True, False, False]
    assert fb.optuna.status(study).learned == 2


def test_a_level_that_was_not_run_is_not_learned_from():
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space=FACTORS))
    first = study.ask()
    decided = link_of(study.trials[0]).levels
    first.suggest_int("size", 4, 9)
    with pytest.warns(UserWarning, match=f"'size': {decided['size']}}} was decided: it is not"):
        study.tell(first, 0.5)
    second = study.ask()
    suggest(second)
    assert second.params == decided
    study.tell(second, 0.5)
    assert fb.optuna.status(study).learned == 1


def test_a_value_outside_the_range_is_refused_and_nothing_is_lost():
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space=FACTORS))
    sentence = (
        r"the value 3 of trial 1 lies outside reward_range=\(0, 1\)\. The study keeps all its "
        r"trials\. Make the sampler with a reward_range that holds every value"
    )
    with pytest.raises(RewardOutOfRangeError, match=sentence):
        study.optimize(lambda trial: suggest(trial) and 3.0 * trial.number, n_trials=5)
    with pytest.raises(RewardOutOfRangeError, match=sentence):
        study.ask()
    states = [trial.state for trial in study.trials]
    assert states == [TrialState.COMPLETE, TrialState.COMPLETE, TrialState.FAIL]

    study.sampler = fb.optuna.Sampler(search_space=FACTORS, reward_range=(0, 30))
    with pytest.warns(UserWarning, match=r"reward_range \[0\.0, 1\.0\] instead of \[0\.0, 30\.0\]"):
        study.optimize(lambda trial: suggest(trial)[1], n_trials=5)
    assert fb.optuna.status(study).learned == 5


def test_infinite_values_are_refused_without_a_range():
    sampler = fb.optuna.Sampler(search_space=FACTORS, reward_range=None, default=9.0)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: suggest(trial) and 7.0, n_trials=4)
    with pytest.raises(RewardOutOfRangeError, match="the value inf of trial 4 is not finite"):
        study.optimize(lambda trial: suggest(trial) and float("inf"), n_trials=1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"policy": "dueling_tea"}, "dueling_tea compares two arms at a time"),
        ({"policy": "cucb"}, "cucb learns from an outcome of each factor"),
        ({"search_space": {}}, "search_space must be a dict"),
        ({"search_space": {"x": "abc"}}, "'x' must be a list of values or a distribution"),
        ({"search_space": {"x": [1, 2, 1]}}, "'x' has the value 1 twice"),
        ({"search_space": {"x": []}}, "'x' is empty"),
        ({"search_space": {"x": [1]}}, "there is nothing to choose"),
        ({"search_space": {1: [1, 2]}}, "a name must be a string, not 1"),
        ({"search_space": {"x": FloatDistribution(0, 1)}}, "'x' has no finite number of values"),
        ({"reward_range": (1, 0)}, "reward_range must be"),
        ({"reward_range": None}, "what is a trial worth that fails or is pruned"),
        ({"seed": -1}, "seed must be a whole number from 0, not -1"),
        ({"independent_sampler": "tpe"}, "independent_sampler must be a sampler of Optuna"),
    ],
)
def test_wrong_arguments(arguments, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        fb.optuna.Sampler(**arguments)


def test_several_objectives_are_refused():
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=fb.optuna.Sampler(search_space=FACTORS)
    )
    with pytest.raises(InvalidInputError, match="the study has 2 objectives"):
        study.ask()


def test_a_study_of_another_sampler_is_refused():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler())
    with pytest.raises(InvalidInputError, match="no trial of this study was decided"):
        fb.optuna.best_params(study)


def test_what_is_known_is_also_in_the_attributes_of_the_study():
    study = noisy.study_in(None)
    study.optimize(noisy.objective, n_trials=30)
    assert study.user_attrs == {
        "factored_bandits:best_params": fb.optuna.best_params(study),
        "factored_bandits:confidence": fb.optuna.confidence(study),
        "factored_bandits:status": str(fb.optuna.status(study)),
    }


def test_a_study_is_read_without_its_sampler():
    study = noisy.study_in(None)
    study.optimize(noisy.objective, n_trials=30)
    read = optuna.load_study(study_name="noisy", storage=study._storage)
    assert fb.optuna.best_params(read) == fb.optuna.best_params(study)
    assert fb.optuna.status(read) == fb.optuna.status(study)


def test_a_copy_of_the_sampler_goes_on():
    study = noisy.study_in(None)
    study.optimize(noisy.objective, n_trials=20)
    other = noisy.study_in(None)
    other.optimize(noisy.objective, n_trials=10)
    other.sampler = pickle.loads(pickle.dumps(other.sampler))
    other.optimize(noisy.objective, n_trials=5)
    other.sampler = copy.deepcopy(other.sampler)
    other.optimize(noisy.objective, n_trials=5)
    assert params_of(other) == params_of(study)


def test_what_was_left_open_stays_as_the_study_began(monkeypatch):
    study = noisy.study_in(None)
    study.optimize(noisy.objective, n_trials=5)
    policy = fb.optuna.status(study).policy

    monkeypatch.setattr("factored_bandits.optuna.settings.DEFAULT", "tea")
    study.sampler = fb.optuna.Sampler(search_space=noisy.SPACE, seed=3)
    study.optimize(noisy.objective, n_trials=5)
    assert fb.optuna.status(study).policy == policy != "tea"
    assert fb.optuna.status(study).learned == 10


def test_values_that_an_agent_cannot_name_are_levels_too():
    choices = [float("nan"), 1, None, "1"]
    space = {"x": CategoricalDistribution(choices)}
    study = optuna.create_study(sampler=fb.optuna.Sampler(search_space=space))
    study.optimize(
        lambda trial: float(trial.suggest_categorical("x", choices) is not None), n_trials=60
    )
    assert fb.optuna.status(study).learned == 60
    assert fb.optuna.best_params(study) == {"x": None}


def test_hyperband_hides_no_trials():
    study = optuna.create_study(
        sampler=fb.optuna.Sampler(search_space=FACTORS), pruner=optuna.pruners.HyperbandPruner()
    )
    study.optimize(lambda trial: suggest(trial)[1] / 3, n_trials=20)
    assert fb.optuna.status(study).learned == 20
    assert all(LINK in trial.system_attrs for trial in study.trials)
