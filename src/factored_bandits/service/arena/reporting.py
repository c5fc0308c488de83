"""The results of a study, from the agent, the log and the ballots of one moment."""

from __future__ import annotations

from typing import Any

from factored_bandits.agent import Agent
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.certificate import Certificate, certificate
from factored_bandits.service.config import Config
from factored_bandits.service.engine import Handle, Read
from factored_bandits.service.store import Experiment, Transaction

from . import ballots, tables
from .ballots import Ballot
from .booth import Booth, Study
from .results import Results, results
from .tables import Link, VoterRow
from .voters import reports
from .walk import Walk


async def report(booth: Booth, study: Study) -> Results:
    """What the vote has come to by now."""
    service = booth.service
    await booth.settle(study)
    alpha = study.rules.alpha

    def look(agent: Agent[Any]) -> tuple[str, Certificate | None]:
        return _known(agent, alpha)

    best, found = await service.call(study.handle, Read(look=look))
    walk = await booth.walk(study)
    shown, voters, links = await service.aside(tables.looked, service.store, _rows, study.id)
    names = {link.id: link.name for link in links}
    return await booth.beside(
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


def report_of(tx: Transaction, row: Experiment) -> Results:
    """What a vote has come to, from the database alone; for programs beside the service."""
    found = tables.rules_of(tx, row.id)
    if found is None:
        raise InvalidInputError(f"the experiment {row.key!r} is no study that people vote in")
    rules = found[0]
    walk = Walk(row)
    walk.advance(tx, row.head + 1)
    agent = Handle(row, compiled=False).caught_up(tx, row).agent
    best, certified = _known(agent, rules.alpha)
    shown, voters, links = _rows(tx, row.id)
    return results(
        Config.of(row.config).given["arms"],
        rules,
        best,
        certified,
        list(walk.told.values()),
        list(walk.learned) if walk.bets else None,
        shown,
        reports(voters, shown, {link.id: link.name for link in links}, rules),
    )


def _known(agent: Agent[Any], alpha: float) -> tuple[str, Certificate | None]:
    """What the policy recommends, and what is certain."""
    return agent.best(), certificate(agent, alpha) if agent.policy.certifies else None


def _rows(tx: Transaction, experiment: int) -> tuple[list[Ballot], list[VoterRow], list[Link]]:
    return (
        ballots.of_study(tx, experiment),
        tables.voters(tx, experiment),
        tables.links(tx, experiment),
    )
