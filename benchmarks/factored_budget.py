"""Two whole combinations meet: the part `factored` of `fixed_budget.py`.

Simple regret is the probability that is lost against the best combination, x 1000. The figures in
brackets are those of a prototype, whose problems `strong` and `weak` are not defined: ours were
found by what uniform duels and halving did there (`factored_forms.py`, docs/decisions.md); the
taxes are the same data and the same fit.
"""

from __future__ import annotations

import itertools
import math
import time
import types
from pathlib import Path

import numpy as np
from late_duels import NEVER, one_run

import factored_bandits as fb
from factored_bandits.core.distributions.binomial import at_least
from factored_bandits.core.kernel import kernel
from factored_bandits.core.table import Table
from factored_bandits.policies.dueling.fixed_budget import duel_top_two
from factored_bandits.policies.dueling.fixed_budget._choice import (
    certifying,
    leaders_and_rivals,
    top_two,
)
from factored_bandits.policies.dueling.fixed_budget._state import ASKED

TAXES = (*(f"taxrate{i}" for i in range(1, 7)), "taxrev")
BUDGETS = (100, 300, 1000, 3000, 10_000)
MOST = BUDGETS[-1]
TOP = "duel_top_two"
UNIFORM = "uniform, then the fit"  # random combinations, the posterior of `duel_top_two`
# label, verdicts outstanding, and what the prototype found: strong, weak, taxes, held out
ROWS = (
    (UNIFORM, 0, ("135/40/5/0", "144/56/19/2", "139/77/49/28/9", "105/42/15/4")),
    (TOP, 0, ("96/22/0/0", "105/38/6/.4", "122/79/38/14/3", "78/26/6/2")),
    (TOP, 8, ("", "", "", "99/28/6/1")),
)


def growing(step):
    """4^5: equal steps between levels, from factor to factor 0.6, 0.8, 1, 1.2, 1.4 times `step`."""
    effects = -step * np.outer(np.linspace(0.6, 1.4, 5), np.arange(4))
    return fb.environments.make("duel_combinations", effects=effects.tolist())


def strong():
    """Steps of 0.4 in the mean (found, see above)."""
    return growing(0.4)


def weak():
    """Half of that."""
    return growing(0.2)


MADE = {"strong": strong, "weak": weak}


def held_out(draw):
    """4^5: normal effects of standard deviation 0.5, another draw in every run (chosen)."""
    effects = np.random.default_rng([78, draw]).normal(0.0, 0.5, (5, 4))
    return fb.environments.make("duel_combinations", effects=effects.tolist())


def taxes(data: Path):
    past = fb.environments.load_conjoint(data / "cregg_taxes.csv.gz", "chose_plan", TAXES)
    return past.environment()


def measured(label, late, of_run, runs, budgets=BUDGETS):
    """(runs, budgets) simple regret."""
    rule = "late"
    if label == UNIFORM:
        label, rule = TOP, "uniform"
    lost = np.zeros((runs, len(budgets)))
    for run in range(runs):
        environment = of_run(run)
        end, *_ = one_run(label, environment, (11, run), budgets[-1], budgets, late, rule=rule)
        best = environment.regret(environment.best)
        for at, choice in enumerate(end.choices):
            lost[run, at] = environment.regret(choice) - best
    return lost


def problems(data: Path | None):
    """By name, a function from the number of a run to its problem."""
    found = {name: lambda run, make=make: make() for name, make in MADE.items()}
    if data is None:
        print("taxes: left out, its file needs --data")
    else:
        fitted = taxes(data)
        found["taxes"] = lambda run: fitted
    return found | {"held out": held_out}


def main(runs: int, data: Path | None) -> None:
    instances = problems(data)
    names = ("strong", "weak", "taxes", "held out")

    for name, of_run in instances.items():
        rows = []
        for label, late, references in ROWS:
            began = time.process_time()
            lost = measured(label, late, of_run, runs)
            errors = 1000.0 * lost.std(axis=0, ddof=1) / math.sqrt(runs)
            cells = [
                f"{1000 * m:.1f} +- {e:.1f}" for m, e in zip(lost.mean(0), errors, strict=True)
            ]
            found = "/".join(f"{100 * share:.0f}" for share in (lost == 0.0).mean(axis=0))
            reference = references[names.index(name)]
            seconds = f"{(time.process_time() - began) / runs:.2f} s"
            rows.append((label + " @8" * (late > 0), *cells, found, f"[{reference}]", seconds))
            print(f"{name}: {label} {late} done", end="\r", flush=True)
        columns = ("policy", *map(str, BUDGETS), "found, %", "prototype", "a run")
        print(Table(f"{name}: simple regret x 1000, {runs} runs", columns, rows), "\n", flush=True)

    cumulative(instances, runs)
    certificates(instances, runs)
    ruled_out(instances, runs)
    attack(max(runs, 200))


def cumulative(instances, runs):
    """Regret of all duels, also those that certify."""
    rows = []
    for label in (TOP, "dueling_uniform"):
        cells = []
        for name, of_run in instances.items():
            if name != "held out":
                cells.append(f"{regret_of_all(label, of_run(0), min(runs, 50)).mean():.0f}")
        rows.append((label, *cells))
    columns = ("policy", *(name for name in instances if name != "held out"))
    caption = "prototype: duel_top_two 480/414/595, uniform 4289/3054/2907"
    print(Table("Cumulative regret of 10,000 duels", columns, rows, caption), "\n", flush=True)


