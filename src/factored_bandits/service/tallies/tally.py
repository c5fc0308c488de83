"""Everything that is counted of one experiment."""

from __future__ import annotations

import functools
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


ASKS, SETTLED, TOTAL, HELD_SETTLED, HELD_TOTAL = range(1, len(Bucket._fields))


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
        portion = _Portion(self, shape, eliminated)
        for event in events:
            portion.turn_to(event.at)
            self.n = event.n
            self.since = self.since or event.at
            if event.kind == "ask":
                portion.asked(event)
            elif event.kind in ("tell", "expire"):
                portion.settled(event)
            elif event.kind == "late":
                portion.add("lates", 1)
        portion.end()
        for name, (_, most) in SPANS.items():
            del self.recent[name][:-most]
        return [HourTally(hour, **counts) for hour, counts in sorted(portion.hours.items())]


class _Portion:
    """Events that are counted together: what many of them share is worked out once.

    That is the stretches of time they belong to, and what texts mean: there are few combinations,
    and few probabilities while nothing is learned.
    """

    def __init__(self, tally: Tally, shape: Shape, eliminated: float) -> None:
        self.hours: dict[int, dict[str, Any]] = {}
        self._tally = tally
        self._eliminated = eliminated
        self._is_duel = shape.is_duel
        self._slow = math.inf if shape.ttl is None else TENTH * shape.ttl
        self._levels = functools.cache(lambda action: shape.levels(_numbers(action, int)))
        self._weight = functools.cache(lambda given: _weight(shape, _numbers(given, float)))
        self._reward = functools.cache(_reward)
        # counts of the present minute; sums of rewards are added one by one, in their order
        self._asks = 0
        self._tells = 0
        self._slow_tells = 0
        self._settled = 0
        self._hour: dict[str, Any] = {}
        self._buckets: list[list[Any]] = []  # the present one of each span
        self._until = -1  # microseconds: then the shortest of them is over

    def turn_to(self, at: int) -> None:
        """Count at this time from now on."""
        if at < self._until:
            return
        self.end()
        self._hour = self.hours.setdefault(at // HOUR, {})
        self._buckets = []
        for name, (length, _) in SPANS.items():
            buckets = self._tally.recent[name]
            index = at // length
            if not buckets or buckets[-1][0] != index:
                buckets.append(list(Bucket(index)))
            self._buckets.append(buckets[-1])
        shortest = SPANS["minute"][0]
        self._until = (at // shortest + 1) * shortest

    def end(self) -> None:
        """Put down what was counted since the minute began."""
        self.add("asks", self._asks)
        self.add("tells", self._tells)
        self.add("slow", self._slow_tells)
        self.add("settled", self._settled)
        for bucket in self._buckets:
            bucket[ASKS] += self._asks
            bucket[SETTLED] += self._settled
        self._asks = self._tells = self._slow_tells = self._settled = 0

    def add(self, name: str, amount: float) -> None:
        """To the tally, and to its hour."""
        setattr(self._tally, name, getattr(self._tally, name) + amount)
        self._hour[name] = self._hour.get(name, 0) + amount

    def asked(self, event: Settled) -> None:
        """A decision was given out."""
        self._asks += 1
        if is_held(event.decision):
            self.add("held_asks", 1)
            return
        levels = self._tally.levels
        for level in self._levels(event.action):
            levels[level][0] += 1

    def settled(self, event: Settled) -> None:
        """A decision has its reward, or none within its time."""
        reward = self._reward(event.body)
        if event.kind == "expire":
            self.add("expires", 1)
        else:
            self._tells += 1
            if event.asked_at is not None and event.at - event.asked_at > self._slow:
                self._slow_tells += 1
        if is_held(event.decision):
            self.add("held_settled", 1)
            self.add("held_total", reward)
            for bucket in self._buckets:
                bucket[HELD_SETTLED] += 1
                bucket[HELD_TOTAL] += reward
            return

        self._settled += 1
        self.add("total", reward)
        for bucket in self._buckets:
            bucket[TOTAL] += reward
        self._credit(event, reward)

    def _credit(self, event: Settled, reward: float) -> None:
        """Count a reward for the levels that had it, and as often as uniform play would have."""
        tally = self._tally
        share = reward
        for level in self._levels(event.action):
            of_level = tally.levels[level]
            of_level[1] += 1
            of_level[2] += share
            of_level[3] += share * share
            if self._is_duel:
                share = 1.0 - reward  # what the second arm has of it

        if event.propensity and event.n < self._eliminated and not self._is_duel:
            weight = self._weight(event.propensity)
            tally.uniform += 1
            tally.weight += weight
            tally.weighted += weight * reward


def _weight(shape: Shape, propensity: tuple[float, ...]) -> float:
    """How often uniform play would have made a decision, for each time that it was made."""
    return math.prod(1.0 / (size * p) for size, p in zip(shape.sizes, propensity, strict=True))


def _numbers(text: str | None, kind: Callable[[str], Any]) -> tuple[Any, ...]:
    assert text is not None, "an ask has an action, and what settles it has an ask"
    return tuple(map(kind, text.split(",")))


def _reward(body: str | None) -> float:
    """One number; with semi-bandit feedback the sum of the outcomes."""
    given = json.loads(body or "0")
    return float(sum(given) if isinstance(given, list) else given)
