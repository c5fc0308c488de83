"""`certificate`: which levels are ruled out, at which confidence, valid whenever one stops.

>>> import factored_bandits as fb
>>> agent = fb.Agent("tea", factors={"ad": ["A", "B"], "position": ["top", "side"]}, bound="betting", seed=1)
>>> for _ in range(60):
...     decision = agent.ask()
...     agent.tell(decision.id, 1.0 if decision.levels["ad"] == "B" else 0.0)
>>> print(fb.certificate(agent))
tea(bound=betting) after 60 rounds
factor    level  verdict  not the best  the best
ad        A      out            99.98%     0.00%
ad        B      best            0.00%    99.98%
position  top    open           67.31%     0.00%
position  side   open            0.00%    67.31%
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, overload

from factored_bandits.agent import Agent
from factored_bandits.core.table import Table
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.certifying import p_values_of
from factored_bandits.simulation.result import Result

from .diagnosis import percent

ALPHA = 0.05
ASSUMED = {
    "factored": "each factor has a level that is best whatever the others play",
    "duel": "one arm does best against every opponent",
}


class Claim(NamedTuple):
    """What is said of one level; `p_value` is the chance, at most, that a best level would ever
    have looked so bad.
    """

    factor: str  # "arm" in duels
    level: Any
    p_value: float  # that it is the best: an anytime p-value
    others: float  # that another level is the best: the largest p_value of the others

    def verdict(self, alpha: float) -> str:
        """At confidence 1 - alpha: "out" (not the best), "best" (all others are out), or "open"."""
        if self.p_value <= alpha:
            return "out"
        return "best" if self.others <= alpha else "open"


@dataclass(frozen=True)
class Certificate:
    """What `certificate` found; print it.

    Statements on one factor hold together: they fail with chance at most `alpha`. Over several
    factors the chances add up, as they do in `p_value`.
    """

    policy: str
    kind: Literal["factored", "duel"]
    rounds: int  # whose rewards it rests on
    claims: tuple[Claim, ...]
    alpha: float

    def ruled_out(self) -> dict[str, list[Any]]:
        """Per factor the levels that are not the best, at confidence 1 - alpha."""
        found: dict[str, list[Any]] = {claim.factor: [] for claim in self.claims}
        for claim in self.claims:
            if claim.p_value <= self.alpha:
                found[claim.factor].append(claim.level)
        return found

    def best(self) -> dict[str, Any]:
        """Per factor the level that is the best, at confidence 1 - alpha; factors without one are
        left out.
        """
        return {
            claim.factor: claim.level
            for claim in self.claims
            if claim.verdict(self.alpha) == "best"
        }

    @property
    def p_value(self) -> float:
        """That the combination of the likeliest levels is the best one: the sum over factors, at
        most 1.
        """
        smallest: dict[str, float] = {}
        for claim in self.claims:
            smallest[claim.factor] = min(claim.others, smallest.get(claim.factor, 1.0))
        return min(1.0, math.fsum(smallest.values()))

    @property
    def confidence(self) -> float:
        """1 - p_value: how sure the winner is, or the whole combination."""
        return 1.0 - self.p_value

    def contradictions(self) -> list[str]:
        """Factors of which every level is out: bad luck, of chance at most alpha, or the assumption
        fails.
        """
        levels = {claim.factor: 0 for claim in self.claims}
        for claim in self.claims:
            levels[claim.factor] += claim.p_value > self.alpha
        return [factor for factor, left in levels.items() if left == 0]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        rows = [{**claim._asdict(), "verdict": claim.verdict(self.alpha)} for claim in self.claims]
        told = {
            "policy": self.policy,
            "rounds": self.rounds,
            "alpha": self.alpha,
            "assumes": ASSUMED[self.kind],
        }
        return {**told, "claims": rows, "best": self.best(), "confidence": self.confidence}

    def __str__(self) -> str:
        rows = [
            (c.factor, str(c.level), c.verdict(self.alpha), percent(c.p_value), percent(c.others))
            for c in self.claims
        ]
        lines = []

        if not self.contradictions() and len(self.best()) == len(
            {claim.factor for claim in self.claims}
        ):
            levels = ", ".join(map(str, self.best().values()))
            lines.append(
                f"best: {levels}, confidence {percent(self.p_value)}, if {ASSUMED[self.kind]}"
            )

        for factor in self.contradictions():
            lines.append(
                f"every level of {factor} is out: chance misled us, or it is not so that "
                f"{ASSUMED[self.kind]}"
            )

        title = f"{self.policy} after {self.rounds:,} rounds"
        columns = ("factor", "level", "verdict", "not the best", "the best")
        return str(Table(title, columns, rows, "\n".join(lines), align="lllrr"))


@overload
def certificate(agent_or_result: Agent, alpha: float = ALPHA) -> Certificate: ...
@overload
def certificate(agent_or_result: Result, alpha: float = ALPHA) -> list[Certificate]: ...
def certificate(
    agent_or_result: Agent | Result, alpha: float = ALPHA
) -> Certificate | list[Certificate]:
    """Which levels are ruled out, and which are the best, at confidence 1 - alpha and valid at any
    stopping time.

    Of an agent one certificate; of a result of `simulate(..., certify=True)` one per repetition. It
    rests on what the policy assumes; `tea` and `dueling_tea` can give one.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.identical_gap(4, 0.9)
    >>> result = fb.simulate("dueling_tea", problem, 5_000, repetitions=3, seed=1, progress=False, certify=True)
    >>> [certificate.best() for certificate in fb.certificate(result)]
    [{'arm': 0}, {'arm': 0}, {'arm': 0}]
    """
    if not isinstance(alpha, (int, float)) or not 0.0 < alpha < 1.0:
        raise InvalidInputError(f"alpha must lie between 0 and 1, not {alpha!r}")
    if isinstance(agent_or_result, Agent):
        return _of_agent(agent_or_result, float(alpha))
    if isinstance(agent_or_result, Result):
        return certificates(agent_or_result, float(alpha))
    raise InvalidInputError(
        f"a certificate is of an Agent or of a Result of simulate, not of {agent_or_result!r}"
    )


def _of_agent(agent: Agent, alpha: float) -> Certificate:
    policy = agent.policy
    labels = agent._labels
    p_values = p_values_of(policy, agent._params, agent._state, agent._rewards.range)
    names = ("arm",) if labels.kind == "duel" else labels.names
    claims = _claims([(n, labels.levels[l], p_values[l]) for l, n in enumerate(names)])
    return Certificate(policy.label, labels.kind, agent._ledger.learned, claims, alpha)


def certificates(result: Result, alpha: float = ALPHA) -> list[Certificate]:
    """One certificate per repetition of a result."""
    if result.p_values is None:
        raise InvalidInputError(
            "this result holds no p_values to certify from; simulate it with certify=True"
        )

    kind = result.kind
    names = [str(l) if kind == "factored" else "arm" for l in range(len(result.p_values))]
    found = []

    for repetition in range(result.repetitions):
        rows = [
            (n, range(d.shape[1]), d[repetition])
            for n, d in zip(names, result.p_values, strict=True)
        ]
        found.append(Certificate(result.label, kind, result.horizon, _claims(rows), alpha))

    return found


def _claims(factors: list[tuple[str, Any, Any]]) -> tuple[Claim, ...]:
    found = []
    for name, levels, p_values in factors:
        for i, level in enumerate(levels):
            others = max((float(p_values[j]) for j in range(len(p_values)) if j != i), default=0.0)
            found.append(Claim(name, level, float(p_values[i]), others))
    return tuple(found)


def share_table(result: Result, alpha: float = ALPHA) -> Table:
    """In what share of the repetitions each level was ruled out, or certified to be the best.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.identical_gap(3, 0.9)
    >>> result = fb.simulate("dueling_tea", problem, 3_000, repetitions=4, seed=1, progress=False, certify=True)
    >>> share_table(result).rows
    [('arm', '0 (the best)', '0%', '100%'), ('arm', '1', '100%', '0%'), ('arm', '2', '100%', '0%')]
    """
    found = certificates(result, alpha)
    rows = []
    wrong = 0

    for place, claim in enumerate(found[0].claims):
        said = [each.claims[place].verdict(alpha) for each in found]
        factor = 0 if found[0].kind == "duel" else int(claim.factor)
        best = claim.level == result.best[factor]
        wrong += said.count("out") if best else 0
        shares = (f"{said.count(verdict) / len(found):.0%}" for verdict in ("out", "best"))
        rows.append((claim.factor, f"{claim.level}{' (the best)' if best else ''}", *shares))

    whole = sum(each.p_value <= alpha for each in found) / len(found)
    caption = (
        f"certified at confidence {percent(alpha)}, by round {result.horizon:,}; everything "
        f"together in {whole:.0%} of "
        f"{len(found)} repetitions; a best level was ruled out {wrong} times"
    )

    return Table(
        "Certificates", ("factor", "level", "not the best", "the best"), rows, caption, align="llrr"
    )
