"""What the event loop counts of requests, decisions and rewards.

These are plain numbers, because every request changes several of them and nobody else does. Those
of a library take a lock for each, which costs as much as reading the body of a request.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
BOUNDS = [*map(str, SECONDS), "+Inf"]


class RouteCounts:
    """Requests of one route."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.seconds = 0.0
        self.by_time = [0] * (len(SECONDS) + 1)  # the last one is for those that took longer

    def add(self, status: int, seconds: float) -> None:
        """Count a request that is answered.

        >>> counts = RouteCounts()
        >>> counts.add(200, 0.002)
        >>> counts.statuses, counts.by_time[:3]
        (Counter({200: 1}), [0, 1, 0])
        """
        self.statuses[status] += 1
        self.seconds += seconds
        self.by_time[bisect_left(SECONDS, seconds)] += 1


class Counts:
    """The counts of one server; only its event loop changes and reads them."""

    def __init__(self) -> None:
        self.decisions: Counter[str] = Counter()  # by experiment
        self.fallbacks: Counter[str] = Counter()
        self.rewards: Counter[str] = Counter()  # by what became of them
        self._routes: dict[str, RouteCounts] = {}

    def route(self, path: str) -> RouteCounts:
        """The counts of a route, which is a path with names in place of keys."""
        return self._routes.setdefault(path, RouteCounts())

    def collect(self) -> Iterator[Any]:
        """All of it, for Prometheus."""
        yield _counter("fb_decisions", "Decisions given out.", "experiment", self.decisions)
        yield _counter(
            "fb_fallbacks",
            "Decisions made without the database, in no log.",
            "experiment",
            self.fallbacks,
        )
        yield _counter("fb_rewards", "Rewards by what became of them.", "outcome", self.rewards)

        requests = CounterMetricFamily(
            "fb_requests", "Requests by route and status.", labels=["route", "status"]
        )
        seconds = HistogramMetricFamily(
            "fb_request_seconds", "Time of a request.", labels=["route"]
        )
        for path, counts in self._routes.items():
            for status, amount in counts.statuses.items():
                requests.add_metric([path, str(status)], amount)
            if counts.statuses:
                buckets = list(zip(BOUNDS, accumulate(counts.by_time), strict=True))
                seconds.add_metric([path], buckets, counts.seconds)
        yield from (requests, seconds)


def _counter(name: str, sentence: str, label: str, counted: Counter[str]) -> CounterMetricFamily:
    family = CounterMetricFamily(name, sentence, labels=[label])
    for value, amount in counted.items():
        family.add_metric([value], amount)
    return family