def regret_of_all(label, environment, runs):
    """(runs,) regret of so many duels."""
    options = {"repetitions": runs, "seed": 12, "progress": False}
    return fb.simulate(label, environment, MOST, **options).regret[:, -1]


def certificates(instances, runs):
    """All factors certified: with an error of 5 % for each, and of 5 % for all."""
    rows = []
    for name in ("strong", "weak"):
        environment = instances[name](0)
        for delta, said in ((0.25, "5 % per factor"), (0.05, "5 % in all")):
            found, wrong = certified(environment, delta, runs)
            median = np.median(found)
            shown = f"{median:.0f}" if median <= MOST else "-"
            rows.append((f"{name}, {said}", shown, f"{(found <= MOST).mean():.0%}", f"{wrong}"))
    columns = ("instance", "median", f"by {MOST:,}", "wrong somewhere")
    caption = f"{runs} runs; prototype at 5 % per factor: strong 1336, weak 4698 (94 %)"
    print(Table("Verdicts until every factor is certified", columns, rows, caption), "\n")


def certified(environment, delta, runs, variance=1.0, rule="late"):
    """(runs,) verdicts until every factor is certified, one more than the most if never; wrong."""
    policy = f"{TOP}(delta={delta}, variance={variance})"
    how = {"stop": True, "rule": rule}
    ends = [one_run(policy, environment, (13, run), MOST, **how)[0] for run in range(runs)]
    found = np.array([end.certified[0] for end in ends])
    wrong = sum(bool(end.certified[1]) for end in ends)
    return np.where(found == NEVER, MOST + 1, found), wrong


def ruled_out(instances, runs):
    """Of the taxes: how many of the 25 wrong levels are out, and whether a best level ever is."""
    if "taxes" not in instances:
        return
    rows = []
    for calls in (3000, 10_000):
        out, lost = levels_out(instances["taxes"](0), calls, min(runs, 40))
        rows.append((f"{calls:,}", f"{np.mean(out):.1f}", f"{lost}"))
    caption = f"{min(runs, 40)} runs, 5 % in all; prototype 8 and 13.5, none lost"
    columns = ("verdicts", "levels ruled out", "best levels lost")
    print(Table("Taxes: 25 levels are not the best of their factor", columns, rows, caption), "\n")


def levels_out(environment, calls, runs):
    """(runs,) levels ruled out after so many verdicts; best levels among them, in all runs."""
    best = environment.best[: len(TAXES)]
    offsets = np.concatenate([[0], np.cumsum(environment.sizes[: len(TAXES)])])
    out = []
    lost = 0
    for run in range(runs):
        end, *_, state = one_run(TOP, environment, (14, run), calls)
        flags = np.empty(len(state.active), dtype=bool)
        for a, b in itertools.pairwise(offsets):
            flags[a + end.permutation[a:b]] = state.active[a:b]
        lost += sum(not flags[a + k] for a, k in zip(offsets[:-1], best, strict=True))
        out.append((~flags).sum())
    return out, lost


# ---- without the exchange of levels: only here, to show what it is for


@kernel
def seat_whole(state, rng, action):
    """Both sides as they are, in random order."""
    factors = len(state.first)
    turned = rng.random() < 0.5
    for l in range(factors):
        action[l] = state.second[l] if turned else state.first[l]
        action[factors + l] = state.first[l] if turned else state.second[l]


@kernel
def plan_unswapped(params, state, t, rng, actions):
    """`plan` of `duel_top_two`, but for the seats."""
    state.clock[ASKED] += 1
    chosen = certifying(state)
    if chosen:
        chosen = leaders_and_rivals(state, rng)
    if not chosen:
        top_two(state, rng)
    seat_whole(state, rng, actions[0])
    return 1


def unswapped() -> types.ModuleType:
    """`duel_top_two` without the exchange of levels: its p-values per factor are not valid."""
    module = types.ModuleType("unswapped")
    vars(module).update({k: v for k, v in vars(duel_top_two).items() if not k.startswith("__")})
    module.plan = plan_unswapped
    return module


def levels_lost(policy, runs, calls, seed, effect=1.0, late=0):
    """Of a factor whose two levels are equal: how often the first was ruled out at 5 %."""
    environment = fb.environments.make("duel_combinations", effects=[[effect, 0.0], [0.0, 0.0]])
    lost = 0
    for run in range(runs):
        end, module, params, state = one_run(policy, environment, (seed, run), calls, (), late)
        mine = int(np.flatnonzero(end.permutation[2:4] == 0)[0])
        lost += bool(module.p_values(params, state)[1][mine] <= 0.05)
    return lost


def attack(runs, calls=2000):
    """Two factors, one without effect: its levels are equal, and are told apart without swaps."""
    rows = []
    for said, policy, late in (
        ("levels exchanged", TOP, 0),
        ("levels exchanged @8", TOP, 8),
        ("not exchanged", unswapped(), 0),
    ):
        lost = levels_lost(policy, runs, calls, 15, late=late)
        rows.append((said, f"{lost / runs:.1%}", f"{at_least(lost, runs, 0.05):.2g}"))
    columns = ("duel_top_two", "a given equal level ruled out", "p-value")
    caption = (
        f"{runs} runs of {calls:,} verdicts at 5 %; prototype: 2.4-2.6 % with, 20-25 % without; "
        "p-value: of so many at a true 5 %, exact"
    )
    print(Table("A factor without effect", columns, rows, caption), flush=True)
