"""What `reproduce` says at the end: counts, failures with their reasons, and all rows if asked."""

from __future__ import annotations

import dataclasses
import itertools
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from .output import show

if TYPE_CHECKING:
    from factored_bandits.core.table import Table
    from factored_bandits.report.claims import Claim

WIDTHS = (46, 52, 9)  # of the columns where there is no terminal
LINE = 100  # letters of the summary, at most
REASONS = 2  # lines for the reason of a failure; the page has the rest
HEADS = ("the paper says", "we expect")
NAMES = ("sentences of the paper", "expectations of our own")
READING = "regret: less is better; mean +- standard error; verdicts err in at most 1 %"


def show_claims(claims: Sequence[Claim]) -> None:
    """Print all rows, a table for the paper's sentences and one for ours."""
    from factored_bandits.report.claims import split_claims

    for head, here in zip(HEADS, split_claims(claims), strict=True):
        if here:
            table = claims_table(here, head)
            # a terminal wraps long cells itself
            show(table if sys.stdout.isatty() else with_long_cells_in_lines(table, WIDTHS))
            click.echo()


def show_summary(claims: Sequence[Claim]) -> None:
    """Print what fits on one screen: the counts, and what fails, with the reason."""
    width = min(LINE, shutil.get_terminal_size().columns) if sys.stdout.isatty() else LINE
    for line in summary_lines(claims, width):
        click.echo(line)


def claims_table(claims: Sequence[Claim], head: str) -> Table:
    """The table of claims, as data."""
    from factored_bandits.core.table import Table
    from factored_bandits.report.claims import tally

    rows = [(claim.says, _measured(claim), claim.verdict) for claim in claims]
    return Table("", (head, "measured", "verdict"), rows, tally(claims), align="lll")


def with_long_cells_in_lines(table: Table, widths: Sequence[int]) -> Table:
    """The same table with long cells on several lines, and an empty line after each row.

    >>> from factored_bandits.core.table import Table
    >>> table = Table("", ("word", "more"), [("a b 7 %", "d")], "end", align="ll")
    >>> print(with_long_cells_in_lines(table, (3, 4)))
    word  more
    a b   d
    7 %
    <BLANKLINE>
    end
    """
    from factored_bandits.core.table import wrapped

    rows: list[tuple[str, ...]] = []
    for row in table.rows:
        cells = [wrapped(cell, width).split("\n") for cell, width in zip(row, widths, strict=True)]
        rows += itertools.zip_longest(*cells, fillvalue="")
        rows.append(("",) * len(row))

    return dataclasses.replace(table, rows=rows)


def _measured(claim: Claim) -> str:
    return f"[{claim.unit}] {claim.measured}" if claim.unit else claim.measured


def summary_lines(claims: Sequence[Claim], width: int = LINE) -> Iterator[str]:
    """The lines of the summary.

    >>> from factored_bandits.report.claims import Claim
    >>> bad = Claim("rank1", "TEA is better", "TEA 5 +- 1; other 2 +- 1", "fails", unit="regret")
    >>> print(*summary_lines([bad]), sep=chr(10))
    1 sentence of the paper: 0 hold, 1 fails, 0 are undecided
    regret: less is better; mean +- standard error; verdicts err in at most 1 %
    <BLANKLINE>
    fails: TEA is better
        [regret] TEA 5 +- 1; other 2 +- 1
    """
    from factored_bandits.report.claims import split_claims, tally

    parts = split_claims(claims)
    for name, here in zip(NAMES, parts, strict=True):
        if here:
            what = name.replace("s of", " of", 1) if len(here) == 1 else name
            yield f"{len(here)} {what}: {tally(here)}"
    yield READING
    yield ""

    for whose, here in zip(("fails", "fails (ours)"), parts, strict=True):
        for claim in here:
            if claim.verdict == "fails":
                yield from textwrap.wrap(f"{whose}: {claim.says}", width, subsequent_indent="    ")
                yield from _reason(claim, width)


def _reason(claim: Claim, width: int) -> list[str]:
    unit = f"[{claim.unit}] " if claim.unit else ""
    return textwrap.wrap(
        f"{unit}{claim.decided_by}",
        width,
        initial_indent="    ",
        subsequent_indent="    ",
        max_lines=REASONS,
        placeholder=" ...",
    )
