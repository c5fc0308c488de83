"""`results`: what a folder of results holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factored_bandits.errors import InvalidInputError

from .output import check_csv_path, show, show_json

if TYPE_CHECKING:
    import pandas

    from factored_bandits.lab.folder import Folder

COLUMNS = (
    "experiment",
    "problem",
    "policy",
    "preset",
    "code",
    "horizon",
    "repetitions",
    "mean regret",
    "+- s.e.",
)


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
    from factored_bandits.core.table import Table
    from factored_bandits.lab.folder import overview, read_folder

    if csv is not None:
        check_csv_path(csv, "--csv")
    try:
        found = read_folder(folder)
    except InvalidInputError as error:
        hint = f"factored-bandits reproduce --out {folder} makes some"
        raise InvalidInputError(f"{error} ({hint})") from None

    _warn(found)
    if not len(found.frame):
        raise InvalidInputError(f"{str(folder)!r} holds no results that can be read")
    chosen = {"experiment": experiment, "problem": problem, "policy": policy}
    texts = {key: text for key, text in chosen.items() if text is not None}
    frame = found.containing(texts).frame
    if csv is not None:
        _write_csv(frame, csv)

    rows = overview(frame)
    if as_json:
        return show_json(rows)

    seconds = sum(row["seconds"] for row in rows)
    caption = f"{len(frame):,} rows; {seconds:,.0f} seconds of work"
    cells = [_cells(row) for row in rows]
    show(Table("", COLUMNS, cells, caption, align="lllllrrrr"))


def _warn(found: Folder) -> None:
    """What the numbers do not contain."""
    for complaint in found.left_out:
        click.echo(f"Left out: {complaint}", err=True)
    if found.left_out:
        click.echo("The next run on this folder computes damaged files again.", err=True)
    for path in found.set_aside:
        click.echo(f"Set aside by a run, as damaged: {str(path)!r}", err=True)


def _write_csv(frame: pandas.DataFrame, path: Path) -> None:
    from factored_bandits.core.files import draft_of

    try:
        with draft_of(path) as draft:
            frame.to_csv(draft, index=False)
    except OSError as error:
        raise InvalidInputError(f"--csv {str(path)!r}: {error.strerror or error}") from None

    click.echo(f"wrote {path}", err=True)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    from factored_bandits.core.table import number

    mean = row["mean"]
    words = [row[key] for key in ("experiment", "problem", "policy", "preset", "code")]
    numbers = [f"{row['horizon']:,}", str(row["repetitions"])]
    return (*words, *numbers, number(mean, like=mean), number(row["standard_error"], like=mean))
