"""How many calls until `fb.arena` names the best, judged by votes that real people gave.

    python benchmarks/arena_votes.py llmfao.csv [--runs 20] [--calls 400] [--arms 12] [--best]

The file is LLMFAO's (https://github.com/dustalov/llmfao, Apache-2.0): 8,931 votes between 59
language models, with the columns left, right and winner; it is not part of this project. A pair of
models is judged by a draw: a tie with the share of ties among all votes, otherwise the left one
with the decisive share of this pair, to which 8 votes as a Bradley-Terry fit expects them are added
(few pairs have more than 10), and with the advantage of the left side that the voters showed.

The arms are every fifth model by strength, or with --best the strongest ones, among which nobody is
preferred to every other. Printed per policy: in how many runs `result.best` was the best after so
many calls, with 8 calls in flight; what its choice lacks in the mean, as the share by which the
best wins against it above one half; in how many runs the last choice had the largest mean share of
wins over the field (the Borda winner, which may be another one); and in how many runs the
certificate named a model, and a wrong one.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import math
import tempfile
import time
from pathlib import Path

import numpy as np

import factored_bandits as fb
from factored_bandits.core.table import Table

POLICIES = tuple(fb.policies.names("duel"))
PSEUDO_VOTES = 8.0
STEPS = 500  # of the fit


class Votes:
    """The votes of a file, as probabilities."""

    def __init__(self, path: Path) -> None:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [(row["left"], row["right"], row["winner"]) for row in csv.DictReader(file)]

        self.names = sorted({name for row in rows for name in row[:2]})
        index = {name: i for i, name in enumerate(self.names)}
        wins = np.zeros((len(self.names), len(self.names)))
        sides = {"left": 0, "right": 0, "tie": 0}
        for left, right, winner in rows:
            sides[winner] += 1
            if winner != "tie":
                pair = (left, right) if winner == "left" else (right, left)
                wins[index[pair[0]], index[pair[1]]] += 1.0

        self.ties = sides["tie"] / len(rows)
        self.left = math.log(sides["left"] / sides["right"])  # log-odds, at equal strength
        self.strength = bradley_terry(wins)
        expected = 1.0 / (1.0 + np.exp(self.strength[None, :] - self.strength[:, None]))
        total = wins + wins.T + PSEUDO_VOTES
        self.preferences = (wins + PSEUDO_VOTES * expected) / total

    def arms(self, count: int, best: bool) -> list[int]:
        ranked = np.argsort(-self.strength).tolist()
        if best:
            return ranked[:count]
        return ranked[:: max(1, len(ranked) // count)][:count]


def bradley_terry(wins: np.ndarray) -> np.ndarray:
    """Log strengths by Zermelo's iteration, with half a win added to every pair that met."""
    wins = wins + 0.5 * ((wins + wins.T) > 0)
    strength = np.ones(len(wins))
    games = wins + wins.T
    for _ in range(STEPS):
        strength = wins.sum(1) / (games / (strength[:, None] + strength[None, :])).sum(1)
        strength /= np.exp(np.log(strength).mean())
    return np.log(strength)


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


async def run(policy, votes, arms, seed, checkpoints, folder):
    """The choice after each number of calls, and the last result."""
    judge = Voters(votes, arms, seed)
    shuffled = np.random.default_rng([6, seed]).permutation(len(arms)).tolist()
    chosen = []
    for calls in checkpoints:
        # who must know the end has a run of its own for each
        horizon = fb.policies.make(policy).info.needs_horizon
        result = await fb.arena(
            shuffled,
            judge,
            budget=calls,
            policy=policy,
            seed=seed,
            stop_at=None,
            journal=None if horizon else folder / f"{policy}-{seed}.jsonl",
            progress=False,
        )
        chosen.append(result.best)
    return chosen, result


def measured(policy, votes, arms, runs, checkpoints, best):
    preferences = votes.preferences[np.ix_(arms, arms)]
    found = np.zeros((runs, len(checkpoints)))
    lacks = np.zeros((runs, len(checkpoints)))
    certified = 0
    wrong = 0
    last = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(runs):
            chosen, result = asyncio.run(run(policy, votes, arms, seed, checkpoints, Path(folder)))
            found[seed] = [arm == best for arm in chosen]
            last.append(chosen[-1])
            lacks[seed] = [preferences[best, arm] - 0.5 for arm in chosen]
            certified += result.confidence is not None and len(result.top) == 1
            wrong += result.confidence is not None and best not in result.top
    return found, lacks, certified, wrong, np.array(last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--arms", type=int, default=12)
    parser.add_argument("--best", action="store_true", help="the strongest models, which are close")
    parser.add_argument("--policies", default=",".join(POLICIES))
    given = parser.parse_args()

    votes = Votes(given.file)
    arms = votes.arms(given.arms, given.best)
    best, condorcet = winner(votes.preferences[np.ix_(arms, arms)])
    borda = int(votes.preferences[np.ix_(arms, arms)].mean(1).argmax())
    checkpoints = [given.calls // 8, given.calls // 4, given.calls // 2, given.calls]
    kind = (
        "preferred to every other" if condorcet else "the largest mean share; no Condorcet winner"
    )
    print(
        f"{len(arms)} of {len(votes.names)} models, ties {votes.ties:.2f}, the left side ahead by "
        f"{votes.left:.2f} log-odds; the best: {votes.names[arms[best]]} ({kind}); the largest "
        f"mean share (Borda): {votes.names[arms[borda]]}"
    )

    rows = []
    for policy in given.policies.split(","):
        began = time.process_time()
        found, lacks, certified, wrong, last = measured(
            policy, votes, arms, given.runs, checkpoints, best
        )
        seconds = (time.process_time() - began) / given.runs
        shares = [f"{share:.0%}" for share in found.mean(0)]
        missing = [f"{1000 * lack:.0f}" for lack in lacks.mean(0)]
        mean = f"{(last == borda).mean():.0%}"
        ends = (mean, f"{certified}", f"{wrong}", f"{seconds:.2f} s")
        rows.append((policy, *shares, *missing, *ends))
        print(f"{policy} done", flush=True)

    error = 0.5 / math.sqrt(given.runs)
    columns = (
        "policy",
        *(f"found at {calls}" for calls in checkpoints),
        *(f"lacks at {calls}" for calls in checkpoints),
        "Borda winner",
        "certified",
        "wrong",
        "a run",
    )
    caption = (
        f"{given.runs} runs, 8 calls in flight; standard error of a share at most {error:.0%}; "
        "lacks: in thousandths of a win"
    )
    print(Table("", columns, rows, caption))


if __name__ == "__main__":
    main()
