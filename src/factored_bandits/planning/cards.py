"""A plan on a narrow screen: lines of a given width, a block per row instead of a table."""

from __future__ import annotations

import dataclasses
import textwrap
from typing import TYPE_CHECKING

from factored_bandits.core.table import Table

from .tables import NOTHING

if TYPE_CHECKING:
    from .plan import Plan

INDENT = "  "
NO_BREAK = "\u00a0"


def narrow(plan: Plan, width: int) -> str:
    """The whole plan within a width; its tables become blocks where they are too wide."""
    opening = [wrapped(line, width) for line in (plan.verdict.sentence, *plan.warnings)]
    return "\n\n".join(["\n".join(opening), *(fitted(table, width) for table in plan.tables())])


def fitted(table: Table, width: int) -> str:
    """The table if it fits into the width, otherwise blocks."""
    lines = str(dataclasses.replace(table, caption="")).splitlines()
    if any(len(line) > width for line in lines):
        return cards(table, width)
    caption = [wrapped(line, width) for line in table.caption.splitlines()]
    return "\n".join([*lines, *caption])


def cards(table: Table, width: int) -> str:
    """One block per row: what it is about on top, below that a line per number.

    >>> rows = [("tea", "210,000 (105 days)", "-"), ("uniform", "-", "17")]
    >>> print(cards(Table("Decided", ("policy", "half of runs", "lost"), rows, "so far"), 24))
    Decided
    <BLANKLINE>
    tea
      half of runs:
        210,000 (105 days)
    <BLANKLINE>
    uniform
      lost: 17
    <BLANKLINE>
    so far
    """
    # up to the last column of text
    head = table.alignment.rindex("l") + 1
    blocks = [table.title] if table.title else []

    for row in table.rows:
        cells = list(zip(table.columns, row, table.alignment, strict=True))
        about = [cell if side == "l" else f"{name} {cell}" for name, cell, side in cells[:head]]
        lines = [wrapped(", ".join(about), width)]
        lines += [_cell(name, cell, width) for name, cell, _ in cells[head:] if cell != NOTHING]
        blocks.append("\n".join(lines))

    if table.caption:
        blocks.append("\n".join(wrapped(line, width) for line in table.caption.splitlines()))
    return "\n\n".join(blocks)


def _cell(name: str, cell: str, width: int) -> str:
    line = f"{INDENT}{name}: {cell}"
    if len(line) <= width:
        return line
    text = textwrap.wrap(cell, width, initial_indent=2 * INDENT, subsequent_indent=2 * INDENT)
    return "\n".join([f"{INDENT}{name}:", *text])


def wrapped(line: str, width: int) -> str:
    """The line on several lines.

    >>> print(wrapped("a lift of 20 %", 12))
    a lift of
      20 %
    """
    # a number and its percent sign stay together
    kept = line.replace(" %", f"{NO_BREAK}%")
    return textwrap.fill(kept, width, subsequent_indent=INDENT).replace(NO_BREAK, " ")
