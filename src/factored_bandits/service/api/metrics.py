"""What a monitoring system wants to know, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.decisions = Counter(
            "fb_decisions", "Decisions given out.", ["experiment"], registry=self._registry
        )
        self.fallbacks = Counter(
            "fb_fallbacks", "Decisions made without the database, in no log.", ["experiment"],
            registry=self._registry,
        )  # fmt: skip
        self.rewards = Counter(
            "fb_rewards", "Rewards by what became of them.", ["outcome"], registry=self._registry
        )
        self.requests = Counter(
            "fb_requests", "Requests by route and status.", ["route", "status"],
            registry=self._registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "fb_request_seconds", "Time of a request.", ["route"], buckets=SECONDS,
            registry=self._registry,
        )  # fmt: skip

    def text(self) -> bytes:
        """As Prometheus reads it."""
        return generate_latest(self._registry)
