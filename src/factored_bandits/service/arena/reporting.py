"""The results of a study, from the agent, the log and the ballots of one moment."""

from __future__ import annotations

from typing import Any

from factored_bandits.agent import Agent
from factored_bandits.inference.certificate import Certificate, certificate
from factored_bandits.service.engine import Read
from factored_bandits.service.store import Transaction

from . import ballots, tables
from .ballots import Ballot
from .booth import Booth, Study
from .results import Results, results
from .tables import Link, VoterRow
from .voters import reports


async def report(booth: Booth, study: Study) -> Results:
    """What the vote has come to by now."""
    service = booth.service
    await booth.settle(study)
    alpha = study.rules.alpha

    def look(agent: Agent[Any]) -> tuple[str, Certificate | None]:
        return agent.best(), certificate(agent, alpha) if agent.policy.certifies else None

    best, found = await service.call(study.handle, Read(look=look))
    walk = await booth.walk(study)
    shown, voters, links = await service.aside(tables.looked, service.store, _rows, study.id)
    names = {link.id: link.name for link in links}
    return await service.aside(
        results,
        study.names,
        study.rules,
        best,
        found,
        list(walk.told.values()),
        list(walk.learned) if walk.bets else None,
        shown,
        reports(voters, shown, names, study.rules),
    )


def _rows(tx: Transaction, experiment: int) -> tuple[list[Ballot], list[VoterRow], list[Link]]:
    return (
        ballots.of_study(tx, experiment),
        tables.voters(tx, experiment),
        tables.links(tx, experiment),
    )
