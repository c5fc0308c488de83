"""`reproduce`, `run`, `init` and `results`: the laboratory."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factored_bandits.errors import InvalidInputError

from .output import INTERRUPTED, check_csv_path, show, show_json
from .running import Count

if TYPE_CHECKING:
    from factored_bandits.lab import Results, Spec
    from factored_bandits.report.claims import Claim

DEFAULT = "laboratory"
FOLDER = click.Path(file_okay=False, path_type=Path)
WIDTHS = (46, 52, 9)  # of the columns of the table of claims in plain text


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every run of experiments shares."""
    options = [
        click.option(
            "--quick/--full",
            "quick",
            default=True,
            help="A first look, or the sizes of the paper. [quick]",
        ),
        click.option(
            "--times",
            type=Count(),
            default=1,
            show_default=True,
            help="So many times the repetitions.",
        ),
        click.option(
            "--out",
            type=FOLDER,
            default=DEFAULT,
            show_default=True,
            metavar="DIR",
            help="The results.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["processes", "dask", "ray"]),
            default="processes",
            show_default=True,
            help="Who does the work: processes on this machine, a Dask cluster, or Ray.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Of the Dask cluster, such as tcp://10.0.0.1:8786.",
        ),
        click.option("--workers", type=Count(), help="Units at a time. [default: one per core]"),
        click.option(
            "--json", "as_json", is_flag=True, help="Print one JSON document instead of tables."
        ),
        click.option("--quiet", is_flag=True, help="No progress on standard error."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Only this experiment; may be given several times.",
)
@engine_options
def reproduce(only: tuple[str, ...], as_json: bool, **how: Any) -> None:
    """Reproduce the paper: run its experiments, and say which of its sentences hold.

    It may be stopped at any moment; the same command goes on where it was.

    \b
    factored-bandits reproduce --only rank1
    """
    from factored_bandits import lab
    from factored_bandits.lab.page import claims_of, write

    specs = [lab.load(name.replace("-", "_")).SPEC for name in (only or lab.names())]
    found = execute(specs, **how)
    told = claims_of(found)
    page = write(how["out"], found, told)

    if as_json:
        return show_json(
            {
                "claims": [vars(claim) for claim in told],
                "folder": str(how["out"]),
                "page": str(page),
            }
        )

    if sys.stdout.isatty():
        show(claims_table(told))
    else:
        click.echo(claims_text(told))

    click.echo(f"\nresults: {how['out']}\npage:    {page}")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@engine_options
def run(file: Path, as_json: bool, **how: Any) -> None:
    """Run the experiment that FILE describes (TOML; `factored-bandits init FILE` writes one to
    begin with).
    """
    from factored_bandits import lab
    from factored_bandits.lab.page import write

    [found] = execute([lab.read(file)], **how)
    tables = regret_tables(found)
    page = write(how["out"], [found], [])

    if as_json:
        show_json(
            [
                {"problem": table.title, "columns": table.columns, "rows": table.rows}
                for table in tables
            ]
        )
    else:
        for table in tables:
            show(table)
            click.echo()
        click.echo(f"results: {how['out']}\npage:    {page}")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def init(file: Path) -> None:
    """Write a commented experiment to FILE, to be changed and run."""
    from .template import TEMPLATE

    if file.exists():
        raise InvalidInputError(f"{str(file)!r} is there already; choose another name")
    name = "".join(c if c.isalnum() or c == "_" else "_" for c in file.stem)
    try:
        file.write_text(TEMPLATE.format(name=name, file=file), encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"{str(file)!r}: {error.strerror or error}") from None

    click.echo(f"wrote {file}; run it with: factored-bandits run {file}")


def execute(
    specs: Sequence[Spec],
    *,
    quick: bool,
    times: int,
    out: Path,
    engine: Any,
    scheduler: str | None,
    workers: int | None,
    quiet: bool,
) -> list[Results]:
    """Run; after Ctrl-C, say how to go on."""
    from factored_bandits import lab

    size = ("quick" if quick else "full") + (f"x{times}" if times > 1 else "")
    if times < 1:
        raise InvalidInputError(f"--times must be 1 or more, not {times}")
    if workers is not None and workers < 1:
        raise InvalidInputError(f"--workers must be 1 or more, not {workers}")
    try:
        return lab.run(specs, size, out, lab.Engine(engine, workers, scheduler), progress=not quiet)
    except KeyboardInterrupt:
        store = lab.Store(out)
        every = [task for spec in specs for task in lab.make_tasks(spec, size)]
        kept = sum(store.has(task) for task in every)
        click.echo(
            f"\ninterrupted: {kept} of {len(every)} units are kept in {out}; the same command goes on",
            err=True,
        )
        click.get_current_context().exit(INTERRUPTED)


def claims_table(claims: Sequence[Claim]) -> Any:
    """The table of claims, as data."""
    from factored_bandits.core.table import Table

    rows = [(claim.says, claim.measured, claim.verdict) for claim in claims]
    return Table("", ("the paper says", "measured", "verdict"), rows, tally(claims), align="lll")


def claims_text(claims: Sequence[Claim]) -> str:
    """The table of claims in plain text, long cells on several lines.

    >>> from factored_bandits.report.claims import Claim
    >>> print(claims_text([Claim("rank1", "it is better", "2 +- 1", "undecided")]).splitlines()[2].split())
    ['it', 'is', 'better', '2', '+-', '1', 'undecided']
    """
    lines = []
    for row in claims_table(claims).rows:
        cells = [textwrap.wrap(cell, width) for cell, width in zip(row, WIDTHS, strict=True)]
        for i in range(max(map(len, cells))):
            parts = [cell[i] if i < len(cell) else "" for cell in cells]
            lines.append(
                "  ".join(
                    part.ljust(width) for part, width in zip(parts, WIDTHS, strict=True)
                ).rstrip()
            )
        lines.append("")

    heads = ("the paper says", "measured", "verdict")
    first = "  ".join(head.ljust(width) for head, width in zip(heads, WIDTHS, strict=True)).rstrip()
    return "\n".join([first, "-" * (sum(WIDTHS) + 4), *lines, tally(claims)])


def tally(claims: Sequence[Claim]) -> str:
    """How many hold, fail, and are undecided."""
    counts = {
        word: sum(claim.verdict == word for claim in claims)
        for word in ("holds", "fails", "undecided")
    }
    return f"{counts['holds']} hold, {counts['fails']} fail, {counts['undecided']} are undecided at this size"


def regret_tables(found: Results) -> list[Any]:
    """Per problem, mean regret at the horizon, the best policy first."""
    from factored_bandits.core.table import Table, number

    tables = []

    for problem in found.problems:
        means = {policy: found.mean(problem, policy) for policy in found.policies(problem)}
        rows = []
        for policy, mean in sorted(means.items(), key=lambda item: item[1].value):
            last = found.final(problem, policy)
            values = (mean.value, mean.error, float(last.max()))
            rows.append(
                (policy, *(number(value, like=mean.value) for value in values), str(len(last)))
            )
        horizon = int(found.rounds(problem)[-1])
        unit = found.frame[found.frame.problem == problem].regret_unit.iloc[0]
        caption = f"horizon {horizon:,}; unit: {unit}; seed {found.spec.seed}"
        columns = ("policy", "mean regret", "+- s.e.", "worst", "repetitions")
        tables.append(Table(problem, columns, rows, caption))

    return tables


@click.command()
@click.argument(
    "folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--experiment", metavar="TEXT", help="Only experiments whose name contains this.")
@click.option("--problem", metavar="TEXT", help="Only problems whose name contains this.")
@click.option("--policy", metavar="TEXT", help="Only policies whose label contains this.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of a table.")
@click.option(
    "--csv",
    "csv",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every row to this file.",
)
def results(
    folder: Path,
    experiment: str | None,
    problem: str | None,
    policy: str | None,
    as_json: bool,
    csv: Path | None,
) -> None:
    """List what a folder of results holds: regret at the horizon, one row per problem and policy.

    Results of several versions of the code are listed apart.
    """
    from factored_bandits.core.table import Table, number
    from factored_bandits.lab.store import overview, read_folder

    if csv is not None:
        check_csv_path(csv, "--csv")
    chosen = {"experiment": experiment, "problem": problem, "policy": policy}
    frame = read_folder(folder, {key: text for key, text in chosen.items() if text is not None})

    if csv is not None:
        frame.to_csv(csv, index=False)
        click.echo(f"wrote {csv}", err=True)

    rows = overview(frame)
    if as_json:
        return show_json(rows)
    columns = (
        "experiment",
        "problem",
        "policy",
        "size",
        "code",
        "horizon",
        "repetitions",
        "mean regret",
        "+- s.e.",
    )
    cells = []

    for row in rows:
        error = float("nan") if row["standard_error"] is None else row["standard_error"]
        words = (row["experiment"], row["problem"], row["policy"], row["size"], row["code"])
        numbers = (f"{row['horizon']:,}", str(row["repetitions"]), number(row["mean"], row["mean"]))
        cells.append((*words, *numbers, number(error, row["mean"])))

    seconds = sum(row["seconds"] for row in rows)
    show(
        Table(
            "",
            columns,
            cells,
            f"{len(frame):,} rows; {seconds:,.0f} seconds of work",
            align="lllllrrrr",
        )
    )
