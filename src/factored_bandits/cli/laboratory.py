"""`reproduce`, `run` and `init`: experiments of the laboratory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factored_bandits.errors import InvalidInputError

from .claims import show_claims, show_summary
from .completion import experiment_name
from .output import show, show_json, warnings_as_sentences
from .process import INTERRUPTED
from .values import Choice, Count

if TYPE_CHECKING:
    from factored_bandits.core.table import Table
    from factored_bandits.lab import Engine, Results, Spec, Store

DEFAULT = "laboratory"
FOLDER = click.Path(file_okay=False, path_type=Path)


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every run of experiments shares."""
    options = [
        click.option(
            "--quick/--full",
            "quick",
            default=True,
            help="The preset: a first look, or as much as in the paper. [quick]",
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
            type=Choice(["processes", "dask", "ray"]),
            default="processes",
            show_default=True,
            help="Who does the work: processes on this machine, a Dask cluster, or Ray.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Of the Dask cluster, such as tcp://10.0.0.1:8786.",
        ),
        click.option("--workers", type=Count(), help="Tasks at a time. [default: one per core]"),
        click.option("--pdf", is_flag=True, help="Write every figure as PDF, too."),
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
    shell_complete=experiment_name,
    help="Only this experiment; may be given several times.",
)
@click.option("--verbose", is_flag=True, help="Print every sentence, not only what fails.")
@engine_options
def reproduce(only: tuple[str, ...], verbose: bool, as_json: bool, pdf: bool, **how: Any) -> None:
    """Reproduce the paper: run its experiments, and say which of its sentences hold.

    It may be stopped at any moment; the same command goes on where it was.

    \b
    factored-bandits reproduce --only rank1
    """
    from factored_bandits import lab
    from factored_bandits.lab.page import claims_of, write

    specs = [lab.load(name.replace("-", "_")).SPEC for name in (only or lab.names())]
    found = execute(specs, _preset(how), **how)
    told = claims_of(found)
    page = write(how["out"], found, told, pdf=pdf)

    if as_json:
        claims = [vars(claim) for claim in told]
        return show_json({"claims": claims, "folder": str(how["out"]), "page": str(page)})

    if verbose:
        show_claims(told)
    show_summary(told)
    click.echo(f"\nresults: {how['out']}\npage:    {page}")
    if not verbose:
        click.echo("all rows: --verbose")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@engine_options
def run(file: Path, as_json: bool, pdf: bool, **how: Any) -> None:
    """Run the experiment that FILE describes.

    FILE is in TOML; `factored-bandits init FILE` writes one to begin with.
    """
    from factored_bandits import lab
    from factored_bandits.lab.page import write

    try:
        spec = lab.read(file)
    except InvalidInputError as error:
        raise InvalidInputError(f"{error} (factored-bandits init FILE writes an example)") from None

    [found] = execute([spec], _preset(how), **how)
    tables = regret_tables(found)
    page = write(how["out"], [found], [], pdf=pdf)

    if as_json:
        found_rows = [
            {"problem": table.title, "columns": table.columns, "rows": table.rows}
            for table in tables
        ]
        return show_json(found_rows)

    for table in tables:
        show(table)
        click.echo()
    click.echo(f"results: {how['out']}\npage:    {page}")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def init(file: Path) -> None:
    """Write a commented experiment to FILE, to be changed and run."""
    from factored_bandits.core.files import write_whole

    from .template import TEMPLATE

    if file.exists():
        raise InvalidInputError(f"{str(file)!r} is there already; choose another name")
    name = "".join(c if c.isalnum() or c == "_" else "_" for c in file.stem)
    text = TEMPLATE.format(name=name, file=file)
    try:
        write_whole(file, text.encode())
    except OSError as error:
        raise InvalidInputError(f"{str(file)!r}: {error.strerror or error}") from None

    click.echo(f"wrote {file}; run it with: factored-bandits run {file}")


def _preset(how: dict[str, Any]) -> str:
    """The name of the preset, taken out of the options."""
    from factored_bandits.core.checks import integer

    preset = "quick" if how.pop("quick") else "full"
    times = integer("--times", how.pop("times"), low=1)
    return f"{preset}x{times}" if times > 1 else preset


def execute(
    specs: Sequence[Spec],
    preset: str,
    *,
    out: Path,
    engine: Any,
    scheduler: str | None,
    workers: int | None,
    quiet: bool,
    intro: str = "",
) -> list[Results]:
    """Run, after an introduction if all options are right; after Ctrl-C, say how to go on."""
    from factored_bandits import lab

    chosen = _engine(engine, workers, scheduler)
    store = _prepared(out)
    if intro:
        click.echo(intro)

    try:
        with warnings_as_sentences(lab.DamagedFileWarning):
            return lab.run(specs, preset, out, chosen, progress=not quiet)
    except KeyboardInterrupt:
        every = [task for spec in specs for task in lab.make_tasks(spec, preset)]
        kept = sum(store.has(task) for task in every)
        told = f"{kept} of {len(every)} tasks are kept in {out}; the same command goes on"
        click.echo(f"\ninterrupted: {told}", err=True)
        click.get_current_context().exit(INTERRUPTED)


def _prepared(out: Path) -> Store:
    """The folder of results, made if it is not there."""
    from factored_bandits import lab

    store = lab.Store(out)
    try:
        store.prepare()
    except InvalidInputError as error:
        raise InvalidInputError(f"--out {error}") from None
    return store


def _engine(name: Any, workers: int | None, scheduler: str | None) -> Engine:
    """The engine, if its options go together."""
    from factored_bandits import lab
    from factored_bandits.core.checks import integer

    if workers is not None:
        integer("--workers", workers, low=1)
    if name != "dask" and scheduler is not None:
        raise InvalidInputError("--scheduler is for --engine dask")
    if name == "dask" and scheduler is None:
        raise InvalidInputError(
            "--engine dask needs --scheduler ADDRESS, such as tcp://10.0.0.1:8786"
        )

    return lab.Engine(name, workers, scheduler)


def regret_tables(found: Results) -> list[Table]:
    """Per problem, mean regret at the horizon, the best policy first."""
    return [regret_table(found, problem, problem) for problem in found.problems]


def regret_table(found: Results, problem: str, title: str) -> Table:
    """Mean regret at the horizon of one problem, the best policy first."""
    from factored_bandits.core.table import Table, number

    means = {policy: found.mean(problem, policy) for policy in found.policies(problem)}
    rows = []
    for policy, mean in sorted(means.items(), key=lambda item: item[1].value):
        last = found.final(problem, policy)
        values = (mean.value, mean.error, float(last.max()))
        cells = [number(value, like=mean.value) for value in values]
        rows.append((policy, *cells, str(len(last))))

    horizon = int(found.rounds(problem)[-1])
    unit = found.frame[found.frame.problem == problem].regret_unit.iloc[0]
    caption = f"horizon {horizon:,}; unit: {unit}; seed {found.spec.seed}"
    columns = ("policy", "mean regret", "+- s.e.", "worst", "repetitions")
    return Table(title, columns, rows, caption)
