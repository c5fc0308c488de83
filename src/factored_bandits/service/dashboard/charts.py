"""The charts of the dashboard, as data of `report`; drawn as SVG by the pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from factored_bandits.report.chart import Axis, Chart, Line, Panel, Row
from factored_bandits.report.palette import COLOURS, DASHES, GREY, Look
from factored_bandits.report.svg import round_numbers
from factored_bandits.service.pages.formats import number, share
from factored_bandits.service.store import Change
from factored_bandits.service.tallies import SPANS, Bucket, Tally

from .levels import LevelRow

SECOND = 1_000_000
TICKS = 5
MOST_ROWS = 24  # lanes of a factor
AGENT = Look(COLOURS["blue"], (), "")
HELD = Look(COLOURS["vermillion"], DASHES["dashed"], "")
UNIFORM = Look(GREY, DASHES["dashed"], "")


def lanes(rows: dict[str, list[LevelRow]], changes: list[Change], since: int, now: int) -> Chart:
    """When each level was active: a panel per factor, a lane per level."""
    by_level: dict[int, list[Change]] = {}
    for change in changes:
        by_level.setdefault(change.level, []).append(change)
    axis = time_axis(since, now)
    panels = []
    first = 0
    for factor, levels in rows.items():
        made = [_lane(row, by_level.get(first + i, []), since, now) for i, row in enumerate(levels)]
        first += len(levels)
        # those that are active longest on top
        made.sort(key=lambda row: sum(last - began for began, last in row.spans))
        shown = tuple(made[-MOST_ROWS:])
        alt = "; ".join(_told(row, now) for row in reversed(shown))
        left = len(made) - len(shown)
        title = f"{factor} ({left} more levels are not shown)" if left else factor
        panels.append(Panel(title, axis, Axis("", (0.0, 1.0)), rows=shown, alt=f"{factor}: {alt}."))
    caption = "Bar: the level is active. Orange mark: it re-enters. Green: it looks best."
    return Chart("lanes", "When each level was active", caption, tuple(panels))


def _lane(row: LevelRow, changes: list[Change], since: int, now: int) -> Row:
    spans = []
    entries = []
    began: float | None = float(since)
    for change in changes:
        if change.active and began is None:
            began = float(change.at)
            entries.append(began)
        elif not change.active and began is not None:
            spans.append((began, float(change.at)))
            began = None
    if began is not None:
        spans.append((began, float(now)))
    return Row(str(row.level), tuple(spans), tuple(entries), row.leads)


def _told(row: Row, now: int) -> str:
    if not row.spans or row.spans[-1][1] < now:
        ended = _clock(int(row.spans[-1][1]), "%Y-%m-%d %H:%M") if row.spans else "the beginning"
        return f"{row.label} eliminated since {ended}"
    return f"{row.label} active" + (
        f", re-entered {len(row.re_entries)} times" if row.re_entries else ""
    )


def reward_over_time(tally: Tally, days: Sequence[Bucket], is_rate: bool) -> Chart | None:
    """The reward per day, hour or minute, beside the holdout or uniform play."""
    span, buckets = stretches(tally, days)
    known = [each for each in buckets if each.settled]
    if not known:
        return None
    length = SPANS[span][0]
    x = np.array([(each.number + 0.5) * length for each in known], dtype=float)
    y = np.array([each.total / each.settled for each in known])
    lines = [Line("agent", "the agent", AGENT, x, y, width=2.4)]
    told = [f"The agent: {_range(y, is_rate)}."]
    reference = None

    held = [each for each in buckets if each.held_settled]
    if held:
        hx = np.array([(each.number + 0.5) * length for each in held], dtype=float)
        hy = np.array([each.held_total / each.held_settled for each in held])
        lines.append(Line("holdout", "the holdout", HELD, hx, hy))
        told.append(f"The holdout: {_range(hy, is_rate)}.")
    elif tally.uniform_mean is not None:
        reference = tally.uniform_mean
        ends = np.array([x[0] - length / 2, x[-1] + length / 2])
        lines.append(
            Line("uniform", "uniform play, about", UNIFORM, ends, np.full(2, reference), width=1.8)
        )
        told.append(f"Uniform play would have had about {_shown(reference, is_rate)}.")

    every = np.concatenate([line.y for line in lines])
    low, high = _limits(float(every.min()), float(every.max()))
    began = int(known[0].number * length)
    last = int((known[-1].number + 1) * length)
    panel = Panel(
        f"mean reward per {span}",
        time_axis(began, last),
        Axis("reward", (low, high), ticks=_reward_ticks(low, high, is_rate)),
        lines=tuple(lines),
        alt=" ".join(told),
    )
    caption = f"Mean reward of the decisions that were settled in each {span} (UTC)."
    return Chart("reward", "Reward over time", caption, (panel,))


def stretches(tally: Tally, days: Sequence[Bucket]) -> tuple[str, list[Bucket]]:
    """The coarsest stretches of time of which there are a few."""
    if len(days) >= 3:
        return "day", list(days)
    hours = tally.buckets("hour")
    return ("hour", hours) if len(hours) >= 3 else ("minute", tally.buckets("minute"))


def spark(tally: Tally) -> tuple[str, list[float]]:
    """The mean rewards of a sparkline, and of which stretches of time."""
    span, buckets = stretches(tally, tally.buckets("day"))
    means = [each.total / each.settled if each.settled else math.nan for each in buckets]
    return span, means


def time_axis(since: int, now: int) -> Axis:
    """An axis of times, with a few of them written below."""
    now = max(now, since + SECOND)
    seconds = (now - since) / SECOND
    form = "%H:%M:%S" if seconds < 600 else "%H:%M" if seconds < 2 * 86400 else "%b %d"
    step = (now - since) / TICKS
    ticks = [(since + step * (i + 0.5), "") for i in range(TICKS)]
    shown = tuple((at, _clock(int(at), form)) for at, _ in ticks)
    return Axis("time (UTC)", (float(since), float(now)), ticks=shown)


def _clock(at: int, form: str) -> str:
    return datetime.fromtimestamp(at / SECOND, UTC).strftime(form)


def _limits(low: float, high: float) -> tuple[float, float]:
    room = 0.12 * (high - low) or 0.1 * abs(high) or 0.5
    bottom = low - room
    return (max(bottom, 0.0) if low >= 0 else bottom), high + room


def _reward_ticks(low: float, high: float, is_rate: bool) -> tuple[tuple[float, str], ...]:
    return tuple((value, _shown(value, is_rate)) for value in round_numbers(low, high))


def _shown(value: float, is_rate: bool) -> str:
    return share(value) if is_rate else number(value)


def _range(y: np.ndarray, is_rate: bool) -> str:
    first, last = _shown(float(y[0]), is_rate), _shown(float(y[-1]), is_rate)
    return f"{first} at first, {last} at last" if len(y) > 1 else last
