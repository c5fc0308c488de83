"""`demo`: what the library does, in half a minute."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from factored_bandits.errors import InvalidInputError

from .output import show, stop_if_interrupted

if TYPE_CHECKING:
    from factored_bandits.simulation.comparison import Comparison

FACTORED = """\
1. Which ad, in which position?

You have 16 ads and 16 positions on a page: 256 combinations. After every visit you learn one thing,
click or no click, and nobody says whether the ad or the position deserves the credit. The best pair
is clicked 75 times in 100, a random one 46 times. Regret = clicks lost against somebody who knew
the best pair from the start.
"""
AFTER_FACTORED = """\
tea compares ads with ads and positions with positions, and eliminates those that are beaten with
high confidence; they re-enter now and then, ever more rarely, in case it was wrong. flat_ucb1
treats the 256 pairs as unrelated, which it can just about afford here; with the 512 combinations of
the first command below it loses 1.7 times as much as tea. uniform, an ordinary randomised test,
finds the best pair too, but goes on showing all the others.
"""
DUELING = """\
2. Which of 16 drafts is best, if people only say "left" or "right"?

Show two drafts, get one answer. The best draft is preferred 80 times in 100 to any other; the rest
are alike.
"""
NEXT = """\
Try next
  factored-bandits compare rank1 --levels 8 --factors 3 --policies tea,flat_ucb1 \
--horizon 1e6 --repetitions 4
  factored-bandits simulate rank1 --policy tea --horizon 1e12 --eliminations
  factored-bandits compare identical-gap --arms 64 --p 0.9 --plot duels.svg
In your own program: fb.Agent(factors={"ad": [...], "position": [...]}); see README.md
"""


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo",
    show_default=True,
    help="The directory for the two figures.",
)
def demo(out: Path) -> None:
    """See it work: one factored and one dueling problem, with tables and figures."""
    from factored_bandits import environments
    from factored_bandits.report.matplotlib.figures import check_figure_path
    from factored_bandits.simulation.compare import compare

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"--out {str(out)!r}: {error.strerror or error}") from None

    figures = [check_figure_path(out / name) for name in ("factored.png", "dueling.png")]
    click.echo(
        "(The first time, each algorithm is compiled: about a minute in all, kept for next time.)\n"
    )
    click.echo(FACTORED)
    pair = environments.spiked(levels=16, best=0.75, gap=0.2)
    first = compare("tea, flat_ucb1, uniform", pair, horizon=10**6, repetitions=10)
    _report(first, ["ad", "position"], figures[0], "Which ad, in which position?")
    click.echo(AFTER_FACTORED)
    click.echo(DUELING)
    second = compare(
        "dueling_tea, dueling_uniform", environments.identical_gap(16, 0.8), horizon=10**5
    )
    _report(second, ["draft"], figures[1], "Which of 16 drafts is best?")
    click.echo(NEXT)


def _report(comparison: Comparison, factors: list[str], figure: Path, title: str) -> None:
    show(comparison.summary())
    click.echo()
    for table in comparison.eliminations(factors):
        show(table)
    comparison.plot(figure, title=title)
    click.echo(f"\nfigure: {figure}\n")
    stop_if_interrupted(comparison)
