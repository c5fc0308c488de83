"""What the experiments with duels share: the algorithms that the paper names, and the problems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from factored_bandits.core.stats import Verdict
from factored_bandits.environments import identical_gap
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results

TEA = "dueling_tea"
RMED = ("rmed1", "rmed2", "rmed2fh")
# Section 5.2 of the paper, Dueling Bandits: Related Work, without RMED
NAMED = (
    "doubler",
    "multi_sbm",
    "sparring",
    "rucb",
    "dts",
    "interleaved_filter",
    "beat_the_mean",
    "savage",
)


def instances(
    arms: Sequence[int], p: float, horizon: Sequence[int], why: str
) -> tuple[Instance, ...]:
    """One problem per number of arms: one arm wins with probability p, all others are alike.

    >>> [instance.name for instance in instances([8, 16], 0.7, [10, 10], "")]
    ['K=8', 'K=16']
    """
    given = zip(arms, horizon, strict=True)
    return tuple(
        Instance(f"K={K}", partial(identical_gap, K, p), rounds, why) for K, rounds in given
    )


def ahead(results: Results, problem: str, others: Sequence[str]) -> tuple[str, list[Verdict]]:
    """In words and as verdicts, whether Dueling TEA has less regret than each of the others."""
    here = [other for other in others if other in results.policies(problem)]
    verdicts = [results.beats(problem, TEA, other) for other in here]
    told = [f"{problem}: TEA {results.mean(problem, TEA)}"]
    told += [
        f"{other} {results.mean(problem, other)} ({verdict})"
        for other, verdict in zip(here, verdicts, strict=True)
    ]
    return ", ".join(told), verdicts
