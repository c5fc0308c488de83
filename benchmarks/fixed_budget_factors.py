"""The best combination within a fixed number of plays: how often it is found, and what is lost.

    python benchmarks/fixed_budget_factors.py [--runs 200] [--plays 300,1000,3000] [--problems ...]

Per problem and policy: in how many runs the recommendation after N plays was the best combination
(%), and its simple regret, what a play of it loses (x 1000), with standard errors. Rewards are 0 or
1, levels are shuffled in every run. A policy that needs the horizon plays each N in a run of its
own; the others are looked at on the way. `marginal means` is uniform play with the best mean per
level, `flat halving` is sequential halving over all combinations (Karnin et al. 2013).

The last three problems are drawn anew for every run: main effects, and for the combinations noise
of standard deviation 0, 0.3 and 0.6 in the log-odds.

"interaction" is one draw out of five of noise of 0.7, that on which `logistic_thompson` does what
it did for the prototype.

Beside each policy stands what a prototype reached with 200 runs. Its
problems were described in words only ("logistic 5x4x4"); ours have the same form, and a scale that
was chosen so that `logistic_thompson`, which is the same algorithm in both, finds about as much.
What can be compared is therefore the difference between the two policies.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

import factored_bandits as fb
from factored_bandits.core.stats import mean_of
from factored_bandits.core.table import Table

POLICIES = ("uniform", "lb_inf", "unimodal_thompson", "logistic_thompson", "logistic_halving")
FLAT = "flat halving"
SEED = 11


def sigma(odds: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-odds))


def total(*effects: np.ndarray) -> np.ndarray:
    """The sum of one effect per factor, for every combination."""
    grids = np.meshgrid(*effects, indexing="ij")
    return np.sum(grids, axis=0)


def spaced(size: int, step: float) -> np.ndarray:
    return step * np.arange(size)


def additive() -> np.ndarray:
    return 0.2 + total(spaced(5, 0.04), spaced(4, 0.04), spaced(4, 0.04))


def logistic() -> np.ndarray:
    return sigma(-3.0 + total(spaced(5, 0.45), spaced(4, 0.45), spaced(4, 0.45)))


def low_clicks() -> np.ndarray:
    return sigma(-3.9 + total(spaced(5, 0.25), spaced(4, 0.25), spaced(4, 0.25)))


def rank1() -> np.ndarray:
    factor = np.append(np.full(7, 0.5), 0.8)
    return np.multiply.outer(factor, factor)


def logistic_five() -> np.ndarray:
    return sigma(-2.0 + total(*[spaced(4, 0.3)] * 5))


def interaction() -> np.ndarray:
    rng = np.random.default_rng([9, 3])
    odds = total(spaced(5, 0.4), spaced(4, 0.4), spaced(4, 0.4)) - 2.5
    return sigma(odds + rng.normal(0.0, 0.7, (5, 4, 4)))


def noisy() -> np.ndarray:
    rng = np.random.default_rng(6)
    odds = total(spaced(5, 0.5), spaced(4, 0.5), spaced(4, 0.5)) - 2.5
    return sigma(odds + rng.normal(0.0, 0.35, (5, 4, 4)))


def held_out(noise: float) -> Callable[[int], np.ndarray]:
    def means(run: int) -> np.ndarray:
        rng = np.random.default_rng([17, run])
        odds = total(*(rng.normal(0.0, 0.5, size) for size in (5, 4, 4)))
        return sigma(odds + rng.normal(0.0, noise, (5, 4, 4)))

    return means


class Reference(NamedTuple):
    """Found (%) at 300, 1000 and 3000, and simple regret (x 1000) at 300 and 1000 if known."""

    found: tuple[int, ...]
    regret: tuple[int, ...] = ()


class Problem(NamedTuple):
    """Means, the same in every run or drawn for each, and what the prototype reached."""

    name: str
    means: Callable[..., np.ndarray]
    drawn: bool
    known: dict[str, Reference]  # by policy


def references(*told: str) -> dict[str, Reference]:
    """What the prototype reached, from lines of its table.

    >>> references("uniform 17/41/72 (71/31)")["uniform"].regret
    (71, 31)
    """
    found = {}
    for line in told:
        policy, shares, regret = re.fullmatch(r"(.+) ([\d/]+)(?: \(([\d/]+)\))?", line).groups()
        lost = regret.split("/") if regret else ()
        found[policy] = Reference(tuple(map(int, shares.split("/"))), tuple(map(int, lost)))
    return found


PROBLEMS = (
    Problem(
        "additive 5x4x4",
        additive,
        False,
        references(
            "uniform 17/41/72 (71/31)",
            "flat halving 11/24/55 (84/51)",
            "logistic_thompson 22/49/84 (66/24)",
            "lb_inf 16/55/86 (64/25)",
            "unimodal_thompson 14/35/71 (101/47)",
            "logistic_halving 24/55/84 (54/22)",
        ),
    ),
    Problem(
        "logistic 5x4x4",
        logistic,
        False,
        references(
            "uniform 61/90/99",
            "flat halving 28/70/94",
            "logistic_thompson 70/94/100",
            "lb_inf 67/94/100",
            "unimodal_thompson 54/90/99",
            "logistic_halving 68/94/100",
        ),
    ),
    Problem(
        "low clicks",
        low_clicks,
        False,
        references(
            "uniform 16/34/72",
            "flat halving 13/24/52",
            "logistic_thompson 18/43/94",
            "lb_inf 19/44/88",
            "unimodal_thompson 18/45/80",
            "logistic_halving 21/52/94",
        ),
    ),
    Problem(
        "rank-1 8x8",
        rank1,
        False,
        references(
            "uniform 40/86/100",
            "flat halving 35/66/94",
            "logistic_thompson 66/99/100",
            "lb_inf 54/90/100",
            "unimodal_thompson 44/92/100",
            "logistic_halving 60/96/100",
        ),
    ),
    Problem(
        "logistic 4^5",
        logistic_five,
        False,
        references(
            "uniform 18/48/79",
            "flat halving 4/6/32",
            "logistic_thompson 27/67/90",
            "lb_inf 24/58/89",
            "unimodal_thompson 5/26/72",
            "logistic_halving 22/64/88",
        ),
    ),
    Problem(
        "interaction 5x4x4",
        interaction,
        False,
        references(
            "uniform 20/18/17 (197/206)",
            "flat halving 41/82/98 (60/10)",
            "logistic_thompson 50/70/80 (74/42)",
            "lb_inf 53/80/90 (72/26)",
            "unimodal_thompson 59/80/88 (53/25)",
            "logistic_halving 66/82/94 (44/26)",
        ),
    ),
    Problem(
        "logit + cell noise .35",
        noisy,
        False,
        references(
            "uniform 45/76/88 (172/85)",
            "flat halving 50/93/100 (87/8)",
            "logistic_thompson 84/92/93 (33/10)",
            "lb_inf 77/96/96 (59/5)",
            "unimodal_thompson 69/80/80 (45/22)",
            "logistic_halving 84/98/100 (30/3)",
        ),
    ),
    Problem(
        "held out, noise 0",
        held_out(0.0),
        True,
        references(
            "flat halving 29/43/62 (50/20)",
            "logistic_thompson 44/64/76 (25/8)",
            "lb_inf 39/62/80 (30/10)",
            "unimodal_thompson 33/58/74 (58/13)",
            "logistic_halving 42/65/82 (26/8)",
        ),
    ),
    Problem(
        "held out, noise .3",
        held_out(0.3),
        True,
        references(
            "flat halving 24/55/71 (55/17)",
            "logistic_thompson 39/60/70 (40/13)",
            "lb_inf 36/60/69 (45/15)",
            "unimodal_thompson 34/58/71 (53/20)",
            "logistic_halving 37/57/71 (35/14)",
        ),
    ),
    Problem(
        "held out, noise .6",
        held_out(0.6),
        True,
        references(
            "flat halving 32/60/78 (53/15)",
            "logistic_thompson 34/45/56 (53/25)",
            "lb_inf 30/46/60 (73/34)",
            "unimodal_thompson 33/51/63 (73/25)",
            "logistic_halving 37/60/66 (48/18)",
        ),
    ),
)


def losses(policy: str, problem: Problem, runs: int, plays: list[int]) -> np.ndarray:
    """Simple regret (runs, N), of a policy or of halving over all combinations."""
    how = flat_halving if policy == FLAT else partial(simulated, policy)
    return how(problem, runs, plays)


def simulated(policy: str, problem: Problem, runs: int, plays: list[int]) -> np.ndarray:
    """Simple regret (runs, N)."""
    if problem.drawn:
        tables = [problem.means(run) for run in range(runs)]
        found = [_simple_regret(policy, table, 1, plays, run) for run, table in enumerate(tables)]
        return np.concatenate(found)
    return _simple_regret(policy, problem.means(), runs, plays, 0)


def _simple_regret(
    policy: str, means: np.ndarray, runs: int, plays: list[int], number: int
) -> np.ndarray:
    environment = fb.environments.make("table", means=means)
    options = {"seed": SEED + number, "progress": False, "compiled": True}
    if not fb.policies.make(policy).info.needs_horizon:
        result = fb.simulate(policy, environment, plays[-1], runs, checkpoints=plays, **options)
        return result.simple_regret
    ends = [fb.simulate(policy, environment, n, runs, checkpoints=[n], **options) for n in plays]
    return np.concatenate([end.simple_regret for end in ends], axis=1)


def flat_halving(problem: Problem, runs: int, plays: list[int]) -> np.ndarray:
    """Karnin et al., Algorithm 1, with the records of all rounds; simple regret (runs, N)."""
    lost = np.zeros((runs, len(plays)))
    for run in range(runs):
        means = (problem.means(run) if problem.drawn else problem.means()).ravel()
        for column, n in enumerate(plays):
            rng = np.random.default_rng([SEED, run, n])
            lost[run, column] = means.max() - means[_halved(means, n, rng)]
    return lost


def _halved(means: np.ndarray, n: int, rng: np.random.Generator) -> int:
    left = rng.permutation(len(means))
    wins = np.zeros(len(means))
    plays = np.zeros(len(means))
    rounds = int(np.ceil(np.log2(len(means))))
    used = 0
    for r in range(rounds):
        budget = (n - used) // (rounds - r)
        counts = np.full(len(left), budget // len(left))
        counts[: budget % len(left)] += 1
        wins[left] += rng.binomial(counts, means[left])
        plays[left] += counts
        used += budget
        shares = wins[left] / np.maximum(plays[left], 1.0)
        left = left[np.argsort(-shares, kind="stable")][: (len(left) + 1) // 2]
    return int(left[0])


def cells(regret: np.ndarray) -> tuple[str, str]:
    found = [mean_of(100.0 * (column <= 0.0)) for column in regret.T]
    lost = [mean_of(1000.0 * column) for column in regret.T]
    return (
        " / ".join(f"{mean.value:.0f} +- {mean.error:.1f}" for mean in found),
        " / ".join(f"{mean.value:.0f} +- {mean.error:.1f}" for mean in lost),
    )


def differences(halving: np.ndarray, thompson: np.ndarray, problem: Problem, runs: int) -> str:
    """How much more `logistic_halving` finds than `logistic_thompson`, here and in the prototype.

    The prototype had 200 runs; the standard error is that of the difference of both differences.
    """
    said = []
    known = problem.known
    pairs = zip(known["logistic_halving"].found, known["logistic_thompson"].found, strict=True)
    for column, (ours, theirs) in enumerate(pairs):
        gains = 100.0 * ((halving[:, column] <= 0.0) - 1.0 * (thompson[:, column] <= 0.0))
        gain = mean_of(gains)
        spread = sum(share * (100 - share) for share in (ours, theirs)) / 200.0
        error = float(np.hypot(gain.error, np.sqrt(spread)))
        apart = (gain.value - (ours - theirs)) / error if error else 0.0
        said.append(f"{gain.value:+.0f} ({ours - theirs:+d}; {apart:+.1f} s.e.)")
    return " / ".join(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--plays", default="300,1000,3000")
    parser.add_argument("--problems", default="", help="only those whose names contain this")
    parser.add_argument("--policies", default=",".join((*POLICIES, FLAT)))
    given = parser.parse_args()
    plays = [int(n) for n in given.plays.split(",")]
    policies = given.policies.split(",")

    compared = []
    for problem in PROBLEMS:
        if given.problems not in problem.name:
            continue
        rows = []
        measured = {}
        for policy in policies:
            measured[policy] = losses(policy, problem, given.runs, plays)
            reference = problem.known.get(policy, Reference(()))
            rows.append(
                (
                    policy,
                    *cells(measured[policy]),
                    "/".join(map(str, reference.found)),
                    "/".join(map(str, reference.regret)),
                )
            )
        columns = ("policy", f"found % at {given.plays}", "regret x 1000", "prototype", "regret")
        print(Table(problem.name, columns, rows, align="llrrr"), flush=True)
        print(flush=True)
        if plays == [300, 1000, 3000] and {"logistic_halving", "logistic_thompson"} <= set(
            policies
        ):
            gains = differences(
                measured["logistic_halving"], measured["logistic_thompson"], problem, given.runs
            )
            compared.append((problem.name, gains))

    if compared:
        title = "Found by logistic_halving beyond logistic_thompson, in points (prototype; apart)"
        print(Table(title, ("problem", "at 300 / 1000 / 3000"), compared, align="ll"))


if __name__ == "__main__":
    main()
