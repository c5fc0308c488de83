"""Tables with bars as HTML, for notebooks.

Styles are inline, and colours are those of the notebook but for bars, lines and captions, whose
tones are readable on white and on black. Every text is escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .table import Table

MOST_ROWS = 200  # a notebook with more of them is slow, and nobody reads them
BAR = "#3F8FC9"
FAINT = "#8C8C8C"
LINE = "1px solid rgba(128,128,128,0.45)"
BOX = "display:inline-block;width:7em;height:0.7em;text-align:left"
CELL = "padding:0.15em 0.6em"


class Bar(NamedTuple):
    """A bar beside a cell.

    Attributes
    ----------
    share
        Its length, from 0 to 1.
    faint
        Whether it is grey: the row is of less interest.
    """

    share: float
    faint: bool = False


Bars = Mapping[str, Sequence[Bar | None]]  # by the name of a column, one per row


def bars_of(values: Sequence[float | None], faint: Sequence[bool] = ()) -> list[Bar | None]:
    """Bars as long as the values are, the largest of them full.

    Parameters
    ----------
    values
        Numbers from 0 on; infinity is a full bar, None and nan are no bar.
    faint
        Which of them are grey; by default none.

    Returns
    -------
    list of Bar or None
        One per value.

    Examples
    --------
    >>> [bar and bar.share for bar in bars_of([1.0, 4.0, float("inf"), None])]
    [0.25, 1.0, 1.0, None]
    """
    finite = [value for value in values if value is not None and math.isfinite(value)]
    largest = max(finite, default=0.0)
    marks = list(faint) or [False] * len(values)
    return [_bar(value, largest, mark) for value, mark in zip(values, marks, strict=True)]


def _bar(value: float | None, largest: float, faint: bool) -> Bar | None:
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return Bar(1.0, faint)
    return Bar(max(0.0, value) / largest if largest > 0.0 else 0.0, faint)


def joined(*parts: str) -> str:
    """Parts that are HTML already, below each other; empty ones are left out.

    >>> joined("<p>a</p>", "")
    '<div class="factored-bandits"><p>a</p></div>'
    """
    return f'<div class="factored-bandits">{"".join(filter(None, parts))}</div>'


def text_html(text: str, *, strong: bool = False) -> str:
    """A text, line by line; empty for no text.

    >>> text_html("a < b", strong=True)
    '<div style="margin:0.3em 0;font-weight:bold">a &lt; b</div>'
    """
    if not text:
        return ""
    weight = ";font-weight:bold" if strong else ""
    lines = "<br>".join(map(html.escape, text.splitlines()))
    return f'<div style="margin:0.3em 0{weight}">{lines}</div>'


def folded(title: str, content: str) -> str:
    """What is shown after a click on its title.

    >>> folded("more", "<p>a</p>")
    '<details><summary>more</summary><p>a</p></details>'
    """
    return f"<details><summary>{html.escape(title)}</summary>{content}</details>"


def table_html(table: Table, bars: Bars | None = None) -> str:
    """A table, with a bar beside each cell of some columns.

    Parameters
    ----------
    table
        Title, columns, rows and caption.
    bars
        By the name of a column a bar per row, or None for none.

    Returns
    -------
    str
        HTML; of more than `MOST_ROWS` rows the first ones, and how many are left out.

    Examples
    --------
    >>> table = Table("Prices", ("fruit", "price"), [("apple", "1"), ("<melon>", "4")])
    >>> shown = table_html(table, {"price": bars_of([1.0, 4.0])})
    >>> "&lt;melon&gt;" in shown, "width:25.0%" in shown, "width:100.0%" in shown
    (True, True, True)
    """
    beside = bars or {}
    head = "".join(
        _cell("th", name, side, 2 if name in beside else 1)
        for name, side in zip(table.columns, table.alignment, strict=True)
    )
    body = "".join(
        f'<tr style="background:none">{_row(table, index, beside)}</tr>'
        for index in range(min(len(table.rows), MOST_ROWS))
    )

    left_out = len(table.rows) - MOST_ROWS
    more = f"{left_out:,} more rows; print it to see them" if left_out > 0 else ""
    return (
        f"{text_html(table.title, strong=True)}"
        '<table style="border-collapse:collapse;margin:0.3em 0">'
        f'<thead><tr style="background:none;border-bottom:{LINE}">{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
        f"{text_html(more)}{_caption(table.caption)}"
    )


def _caption(text: str) -> str:
    shown = text_html(text)
    return f'<div style="font-size:85%;opacity:0.8">{shown}</div>' if shown else ""


def _row(table: Table, index: int, bars: Bars) -> str:
    cells = []
    named = zip(table.columns, table.rows[index], table.alignment, strict=True)
    for column, text, side in named:
        cells.append(_cell("td", text, side))
        if column in bars:
            cells.append(f'<td style="{CELL};padding-left:0">{_drawn(bars[column][index])}</td>')
    return "".join(cells)


def _cell(tag: str, text: str, side: str, span: int = 1) -> str:
    # a heading stands above its numbers and their bars
    across = f' colspan="{span}"' if span > 1 else ""
    align = "left" if side == "l" or span > 1 else "right"
    return f'<{tag}{across} style="text-align:{align};{CELL}">{html.escape(text)}</{tag}>'


def _drawn(bar: Bar | None) -> str:
    """The bar alone: its number stands beside it, so a screen reader need not read it."""
    if bar is None:
        return ""
    colour = FAINT if bar.faint else BAR
    inside = f"display:block;width:{100.0 * bar.share:.1f}%;height:100%;background:{colour}"
    return f'<span aria-hidden="true" style="{BOX}"><span style="{inside}"></span></span>'
