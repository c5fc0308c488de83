"""What the experiments with duels share: the algorithms that the paper names, and the problems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from factored_bandits.environments import identical_gap
from factored_bandits.environments.suites import Instance
from factored_bandits.lab.results import Results, all_of
from factored_bandits.report.charts import Peer, ratio_of
from factored_bandits.report.claims import Claim, reason_of

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


def arms_span(results: Results) -> str:
    """How many arms there were, for titles: "16 to 256 arms"."""
    return (
        f"{results.problems[0].partition('=')[2]} to {results.problems[-1].partition('=')[2]} arms"
    )


def ahead(results: Results, problem: str, others: Sequence[str], says: str, figure: str) -> Claim:
    """The claim that Dueling TEA has less regret than each of the others.

    One that is worse refutes it; it cannot hold as long as one of them did not play.
    """
    return _compared(results, problem, others, says, figure, 1)


def behind(results: Results, problem: str, others: Sequence[str], says: str, figure: str) -> Claim:
    """The claim that each of the others has less regret than Dueling TEA, in the same way."""
    return _compared(results, problem, others, says, figure, -1)


def _compared(
    results: Results, problem: str, others: Sequence[str], says: str, figure: str, sign: int
) -> Claim:
    here = [other for other in others if other in results.policies(problem)]
    absent = [other for other in others if other not in here]
    own = f"{TEA} {results.mean(problem, TEA)}"
    pairs = [(TEA, other) if sign > 0 else (other, TEA) for other in here]
    verdicts = [results.beats(problem, better, worse, len(here)) for better, worse in pairs]
    told = [
        f"{other} {results.mean(problem, other)} ({verdict})"
        for other, verdict in zip(here, verdicts, strict=True)
    ]
    verdict = all_of(verdicts)
    reason = reason_of(list(zip(told, verdicts, strict=True)), verdict)

    if absent:
        told.append(f"left out: {', '.join(absent)}")
        if verdict == "holds":
            verdict = "undecided"
            reason = f"{reason}; {told[-1]}"

    return Claim(
        experiment=results.spec.name,
        says=says,
        measured=f"{problem}: {'; '.join([own, *told])}",
        verdict=verdict,
        figure=figure,
        unit=results.unit(problem),
        reason=f"{problem}: {own}; {reason}",
    )


def beside(
    results: Results, problem: str, others: Sequence[str], better: Sequence[str] = ()
) -> list[Peer]:
    """Other algorithms beside Dueling TEA; those in `better` should have less regret."""
    found = []
    here = [other for other in others if other in results.policies(problem)]
    for other in here:
        # as many comparisons as decide the claim that it belongs to
        together = sum((each in better) == (other in better) for each in here)
        claimed = -1 if other in better else 1
        pair = (TEA, other) if claimed > 0 else (other, TEA)
        peer = Peer(
            key=other,
            label=other,
            ratio=ratio_of(results.final(problem, other), results.final(problem, TEA)),
            claimed=claimed,
            verdict=results.beats(problem, *pair, together),
        )
        found.append(peer)

    return found
