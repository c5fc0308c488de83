"""Plans on the way, on standard error: the first estimate at once, better ones as they come."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from factored_bandits.planning import Plan

LINE_EVERY = 15.0  # seconds, where there is no terminal
WIDTH = 100  # columns, where there is no terminal
COLUMNS = (0, 2, 3)  # of the overview: policy, half of runs, 90 % of runs


@contextlib.contextmanager
def plans_on_the_way() -> Iterator[Callable[[Plan], None]]:
    """What to call with each plan: drawn over the last one on a terminal, lines elsewhere."""
    if sys.stderr.isatty() and importlib.util.find_spec("rich") is not None:
        with _drawn() as tell:
            yield tell
    else:
        yield _lines()


@contextlib.contextmanager
def _drawn() -> Iterator[Callable[[Plan], None]]:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    spinner = Spinner("dots")
    # erased at the end, when the plan itself is printed
    with Live(console=console, transient=True, refresh_per_second=5) as live:

        def tell(plan: Plan) -> None:
            spinner.update(text=Text(status(plan)))
            live.update(Group(Text(brief(plan, console.width) + "\n"), spinner))

        yield tell


def _lines() -> Callable[[Plan], None]:
    width = shutil.get_terminal_size((WIDTH, 24)).columns if sys.stderr.isatty() else WIDTH
    said = 0.0

    def tell(plan: Plan) -> None:
        nonlocal said
        now = time.monotonic()
        if not said:
            click.echo(f"{brief(plan, width)}\n\n{status(plan)}", err=True)
            said = now
        elif now - said > LINE_EVERY:
            click.echo(f"{plan.verdict.sentence} ({status(plan)})", err=True)
            said = now

    return tell


def brief(plan: Plan, width: int) -> str:
    """The sentence, and when each policy has decided."""
    from factored_bandits.core.table import Table, wrapped

    overview = plan.tables()[0]
    columns = tuple(overview.columns[i] for i in COLUMNS)
    rows = [tuple(row[i] for i in COLUMNS) for row in overview.rows]
    opening = [wrapped(line, width, "  ") for line in (plan.verdict.sentence, *plan.warnings)]
    return "\n".join([*opening, "", Table("", columns, rows).fitted(width)])


def status(plan: Plan) -> str:
    """What is being simulated, and what comes after that."""
    if not plan.pending:
        return "done"
    now, *later = plan.pending
    finished = sum(each.result.repetitions for each in plan.forecasts if each.policy == now)
    counted = f": {finished} of {plan.repetitions} repetitions" if finished else ""
    after = f"; then {', '.join(later)}" if later else ""
    return f"simulating {now}{counted}{after}. Ctrl-C ends it with what is known by then"
