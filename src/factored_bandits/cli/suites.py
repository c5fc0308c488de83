"""`suite`: all policies on a whole suite of problems, with a performance profile."""

from __future__ import annotations

from pathlib import Path

import click

from factored_bandits.errors import InvalidInputError

from .completion import policy_list
from .output import show, show_json, stop_if_interrupted
from .running import output_options, repetition_options
from .values import Choice, Count

PARAMETERS = [
    click.Argument(["name"], metavar="SUITE", type=Choice(["factored", "duels"])),
    click.Option(
        ["--policies"],
        shell_complete=policy_list,
        help="Names, separated by commas, as in compare. [default: all that fit]",
    ),
    click.Option(["--only"], metavar="TEXT", help="Only problems whose name contains this."),
    click.Option(
        ["--horizon"], type=Count(), help="Rounds per repetition. [default: each problem's own]"
    ),
    *repetition_options("each"),
    *output_options("the profile"),
]


@click.command(params=PARAMETERS)
def suite(
    name: str,
    policies: str | None,
    only: str | None,
    horizon: int | None,
    repetitions: int,
    seed: int,
    workers: int | None,
    plot: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare algorithms on a suite of problems: a table for each, and a performance profile.

    The profile says how often a policy is within a factor of the best.

    \b
    factored-bandits suite factored --policies tea,lb_inf,unimodal_thompson --plot profile.png
    """
    from factored_bandits.environments import suites
    from factored_bandits.report.matplotlib.figures import check_figure_path
    from factored_bandits.simulation.benchmark import benchmark

    every = suites.factored() if name == "factored" else suites.duels()
    instances = [instance for instance in every if only is None or only in instance.name]

    if not instances:
        raise InvalidInputError(
            f"--only {only!r} is in none of the names: "
            f"{', '.join(instance.name for instance in every)}"
        )

    if plot is not None:
        check_figure_path(plot)
    found = benchmark(instances, policies, horizon, repetitions, seed, workers, progress=not quiet)
    if plot is not None:
        found.plot(plot, title=f"suite {name}: performance profile")
    if as_json:
        show_json({"suite": name, **found.to_dict(), "files": {"plot": str(plot)} if plot else {}})
    else:
        for table in found.tables():
            show(table)
            click.echo()
        for line in found.left_out():
            click.echo(line)

    if plot is not None:
        click.echo(f"wrote {plot}", err=True)
    stop_if_interrupted(found)
