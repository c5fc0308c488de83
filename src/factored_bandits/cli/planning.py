"""`plan`: how long an experiment will take and what it will cost, from assumptions."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from factored_bandits.errors import InvalidInputError

from .completion import policy_list
from .live import plans_on_the_way
from .output import show, show_json, stop_if_interrupted
from .running import output_options, repetition_options
from .values import Count, Share, share

if TYPE_CHECKING:
    from factored_bandits.planning import Plan

T = TypeVar("T", int, float)

# DEFAULT_POLICIES of the library, which --help need not import
POLICIES = "tea(bound=betting),leader_tea,tea,marginal_thompson"

NARROW = 100  # columns, below which a table of seven is hard to read

FACTORS = "How many levels each factor has, such as 5,4,3."
LIFT = "What a best level adds, such as 0.2 or 20%; or one per factor."
OPTIONS = [
    click.Option(["--factors"], required=True, metavar="LEVELS", help=FACTORS),
    click.Option(
        ["--base-rate"],
        required=True,
        type=Share(),
        help="The rate without any best level, such as 0.05 or 5%.",
    ),
    click.Option(["--lift"], required=True, metavar="LIFT", help=LIFT),
    click.Option(
        ["--traffic"], metavar="NUMBER/UNIT", help="Rounds per hour, day or week, such as 2000/day."
    ),
    click.Option(
        ["--policies"],
        default=POLICIES,
        show_default=True,
        shell_complete=policy_list,
        help="The algorithms to forecast.",
    ),
    click.Option(["--no-flat"], is_flag=True, help="Leave out flat_ucb1 over all combinations."),
    click.Option(
        ["--horizon"], type=Count(), help="Rounds to simulate. [default: up to 1e7 or a year]"
    ),
    click.Option(["--quick"], is_flag=True, help="Only the first estimate, without simulating."),
    *repetition_options("it"),
    *output_options("it"),
]


@click.command(params=OPTIONS)
def plan(
    factors: str,
    base_rate: float,
    lift: str,
    traffic: str | None,
    policies: str,
    no_flat: bool,
    horizon: int | None,
    quick: bool,
    repetitions: int,
    seed: int,
    workers: int | None,
    plot: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Forecast an experiment: how long it takes, what it costs, and how long a classical test.

    A first estimate is shown within seconds; simulations replace it while you read. Ctrl-C ends it
    with what is known by then.

    The assumptions become a problem so: a combination succeeds with probability base rate times
    (1 + lift) for each factor that stands at its best level; all other levels of a factor are
    alike.

    \b
    factored-bandits plan --factors 5,4,3 --base-rate 0.05 --lift 0.2 --traffic 2000/day
    """
    from factored_bandits.planning import Assumptions
    from factored_bandits.planning import plan as run
    from factored_bandits.report.matplotlib.figures import check_figure_path

    sizes = _numbers(int, "--factors", factors, "whole numbers such as 5,4,3")
    wanted = "a number such as 0.2 or 20%, or one per factor such as 0.2,0.1,0.3"
    lifts = _numbers(share, "--lift", lift, wanted)
    assumptions = Assumptions(sizes, base_rate, lifts if len(lifts) > 1 else lifts[0])
    if plot is not None:
        check_figure_path(plot)

    with plans_on_the_way() if not (quiet or quick) else contextlib.nullcontext(False) as progress:
        made = run(
            assumptions,
            traffic,
            policies,
            repetitions,
            seed,
            horizon=horizon,
            flat=not no_flat,
            workers=workers,
            progress=progress,
            quick=quick,
        )

    if plot is not None:
        made.plot(plot)
    if as_json:
        show_json({**made.to_dict(), "files": {"plot": str(plot)} if plot else {}})
    else:
        _show(made)

    if plot is not None:
        click.echo(f"wrote {plot}", err=True)
    stop_if_interrupted(made)


def _show(made: Plan) -> None:
    """As text; tables are drawn where the terminal is wide enough."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    if width is None or width < NARROW:
        click.echo(made.text(width))
        return

    click.echo("\n".join([made.verdict.sentence, *made.warnings]))
    for table in made.tables():
        click.echo()
        show(table)


def _numbers(kind: Callable[[str], T], option: str, text: str, wanted: str) -> tuple[T, ...]:
    """The numbers of a comma-separated list."""
    try:
        return tuple(kind(part) for part in text.split(","))
    except (ValueError, ArithmeticError):
        raise InvalidInputError(f"{option} must be {wanted}, not {text!r}") from None
