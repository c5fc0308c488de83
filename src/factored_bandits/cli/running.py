"""`simulate` and `compare`: a group each, with one subcommand per problem, built when asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factored_bandits.errors import UnknownNameError

from .completion import policy_list, policy_or_file
from .output import check_csv_path, show, show_json, stop_if_interrupted, write_csv
from .problems import Recipe, recipe, recipe_names
from .values import Count

if TYPE_CHECKING:
    from factored_bandits.environments import Environment
    from factored_bandits.simulation.comparison import Comparison


FILE = click.Path(dir_okay=False, path_type=Path)


class ProblemCommand(click.Command):
    """A subcommand whose help lists the problem's own options apart from those of every run."""

    def __init__(self, *args: Any, own: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.own = own  # how many of the options belong to the problem

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Two sections of options."""
        params = self.get_params(ctx)
        for title, part in (("The problem", params[: self.own]), ("The run", params[self.own :])):
            rows = [
                row for row in (param.get_help_record(ctx) for param in part) if row is not None
            ]
            with formatter.section(title):
                formatter.write_dl(rows)


class ProblemGroup(click.Group):
    """One subcommand per problem; nothing of the library is imported before one is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The problems, and what is added to the group beside them."""
        return [*recipe_names(), *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of one problem, also if its name is written with underscores."""
        name = cmd_name.replace("_", "-")
        if name in self.commands:
            return self.commands[name]
        if name not in recipe_names():
            if ctx.resilient_parsing:  # a line that is being completed
                return None
            raise UnknownNameError.of("problem", cmd_name, self.list_commands(ctx))
        return problem_command(str(self.name), name, recipe(name))


def problem_command(group: str, name: str, found: Recipe) -> ProblemCommand:
    """`simulate NAME` or `compare NAME`."""
    keys = [str(option.name) for option in found.options]

    def run(policies: str | None, **values: Any) -> None:
        own = {key: values.pop(key) for key in keys}
        chosen = [policies] if group == "simulate" else policies
        execute(found.make(**own), found.title(name, own), chosen, **values)

    params: list[click.Parameter] = [*found.options, *run_options(group)]
    return ProblemCommand(name, callback=run, params=params, help=found.summary, own=len(keys))


def run_options(group: str) -> list[click.Option]:
    """The options that every problem shares."""
    text = "Names, separated by commas, with parameters in brackets: 'tea,flat_ucb1(alpha=0.5)'."
    many = click.Option(
        ["--policies"], shell_complete=policy_list, help=f"{text} [default: all that fit]"
    )
    one = click.Option(
        ["--policy", "policies"],
        required=True,
        shell_complete=policy_or_file,
        help="The algorithm, such as tea, 'flat_ucb1(alpha=0.5)' or path/to/mine.py.",
    )
    certify = click.Option(
        ["--certificate"], is_flag=True, help="Show how often each level was certified."
    )

    return [
        one if group == "simulate" else many,
        click.Option(
            ["--horizon"],
            type=Count(),
            default="1e5",
            show_default=True,
            help="Rounds per repetition.",
        ),
        *repetition_options("it"),
        click.Option(["--eliminations"], is_flag=True, help="Show when each level was eliminated."),
        *([certify] if group == "simulate" else []),
        click.Option(
            ["--out"],
            type=FILE,
            metavar="FILE",
            help="Write every repetition and checkpoint: .csv.",
        ),
        *output_options("regret over time"),
    ]


def repetition_options(what: str) -> list[click.Option]:
    """How often `what` is repeated, from which seed, by how many workers."""
    often = f"How often to repeat {what}."
    return [
        click.Option(["--repetitions"], type=Count(), default=20, show_default=True, help=often),
        click.Option(
            ["--seed"],
            type=Count(),
            default=0,
            show_default=True,
            help="The same seed, the same numbers.",
        ),
        click.Option(
            ["--workers"], type=Count(), help="Repetitions at a time. [default: one per core]"
        ),
    ]


def output_options(drawn: str) -> list[click.Option]:
    """A figure of what is `drawn`, JSON, silence."""
    return [
        click.Option(
            ["--plot"], type=FILE, metavar="FILE", help=f"Draw {drawn}: .png, .pdf or .svg."
        ),
        click.Option(
            ["--json", "as_json"], is_flag=True, help="Print one JSON document instead of tables."
        ),
        click.Option(["--quiet"], is_flag=True, help="No progress on standard error."),
    ]


def execute(
    problem: Environment,
    title: str,
    policies: Any,
    *,
    horizon: int,
    repetitions: int,
    seed: int,
    workers: int | None,
    eliminations: bool,
    plot: Path | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
    certificate: bool = False,
) -> None:
    """Check where files go, run, and report."""
    from factored_bandits.inference.certificate import certificate as certify_result
    from factored_bandits.inference.certificate import share_table
    from factored_bandits.report.matplotlib.figures import check_figure_path
    from factored_bandits.simulation.compare import compare as run

    if plot is not None:
        check_figure_path(plot)
    if out is not None:
        check_csv_path(out)

    chosen = policies if policies is not None else _default_policies(problem, horizon)
    comparison = run(
        chosen,
        problem,
        horizon,
        repetitions,
        seed,
        workers=workers,
        progress=not quiet,
        certify=certificate,
    )

    if plot is not None:
        comparison.plot(plot, title=title)
    if out is not None:
        write_csv(comparison, out)
    files = {"plot": plot, "out": out}
    written = {key: str(path) for key, path in files.items() if path is not None}

    if as_json:
        document = {**comparison.to_dict(), "title": title, "files": written}
        if certificate:
            found = certify_result(comparison.results[0])
            document["certificates"] = [each.to_dict() for each in found]
        show_json(document)
    else:
        report(comparison, title, eliminations)
        if certificate:
            click.echo()
            show(share_table(comparison.results[0]))

    for path in written.values():
        click.echo(f"wrote {path}", err=True)
    stop_if_interrupted(comparison)


def report(comparison: Comparison, title: str, eliminations: bool) -> None:
    """The tables."""
    click.echo(title)
    show(comparison.summary())

    if eliminations:
        tables = comparison.eliminations()
        for table in tables:
            click.echo()
            show(table)
        if not tables:
            click.echo("\nnone of these policies eliminates levels")


def _default_policies(problem: Environment, horizon: int) -> Any:
    from factored_bandits.simulation.choosing import suitable

    able, refused = suitable(problem, horizon)
    for name, reason in refused.items():
        click.echo(f"left out {name}: {reason}", err=True)
    return able


@click.group(cls=ProblemGroup, subcommand_metavar="PROBLEM [OPTIONS]", options_metavar="")
def compare() -> None:
    """Compare several algorithms on one problem: a table, a figure, or JSON."""


@click.group(cls=ProblemGroup, subcommand_metavar="PROBLEM [OPTIONS]", options_metavar="")
def simulate() -> None:
    """Run one algorithm on one problem."""
