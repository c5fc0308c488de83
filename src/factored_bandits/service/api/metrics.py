"""What a monitoring system wants to know, for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)

from factored_bandits.service.engine import SIZES, Meter, Reading

from .counts import Counts


class Metrics:
    """The counters of one server."""

    def __init__(self, meter: Meter) -> None:
        self._registry = CollectorRegistry()
        self.counts = Counts()
        self.engine = EngineMetrics(meter)
        self._registry.register(self.counts)
        self._registry.register(self.engine)

    def text(self) -> bytes:
        """As Prometheus reads it."""
        return generate_latest(self._registry)


class EngineMetrics:
    """What the engine counts, and where its agents stood when they were last looked at.

    Parameters
    ----------
    meter
        What the writers count.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self.readings: dict[str, Reading] = {}  # by experiment
        self.heads: dict[str, int] = {}  # of the logs, as the database has them
        self.is_away = False

    def collect(self) -> Iterator[Any]:
        """All of it."""
        meter = self._meter
        yield from self._shares()
        yield _gauge("fb_database_away", "Whether the database cannot be reached.", self.is_away)
        jumps = CounterMetricFamily("fb_clock_jumps", "Jumps of the clock that expires decisions.")
        jumps.add_metric([], meter.jumps)
        yield jumps

        sizes = HistogramMetricFamily("fb_batch_size", "Requests that one transaction answered.")
        bounds = [*map(str, map(float, SIZES)), "+Inf"]
        counts = list(accumulate(meter.batches))
        sizes.add_metric([], list(zip(bounds, counts, strict=True)), meter.requests)
        yield sizes

        now = time.time()
        opened = _family("fb_open_decisions", "Decisions that are given out and not learned.")
        oldest = _family("fb_oldest_unlearned_seconds", "Age of the oldest unlearned block.")
        lag = _family("fb_fold_lag_events", "Events of the log that this server has not followed.")
        for key, reading in self.readings.items():
            opened.add_metric([key], reading.open)
            age = 0.0 if reading.oldest is None else max(now - reading.oldest, 0.0)
            oldest.add_metric([key], age)
            if key in self.heads:
                lag.add_metric([key], max(self.heads[key] - reading.n, 0))
        yield from (opened, oldest, lag)

    def _shares(self) -> Iterator[Any]:
        """Events by kind, and what share of the settled decisions expired or came late."""
        counted = dict(self._meter.events)
        events = CounterMetricFamily(
            "fb_events", "Events that this server wrote.", labels=["experiment", "kind"]
        )
        for (key, kind), count in counted.items():
            events.add_metric([key, kind], count)
        yield events

        expired = _family("fb_expired_share", "Share of settled decisions without a reward.")
        late = _family("fb_late_share", "Share of settled decisions whose reward came too late.")
        for key in {key for key, _ in counted}:
            gone = counted.get((key, "expire"), 0)
            settled = gone + counted.get((key, "tell"), 0)
            if settled:
                expired.add_metric([key], gone / settled)
                late.add_metric([key], counted.get((key, "late"), 0) / settled)
        yield from (expired, late)


def _family(name: str, sentence: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, sentence, labels=["experiment"])


def _gauge(name: str, sentence: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, sentence, value=float(value))
