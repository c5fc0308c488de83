"""`warm`: compile before anybody waits, as when a container is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from factored_bandits.policies import Policy


@click.command()
@click.argument("policies", nargs=-1, metavar="[POLICY]...")
@click.option(
    "--moving", is_flag=True, help="Also for factored problems in which the means move with time."
)
@click.option("--agents", is_flag=True, help="Also the steps of agents (`fb.Agent`).")
@click.option("--quiet", is_flag=True, help="No progress on standard error.")
def warm(policies: tuple[str, ...], moving: bool, agents: bool, quiet: bool) -> None:
    """Compile the loops of POLICY..., all if none is named, and keep them for later.

    Without it, the first long run of a policy begins in plain Python while it is compiled. With it,
    every run is fast at once: for images of containers, CI and demonstrations. NUMBA_CACHE_DIR
    names the folder; loops are compiled for the processor of this machine.

    \b
    factored-bandits warm tea dueling_tea
    """
    from factored_bandits import policies as library
    from factored_bandits.core.kernel import compiles
    from factored_bandits.errors import FactoredBanditsError
    from factored_bandits.simulation.choosing import chosen_policies
    from factored_bandits.simulation.warming import runners_of, warm_up

    if not compiles():
        raise FactoredBanditsError(
            "nothing is compiled here: numba is not installed, or NUMBA_DISABLE_JIT is set"
        )

    chosen = chosen_policies(policies or library.names())
    runners = [runner for policy in chosen for runner in runners_of(policy, moving)]
    warmed = warm_up(runners, progress=not quiet)

    if warmed.failed:
        raise FactoredBanditsError(
            f"could not be compiled and kept: {', '.join(warmed.failed)}; run one of them with "
            "`factored-bandits simulate` to see why"
        )
    there = len(runners) - warmed.compiled
    click.echo(f"{warmed.compiled} loops compiled, {there} were there already")
    if agents:
        _warm_agents(chosen, not quiet)


def _warm_agents(chosen: Sequence[Policy], progress: bool) -> None:
    """Compile the steps of agents, one policy after the other."""
    from factored_bandits.agent import warm as warm_steps
    from factored_bandits.core.progress import Progress

    with Progress("compiling the steps of agents", len(chosen), progress) as bar:
        for number, policy in enumerate(chosen):
            bar.update(number, policy.label)
            warm_steps(policy)
    click.echo(f"the steps of agents with {len(chosen)} policies are there")
