"""`demo`: the paper's two comparisons, small: tables, pictures, what holds, and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .claims import show_summary
from .laboratory import execute
from .output import show
from .values import Count

if TYPE_CHECKING:
    from factored_bandits.core.table import Table
    from factored_bandits.lab import Results

WHAT = """\
The paper's two comparisons, at a small size:

  1. Which of 16 ads, in which of 16 positions? One click or no click per visit, and nobody says
     whether the ad or the position deserves it.
  2. Which of up to 128 drafts is best, if people only say "left" or "right"?

Regret = what was lost against somebody who knew the best from the start; less is better. You will
see a table for each, which sentences of the paper hold, pictures, and a page with all of it.
"""
EXPERIMENTS = {
    "rank1": ("u*v*=0.75", "1. Ads x positions: the best pair is clicked 75 times in 100"),
    "dueling_07": ("K=128", "2. 128 drafts, by duels: the best is preferred 7 times in 10"),
}
READ = """\
tea and dueling_tea are the paper's. leader_tea and dueling_leader_tea are this library's: they
certify with fewer plays. uniform tries everything equally often, as an ordinary test does.
"""
NEXT = """\
Try next
  make reproduce                      all experiments of the paper, in minutes: which sentences hold
  factored-bandits plan --factors 5,4,3 --base-rate 5% --lift 20% --traffic 2000/day
  factored-bandits compare rank1 --levels 8 --factors 3 --policies tea,flat_ucb1 --horizon 1e5
In your own program: fb.Agent(factors={"ad": [...], "position": [...]}); see README.md
"""


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo",
    show_default=True,
    help="The directory for results, pictures and the page.",
)
@click.option("--workers", type=Count(), help="Processes at a time. [default: one per core]")
@click.option("--quiet", is_flag=True, help="No progress on standard error.")
def demo(out: Path, workers: int | None, quiet: bool) -> None:
    """See it work: the paper's two comparisons in about half a minute, with pictures and a page."""
    from factored_bandits import lab
    from factored_bandits.lab.page import claims_of, write

    specs = [lab.load(name).SPEC for name in EXPERIMENTS]
    found = execute(
        specs,
        "glance",
        out=out,
        engine="processes",
        scheduler=None,
        workers=workers,
        quiet=quiet,
        intro=WHAT,
    )
    for table in tables(found):
        show(table)
        click.echo()
    click.echo(READ)

    told = claims_of(found)
    show_summary(told)
    page = write(out, found, told)
    click.echo(f"\npicture: {out / 'figures' / 'peers.png'}\npage:    {page}\n")
    click.echo(NEXT)


def tables(found: Sequence[Results]) -> list[Table]:
    """For each experiment, the policies on the problem that is shown, the best first."""
    from .laboratory import regret_table

    return [
        regret_table(results, *EXPERIMENTS[results.spec.name])
        for results in found
        if EXPERIMENTS[results.spec.name][0] in results.problems
    ]
