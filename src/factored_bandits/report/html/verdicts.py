"""The tables of verdicts: the paper's sentences, and our own expectations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factored_bandits.report.claims import Claim, Verdict, counts_of, split_claims

# of one claim, and of several
WORDS: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "undecided": ("undecided", "undecided"),
}
MARKS = {"holds": "✓", "fails": "✗", "undecided": "?"}  # for those who do not see the colour
ORDER: tuple[Verdict, ...] = ("fails", "undecided", "holds")  # of the rows
BRIEF = 4  # parts of what was measured that stand in the table; more are unfolded


class Link(NamedTuple):
    """To a chart or a section of the page."""

    anchor: str
    title: str


def verdicts_of(claims: Sequence[Claim], links: Mapping[str, Link]) -> list[dict[str, object]]:
    """The tables, each with its own count; one without rows is left out.

    >>> ours = Claim("delay", "it costs little", "5 +- 1", "holds", ours=True)
    >>> [(table["title"], table["head"]) for table in verdicts_of([ours], {})]
    [('What we expected ourselves', 'We expect')]
    """
    papers, ours = split_claims(claims)
    tables = (
        ("claims", "What the paper says", "The paper says", papers),
        ("expectations", "What we expected ourselves", "We expect", ours),
    )
    return [
        {
            "name": name,
            "title": title,
            "head": head,
            "counts": _counts(here),
            "claims": [_row(claim, links) for claim in _sorted(here)],
        }
        for name, title, head, here in tables
        if here
    ]


def _sorted(claims: Sequence[Claim]) -> list[Claim]:
    """What fails first; otherwise in the order of the experiments."""
    return sorted(claims, key=lambda claim: ORDER.index(claim.verdict))


def _counts(claims: Sequence[Claim]) -> list[dict[str, object]]:
    """How many claims have each verdict."""
    return [
        {
            "verdict": verdict,
            "mark": MARKS[verdict],
            "number": count,
            "word": WORDS[verdict][0 if count == 1 else 1],
        }
        for verdict, count in counts_of(claims).items()
        if count
    ]


def _row(claim: Claim, links: Mapping[str, Link]) -> dict[str, object]:
    parts = claim.measured.split("; ")
    shown = claim.decided_by.split("; ")
    long = len(parts) > BRIEF

    return {
        "says": claim.says,
        "unit": claim.unit,
        "shown": shown[:BRIEF] if long else parts,
        "all": parts if long else [],
        "verdict": claim.verdict,
        "mark": MARKS[claim.verdict],
        "link": _link(claim, links),
    }


def _link(claim: Claim, links: Mapping[str, Link]) -> Link | None:
    """To the figure if it is on the page, otherwise to the experiment."""
    return links.get(f"chart-{claim.figure}") or links.get(claim.experiment)
