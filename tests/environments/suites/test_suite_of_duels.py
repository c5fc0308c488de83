"""The suite of duels: what it says of itself."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import factored_bandits as fb

INSTANCES = {instance.name: instance for instance in fb.suites.duels()}


def matrix(problem):
    arms = range(problem.sizes[0])
    return np.array([[problem.mean([i, j]) for j in arms] for i in arms])


def test_names_are_unique_and_sizes_reach_from_4_to_512():
    sizes = [instance.problem().sizes[0] for instance in INSTANCES.values()]
    assert len(INSTANCES) == len(fb.suites.duels()) >= 12
    assert (min(sizes), max(sizes)) == (4, 512)


@pytest.mark.parametrize("name", INSTANCES)
def test_a_case_is_complete(name):
    instance = INSTANCES[name]
    problem, again = instance.problem(), instance.problem()
    assert problem.kind == "duel"
    assert f"K={problem.sizes[0]}" in name
    assert instance.horizon in (10**5, 10**6)
    assert len(instance.why) > 20
    assert problem is not again
    assert all(np.array_equal(a, b) for a, b in zip(problem.data, again.data, strict=True))
    with pytest.raises(dataclasses.FrozenInstanceError):
        instance.horizon = 1


@pytest.mark.parametrize(
    "name", [name for name, instance in INSTANCES.items() if instance.problem().sizes[0] <= 64]
)
def test_every_problem_has_one_best_arm(name):
    problem = INSTANCES[name].problem()
    best = problem.best[0]
    assert (np.delete(matrix(problem)[best], best) > 0.5).all()
    assert [problem.regret([i, i]) for i in range(problem.sizes[0])].count(0.0) == 1


def test_the_papers_two_problems_grow():
    for p in (0.7, 0.95):
        found = [
            instance.problem()
            for name, instance in INSTANCES.items()
            if name.startswith(f"paper p={p} ")
        ]
        assert len(found) == 3
        assert all(problem.mean([0, 1]) == pytest.approx(p) for problem in found)
        assert all(problem.mean([1, 2]) == 0.5 for problem in found)
        assert [problem.sizes[0] for problem in found] == sorted(
            {problem.sizes[0] for problem in found}
        )


def test_why_holds():
    """What makes an instance special is so: a cycle, a bent link, misleading shares, ties."""
    cycle = matrix(INSTANCES["cyclic K=4"].problem())
    assert ((cycle[1:, 1:] > 0.5).sum(axis=1) == 1).all()
    hard = matrix(INSTANCES["hard Condorcet K=16"].problem()).sum(axis=1)
    assert hard.argmax() != INSTANCES["hard Condorcet K=16"].problem().best[0]
    assert INSTANCES["Bradley-Terry K=32"].problem().params["link"] == "logistic"
    assert INSTANCES["two at the top K=16"].problem().mean([0, 1]) == pytest.approx(0.51)
    assert INSTANCES["ties K=8"].problem().params["tie"] == 0.3


@pytest.mark.parametrize("name", INSTANCES)
def test_a_case_can_be_played(name):
    result = fb.simulate("vdb", INSTANCES[name].problem(), 2_000, repetitions=1, progress=False)
    assert result.regret[0, -1] > 0.0
