"""Tables as data (title, columns, rows, caption), and as aligned plain text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

FOLDED = 16  # characters
NO_BREAK = "\u00a0"


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

    def fitted(self, width: int) -> str:
        """As text of at most so many columns: as a table if it fits, otherwise row by row.

        Parameters
        ----------
        width
            How many characters a line may have.

        Returns
        -------
        str
            The text; only a word that is longer than a line makes one longer.

        Examples
        --------
        >>> rows = [("apple", "1 euro"), ("melon", "23 euros")]
        >>> print(Table("Prices", ("fruit", "price"), rows, caption="of today").fitted(13))
        Prices
        fruit  apple
        price  1 euro
        <BLANKLINE>
        fruit  melon
        price  23
               euros
        of today
        """
        body = str(Table("", self.columns, self.rows, align=self.align))
        if max(map(len, body.splitlines())) > width:
            body = "\n\n".join(self._record(row, width) for row in self.rows)

        outside = [wrapped(text, width) for text in (self.title, self.caption)]
        return "\n".join(part for part in (outside[0], body, outside[1]) if part)

    def _record(self, row: tuple[str, ...], width: int) -> str:
        """One row as lines `column  cell`; empty cells are left out."""
        first = max(map(len, self.columns))
        room = max(1, width - first - 2)
        lines = []

        for name, cell in zip(self.columns, row, strict=True):
            for i, part in enumerate(textwrap.wrap(cell, room)):
                lines.append(f"{'' if i else name:{first}}  {part}")

        return "\n".join(lines)

    @property
    def narrowest(self) -> tuple[int, ...]:
        """Per column, how narrow it may become: names and numbers are never cut, texts wrapped.

        >>> Table("", ("fruit", "price now"), [("apple", "1 or 2")]).narrowest
        (5, 5)
        """
        columns = zip(self.columns, *self.rows, strict=True)
        return tuple(map(_narrowest, columns))


def _narrowest(column: tuple[str, ...]) -> int:
    """The longest word; of a text at most so much, because a long word in it can be folded."""
    longest = max((len(word) for cell in column for word in cell.split()), default=0)
    is_text = any(" " in cell for cell in column[1:])
    return min(longest, FOLDED) if is_text else longest


def wrapped(text: str, width: int, indent: str = "") -> str:
    """The text in lines of at most so many columns; a number keeps its percent sign.

    >>> print(wrapped("a lift of 20 %", 12, indent="  "))
    a lift of
      20 %
    """
    kept = text.replace(" %", f"{NO_BREAK}%")
    lines = [
        textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False)
        for line in kept.splitlines()
    ]
    return "\n".join(part for parts in lines for part in parts).replace(NO_BREAK, " ")


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
