"""Regret on problems made of real data: what `regret.py` prints, for a folder of files.

    python benchmarks/real_data.py FOLDER --horizons 1e5
    python benchmarks/real_data.py FOLDER --duels --horizons 2e4

The folder holds what is there of the following; the data are not part of the project.

    upworthy_factorial.csv  test, week, headline, image, impressions, clicks (Upworthy Research
                            Archive, Matias et al. 2021): full headline x image factorials. A test
                            is a table of click rates. Weeks 201326 to 201402, in which visitors
                            were not assigned at random, are left out.
    obd_item_priors.csv     campaign, item_id, clicks, no_clicks (Open Bandit Dataset): each
                            campaign is one factor, its items the levels; rates near 0.5 %.
    cregg_taxes.csv.gz      chose_plan and six tax rates and the revenue (R package cregg): seven
                            factors; their mean shares, added up, are the probability of a choice.
    llmfao.csv              left, right, winner (LLMFAO): votes on 59 language models; duels by
                            fitted Bradley-Terry strengths, and by observed shares drawn towards
                            them with 8 votes per pair. Ties at their share.

Rates are what was counted, without correction for noise: the best are a little too good.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from regret import Benchmark, chosen, options

import factored_bandits as fb

FAULTY_WEEKS = range(201326, 201403)
TAXES = ("taxrate1", "taxrate2", "taxrate3", "taxrate4", "taxrate5", "taxrate6", "taxrev")
VOTES = 8.0  # per pair, by which observed shares are drawn towards the fit


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a CSV file, which may be packed."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        yield from csv.DictReader(file)


def upworthy(path: Path) -> Iterator[fb.suites.Instance]:
    """A table of click rates per test, the tests with most visitors first."""
    tests: dict[str, dict[tuple[int, int], tuple[int, int]]] = defaultdict(dict)
    for row in rows_of(path):
        if int(row["week"]) not in FAULTY_WEEKS:
            cell = (int(row["headline"]), int(row["image"]))
            tests[row["test"]][cell] = (int(row["clicks"]), int(row["impressions"]))

    ordered = sorted(tests.items(), key=lambda item: -sum(n for _, n in item[1].values()))
    for number, (_, cells) in enumerate(ordered):
        shape = tuple(1 + max(cell[l] for cell in cells) for l in (0, 1))
        means = np.zeros(shape)
        for cell, (clicks, impressions) in cells.items():
            means[cell] = clicks / impressions

        size = "x".join(map(str, shape))
        visitors = sum(n for _, n in cells.values())
        why = f"{visitors:,} visitors, click rates {means.min():.2%} to {means.max():.2%}"
        make = partial(fb.environments.make, "table", means=means)
        yield fb.suites.Instance(f"upworthy {number + 1} {size}", make, 10**5, why)


def items(path: Path) -> Iterator[fb.suites.Instance]:
    """One factor per campaign."""
    rates: dict[str, list[float]] = defaultdict(list)
    for row in rows_of(path):
        clicks = float(row["clicks"])
        rates[row["campaign"]].append(clicks / (clicks + float(row["no_clicks"])))

    for campaign, means in rates.items():
        make = partial(fb.environments.make, "table", means=means)
        why = f"{len(means)} items, click rates {min(means):.2%} to {max(means):.2%}"
        yield fb.suites.Instance(f"items {campaign} {len(means)}", make, 10**5, why)


def taxes(path: Path) -> Iterator[fb.suites.Instance]:
    """A sum of the mean shares of seven factors, drawn together where a sum leaves [0, 1]."""
    chosen: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in TAXES}
    every = []
    for row in rows_of(path):
        every.append(float(row["chose_plan"]))
        for name in TAXES:
            chosen[name][row[name]].append(every[-1])

    overall = float(np.mean(every))
    shares = [[float(np.mean(one)) - overall for one in chosen[name].values()] for name in TAXES]
    room = (1.0 - overall) / sum(map(max, shares)), overall / -sum(map(min, shares))
    shrunk = [[min(1.0, *room) * share for share in factor] for factor in shares]
    make = partial(fb.environments.make, "additive", effects=shrunk, base=overall)
    sizes = "x".join(str(len(factor)) for factor in shares)
    yield fb.suites.Instance(f"taxes {sizes}", make, 10**5, f"{len(every):,} profiles")


def models(path: Path) -> Iterator[fb.suites.Instance]:
    """Duels of language models."""
    decided = []
    ties = 0
    for row in rows_of(path):
        if row["winner"] in ("left", "right"):
            loser = "right" if row["winner"] == "left" else "left"
            decided.append((row[row["winner"]], row[loser]))
        else:
            ties += 1

    past = fb.environments.count_duels(decided)
    share = ties / (ties + len(decided))
    strengths = bradley_terry(past.wins)
    fitted = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
    seen = past.wins + past.wins.T
    mixed = (past.wins + VOTES * fitted) / (seen + VOTES)
    np.fill_diagonal(mixed, 0.5)

    why = f"{len(decided):,} votes and {ties:,} ties"
    utilities = partial(
        fb.environments.make, "duel_utility", utilities=strengths, link="logistic", tie=share
    )
    yield fb.suites.Instance(f"models fitted {len(strengths)}", utilities, 20_000, why)

    # a winner of most duels need not beat everybody: then regret is counted by duels won
    beats_all = bool((mixed >= 0.5).all(axis=1).any())
    matrix = partial(
        fb.environments.make,
        "duel_matrix",
        preferences=mixed,
        unit="average" if beats_all else "copeland",
        tie=share,
    )
    yield fb.suites.Instance(f"models observed {len(strengths)}", matrix, 20_000, why)


def bradley_terry(wins: np.ndarray, prior: float = 0.5) -> np.ndarray:
    """Log strengths by Zermelo's iteration; `prior` wins of each pair keep them finite."""
    counted = wins + prior * (1.0 - np.eye(len(wins)))
    duels = counted + counted.T
    strengths = np.ones(len(wins))
    for _ in range(2000):
        pairs = duels / (strengths[:, None] + strengths[None, :])
        strengths = counted.sum(axis=1) / pairs.sum(axis=1)
        strengths /= math.exp(float(np.log(strengths).mean()))
    return np.log(strengths)


Reader = Callable[[Path], Iterator[fb.suites.Instance]]
FILES: dict[bool, dict[str, Reader]] = {
    False: {
        "upworthy_factorial.csv": upworthy,
        "obd_item_priors.csv": items,
        "cregg_taxes.csv.gz": taxes,
    },
    True: {"llmfao.csv": models},
}


def found_in(
    folder: Path, duels: bool, parser: argparse.ArgumentParser
) -> list[fb.suites.Instance]:
    """The problems of the files that are there."""
    there = {name: read for name, read in FILES[duels].items() if (folder / name).is_file()}
    if not there:
        parser.error(f"{folder} holds none of {', '.join(FILES[duels])}")
    return [one for name, read in there.items() for one in read(folder / name)]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--duels", action="store_true", help="the duels, not the factors")
    given = parser.parse_args()
    instances = found_in(given.folder, given.duels, parser)
    Benchmark(chosen(instances, given.problems, parser), given).run()


if __name__ == "__main__":
    main()
