"""The booth: who sees which duel next, and when a vote is told to the agent.

A duel is a decision of the agent. It stays open until somebody has judged it: a voter who skips
it, or takes too long, gives it back, and the next voter has it. So that one voter has at most one
counted vote in each block of the policy, a duel is never shown to somebody who has one there.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from factored_bandits.agent import Decision
from factored_bandits.errors import DecisionError, ExperimentError, UnknownNameError
from factored_bandits.policies import make
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.api.state import Service
from factored_bandits.service.engine import Ask, ConflictError, Expire, Handle, Read, Tell

from . import ballots, links, tables
from .ballots import Ballot, Choice, Duel
from .collusion import colluders, peaks
from .study import Rules
from .view import View, looking
from .walk import SELF, Walk

LOGGER = logging.getLogger("factored_bandits.service")
# A voter who skipped a duel is shown it again after so many others, if nobody else has judged it:
# what comes after it cannot be learned before.
RECENT = 3
MOST_FREE = 16  # duels that wait for other voters; with so many of them, no more are made
PORTION = 10_000  # events of a log that are read at a time
T = TypeVar("T")
LATER = 0.1  # seconds after which a vote is told that can no longer be taken back


class Study(NamedTuple):
    """A study that is served."""

    handle: Handle
    rules: Rules
    items: int
    names: tuple[str, ...]
    takes_ties: bool  # whether the policy learns from ties

    @property
    def id(self) -> int:
        """The number of its experiment."""
        return self.handle.id

    @property
    def key(self) -> str:
        """The key of its experiment."""
        return self.handle.key


class Ended(NamedTuple):
    """Why a voter is shown no duel: "decided", "settled", "cap", "wait", "closed" or "away"."""

    reason: str
    detail: str = ""


class Booth:
    """All studies of a service.

    Parameters
    ----------
    service
        The service, whose experiments the studies are.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self._studies: dict[str, Study] = {}
        self._walks: dict[int, Walk] = {}
        self._thread = ThreadPoolExecutor(1, "factored-bandits votes")
        self._timers: set[asyncio.Task[None]] = set()

    async def study(self, key: str) -> Study:
        """The study of an experiment."""
        if key not in self._studies:
            handle = await self.service.handle(key)
            store = self.service.store
            found = await self.service.aside(tables.looked, store, tables.rules_of, handle.id)
            if found is None:
                raise UnknownNameError(f"the experiment {key!r} is no study that people vote in")
            names = tuple(handle.config.given["arms"])
            takes_ties = make(handle.config.given["policy"]).info.ties
            rules, items = found
            self._studies[key] = Study(handle, rules, items, names, takes_ties)
        return self._studies[key]

    async def view(self, study: Study) -> View:
        """What its agent knows."""
        found: View = await self.service.call(study.handle, Read(look=looking(study.rules.alpha)))
        return found

    async def walk(self, study: Study) -> Walk:
        """Its log computed anew, to the end; what was read before is kept."""
        return await self.beside(self._walked, study)

    async def beside(self, work: Callable[..., T], *given: Any) -> T:
        """Do something that takes long in a thread of its own, so that nobody waits to vote."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, work, *given)
        except self.service.store.errors as error:
            await loop.run_in_executor(self._thread, self.service.store.reconnect)
            raise ProblemError(503, f"the database cannot be used: {error}") from error

    def _walked(self, study: Study) -> Walk:
        store = self.service.store
        if study.id not in self._walks:
            row = store.find(study.key)
            assert row is not None, "experiments are never removed"
            self._walks[study.id] = Walk(row)
        walk = self._walks[study.id]
        while not tables.looked(store, walk.advance, PORTION):
            pass
        return walk

    async def stands(self, study: Study) -> bool:
        """Whether no elimination rests on as few voters as may lie."""
        if study.rules.liars == 0:
            return True
        walk = await self.walk(study)
        if not walk.bets:
            return True  # nothing is known of that
        found = peaks(walk.learned, len(study.names))
        needed = [
            colluders(walk.learned, arm, peak, study.rules.alpha) for arm, peak in enumerate(found)
        ]
        return all(each is None or each > study.rules.liars for each in needed)

    # ------------------------------------------------------------ what to show

    async def next(self, study: Study, voter: bytes) -> Ballot | Ended:
        """What a voter is to judge."""
        await self.settle(study)
        mine = await self._looked(ballots.of_voter, study, voter)
        cast = sum(each.status in ("voted", "telling", "counted") for each in mine)
        if cast >= study.rules.cap:
            return Ended("cap")
        view = await self.view(study)
        if view.decided and await self.stands(study):
            return Ended("decided")
        for each in mine:
            if each.status == "shown":
                return each
        for each in mine:
            if each.status == "left" and await self._back(study, view, each):
                return each
        try:
            return await self._another(study, voter, view, mine)
        except ExperimentError as error:
            return Ended("closed", str(error))

    async def _back(self, study: Study, view: View, ballot: Ballot) -> bool:
        """Whether a duel that was left is still open, and with nobody else."""
        if all(ballot.decision != duel.decision for duel in view.waiting):
            return False
        return await self._changed(ballots.come_back, study, ballot.voter, ballot.token)

    async def _another(
        self, study: Study, voter: bytes, view: View, mine: list[Ballot]
    ) -> Ballot | Ended:
        """A duel that is free, or a new one, or at last one that was just skipped."""
        await self._settle_with_self(study, view)
        blocks = {each.block for each in mine if each.status in ("voted", "telling", "counted")}
        given_back = {
            each.decision for each in mine[-RECENT:] if each.status in ("skipped", "expired")
        }
        allowed = [
            duel
            for duel in view.waiting
            if duel.block not in blocks and duel.decision not in view.with_self
        ]
        fresh = [duel for duel in allowed if duel.decision not in given_back]
        taken = await self._take(study, voter, fresh)
        if taken is not None:
            return taken

        held = await self._looked(ballots.held, study)
        free = sum(duel.decision not in held for duel in view.waiting)
        while free < MOST_FREE:
            decision: Decision = await self.service.call(study.handle, Ask())
            first, second = decision.action
            if first == second:
                await self._settle_with_self(study, await self.view(study))
                return Ended("settled")
            assert decision.block is not None, "it was just made"
            duel = Duel(decision.id, decision.block, first, second)
            taken = await self._take(study, voter, [duel])
            if taken is not None:
                return taken
            free += 1  # of a block in which this voter has a vote

        again = [duel for duel in allowed if duel.decision in given_back]
        return await self._take(study, voter, again) or Ended("wait")

    async def _take(self, study: Study, voter: bytes, duels: list[Duel]) -> Ballot | None:
        with_items = [(duel, self._item(study, duel.decision)) for duel in duels]
        return await self._changed(ballots.take, study, voter, study.rules, with_items)

    async def _settle_with_self(self, study: Study, view: View) -> None:
        """Nobody can judge a duel of an arm with itself, and what it teaches is known."""
        for decision, reward in view.with_self.items():
            await self._tell(study, decision, reward, SELF)

    def _item(self, study: Study, decision: int) -> int:
        """The item of a duel, whoever is shown it."""
        return self._drawn(study, decision, "item") % study.items if study.items else 0

    def _drawn(self, study: Study, decision: int, what: str) -> int:
        """A random number of a decision that is always the same, and that voters cannot know."""
        message = f"{what}:{study.key}:{decision}".encode()
        digest = hmac.digest(self.service.engine.secret, message, hashlib.sha256)
        return int.from_bytes(digest[:8], "big")

    # ------------------------------------------------------------ what voters do

    async def vote(self, study: Study, voter: bytes, token: str, choice: Choice) -> bool:
        """Cast a vote; False if the ballot is not open, or the voter has no vote left."""
        taken = await self._changed(ballots.vote, study, voter, token, choice, study.rules)
        if taken:
            timer = asyncio.create_task(self._later(study))
            self._timers.add(timer)
            timer.add_done_callback(self._timers.discard)
            await self.settle(study)
        return taken

    async def undo(self, study: Study, voter: bytes) -> bool:
        """Take the last vote back; False if it is too late for that."""
        return await self._changed(ballots.undo, study, voter)

    async def skip(self, study: Study, voter: bytes, token: str) -> bool:
        """Give a duel back for somebody else; False if it is not with this voter."""
        return await self._changed(ballots.skip, study, voter, token)

    async def leave(self, study: Study, voter: bytes, token: str) -> bool:
        """Let somebody else have a duel whose page was closed."""
        return await self._changed(ballots.leave, study, voter, token)

    # ------------------------------------------------------------ what the agent hears

    async def settle(self, study: Study) -> None:
        """Tell the agent the votes that can no longer be taken back.

        If this is interrupted between the agent and the note of it, the next call tells the same
        again, which the log knows to be a duplicate.
        """
        due = await self._changed(ballots.due, study, study.rules)
        outcomes = {}
        for ballot in due:
            reward = ballot.reward(self._tie(study, ballot.decision))
            who = links.who(ballot.voter)
            outcomes[ballot.token] = await self._tell(study, ballot.decision, reward, who)
        if outcomes:
            await self._changed(ballots.told, study, outcomes)

    async def expire(self, study: Study, who: str) -> None:
        """Settle every duel that waits for a voter as a tie, which is no evidence."""
        await self.settle(study)
        voted = await self._looked(ballots.voted, study)
        for duel in (await self.view(study)).waiting:
            if duel.decision not in voted:
                await self.service.call(study.handle, Expire(decision=duel.decision, who=who))

    def _tie(self, study: Study, decision: int) -> float:
        """A tie; for policies that take none, either outcome with probability one half."""
        return 0.5 if study.takes_ties else float(self._drawn(study, decision, "tie") % 2)

    async def _tell(self, study: Study, decision: int, reward: float, who: str) -> str:
        tell = Tell(decision=decision, reward=reward, who=who)
        try:
            outcome = await self.service.call(study.handle, tell)
        except ConflictError:
            return "late"
        except DecisionError as error:
            LOGGER.warning("a vote of the study %r is lost: %s", study.key, error)
            return "late"
        return "late" if outcome == "late" else "counted"

    async def _later(self, study: Study) -> None:
        await asyncio.sleep(study.rules.undo + LATER)
        try:
            await self.settle(study)
        except (ProblemError, ExperimentError) as error:
            LOGGER.warning("votes of %r wait to be told: %s", study.key, error)

    async def _changed(self, work: Callable[..., T], study: Study, *given: Any) -> T:
        store = self.service.store
        return await self.service.aside(tables.changed, store, work, study.id, *given)

    async def _looked(self, work: Callable[..., T], study: Study, *given: Any) -> T:
        store = self.service.store
        return await self.service.aside(tables.looked, store, work, study.id, *given)


_BOOTHS: weakref.WeakKeyDictionary[Service, Booth] = weakref.WeakKeyDictionary()


def booth_of(service: Service) -> Booth:
    """The booth of a server; it has one."""
    return _BOOTHS.setdefault(service, Booth(service))
