"""Everything that is counted of one experiment."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from factored_bandits.service.engine import is_held
from factored_bandits.service.store import HourTally, Settled

from .shape import SECOND, Shape

# stretches of time that a brief keeps some of: their length in microseconds, and how many
SPANS = {"minute": (60 * SECOND, 40), "hour": (3600 * SECOND, 48), "day": (86400 * SECOND, 30)}
HOUR = SPANS["hour"][0]
TENTH = 0.9  # of the time to live: a reward that comes later nearly came too late


class Bucket(NamedTuple):
    """What happened in one stretch of time."""

    number: int  # of stretches since 1970
    asks: int = 0
    settled: int = 0
    total: float = 0.0
    held_settled: int = 0
    held_total: float = 0.0


@dataclass
class Tally:
    """The counts of an experiment after event `n`, and what its agent said when it was last asked.

    Examples
    --------
    >>> tally = Tally.empty(Shape((2, 2), False, None))
    >>> _ = tally.add(Shape((2, 2), False, None), [
    ...     Settled(1, 5, "ask", 1, None, "0,1", "0.5,0.5", None),
    ...     Settled(2, 9, "tell", 1, "0.25", "0,1", "0.5,0.5", 5),
    ... ])
    >>> tally.asks, tally.settled, tally.total, tally.levels[0], tally.levels[3]
    (1, 1, 0.25, [1, 1, 0.25, 0.0625], [1, 1, 0.25, 0.0625])
    """

    n: int = 0
    since: int = 0  # when the first event was, in microseconds
    asks: int = 0
    tells: int = 0
    expires: int = 0
    lates: int = 0
    slow: int = 0
    settled: int = 0
    held_asks: int = 0
    held_settled: int = 0
    total: float = 0.0
    held_total: float = 0.0
    # while every level was active: rewards weighted to what uniform play would have had
    uniform: int = 0
    weight: float = 0.0
    weighted: float = 0.0
    levels: list[list[Any]] = field(default_factory=list)  # asks, settled, total, squares of each
    recent: dict[str, list[list[Any]]] = field(default_factory=dict)
    agent: dict[str, Any] = field(default_factory=dict)  # what it said
    ttl: float | None = None  # seconds; what lists must know of the experiment
    is_rate: bool = True  # whether rewards are from 0 to 1

    @classmethod
    def empty(cls, shape: Shape) -> Tally:
        """Before the first event."""
        levels: list[list[Any]] = [[0, 0, 0.0, 0.0] for _ in range(shape.amount)]
        ttl = None if shape.ttl is None else shape.ttl / SECOND
        recent: dict[str, list[list[Any]]] = {name: [] for name in SPANS}
        return cls(levels=levels, recent=recent, ttl=ttl, is_rate=shape.is_rate)

    @classmethod
    def of(cls, body: str) -> Tally:
        """From what the database keeps."""
        return cls(**json.loads(body))

    def text(self) -> str:
        """As the database keeps it."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @property
    def mean(self) -> float | None:
        """The mean reward of the agent's decisions."""
        return self.total / self.settled if self.settled else None

    @property
    def uniform_mean(self) -> float | None:
        """What uniform play would have had, about, by the decisions with every level active."""
        return self.weighted / self.weight if self.weight else None

    def buckets(self, span: str) -> list[Bucket]:
        """The last stretches of time in which something happened."""
        return [Bucket(*each) for each in self.recent[span]]

    def add(
        self, shape: Shape, events: Iterable[Settled], eliminated: float = math.inf
    ) -> list[HourTally]:
        """Count events; `eliminated` is the first one at which a level was eliminated.

        Returns what these events add to the tallies of their hours.
        """
        hours: dict[int, dict[str, Any]] = {}
        for event in events:
            hour = event.at // HOUR
            noted = _Noted(self, hours.setdefault(hour, {}), event.at)
            self.n = event.n
            self.since = self.since or event.at
            if event.kind == "ask":
                self._asked(shape, event, noted)
            elif event.kind in ("tell", "expire"):
                self._settled(shape, event, noted, eliminated)
            elif event.kind == "late":
                noted("lates")
        for name, (_, most) in SPANS.items():
            del self.recent[name][:-most]
        return [HourTally(hour, **counts) for hour, counts in sorted(hours.items())]

    def _asked(self, shape: Shape, event: Settled, noted: _Noted) -> None:
        noted("asks")
        noted.recent(asks=1)
        if is_held(event.decision):
            noted("held_asks")
            return
        for level in shape.levels(_numbers(event.action, int)):
            self.levels[level][0] += 1

    def _settled(self, shape: Shape, event: Settled, noted: _Noted, eliminated: float) -> None:
        noted("tells" if event.kind == "tell" else "expires")
        reward = _reward(event.body)
        if event.kind == "tell" and shape.ttl is not None and event.asked_at is not None:
            noted("slow", int(event.at - event.asked_at > TENTH * shape.ttl))
        if is_held(event.decision):
            noted("held_settled")
            noted("held_total", reward)
            noted.recent(held_settled=1, held_total=reward)
            return

        noted("settled")
        noted("total", reward)
        noted.recent(settled=1, total=reward)
        action = _numbers(event.action, int)
        shares = [reward] * len(action)
        if shape.is_duel:
            shares[1] = 1.0 - reward  # what the second arm has of it
        for level, share in zip(shape.levels(action), shares, strict=True):
            self.levels[level][1] += 1
            self.levels[level][2] += share
            self.levels[level][3] += share * share
        if event.propensity and event.n < eliminated and not shape.is_duel:
            self._weigh(shape, _numbers(event.propensity, float), reward)

    def _weigh(self, shape: Shape, propensity: tuple[float, ...], reward: float) -> None:
        """Count a reward as often as uniform play would have had it."""
        weight = math.prod(
            1.0 / (size * p) for size, p in zip(shape.sizes, propensity, strict=True)
        )
        self.uniform += 1
        self.weight += weight
        self.weighted += weight * reward


class _Noted:
    """One event, counted in the tally, in its hour, and in the stretches of time it belongs to."""

    def __init__(self, tally: Tally, hour: dict[str, Any], at: int) -> None:
        self._tally = tally
        self._hour = hour
        self._at = at

    def __call__(self, name: str, amount: float = 1) -> None:
        setattr(self._tally, name, getattr(self._tally, name) + amount)
        self._hour[name] = self._hour.get(name, 0) + amount

    def recent(self, **amounts: float) -> None:
        for name, (length, _) in SPANS.items():
            buckets = self._tally.recent[name]
            index = self._at // length
            if not buckets or buckets[-1][0] != index:
                buckets.append(list(Bucket(index)))
            bucket = buckets[-1]
            for field_name, amount in amounts.items():
                bucket[Bucket._fields.index(field_name)] += amount


def _numbers(text: str | None, kind: Callable[[str], Any]) -> tuple[Any, ...]:
    assert text is not None, "an ask has an action, and what settles it has an ask"
    return tuple(map(kind, text.split(",")))


def _reward(body: str | None) -> float:
    """One number; with semi-bandit feedback the sum of the outcomes."""
    given = json.loads(body or "0")
    return float(sum(given) if isinstance(given, list) else given)
