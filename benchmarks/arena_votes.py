"""How many calls until an arena names the best, judged by votes that real people gave.

    python benchmarks/arena_votes.py llmfao.csv                 12 models, up to 1,600 calls
    python benchmarks/arena_votes.py llmfao.csv --arms 59       all models, up to 3,200 calls
    python benchmarks/arena_votes.py llmfao.csv --arena --runs 24 --policies duel_top_two

The file is LLMFAO's (https://github.com/dustalov/llmfao, Apache-2.0): 8,931 votes between 59
language models, with the columns left, right and winner; it is not part of this project. A pair of
models is judged by a draw: a tie with the share of ties among all votes, otherwise the left one
with the decisive share of this pair, to which 8 votes as a Bradley-Terry fit expects them are added
(few pairs have more than 10), and with the advantage of the left side that the voters showed.

The arms are every fourth model by strength, or with --best the strongest ones, among which nobody
is preferred to every other. Printed per policy: in how many runs it recommended the best after so
many calls, with 8 calls in flight; what its choice lacks in the mean, as the share by which the
best wins against it above one half; in how many runs the last choice had the largest mean share of
wins over the field (the Borda winner, which may be another one); and how many calls a run made: a
policy that wants nothing but duels of an arm with itself ends it.

Runs are compiled (`calls_in_flight.py`): sides are drawn at random, so that the advantage of the
left side comes out as a mean over both. With --arena they are those of `fb.arena` itself, some
hundred times slower, with the certificate beside. `--figure FILE` draws the shares.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import math
import time
from pathlib import Path

import numpy as np
from calls_in_flight import choices

import factored_bandits as fb
from factored_bandits.core.table import Table
from factored_bandits.environments.real.votes import bradley_terry, shrunk

POLICIES = tuple(fb.policies.names("duel"))
IN_FLIGHT = 8
STRESSED = ("duel_top_two", "duel_halving", "dueling_leader_tea")  # in the figure


class Votes:
    """The votes of a file, as probabilities."""

    def __init__(self, path: Path) -> None:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [(row["left"], row["right"], row["winner"]) for row in csv.DictReader(file)]

        self.names = sorted({name for row in rows for name in row[:2]})
        index = {name: i for i, name in enumerate(self.names)}
        wins = np.zeros((len(self.names), len(self.names)))
        decided = [
            (index[a], index[b], winner == "left") for a, b, winner in rows if winner != "tie"
        ]
        for left, right, won in decided:
            wins[(left, right) if won else (right, left)] += 1.0

        self.ties = 1.0 - len(decided) / len(rows)
        # half a win is added to every pair that met
        self.strength = bradley_terry(wins, 0.5 * ((wins + wins.T) > 0))
        self.preferences = shrunk(wins, self.strength)
        left, right, won = np.array(decided).T
        self.left = advantage(self.strength[left] - self.strength[right], won)

    def arms(self, count: int, best: bool) -> list[int]:
        ranked = np.argsort(-self.strength).tolist()
        if best:
            return ranked[:count]
        return ranked[:: max(1, len(ranked) // count)][:count]

    def sides(self, arms: list[int]) -> np.ndarray:
        """How often each of these arms wins against each other one, the side drawn at random."""
        shares = self.preferences[np.ix_(arms, arms)]
        odds = np.log(shares / (1.0 - shares))
        first, second = (1.0 / (1.0 + np.exp(-odds - side)) for side in (self.left, -self.left))
        return 0.5 * (first + second)


def advantage(gaps: np.ndarray, won: np.ndarray) -> float:
    """The log-odds by which the left side is ahead, given the strengths: Newton's method."""
    ahead = 0.0
    for _ in range(20):
        expected = 1.0 / (1.0 + np.exp(-gaps - ahead))
        ahead += (won - expected).sum() / (expected * (1.0 - expected)).sum()
    return float(ahead)


class Voters:
    """A judge who draws verdicts like those of the file."""

    def __init__(self, votes: Votes, arms: list[int], seed: int) -> None:
        self.preferences = votes.preferences[np.ix_(arms, arms)]
        self.votes = votes
        self.rng = np.random.default_rng([5, seed])

    async def __call__(self, left: int, right: int) -> float:
        if self.rng.random() < self.votes.ties:
            return 0.5
        share = self.preferences[left, right]
        odds = math.log(share / (1.0 - share)) + self.votes.left
        return float(self.rng.random() < 1.0 / (1.0 + math.exp(-odds)))


def winner(preferences: np.ndarray) -> tuple[int, bool]:
    """The arm that is preferred to every other, or else the one with the largest mean share."""
    beats = ((preferences > 0.5).sum(1) == len(preferences) - 1).nonzero()[0]
    if len(beats):
        return int(beats[0]), True
    return int(preferences.mean(1).argmax()), False


def by_arena(policy, votes, arms, seed, calls):
    """What `fb.arena` names after so many calls, and how many it made."""
    shuffled = np.random.default_rng([6, seed]).permutation(len(arms)).tolist()
    judge = Voters(votes, arms, seed)
    options = {"budget": calls, "policy": policy, "seed": seed, "stop_at": None, "progress": False}
    result = asyncio.run(fb.arena(shuffled, judge, concurrency=IN_FLIGHT, **options))
    return result.best, result.calls


