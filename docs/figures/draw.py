"""The figures of the pages, drawn when someone asks for it: `python docs/figures/draw.py [FOLDER]`.

The folder holds the files of `fb.suites.real`; without it, their figure stays as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import matplotlib.figure
import numpy as np

import factored_bandits as fb
from factored_bandits.report.matplotlib.figures import SETTINGS, save
from factored_bandits.report.palette import COLOURS, INK, PALE

HERE = Path(__file__).parent
TINTS = list(COLOURS.values())


def figure(
    columns: int, height: float = 2.9, shared: bool = True
) -> tuple[matplotlib.figure.Figure, np.ndarray]:
    drawn = matplotlib.figure.Figure(figsize=(9.0, height), facecolor="white", layout="constrained")
    axes = drawn.subplots(1, columns, sharey=shared, squeeze=False)[0]
    for one in axes:
        one.grid(True, color=PALE, linewidth=0.6)
        one.tick_params(colors=INK, length=3)
        one.spines[["top", "right"]].set_visible(False)
    return drawn, axes


def context() -> None:
    """Means of three headlines beside three images: a sum, a product, and lines that cross."""
    tables = {
        "a sum: always the same lead": np.array([0.50, 0.35, 0.25])[:, None]
        + np.array([0.0, 0.15, 0.3]),
        "a product: the lead grows and shrinks": np.outer([0.9, 0.6, 0.4], [0.3, 0.6, 0.95]),
        "no best headline": np.array([[0.75, 0.5, 0.3], [0.3, 0.45, 0.7], [0.2, 0.3, 0.35]]),
    }
    drawn, axes = figure(3)
    for one, (title, means) in zip(axes, tables.items(), strict=True):
        problem = fb.environments.make("table", means=means)
        holds = fb.theory.identifiability(problem).holds
        for headline, (row, marker) in enumerate(zip(means, "os^", strict=True)):
            one.plot(
                range(3),
                row,
                marker=marker,
                color=TINTS[headline],
                linewidth=2,
                label=f"headline {headline}",
            )
        one.set_title(title, fontsize=10, color=INK, loc="left")
        one.set_xticks(range(3), ["image 0", "image 1", "image 2"])
        verdict = "uniformly identifiable" if holds else "not uniformly identifiable"
        one.set_xlabel(verdict, color=INK, fontweight="bold")
    axes[0].set_ylabel("mean reward", color=INK)
    axes[0].legend(frameon=False, fontsize=9)
    save(drawn, HERE / "context.svg")


def moving_context() -> None:
    """A drifting problem: running means of two levels, and their differences within phases."""
    rng = np.random.default_rng(4)
    rounds = 3000
    t = np.arange(rounds)
    light = 0.35 + 0.3 * np.sin(2 * np.pi * t / rounds)  # the same for both levels
    # when the better level was played: mostly in the second half
    late = rng.random(rounds) < np.where(t < rounds // 2, 0.2, 0.8)
    better, worse = light + 0.1, light
    drawn, (left, right) = figure(2, 3.0)
    right.sharey(left)
    for played, mean, name, colour in (
        (late, better, "better", TINTS[0]),
        (~late, worse, "worse", TINTS[1]),
    ):
        rewards = np.where(rng.random(rounds) < mean, 1.0, 0.0)
        running = np.cumsum(rewards * played) / np.maximum(np.cumsum(played), 1)
        left.plot(t, running, color=colour, linewidth=2, label=f"{name} level")
    left.plot(t, light, color="#999999", linestyle=":", label="what all levels share")
    left.set_title("means over the whole history mislead", fontsize=10, color=INK, loc="left")
    left.legend(frameon=False, fontsize=9)
    pairs = np.arange(1, rounds // 2 + 1)  # a phase: one play of each level
    leads = (rng.random(len(pairs)) < better[0::2]).astype(float) - (
        rng.random(len(pairs)) < worse[1::2]
    )
    right.plot(
        2 * pairs,
        np.cumsum(leads) / pairs,
        color=TINTS[2],
        linewidth=2,
        label="mean lead of the better level",
    )
    right.legend(frameon=False, fontsize=9)
    right.axhline(0.1, color="#999999", linestyle=":")
    right.set_title("differences within a phase do not", fontsize=10, color=INK, loc="left")
    for one in (left, right):
        one.set_xlabel("round", color=INK)
        one.set_ylim(-0.2, 0.8)
    save(drawn, HERE / "moving-context.svg")


def regret() -> None:
    """Regret on 480 pages, the comparison of the README."""
    page = fb.environments.make(
        "logistic",
        effects=[[0.0] * 11 + [1.6], [0.0] * 7 + [1.5], [0.0] * 4 + [1.2]],
        base=-2.5,
    )
    policies = "lb_inf, leader_tea, tea(bound=betting), tea, flat_ucb1, uniform"
    comparison = fb.compare(policies, page, 100_000, 4, seed=1, progress=False)
    save(
        fb.plot.regret(comparison, title="480 pages: what each algorithm loses"),
        HERE / "regret.svg",
    )


def eliminations() -> None:
    """When which level was active: TEA on two factors of four levels."""
    problem = fb.environments.spiked(levels=4, best=0.81, gap=0.5)
    result = fb.simulate("tea", problem, 1e6, 1, seed=2, progress=False, permute=False)
    title = "Eliminated, back for a moment, eliminated for longer"
    save(fb.plot.eliminations(result, title=title), HERE / "eliminations.svg")


def bounds() -> None:
    """Regret between what is proved: the example of the page on theory."""
    sums = fb.environments.make(
        "additive", effects=[[0.0, -0.5], [0.0, -0.25, -0.25]], noise="gaussian"
    )
    result = fb.simulate("tea", sums, 1_000_000, 10, seed=1, progress=False)
    save(fb.plot.bounds(result, sums), HERE / "bounds.svg")


def without_a_best_level() -> None:
    """The four tables of the page on when it fails: a line per level of the first factor."""
    tables = {
        "crossed: nothing is ever decided": [[0.8, 0.2], [0.2, 0.8]],
        "lopsided: found": [[0.9, 0.2], [0.1, 0.4]],
        "hidden: 0.7 instead of 0.9": [[0.9, 0.1, 0.1], [0.1, 0.7, 0.6], [0.1, 0.6, 0.5]],
        "3 x 3: found": [[0.8, 0.3, 0.2], [0.2, 0.7, 0.3], [0.3, 0.2, 0.6]],
    }
    drawn, axes = figure(4, 2.6)
    for one, (title, means) in zip(axes, tables.items(), strict=True):
        for level, row in enumerate(means):
            one.plot(range(len(row)), row, marker="os^"[level], color=TINTS[level], linewidth=2)
        one.set_title(title, fontsize=9, color=INK, loc="left")
        one.set_xticks(range(len(means[0])))
        one.set_xlabel("level of the other factor", color=INK)
    axes[0].set_ylabel("mean reward", color=INK)
    save(drawn, HERE / "without-a-best-level.svg")


def where_it_holds(folder: Path) -> None:
    """A test of headlines and images, and accuracies of networks by learning rate and width."""
    from factored_bandits.environments.real.source import table_of

    rows = table_of(folder / "upworthy_factorial.csv", ["test"])
    visitors: dict[str, int] = {}
    for row in rows:
        visitors[row["test"]] = visitors.get(row["test"], 0) + int(row["impressions"])
    largest = max(visitors, key=lambda test: visitors[test])
    cells = [row for row in rows if row["test"] == largest]

    drawn, (left, right) = figure(2, 3.2, shared=False)
    for headline in sorted({row["headline"] for row in cells}):
        own = sorted(
            (row for row in cells if row["headline"] == headline), key=lambda r: r["image"]
        )
        shown = np.array([int(row["impressions"]) for row in own])
        rates = np.array([int(row["clicks"]) for row in own]) / shown
        error = 1.96 * np.sqrt(rates * (1.0 - rates) / shown)
        left.errorbar(
            range(len(own)),
            100.0 * rates,
            yerr=100.0 * error,
            marker="o",
            capsize=3,
            linewidth=2,
            color=TINTS[int(headline)],
            label=f"headline {headline}",
        )
    left.set_xticks(range(2), ["image 0", "image 1"])
    left.set_ylabel("click rate, %", color=INK)
    left.set_title("side by side: lines that hardly cross", fontsize=10, color=INK, loc="left")
    left.set_ylim(0.0, 1.4)
    left.legend(frameon=False, fontsize=9, ncols=3, loc="upper center")

    (instance,) = fb.data.hyperparameters("hpobench/phoneme")
    problem = instance.problem()
    means = problem.params["means"]  # alpha, batch size, depth, learning rate, width
    alpha, _, depth, _, width = problem.best
    for number, batch in enumerate((0, 3, 6, 9)):
        right.plot(
            range(10),
            100.0 * means[alpha, batch, depth, :, width],
            marker="os^D"[number],
            linewidth=2,
            color=TINTS[number],
            label=f"batches of {(4, 16, 64, 256)[number]}",
        )
    right.set_xticks(range(0, 10, 3), ["1e-5", "4.6e-4", "0.02", "1"])
    right.set_xlabel("learning rate", color=INK)
    right.set_ylabel("accuracy, %", color=INK)
    right.set_title("on each other: the best moves", fontsize=10, color=INK, loc="left")
    right.legend(frameon=False, fontsize=9)
    save(drawn, HERE / "where-it-holds.svg")


if __name__ == "__main__":
    with matplotlib.rc_context(SETTINGS):
        context()
        moving_context()
        regret()
        eliminations()
        bounds()
        without_a_best_level()
        if len(sys.argv) > 1:
            where_it_holds(Path(sys.argv[1]))
