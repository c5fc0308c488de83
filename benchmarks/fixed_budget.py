"""The best candidate within a budget of duels: how often it is found, and when it is proved.

    python benchmarks/fixed_budget.py duels [--data FOLDER]    how often the best is found
    python benchmarks/fixed_budget.py stop [--data FOLDER]     verdicts until it is certified
    python benchmarks/fixed_budget.py rules                    the same, if other duels certify
    python benchmarks/fixed_budget.py winners                  Condorcet's winner or Borda's
    python benchmarks/fixed_budget.py equal                    two or eight equal arms (A/A)
    python benchmarks/fixed_budget.py factored [--data FOLDER] two whole combinations meet
    python benchmarks/fixed_budget.py table [--data FOLDER]    all figures beside the prototype's
    python benchmarks/fixed_budget.py table_c [--data FOLDER]  of these only section C
    python benchmarks/fixed_budget.py forms                    which instances can be meant
    python benchmarks/fixed_budget.py factored_forms --data FOLDER    the same, of combinations

`--only NAME` measures one instance, such as bt12; `--runs` changes how many runs each figure
rests on. In brackets the figures of a prototype (docs/explanation/fixed-budget.md). The instances
are in `budget_instances.py`; the folder holds `llmfao.csv`, `cregg_taxes.csv.gz` and
`upworthy_factorial.csv`, which are not part of this project. "@8": 8 verdicts are outstanding.
"uniform, then the fit" lets arms meet at random and recommends by the posterior of `duel_top_two`,
as the prototype did.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import budget_instances as instances
import numpy as np
from late_duels import NEVER, one_run

from factored_bandits.core.distributions.binomial import at_least
from factored_bandits.core.table import Table
from factored_bandits.policies import make

TOP = "duel_top_two"
HALVING = "duel_halving"
UNIFORM = "uniform, then the fit"
# policies of the prototype that are here, too; "@8": verdicts outstanding
ROWS = (TOP, f"{TOP} @8", HALVING, "self_sparring", "dts", "rmed1", UNIFORM)


def of_rows(references: str) -> dict[str, str]:
    """What the prototype had, by policy."""
    return dict(zip(ROWS, references.split(), strict=True))


# per instance: budgets, and what the prototype found, in %
FOUND = {
    "bt8": (
        (50, 100, 200),
        of_rows("85/96/100 84/98/100 86/96/98 84/94/98 78/94/100 66/92/98 72/80/92"),
    ),
    "bt12": (
        (50, 100, 200),
        of_rows("74/90/99 68/88/99 76/86/98 72/88/96 58/75/91 45/70/88 50/64/76")
        | {f"{TOP} @32": "60/84/98"},
    ),
    "bt32": (
        (100, 200, 400),
        of_rows("74/94/100 64/89/98 69/87/96 69/81/94 24/48/64 14/28/42 28/38/52"),
    ),
    "p=.6, 16 arms": (
        (200, 800, 1600),
        of_rows("39/84/96 32/86/97 47/75/88 43/87/99 32/74/94 27/46/76 28/63/90"),
    ),
    "close two": (
        (200, 800, 1600),
        of_rows("70/94/98 68/91/98 67/89/98 68/80/82 68/88/98 52/84/96 61/72/79"),
    ),
    "cycles": (
        (200, 400, 800),
        of_rows("62/86/97 62/86/98 62/78/89 62/86/96 70/90/100 76/99/100 42/66/86"),
    ),
    "bt12, ties .4": (
        (100, 200),
        of_rows("76/92 74/94 73/85 74/92 48/68 64/78 50/66"),
    ),
    "votes, 12 arms": (
        (100, 400, 1600),
        of_rows("50/78/98 45/84/97 54/80/97 56/80/97 36/68/90 40/66/90 37/59/86"),
    ),
    "votes, 12 arms, early": ((50, 200, 1600), {f"{TOP} @32": "28/62/96"}),
    "held out": (
        (50, 100, 200, 400, 800, 1600),
        {
            f"{TOP} @8": "48/58/78/86/90/94",
            f"{HALVING} @8": "50/68/74/83/90/92",
            "self_sparring @8": "40/60/72/78/82/84",
            "dts @8": "34/46/61/70/80/91",
            f"{UNIFORM} @8": "28/39/52/59/74/80",
        },
    ),
}
REGRET = {
    "votes, all 59": (
        (400, 800, 3200),
        {
            TOP: "64/46/14",
            f"{TOP} @8": "65/42/18",
            HALVING: "47/30/23",
            "self_sparring": "68/41/16",
            "dts": "85/62/35",
        },
    )
}

# per instance: the most verdicts, and the prototype's median and 90 % quantile until the
# certificate
STOP = {
    "bt8": (3000, "192/320"),
    "bt12": (3000, "268/408"),
    "bt32": (4000, "732/944"),
    "bt12, ties .4": (6000, "610/811"),
    "cycles": (10_000, "2030/2676"),
    "p=.6, 16 arms": (20_000, "4270/5643"),
    "close two": (30_000, "2736/5543"),
    "votes, 12 arms": (8000, "4029/-"),
}
# the same if every second duel certifies, if none does, and until the posterior names a winner
OTHER_RULES = {
    "bt8": {"mix": "197/299", "none": "413/881", "posterior": "90/180"},
    "bt12": {"mix": "294/448", "none": "746/2109", "posterior": "135/210"},
    "bt32": {"mix": "715/989", "posterior": "345/545"},
    "bt12, ties .4": {"mix": "629/897", "none": "865/1274", "posterior": "475/625"},
    "cycles": {"mix": "1986/2759", "none": "2875/4541", "posterior": "925/1320"},
    "p=.6, 16 arms": {"mix": "4364/5796", "posterior": "2015/2825"},
    "close two": {"mix": "2334/5961", "none": "4484/-", "posterior": "625/2255"},
    "votes, 12 arms": {"mix": "5104/-", "none": "4857/-", "posterior": "1940/4720"},
}


ONLY: list[str] = []  # names of instances, from the command line


def chosen_of(names):
    """Those of these names that are asked for."""
    return [name for name in names if name in ONLY or not ONLY]


def instance(name: str, data: Path | None, run: int):
    """The duels of this name; None where their file is not there."""
    if name == "held out":
        return instances.drawn_utilities(run)
    if name.startswith("votes"):
        if data is None:
            return None
        return instances.voted(data / "llmfao.csv", 59 if "59" in name else 12)
    return {
        "bt8": lambda: instances.bradley_terry(8),
        "bt12": lambda: instances.bradley_terry(12),
        "bt32": lambda: instances.bradley_terry(32),
        "p=.6, 16 arms": lambda: instances.one_best(16, 0.6),
        "close two": instances.close_two,
        "cycles": instances.cycles,
        "bt12, ties .4": lambda: instances.bradley_terry(12, tie=0.4),
    }[name]()


def choices(who, name, data, runs, budgets):
    """(runs, budgets) the arm chosen after each budget, by a policy such as "dts @8"."""
    label, _, late = who.partition(" @")
    rule = "late"
    if label == UNIFORM:
        label, rule = TOP, "uniform"
    policy = make(label)
    chosen = np.zeros((runs, len(budgets)), dtype=np.int64)
    duels = instance(name, data, 0)
    for run in range(runs):
        if name == "held out":
            duels = instance(name, data, run)
        environment = duels.environment(policy.info.ties)
        options = {"late": int(late or 0), "rule": rule}
        # who must know the end has a run of its own for each
        ends = [(n,) for n in budgets] if policy.info.needs_horizon else [budgets]
        played = [one_run(label, environment, (1, run), n[-1], n, **options)[0] for n in ends]
        chosen[run] = np.concatenate([one.choices[:, 0] for one in played])
    return chosen


def lost(duels, chosen):
    """Regret x 1000; nobody beats everybody: who beats the best by mean share has none."""
    return 1000.0 * np.maximum(duels.preferences[0] - 0.5, 0.0)[chosen]


def found(runs: int, data: Path | None) -> None:
    """Part `duels`: how often the best is recommended."""
    for name in chosen_of(FOUND | REGRET):
        budgets, references = (FOUND | REGRET)[name]
        duels = instance(name, data, 0)
        if duels is None:
            print(f"{name}: left out, its file needs --data\n")
            continue

        rows = []
        for who, reference in references.items():
            began = time.process_time()
            chosen = choices(who, name, data, runs, budgets)
            values = lost(duels, chosen) if name in REGRET else 100.0 * (chosen == 0)
            errors = values.std(axis=0, ddof=1) / math.sqrt(runs)
            cells = [f"{m:.0f} +- {e:.1f}" for m, e in zip(values.mean(0), errors, strict=True)]
            seconds = time.process_time() - began
            rows.append((who, *cells, f"[{reference}]", f"{seconds / runs:.2f} s"))
            print(f"{name}: {who} done", end="\r", flush=True)

        what = "regret x 1000" if name in REGRET else "found, %"
        title = f"{name}: {duels.said}; {what}, {runs} runs"
        columns = ("policy", *(f"at {n}" for n in budgets), "prototype", "a run")
        print(Table(title, columns, rows), "\n", flush=True)


def stop(runs: int, data: Path | None) -> None:
    """Part `stop`: verdicts until all arms but one are ruled out, and how often wrongly."""
    rows = []
    for name in chosen_of(STOP):
        most, reference = STOP[name]
        duels = instance(name, data, 0)
        if duels is None:
            print(f"{name}: left out, its file needs --data")
            continue
        environment = duels.environment()
        for late in (0, 8):
            ends = [
                one_run(TOP, environment, (2, run), most, (), late, stop=True)[0]
                for run in range(runs)
            ]
            certified = np.array([end.certified[0] or most + 1 for end in ends])
            likely = np.array([end.likely[0] or most + 1 for end in ends])
            wrong = sum(bool(end.certified[0] and end.certified[1]) for end in ends)
            unlikely = sum(bool(end.likely[0] and end.likely[1]) for end in ends)
            rows.append(
                (
                    name + " @8" * (late > 0),
                    *(_quantile(certified, share, most) for share in (0.5, 0.9)),
                    "" if late else f"[{reference}]",
                    f"{wrong}",
                    f"{(certified <= most).mean():.0%} by {most}",
                    _quantile(likely, 0.5, most),
                    f"{unlikely / runs:.0%}",
                )
            )
            print(f"{name} {late} done", end="\r", flush=True)
    columns = ("instance", "median", "90 %", "prototype", "wrong", "certified", "likely", "wrong")
    caption = f"{runs} runs at 95 %; likely: the posterior names a winner, which proves nothing"
    print(Table("Verdicts until the certificate", columns, rows, caption), flush=True)


def certified(name, data, runs, rule):
    """(runs,) verdicts until the certificate, or the posterior, names a winner; how many wrong.

    What was not certified in time has one more than the most.
    """
    duels = instance(name, data, 0)
    if duels is None:
        return None
    most = STOP[name][0]
    environment = duels.environment()
    posterior = rule == "posterior"
    how = {"stop": True, "rule": "late" if posterior else rule}
    ends = [one_run(TOP, environment, (2, run), most, **how)[0] for run in range(runs)]
    noted = [end.likely if posterior else end.certified for end in ends]
    wrong = sum(bool(when and choice) for when, choice in noted)
    return np.array([when or most + 1 for when, _ in noted]), wrong


def rules(runs: int, data: Path | None) -> None:
    """Part `rules`: every second duel certifies ("mix"), or none does."""
    rows = []
    for name in chosen_of(OTHER_RULES):
        for rule, reference in OTHER_RULES[name].items():
            measured = certified(name, data, runs, rule)
            if measured is None:
                print(f"{name}: left out, its file needs --data")
                break
            values, wrong = measured
            cells = [_quantile(values, share, STOP[name][0]) for share in (0.5, 0.9)]
            rows.append((f"{name}, {rule}", *cells, f"[{reference}]", f"{wrong}"))
        print(f"{name} done", end="\r", flush=True)
    columns = ("instance", "median", "90 %", "prototype", "wrong")
    caption = (
        f"{runs} runs at 95 %; mix: every second duel certifies; none: no duel does; posterior: "
        "until the posterior names a winner, which proves nothing"
    )
    print(Table("Verdicts until the certificate", columns, rows, caption), flush=True)


def _quantile(values, share, most) -> str:
    value = np.quantile(values, share)
    return "-" if value > most else f"{value:.0f}"


def winners(runs: int, data: Path | None) -> None:
    """Part `winners`: Condorcet winner .58, another arm the Borda winner."""
    environment = instances.two_winners().environment()
    budgets = (200, 400, 1600)
    rows = []
    for label in (TOP, HALVING, "rmed1", "dueling_leader_tea", "self_sparring", "dueling_uniform"):
        cells = []
        for at, budget in enumerate(budgets):
            known = make(label).info.needs_horizon
            if known or at == 0:
                ends = [
                    one_run(label, environment, (3, run), budget if known else 1600, budgets)[0]
                    for run in range(runs)
                ]
            chosen = np.array([end.choices[at, 0] for end in ends])
            cells.append(f"{(chosen == 0).mean():.0%} / {(chosen == 1).mean():.0%}")
        rows.append((label, *cells))
    columns = ("policy", *(f"at {n}" for n in budgets))
    print(Table(f"Condorcet / Borda winner recommended, {runs} runs", columns, rows), flush=True)


def equal(runs: int, data: Path | None) -> None:
    """Part `equal`: how often an arm that is as good as any is ruled out at 5 %."""
    rows = []
    calls = 2000
    for arms, tie, late in ((2, 0.0, 0), (2, 0.0, 8), (2, 0.4, 8), (8, 0.0, 0), (8, 0.0, 8)):
        environment = instances.Duels(np.full((arms, arms), 0.5), tie, "").environment()
        lost = 0
        named = 0
        for run in range(runs):
            end, module, params, state = one_run(TOP, environment, (4, run), calls, (), late)
            # any arm may stand for the best: one that was fixed beforehand
            mine = int(np.flatnonzero(end.permutation[:arms] == 0)[0])
            lost += module.p_values(params, state)[0][mine] <= 0.05
            named += end.likely[0] != NEVER
        rows.append(
            (
                f"{arms} arms, ties {tie:g}" + " @8" * (late > 0),
                f"{lost / runs:.1%}",
                f"{at_least(lost, runs, 0.05):.3f}",
                f"{named / runs:.0%}",
            )
        )
        print(f"{arms} {late} done", end="\r", flush=True)
    columns = ("equal arms", "a given arm ruled out", "p-value", "the posterior names a winner")
    caption = f"{runs} runs of {calls:,} verdicts; p-value: of so many at a true 5 %, exact"
    print(Table("A/A: at 5 %", columns, rows, caption), flush=True)


def factored(runs: int, data: Path | None) -> None:
    """Part `factored`: in a file of its own."""
    import factored_budget

    factored_budget.main(runs, data)


def table(runs: int, data: Path | None) -> None:
    """Part `table`: in a file of its own."""
    import budget_figures

    budget_figures.main(runs, data)


def table_c(runs: int, data: Path | None) -> None:
    """Part `table_c`: of `table` only duels of combinations."""
    import budget_figures

    budget_figures.main(runs, data, "C")


def forms(runs: int, data: Path | None) -> None:
    """Part `forms`: in a file of its own."""
    import budget_forms

    budget_forms.main(runs)


def factored_forms(runs: int, data: Path | None) -> None:
    """Part `factored_forms`: in a file of its own."""
    import factored_forms

    factored_forms.main(runs, data)


PARTS = {
    "duels": found,
    "stop": stop,
    "rules": rules,
    "winners": winners,
    "equal": equal,
    "factored": factored,
    "table": table,
    "table_c": table_c,
    "forms": forms,
    "factored_forms": factored_forms,
}
RUNS = {
    "duels": 200,
    "stop": 100,
    "rules": 100,
    "winners": 200,
    "equal": 300,
    "factored": 100,
    "table": 400,
    "table_c": 400,
    "forms": 400,
    "factored_forms": 400,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--data", type=Path, help="the folder of files of others")
    given = parser.parse_args()
    ONLY.extend(given.only)
    PARTS[given.part](given.runs or RUNS[given.part], given.data)


if __name__ == "__main__":
    main()
