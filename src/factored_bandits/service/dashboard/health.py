"""Is the data healthy? In words, each with what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from factored_bandits.service.pages.formats import count, duration, number, share
from factored_bandits.service.tallies import Tally

ENOUGH = 50  # decisions or rewards before a share says anything
GRADES = ("good", "calm", "warn", "bad")  # the worst last


# by what is answered: a name, the share from which it is a problem, how bad, and a sentence
UNLOGGED = {
    "duplicate": (
        "Duplicate rewards", 0.25, "warn",
        "the same reward arrives more than once. It changes nothing; somebody repeats requests "
        "that had an answer.",
    ),
    "conflict": (
        "Conflicting rewards", 0.01, "bad",
        "a decision was told two different rewards. The first one stands; find out which of your "
        "programs is right.",
    ),
    "unknown": (
        "Unknown rewards", 0.01, "bad",
        "they name decisions that were never given out. Does the program that sends them keep the "
        "token of its decision?",
    ),
}  # fmt: skip
NAMES = {
    "duplicate": "a duplicate",
    "conflict": "in conflict with another",
    "unknown": "for an unknown decision",
}


class Finding(NamedTuple):
    """One thing about the data: how it is, its name, a number, and a sentence."""

    grade: str
    name: str
    value: str
    sentence: str


def findings(
    tally: Tally, unlogged: Mapping[str, int], ttl: float | None, default: float | None = None
) -> list[Finding]:
    """Everything about the rewards of an experiment.

    Parameters
    ----------
    tally
        What was counted.
    unlogged
        Rewards that are no events, by what was answered.
    ttl
        Seconds that a decision waits; None for ever.
    default
        What no reward counts for.
    """
    return [_rewards(tally, ttl, default), *_window(tally, ttl), *_unlogged(tally, unlogged)]


def worst(found: list[Finding]) -> Finding:
    """The one to look at first."""
    return max(found, key=lambda each: GRADES.index(each.grade))


def _rewards(tally: Tally, ttl: float | None, default: float | None) -> Finding:
    settled = tally.tells + tally.expires
    if tally.asks >= ENOUGH and tally.tells == 0:
        sentence = (
            f"{count(tally.asks)} decisions and not one reward. Send them to POST /v1/rewards with "
            "the token of the decision."
        )
        return Finding("bad", "Rewards", "none", sentence)
    if not settled:
        return Finding("calm", "Rewards", "none yet", "No decision is settled yet.")
    expired = tally.expires / settled
    if ttl is None:
        return Finding(
            "good", "Rewards", share(tally.tells / tally.asks),
            f"{count(tally.tells)} of {count(tally.asks)} decisions have their reward; they wait "
            "for it without a limit.",
        )  # fmt: skip
    return Finding(
        "good", "Expired", share(expired),
        f"{share(expired)} of the settled decisions had no reward within {duration(ttl)} and count "
        f"as {number(default)}. That is right if silence means {number(default)}.",
    )  # fmt: skip


def _window(tally: Tally, ttl: float | None) -> list[Finding]:
    """Whether rewards come in time."""
    arrived = tally.tells + tally.lates
    if ttl is None or not arrived:
        return []
    late = tally.lates / arrived
    slow = tally.slow / tally.tells if tally.tells else 0.0
    enough = arrived >= ENOUGH
    says = "Your window is too short: " if enough and late > 0.02 else ""
    found = [
        Finding(
            "bad" if says else "good", "Late rewards", share(late),
            f"{says}{share(late)} of the rewards came after {duration(ttl)}, when their decision "
            "had expired. They are stored, and never learned.",
        )
    ]  # fmt: skip
    says = "Your window is too short: " if enough and slow > 0.05 else ""
    found.append(
        Finding(
            "warn" if says else "good", "In the last tenth", share(slow),
            f"{says}{share(slow)} of the rewards arrive in the last tenth of {duration(ttl)}"
            f"{'; more will come after it. Give a longer ttl next time.' if says else '.'}",
        )
    )  # fmt: skip
    return found


def _unlogged(tally: Tally, unlogged: Mapping[str, int]) -> list[Finding]:
    """Rewards that changed nothing, and why."""
    every = tally.tells + tally.lates + sum(unlogged.values())
    found = []
    for outcome, (name, most, grade, sentence) in UNLOGGED.items():
        amount = unlogged.get(outcome, 0)
        part = amount / every if every else 0.0
        if amount:
            is_bad = every >= ENOUGH and part > most
            told = f"{count(amount)}, {share(part)} of all that arrived: {sentence}"
            found.append(Finding(grade if is_bad else "good", name, share(part), told))
    missing = [words for outcome, words in NAMES.items() if outcome not in unlogged]
    if missing and every:
        *most_of, last = missing
        shown = f"{', '.join(most_of)} or {last}" if most_of else last
        sentence = f"No reward was {shown}."
        found.append(
            Finding("good", "Other rewards", "none" if len(missing) == 3 else "few", sentence)
        )
    return [*found, *_refused(tally, unlogged)]


def _refused(tally: Tally, unlogged: Mapping[str, int]) -> list[Finding]:
    amount = unlogged.get("refused", 0)
    if not amount:
        return []
    sentence = f"{count(amount)} rewards were no numbers of the declared range, and were refused."
    return [Finding("bad", "Refused rewards", count(amount), sentence)]
