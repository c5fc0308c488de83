"""`certificate`: which levels are ruled out, at which confidence, valid whenever one stops.

>>> import factored_bandits as fb
>>> factors = {"ad": ["A", "B"], "position": ["top", "side"]}
>>> agent = fb.Agent("tea", factors=factors, bound="betting", seed=1)
>>> for _ in range(60):
...     decision = agent.ask()
...     agent.tell(decision.id, 1.0 if decision.levels["ad"] == "B" else 0.0)
>>> print(fb.certificate(agent))
tea(bound=betting) after 60 rounds
factor    level  verdict   not the best  the best
ad        A      not best        99.98%     0.00%
ad        B      best             0.00%    99.98%
position  top    open            67.31%     0.00%
position  side   open             0.00%    67.31%
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, overload

from factored_bandits.core import checks
from factored_bandits.core.markup import Bar, joined, table_html
from factored_bandits.core.table import Table
from factored_bandits.errors import InvalidInputError
from factored_bandits.policies.base import Kind

from .evidence import Certifiable, CertifiableRuns, Evidence, joint_p_value
from .percent import percent

ALPHA = 0.05
ASSUMED = {
    "factored": "each factor has a level that is best whatever the others play",
    "duel": "one arm does best against every opponent",
}
ARM = "arm"  # what the factor of a duel of arms is called
ASSUMED_OF_COMBINATIONS = "in each factor one level does best, whatever the rest of both sides is"
COLUMNS = ("factor", "level", "verdict", "not the best", "the best")

Verdict = Literal["best", "not best", "open"]


class Claim(NamedTuple):
    """What is said of one level.

    `p_value` bounds the probability that the best level would ever have looked so bad.
    """

    factor: str  # "arm" in duels
    level: Any
    p_value: float  # anytime-valid, of its being the best
    others: float  # of another level being the best: the largest p-value of the others

    def verdict(self, alpha: float) -> Verdict:
        """At confidence 1 - alpha: "not best", "best" (no other level is), or "open"."""
        if self.p_value <= alpha:
            return "not best"
        return "best" if self.others <= alpha else "open"


@dataclass(frozen=True)
class Certificate:
    """What `certificate` found; print it.

    Statements on one factor hold together: they fail with probability at most `alpha`. Over
    several factors the probabilities of failure add up, as they do in `p_value`.

    Attributes
    ----------
    policy
        The label of the policy.
    kind
        "factored" or "duel".
    rounds
        How many rounds it rests on.
    claims
        A statement per level.
    alpha
        The probability of error that `best` and `ruled_out` allow per factor.
    """

    policy: str
    kind: Kind
    rounds: int
    claims: tuple[Claim, ...]
    alpha: float

    @property
    def assumption(self) -> str:
        """What must be so for all of it to hold, in words."""
        if self.kind == "duel" and any(claim.factor != ARM for claim in self.claims):
            return ASSUMED_OF_COMBINATIONS
        return ASSUMED[self.kind]

    def ruled_out(self) -> dict[str, list[Any]]:
        """Per factor the levels that are not the best, at confidence 1 - alpha."""
        found: dict[str, list[Any]] = {claim.factor: [] for claim in self.claims}
        for claim in self.claims:
            if claim.p_value <= self.alpha:
                found[claim.factor].append(claim.level)
        return found

    def best(self) -> dict[str, Any]:
        """Per factor the level that is the best, at confidence 1 - alpha.

        Factors of which that is not known are left out.
        """
        return {
            claim.factor: claim.level
            for claim in self.claims
            if claim.verdict(self.alpha) == "best"
        }

    @property
    def p_value(self) -> float:
        """The p-value of some other combination than that of the likeliest levels being the best.

        It is the sum over the factors, at most 1.
        """
        factors: dict[str, list[float]] = {}
        for claim in self.claims:
            factors.setdefault(claim.factor, []).append(claim.p_value)
        return joint_p_value(factors.values())

    @property
    def confidence(self) -> float:
        """1 - p_value: how sure the winner is, or the whole combination."""
        return 1.0 - self.p_value

    def contradictions(self) -> list[str]:
        """Factors of which every level is ruled out.

        Either the data misled us, with probability at most alpha, or the assumption fails.
        """
        possible = {claim.factor: 0 for claim in self.claims}
        for claim in self.claims:
            possible[claim.factor] += claim.p_value > self.alpha
        return [factor for factor, count in possible.items() if count == 0]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON can hold it."""
        claims = [
            {**claim._asdict(), "verdict": claim.verdict(self.alpha)} for claim in self.claims
        ]
        return {
            "policy": self.policy,
            "rounds": self.rounds,
            "alpha": self.alpha,
            "assumes": self.assumption,
            "claims": claims,
            "best": self.best(),
            "confidence": self.confidence,
        }

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        bars = {
            "not the best": [Bar(1.0 - claim.p_value) for claim in self.claims],
            "the best": [Bar(1.0 - claim.others) for claim in self.claims],
        }
        return joined(table_html(self._table(), bars))

    def _table(self) -> Table:
        rows = [
            (c.factor, str(c.level), c.verdict(self.alpha), percent(c.p_value), percent(c.others))
            for c in self.claims
        ]
        title = f"{self.policy} after {self.rounds:,} rounds"
        return Table(title, COLUMNS, rows, "\n".join(self._conclusions()), align="lllrr")

    def _conclusions(self) -> list[str]:
        lines = []
        best = self.best()
        complete = len(best) == len({claim.factor for claim in self.claims})

        if complete and not self.contradictions():
            levels = ", ".join(map(str, best.values()))
            lines.append(
                f"best: {levels}, confidence {percent(self.p_value)}, if {self.assumption}"
            )

        for factor in self.contradictions():
            lines.append(
                f"every level of {factor} is ruled out: bad luck, or it is not so that "
                f"{self.assumption}"
            )

        return lines