def compiled(policy, votes, arms):
    """The same, compiled: a function of seed, calls and checkpoints."""
    matrix = votes.sides(arms)
    tie = votes.ties
    if not fb.policies.make(policy).info.ties:
        # each tie is decided by a fair draw
        matrix = 0.5 + (1.0 - tie) * (matrix - 0.5)
        tie = 0.0
    environment = fb.environments.make("duel_matrix", preferences=matrix, unit="copeland", tie=tie)
    return lambda seed, calls, checkpoints: choices(
        policy, environment, (7, seed), calls, checkpoints, IN_FLIGHT
    )


def played(policy, votes, arms, runs, checkpoints, arena):
    """(runs, checkpoints) what is named after so many calls; (runs,) how many were made."""
    chosen = np.zeros((runs, len(checkpoints)), dtype=np.int64)
    made = np.zeros(runs)
    # who must know the end has a run of its own for each
    apart = arena or fb.policies.make(policy).info.needs_horizon
    one = compiled(policy, votes, arms)
    for seed in range(runs):
        if not apart:
            chosen[seed], made[seed] = one(seed, checkpoints[-1], checkpoints)
            continue
        for at, calls in enumerate(checkpoints):
            if arena:
                chosen[seed, at], made[seed] = by_arena(policy, votes, arms, seed, calls)
            else:
                found, made[seed] = one(seed, calls, (calls,))
                chosen[seed, at] = found[0]
    return chosen, made


def drawn(figure: Path, found, lacks, checkpoints, title: str) -> None:
    """Both against the calls, as a chart of the report."""
    import pandas as pd

    from factored_bandits.report.charts import quality

    frames = []
    for policy, correct in found.items():
        rows = {
            "repetition": np.repeat(np.arange(len(correct)), len(checkpoints)),
            "round": np.tile(checkpoints, len(correct)),
            "correct": correct.ravel(),
            "simple_regret": lacks[policy].ravel(),
        }
        frames.append(pd.DataFrame({"policy": policy, "problem": title, "regret": 0.0, **rows}))
    kept = [
        name for name in ("duel_top_two", "duel_halving", "dueling_leader_tea") if name in found
    ]
    chart = quality(pd.concat(frames), title=title, stressed=kept)
    chart.figure(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--calls", type=int, help="1,600, or 3,200 with more than 12 arms")
    parser.add_argument("--arms", type=int, default=12)
    parser.add_argument("--best", action="store_true", help="the strongest models, which are close")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--arena", action="store_true", help="runs of fb.arena, not compiled ones")
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()

    votes = Votes(given.file)
    arms = votes.arms(given.arms, given.best)
    preferences = votes.preferences[np.ix_(arms, arms)]
    best, condorcet = winner(preferences)
    borda = int(preferences.mean(1).argmax())
    last = given.calls or (1600 if given.arms <= 12 else 3200)
    checkpoints = [last // 2**k for k in range(5, -1, -1)]
    kind = (
        "preferred to every other" if condorcet else "the largest mean share; no Condorcet winner"
    )
    title = f"{len(arms)} of {len(votes.names)} models"
    print(
        f"{title}, ties {votes.ties:.2f}, the left side ahead by {votes.left:.2f} log-odds; the "
        f"best: {votes.names[arms[best]]} ({kind}); the largest mean share (Borda): "
        f"{votes.names[arms[borda]]}"
    )

    rows = []
    found = {}
    lacks = {}
    for policy in given.policies.split(","):
        began = time.process_time()
        chosen, made = played(policy, votes, arms, given.runs, checkpoints, given.arena)
        seconds = time.process_time() - began
        found[policy] = (chosen == best).astype(float)
        # nobody need beat everybody: who beats the best lacks nothing
        lacks[policy] = np.maximum(preferences[best] - 0.5, 0.0)[chosen]
        rows.append(
            (
                policy,
                *(f"{share:.0%}" for share in found[policy].mean(0)),
                *(f"{1000 * lack:.0f}" for lack in lacks[policy].mean(0)),
                f"{(chosen[:, -1] == borda).mean():.0%}",
                f"{made.mean():,.0f}",
                f"{seconds:.0f} s",
            )
        )
        print(f"{policy} done", flush=True)

    rows.sort(key=lambda row: -found[row[0]].mean(0)[-1])
    columns = (
        "policy",
        *(f"at {calls}" for calls in checkpoints),
        *(f"lacks at {calls}" for calls in checkpoints),
        "Borda winner",
        "calls",
        "CPU",
    )
    error = 0.5 / math.sqrt(given.runs)
    caption = (
        f"{given.runs} runs, {IN_FLIGHT} calls in flight; standard error of a share at most "
        f"{error:.1%}; lacks: in thousandths of a win"
    )
    print(Table("", columns, rows, caption))
    if given.figure:
        drawn(given.figure, found, lacks, checkpoints, f"{title}, replayed votes")


if __name__ == "__main__":
    main()
