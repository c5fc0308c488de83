"""The plays of an agent: asked, told, expired, learned.

Nothing here takes the lock of the agent or undoes anything. `Agent` does one of these in a call,
`Driver` many.
"""

from __future__ import annotations

from typing import Any

from .backlog import say
from .decision import Decision
from .expiry import Age, older
from .journal import LOGGER, listened_to, log_expired
from .ledger import DROPPED
from .parts import Parts

# The most blocks that a call learns, so that none takes long. A number of blocks and not a time:
# the same calls must always lead to the same state.
PORTION = 64


class Playing(Parts):
    """The changing half of `Agent`."""

    # ------------------------------------------------------------ before a call

    def _prepare(self) -> None:
        """What `expire_after` asks for, as a call of its own: it stays if the next one fails."""
        after = self._expire_after
        if after is not None and self._calls.read(self._older, after):
            log_expired(self._calls.change(self._expire_older, after))
        self._log_levels()

    def _log_levels(self) -> None:
        """Levels that earlier calls have eliminated, or let re-enter.

        Before a change and not after it: a call that is interrupted must have changed nothing.
        """
        if not listened_to():
            return
        look = self._level_log.look
        for told in self._calls.read(look, self._params, self._state, self._round):
            LOGGER.info("%s", told)

    def _watch_backlog(self) -> None:
        """Warn of answers that pile up, if none expires by itself."""
        if self._expire_after is None:
            notice = self._calls.read(self._watch.look, self._ledger)
            if notice is not None:
                say(notice)

    # ------------------------------------------------------------ decisions

    def _decide(self) -> Decision:
        return self._decision(self._next())

    def _next(self) -> int:
        """Give out the next decision that is to be asked."""
        for _ in range(self._self_duels.skipped_at_most):
            id = self._ask()
            if not self._skipped(id):
                return id
        return self._ask()

    def _skipped(self, id: int) -> bool:
        """Settle a duel of an arm with itself, which was just given out; whether it is one."""
        if not self._labels.same_twice(self._ledger.play(id)[0]):
            return False

        # learned only after the verdicts before it: until then the policy would repeat itself
        if self._self_duels.counts and self._ledger.oldest() != id:
            return False

        self._tell(id, self._self_duels.outcome(id))
        return True

    def _ask(self) -> int:
        ledger = self._ledger
        counters = ledger.counters
        if counters.missing == 0:
            self._learn(PORTION)
        if counters.asked == counters.planned:
            ledger.open(*self._learner.plan(self._round))

        id = ledger.give_out(self._times.now())
        self._calls.count(ledger.play(id)[0])
        return id

    def _decision(self, id: int) -> Decision:
        """A decision as it is given out, just now."""
        action, known = self._ledger.play(id)
        labels = self._labels
        propensity = None if known is None else dict(zip(labels.names, known, strict=True))
        return Decision(id, action, labels.named(action), propensity, self._ledger.last_block())

    # ------------------------------------------------------------ answers

    def _tell(self, id: int, reward: Any) -> None:
        ledger = self._ledger
        ledger.check(id)
        ledger.settle(int(id), self._rewards.taken(reward))
        if ledger.counters.missing == 0:
            self._learn(PORTION)

    def _expire_one(self, id: Any, reward: float | None = None) -> None:
        self._ledger.check(id)
        reward = self._rewards.missing() if reward is None else reward
        self._ledger.settle(int(id), reward, answered=False)
        self._learn(PORTION)

    def _expire_older(self, age: Age) -> tuple[int, ...]:
        reward = self._rewards.missing()
        ids = self._older(age)
        for id in ids:
            self._ledger.settle(id, reward, answered=False)

        if ids:
            self._learn(PORTION)
        return ids

    def _older(self, age: Age) -> tuple[int, ...]:
        return tuple(older(self._ledger, age, self._times.now()))

    def _learn(self, most: int | None) -> int:
        ledger = self._ledger
        learned = 0
        while learned != most and (block := ledger.ready()) is not None:
            if not (self._policy.info.drops and block.rewards[0] == DROPPED):
                self._learner.learn(block)
            ledger.advance()
            learned += 1
        return learned
