"""What a vote has come to: the leader with its certificate, pairs, scores, sides and voters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from factored_bandits.errors import MissingExtraError
from factored_bandits.inference.certificate import ARM, Certificate, Claim
from factored_bandits.inference.percent import percent
from factored_bandits.judges.entries import Entry
from factored_bandits.judges.result import ArenaResult
from factored_bandits.judges.tallies import PositionBias, Tally, position_bias

from . import links
from .ballots import Ballot
from .collusion import Peak, colluders, gains_by_voter, peaks
from .scores import Score, bradley_terry
from .study import Rules
from .voters import VoterReport
from .walk import Learned, Told


class Candidate(NamedTuple):
    """A candidate.

    Attributes
    ----------
    name
        Its name.
    verdict
        "best", "not best" or "open"; "-" if the policy proves nothing.
    p_value
        Anytime-valid, of its being the best.
    tally
        Its wins, ties and losses.
    colluders
        How many voters it would take to bring its elimination about; None if it is not eliminated.
    largest
        The voter whose votes speak most against it, and the share of the evidence that they are.
    """

    name: str
    verdict: str
    p_value: float | None
    tally: Tally
    colluders: int | None
    largest: tuple[str, float] | None

    @property
    def sure(self) -> str:
        """How sure it is that this is not the best."""
        return "-" if self.p_value is None else percent(self.p_value)


@dataclass(frozen=True)
class Outcome:
    """The result of some of the votes.

    Attributes
    ----------
    arena
        The verdicts, as `fb.arena` gives them.
    candidates
        One row each, the best first.
    """

    arena: ArenaResult
    candidates: tuple[Candidate, ...]

    @property
    def top(self) -> tuple[str, ...]:
        """Who is not ruled out."""
        return self.arena.top

    @property
    def sure(self) -> str:
        """How sure the best is; a dash if the policy proves nothing."""
        found = self.arena.certificate
        return "-" if found is None else percent(found.p_value)

    @property
    def sentence(self) -> str:
        """Who is the best, as far as that can be said."""
        return self.arena.sentence()


@dataclass(frozen=True)
class Results:
    """Everything on the page.

    Attributes
    ----------
    original
        With all votes that were counted.
    without
        Without the voters who are excluded; None if nobody is, or it cannot be computed.
    bias
        How often the left one won.
    scores
        Bradley-Terry.
    scores_missing
        Why there are none.
    voters
        One report each.
    learned
        How many of the votes the policy has learned; None if that is not known.
    """

    original: Outcome
    without: Outcome | None
    bias: PositionBias
    scores: list[Score]
    scores_missing: str
    voters: list[VoterReport]
    learned: int | None


def results(
    names: Sequence[str],
    rules: Rules,
    best: str,
    certificate: Certificate | None,
    told: Sequence[Told],
    learned: Sequence[Learned] | None,
    ballots: Sequence[Ballot],
    voters: list[VoterReport],
) -> Results:
    """What the log and the ballots say; `learned` is None if what votes were worth is not known."""
    shown = {each.decision: each for each in ballots if each.status == "counted"}
    excluded = {links.who(each.voter) for each in voters if each.excluded is not None}
    original = outcome(names, rules, best, certificate, told, learned, shown)

    without = None
    if excluded and learned is not None and certificate is not None:
        kept = [each for each in told if each.who not in excluded]
        left = [each for each in learned if each.who not in excluded]
        found = certified(certificate, names, peaks(left, len(names)))
        front = in_front(names, found, kept)
        without = outcome(names, rules, front, found, kept, left, shown)

    try:
        scores, missing = bradley_terry(names, original.arena.to_pairs()), ""
    except MissingExtraError as error:
        scores, missing = [], str(error)
    lefts = [float(each.choice == "1") if each.choice != "0" else 0.5 for each in shown.values()]
    bias = position_bias(lefts)
    known = None if learned is None else sum(each.who is not None for each in learned)
    return Results(original, without, bias, scores, missing, voters, known)


def outcome(
    names: Sequence[str],
    rules: Rules,
    best: str,
    certificate: Certificate | None,
    told: Sequence[Told],
    learned: Sequence[Learned] | None,
    shown: dict[int, Ballot],
) -> Outcome:
    """The result of these votes."""
    arena = ArenaResult(
        policy="" if certificate is None else certificate.policy,
        best=best,
        certificate=certificate,
        stop_at=1.0 - rules.alpha,
        stopped="certificate",
        likely=None,
        calls=len(told),
        cost=0.0,
        failed=0,
        refused=0,
        given_up=0,
        entries=tuple(_entry(names, each, shown.get(each.decision)) for each in told),
        candidates=tuple(names),
    )
    claims = {} if certificate is None else {claim.level: claim for claim in certificate.claims}
    evidence = None if learned is None else peaks(learned, len(names))
    rows = []
    for arm, name in enumerate(names):
        claim = claims.get(name)
        verdict = "-" if claim is None else claim.verdict(rules.alpha)
        liars, largest = None, None
        if evidence is not None and learned is not None:
            liars = colluders(learned, arm, evidence[arm], rules.alpha)
            largest = _largest(learned, arm, evidence[arm])
        p_value = None if claim is None else claim.p_value
        rows.append(Candidate(name, verdict, p_value, arena.tallies[name], liars, largest))
    rows.sort(key=lambda row: (row.name != best, row.verdict == "not best", -row.tally.rate))
    return Outcome(arena, tuple(rows))


def _entry(names: Sequence[str], told: Told, ballot: Ballot | None) -> Entry:
    """A verdict with the sides as they were shown; of one that came otherwise as it was asked."""
    swapped = ballot is not None and ballot.swapped
    first, second = names[told.first], names[told.second]
    value = 0.5 if ballot is not None and ballot.choice == "0" else told.reward
    if swapped:
        first, second, value = second, first, 1.0 - value
    call = {"first": first, "second": second}
    return Entry("answer", told.decision, 0, told.decision, call, value)


def _largest(learned: Sequence[Learned], arm: int, peak: Peak) -> tuple[str, float] | None:
    """Whose votes have added most to the evidence against an arm, and which share of it."""
    gains = gains_by_voter(learned[: peak.plays], arm)
    if not gains or peak.log_wealth <= 0.0:
        return None
    who = max(gains, key=lambda each: gains[each])
    return who, gains[who] / peak.log_wealth


def certified(certificate: Certificate, names: Sequence[str], found: Sequence[Peak]) -> Certificate:
    """The certificate that other evidence gives."""
    p_values = [each.p_value for each in found]
    claims = tuple(
        Claim(ARM, name, p, max(other for j, other in enumerate(p_values) if j != i))
        for i, (name, p) in enumerate(zip(names, p_values, strict=True))
    )
    return Certificate(
        certificate.policy, certificate.kind, certificate.rounds, claims, certificate.alpha
    )


def in_front(names: Sequence[str], certificate: Certificate, told: Sequence[Told]) -> str:
    """Who is not ruled out and has the largest share of wins."""
    ruled_out: Collection[object] = certificate.ruled_out()[ARM]
    tallies = {name: Tally() for name in names}
    for each in told:
        tallies[names[each.first]].add(each.reward)
        tallies[names[each.second]].add(1.0 - each.reward)
    possible = [name for name in names if name not in ruled_out] or list(names)
    return max(possible, key=lambda name: tallies[name].rate)
