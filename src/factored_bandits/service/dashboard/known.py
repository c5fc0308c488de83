"""What an agent says when it is looked at: everything that pages show of it, taken at once."""

from __future__ import annotations

from typing import Any, NamedTuple

from factored_bandits.agent import Agent, Status
from factored_bandits.errors import FactoredBanditsError, InvalidInputError
from factored_bandits.inference.certificate import Certificate, certificate
from factored_bandits.inference.diagnosis import Diagnosis
from factored_bandits.service.comparison import HoldoutReport, holdout_report
from factored_bandits.service.engine import Fold, Handle, Read
from factored_bandits.service.pages import Pages


class Known(NamedTuple):
    """An agent at one moment.

    Attributes
    ----------
    best
        The combination, or the arm, that looks best.
    status
        Every level.
    certificate
        What is proved; None where the policy proves nothing.
    diagnosis
        The interaction test; None if it is not kept.
    holdout
        The holdout beside the rest; None if nobody is held out.
    eliminates
        Whether the policy has active sets.
    open
        Decisions that are given out and not learned.
    n
        The number of the last event.
    """

    best: Any
    status: Status
    certificate: Certificate | None
    diagnosis: Diagnosis | None
    holdout: HoldoutReport | None
    eliminates: bool
    open: int
    n: int

    @property
    def confidence(self) -> float | None:
        """How sure it is that `best` is the best."""
        return None if self.certificate is None else self.certificate.confidence


def look(fold: Fold) -> Known:
    """Look at an agent; called by a writer, which has learned everything that is complete."""
    agent = fold.agent
    return Known(
        agent.best(),
        agent.status(),
        _certificate(agent),
        agent.diagnose() if fold.config.given["diagnostics"] else None,
        None if fold.holdout is None else holdout_report(fold),
        agent.policy.eliminates,
        fold.backlog,
        fold.n,
    )


def _certificate(agent: Agent[Any]) -> Certificate | None:
    try:
        return certificate(agent)
    except InvalidInputError:
        return None  # the policy does not certify, or not with these parameters


async def known(pages: Pages, handle: Handle) -> Known | str:
    """The agent of an experiment; or why it cannot be looked at."""
    try:
        found: Known = await pages.service.call(handle, Read(look=look, whole=True))
        return found
    except FactoredBanditsError as error:
        return str(error)


def summary(found: Known | str) -> dict[str, Any]:
    """What a brief keeps of it."""
    if isinstance(found, str):
        return {"problem": found}
    alarms = [] if found.diagnosis is None else found.diagnosis.alarms
    active = [row.active for row in found.status.rows]
    return {
        "best": found.best,
        "confidence": found.confidence,
        "alarms": alarms,
        "open": found.open,
        "eliminated": sum(each is False for each in active),
        "levels": len(active),
        "policy": found.status.policy,
    }
