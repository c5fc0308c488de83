"""What commands print: tables (in colour on a terminal), JSON, and files."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import json
import math
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factored_bandits.core.files import draft_of
from factored_bandits.errors import InvalidInputError

from .process import INTERRUPTED

if TYPE_CHECKING:
    from factored_bandits.core.table import Table
    from factored_bandits.planning import Plan
    from factored_bandits.simulation.benchmark import Benchmark
    from factored_bandits.simulation.comparison import Comparison


PADDING = 3  # characters between the columns of a drawn table


def show(table: Table) -> None:
    """The table: drawn by rich on a terminal, as plain aligned text everywhere else.

    On a terminal that is too narrow for it, or if COLUMNS asks for less, row by row.
    """
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns
    drawn_width = sum(table.narrowest) + PADDING * len(table.columns) + 1

    if terminal and drawn_width <= width and importlib.util.find_spec("rich") is not None:
        _draw(table)
    elif terminal or "COLUMNS" in os.environ:
        click.echo(table.fitted(width))
    else:
        click.echo(str(table))


def _draw(table: Table) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Drawn

    caption = escape(table.caption) or None
    title = escape(table.title) or None
    drawn = Drawn(
        title=title,
        caption=caption,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
    )
    columns = zip(table.columns, *table.rows, strict=True)
    for column, side in zip(columns, table.alignment, strict=True):
        # Names and numbers are never cut; texts of several words are wrapped.
        drawn.add_column(
            escape(column[0]),
            justify="left" if side == "l" else "right",
            no_wrap=not any(" " in cell for cell in column[1:]),
        )
    for row in table.rows:
        drawn.add_row(*map(escape, row))
    Console(highlight=False).print(drawn)


def show_json(document: Any) -> None:
    """One JSON document on standard output; numbers that are not known are null."""
    click.echo(json.dumps(_with_null(document), indent=2, allow_nan=False))


def _with_null(document: Any) -> Any:
    """The document with None for nan.

    >>> _with_null({"error": [float("nan"), 1.0]})
    {'error': [None, 1.0]}
    """
    if isinstance(document, dict):
        return {key: _with_null(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [_with_null(value) for value in document]
    if isinstance(document, float) and math.isnan(document):
        return None
    return document


def check_csv_path(path: Path, option: str = "--out") -> None:
    """Complain before the work is done, not after."""
    if path.suffix.lower() != ".csv":
        raise InvalidInputError(f"{option} {str(path)!r}: the results are written as .csv")
    if not path.parent.is_dir():
        raise InvalidInputError(
            f"{option} {str(path)!r}: there is no directory {str(path.parent)!r}"
        )


def write_csv(comparison: Comparison, path: Path) -> None:
    """One row per policy, repetition and checkpoint."""
    columns = comparison.columns()
    try:
        with draft_of(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    except OSError as error:
        raise InvalidInputError(f"--out {str(path)!r}: {error.strerror or error}") from None


@contextlib.contextmanager
def warnings_as_sentences(category: type[Warning]) -> Iterator[None]:
    """Warnings of a category go to standard error, without the line of code that gave them."""
    before: Any = warnings.showwarning

    def tell(message: Any, kind: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(kind, category):
            click.echo(f"Warning: {message}", err=True)
        else:
            before(message, kind, *where, **more)

    chosen: Any = tell
    with warnings.catch_warnings():
        warnings.simplefilter("always", category)
        warnings.showwarning = chosen
        yield


def stop_if_interrupted(report: Comparison | Plan | Benchmark) -> None:
    """After Ctrl-C, say so and leave with its exit code."""
    if report.interrupted:
        click.echo("interrupted: only what was finished is shown", err=True)
        click.get_current_context().exit(INTERRUPTED)
