"""An algorithm beside its peers: their regret over its own, and what the paper says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.stats import Mean, Verdict, standard_error
from factored_bandits.core.table import Table
from factored_bandits.report.chart import Axis, Chart, Dot, Panel
from factored_bandits.report.palette import VERDICTS

from .finals import interval

MARKS: dict[Verdict, str] = {
    "holds": "as the paper says",
    "fails": "not as it says",
    "undecided": "undecided",
}
HOW_TO_READ = (
    "Dot: mean regret over that of {name}, bar: three standard errors. Shaded: the side on which "
    "the paper says that it lies; right of the line {name} has less regret."
)
TICKS = (0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)


class Peer(NamedTuple):
    """Another algorithm on one problem."""

    key: str  # the policy
    label: str  # beside the row
    ratio: Mean  # its regret over that of the algorithm
    claimed: int  # 1: the paper says that it has more regret; -1: less
    verdict: Verdict  # whether that holds


def ratio_of(regret: Floats, reference: Floats) -> Mean:
    """The ratio of two mean regrets that met the same noise, with its error to first order.

    Parameters
    ----------
    regret
        Regret per repetition.
    reference
        That of the algorithm to compare with, in the same repetitions.

    Returns
    -------
    Mean
        The ratio, with its standard error.

    Examples
    --------
    >>> str(ratio_of(np.array([20.0, 22.0]), np.array([10.0, 11.0])))
    '2 +- 0'
    """
    both = min(len(regret), len(reference))
    one = np.asarray(regret[:both])
    other = np.asarray(reference[:both])
    value = float(one.mean() / other.mean())
    return Mean(value, float(standard_error(one - value * other) / abs(other.mean())))


def peers(
    groups: Mapping[str, Sequence[Peer]],
    name: str = "peers",
    title: str = "TEA beside its peers",
    *,
    reference: str = "TEA",
    story: str = "",
) -> Chart:
    """Ratios of regret, a panel per group, with the side that the paper names.

    Parameters
    ----------
    groups
        Per panel the other algorithms; they are sorted by their ratio.
    name
        The name of the chart's files.
    title
        The title.
    reference
        What the algorithm is called that the others are compared with.
    story
        What it shows, in a sentence or two.

    Returns
    -------
    Chart
        All panels have the same axis.

    Examples
    --------
    >>> peer = Peer("rank1_elim", "Rank1Elim", Mean(2.1, 0.1), claimed=1, verdict="holds")
    >>> chart = peers({"Rank-one rewards": [peer]})
    >>> chart.panels[0].dots[0].text, chart.panels[0].reference
    ('2.1 x', (1.0, 'TEA'))
    """
    ordered = {
        heading: sorted(here, key=lambda peer: peer.ratio.value) for heading, here in groups.items()
    }
    rows = {heading: [_dot(peer) for peer in here] for heading, here in ordered.items()}
    axis = _axis([dot for dots in rows.values() for dot in dots], reference)

    return Chart(
        name=name,
        title=title,
        caption=HOW_TO_READ.format(name=reference),
        story=story,
        panels=tuple(_panel(heading, dots, axis, reference) for heading, dots in rows.items()),
        numbers=tuple(_table(heading, here, reference) for heading, here in ordered.items()),
        marks=tuple((VERDICTS[verdict], text) for verdict, text in MARKS.items()),
    )


def _dot(peer: Peer) -> Dot:
    low, high = interval(peer.ratio.value, peer.ratio.error, log=True)
    text = f"{peer.ratio.value:.2g} x" if peer.ratio.value < 100 else f"{peer.ratio.value:,.0f} x"
    told = f"{peer.label}: {peer.ratio} times the regret; {MARKS[peer.verdict]}"
    return Dot(
        key=peer.key,
        label=peer.label,
        look=VERDICTS[peer.verdict],
        value=peer.ratio.value,
        low=low,
        high=high,
        text=text,
        told=told,
        claimed=peer.claimed,
    )


def _axis(dots: Sequence[Dot], reference: str) -> Axis:
    low = min(0.5, *(dot.low for dot in dots)) / 1.3
    high = max(2.0, *(dot.high for dot in dots)) * 1.3
    ticks = tuple((at, f"{at:g}") for at in TICKS if low < at < high)
    return Axis(f"times the regret of {reference}", (low, high), log=True, ticks=ticks)


def _panel(title: str, dots: Sequence[Dot], x: Axis, reference: str) -> Panel:
    rows = tuple(dots)
    told = "; ".join(f"{dot.told}" for dot in reversed(rows))
    return Panel(
        title=title,
        x=x,
        y=Axis(
            "",
            (-0.7, len(rows) - 0.3),
            ticks=tuple((float(i), dot.label) for i, dot in enumerate(rows)),
        ),
        dots=rows,
        reference=(1.0, reference),
        alt=f"Regret of others over that of {reference}, {title}: {told}.",
    )


def _table(title: str, here: Sequence[Peer], reference: str) -> Table:
    rows = [
        (
            peer.label,
            f"{peer.ratio.value:.3g}",
            f"{peer.ratio.error:.2g}",
            "more" if peer.claimed > 0 else "less",
            MARKS[peer.verdict],
        )
        for peer in reversed(here)
    ]
    columns = (
        "algorithm",
        f"times the regret of {reference}",
        "+- s.e.",
        "the paper says",
        "measured",
    )
    return Table(title, columns, rows, align="lrrll")