@overload
def certificate(source: Certifiable, alpha: float = ALPHA) -> Certificate: ...
@overload
def certificate(source: CertifiableRuns, alpha: float = ALPHA) -> list[Certificate]: ...
def certificate(
    source: Certifiable | CertifiableRuns, alpha: float = ALPHA
) -> Certificate | list[Certificate]:
    """Certify which levels are ruled out and which are the best, valid at any stopping time.

    It rests on what the policy assumes. `tea`, `leader_tea`, their forms for duels, the policies
    that draw levels by probabilities that they know (such as `lb_inf`, `tsallis_inf` and `exp3`),
    `vdb`, those for a budget of duels (`duel_top_two`, `duel_halving`), and those that eliminate
    arms for good (such as `savage` and `merge_rucb`) can give one.

    Parameters
    ----------
    source
        An `Agent`, or a `Result` of `simulate(..., certify=True)`.
    alpha
        The probability of error allowed per factor: verdicts hold at confidence 1 - alpha.

    Returns
    -------
    Certificate or list of Certificate
        Of an agent one certificate, of a result one per repetition.

    Raises
    ------
    InvalidInputError
        If nothing can be certified: the message says why.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> problem = fb.environments.identical_gap(4, 0.9)
    >>> options = {"repetitions": 3, "seed": 1, "progress": False, "certify": True}
    >>> result = fb.simulate("dueling_tea", problem, 5_000, **options)
    >>> [certificate.best() for certificate in fb.certificate(result)]
    [{'arm': 0}, {'arm': 0}, {'arm': 0}]
    """
    alpha = checks.probability("alpha", alpha)
    if isinstance(source, Certifiable):
        return _certificate(source.evidence(), alpha)
    if isinstance(source, CertifiableRuns):
        return [_certificate(evidence, alpha) for evidence in source.evidences()]
    raise InvalidInputError(
        f"a certificate is of an Agent or of a Result of simulate, not of {source!r}"
    )


def _certificate(evidence: Evidence, alpha: float) -> Certificate:
    claims = []
    for name, levels, p_values in evidence.factors:
        for i, level in enumerate(levels):
            others = max((float(p) for j, p in enumerate(p_values) if j != i), default=0.0)
            claims.append(Claim(name, level, float(p_values[i]), others))
    return Certificate(evidence.policy, evidence.kind, evidence.rounds, tuple(claims), alpha)


def share_table(result: CertifiableRuns, alpha: float = ALPHA) -> Table:
    """In what share of the repetitions each level was ruled out, or certified to be the best.

    >>> import factored_bandits as fb
    >>> problem = fb.environments.identical_gap(3, 0.9)
    >>> options = {"repetitions": 4, "seed": 1, "progress": False, "certify": True}
    >>> result = fb.simulate("dueling_tea", problem, 3_000, **options)
    >>> share_table(result).rows
    [('arm', '0 (the best)', '0%', '100%'), ('arm', '1', '100%', '0%'), ('arm', '2', '100%', '0%')]
    """
    found = certificate(result, alpha)
    factors = list(dict.fromkeys(claim.factor for claim in found[0].claims))
    rows = []
    wrong = 0

    for index, claim in enumerate(found[0].claims):
        verdicts = [each.claims[index].verdict(alpha) for each in found]
        best = claim.level == result.best[factors.index(claim.factor)]
        if best:
            wrong += verdicts.count("not best")

        name = f"{claim.level} (the best)" if best else str(claim.level)
        ruled_out = verdicts.count("not best") / len(found)
        certified = verdicts.count("best") / len(found)
        rows.append((claim.factor, name, f"{ruled_out:.0%}", f"{certified:.0%}"))

    together = sum(each.p_value <= alpha for each in found) / len(found)
    caption = (
        f"certified at confidence {percent(alpha)}, by round {found[0].rounds:,}; everything "
        f"together in {together:.0%} of {len(found)} repetitions; a best level was ruled out "
        f"{wrong} times"
    )
    columns = ("factor", "level", "not the best", "the best")
    return Table("Certificates", columns, rows, caption, align="llrr")
