"""Tables as data (title, columns, rows, caption), and as aligned plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """`str(table)` is aligned text; the command line draws the same data in colour on a terminal.

    Attributes
    ----------
    title
        The line above; empty for none.
    columns
        The headings.
    rows
        The cells, as text.
    caption
        The lines below; empty for none.
    align
        One letter per column, l or r; by default the first column left, the others right.

    Examples
    --------
    >>> rows = [("apple", "1"), ("melon", "23")]
    >>> print(Table("Prices", ("fruit", "price"), rows, caption="in euros"))
    Prices
    fruit  price
    apple      1
    melon     23
    in euros
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""
    align: str = ""

    @property
    def alignment(self) -> str:
        """One letter per column."""
        return self.align or "l" + "r" * (len(self.columns) - 1)

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        lines = [self.title] if self.title else []

        for row in (self.columns, *self.rows):
            cells = [
                cell.ljust(width) if side == "l" else cell.rjust(width)
                for cell, width, side in zip(row, widths, self.alignment, strict=True)
            ]
            lines.append("  ".join(cells).rstrip())

        if self.caption:
            lines.append(self.caption)
        return "\n".join(lines)


def number(value: float, like: float) -> str:
    """With as many decimals as give `like` three digits, thousands separated.

    >>> number(505.2, like=26198.6), number(1.234, like=9.8), number(float("nan"), like=1.0)
    ('505', '1.23', '-')
    """
    if math.isnan(value):
        return "-"
    digits = math.floor(math.log10(abs(like))) if like else 0
    return f"{value:,.{min(6, max(0, 2 - digits))}f}"


def round_of(value: float) -> str:
    """A round, or that there was none.

    >>> round_of(1947.0), round_of(float("inf"))
    ('1,947', 'not yet')
    """
    return f"{value:,.0f}" if math.isfinite(value) else "not yet"
