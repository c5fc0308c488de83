"""The provider: flags are decisions, tracked events are rewards."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import TargetingKeyMissingError
from openfeature.flag_evaluation import FlagResolutionDetails, FlagType
from openfeature.provider import Metadata
from openfeature.track import TrackingEventDetails

from factored_bandits.agent.expiry import Clock
from factored_bandits.agent.journal import LOGGER
from factored_bandits.core.checks import integer, shown
from factored_bandits.errors import DumpError, InvalidInputError

from .flags import Flag, by_key, factors_of, flag_named, flags_of
from .memory import Memory
from .protocol import AgentLike, UnitAgentLike, keeps_units
from .resolvers import Resolvers
from .units import UnitMemory
from .values import DECISION

RewardOf = Callable[[TrackingEventDetails | None], Any]
REMEMBERED = 100_000  # keys of a flag
FORMAT = "factored-bandits openfeature 1"


def value_or_one(details: TrackingEventDetails | None) -> float:
    """The value of an event; 1 if it has none, as it is something that was hoped for."""
    return 1.0 if details is None or details.value is None else details.value


class Provider(Resolvers):
    """A provider of OpenFeature whose flags are decided, and learned from, by agents.

    Parameters
    ----------
    agents
        An agent for each flag: an `Agent`, or anything with the methods of `AgentLike`; or one of
        `fb.open` or `fb.connect`, whose database remembers the decisions. The flag `page` is an
        object with a level of each factor, `page.headline` the level of one.
    rewards
        Which tracked events are rewards: the name of the event, and the flag or flags whose
        decision it rewards. By default the event that is named like the flag. Others are passed
        over.
    reward_of
        What an event is worth, from its `TrackingEventDetails` (or None). By default its value, or
        1 if it has none.
    remember
        How many targeting keys of each flag keep their decision. The oldest decision is forgotten
        first, and expires if its reward has not come.
    forget_after
        A `datetime.timedelta`: decisions that are older are forgotten as well. By default they are
        kept as long as there is room.
    clock
        Gives the time in seconds; by default `time.time`.
    memory
        What `dump` of another provider returned, to go on with its decisions.

    Raises
    ------
    InvalidInputError
        If an argument is none of the above, or two flags have one name.
    DumpError
        If `memory` cannot be read.

    Notes
    -----
    Threads may share it. The asynchronous methods ask the agent in a thread, so that an agent on a
    disk or behind a network does not hold up the event loop.

    Examples
    --------
    >>> from openfeature.evaluation_context import EvaluationContext
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
    >>> provider = fb.openfeature.Provider({"button": agent}, rewards={"purchase": "button"})
    >>> visitor = EvaluationContext("visitor 17")
    >>> details = provider.resolve_string_details("button.colour", "red", visitor)
    >>> details.value, dict(details.flag_metadata)
    ('red', {'decision': 1, 'propensity.colour': 0.5})
    >>> provider.track("purchase", visitor)
    >>> agent.waiting
    ()
    """

    def __init__(
        self,
        agents: Mapping[str, AgentLike | UnitAgentLike],
        *,
        rewards: Mapping[str, str | Iterable[str]] | None = None,
        reward_of: RewardOf = value_or_one,
        remember: int = REMEMBERED,
        forget_after: timedelta | None = None,
        clock: Clock = time.time,
        memory: str | None = None,
    ) -> None:
        super().__init__()
        most = integer("remember", remember, 1)
        seconds = _seconds(forget_after)
        if not isinstance(agents, Mapping) or not agents:
            raise InvalidInputError(
                f"agents must be a dict of flags with their agents, not {shown(agents)}"
            )

        self._memories = {
            name: UnitMemory(agent) if keeps_units(agent) else Memory(agent, most, seconds, clock)
            for name, agent in agents.items()
        }
        self._flags = by_key(
            [flag for name, kept in self._memories.items() for flag in flags_of(name, kept)]
        )
        self._rewards = _checked_rewards(rewards, self._memories)
        self._reward_of = reward_of
        if memory is not None:
            self._restore(memory)

    def get_metadata(self) -> Metadata:
        """Give the name of the provider.

        Returns
        -------
        Metadata
            With the name.
        """
        return Metadata("factored-bandits")

    # ------------------------------------------------------------ flags are decisions

    def _resolve(
        self, key: str, kind: FlagType, context: EvaluationContext | None
    ) -> FlagResolutionDetails[Any]:
        flag, visitor = self._asked_for(key, kind, context)
        kept, new = flag.memory.decide(visitor)
        return flag.details(kept, new, kind)

    async def _resolve_async(
        self, key: str, kind: FlagType, context: EvaluationContext | None
    ) -> FlagResolutionDetails[Any]:
        flag, visitor = self._asked_for(key, kind, context)
        known = flag.memory.find(visitor)
        if known is not None:
            return flag.details(known, False, kind)

        # Even if the caller gives up, the decision is remembered when the agent has made it.
        kept, new = await asyncio.to_thread(flag.memory.decide, visitor)
        return flag.details(kept, new, kind)

    def _asked_for(
        self, key: str, kind: FlagType, context: EvaluationContext | None
    ) -> tuple[Flag, str]:
        flag = flag_named(key, self._flags)
        flag.check(kind)
        visitor = None if context is None else context.targeting_key
        if not visitor:
            raise TargetingKeyMissingError(
                f"{key} needs a targeting key: who it is that gets one decision and its reward"
            )
        return flag, visitor

    # ------------------------------------------------------------ events are rewards

    def track(
        self,
        tracking_event_name: str,
        evaluation_context: EvaluationContext | None = None,
        tracking_event_details: TrackingEventDetails | None = None,
    ) -> None:
        """Take an event for the reward of a decision, if it is one; it raises no errors.

        Which decision: that of the targeting key; or the one that the event names by its attribute
        "decision", a number from `flag_metadata`, for events that come when the key is forgotten.
        A decision takes one reward. What cannot be used is told to the logger "factored_bandits".

        Parameters
        ----------
        tracking_event_name
            The name of the event.
        evaluation_context
            Who it is about.
        tracking_event_details
            Its value, and attributes.
        """
        visitor = None if evaluation_context is None else evaluation_context.targeting_key
        for name in self._rewards.get(tracking_event_name, ()):
            try:
                reward = self._reward_of(tracking_event_details)
                problem = self._tell(self._memories[name], visitor, reward, tracking_event_details)
            except Exception as error:  # the page goes on; the decision is as it was
                LOGGER.warning("event %r brings no reward: %s", tracking_event_name, error)
                continue
            if problem:
                LOGGER.info("event %r brings no reward: %s", tracking_event_name, problem)

    def _tell(
        self,
        memory: Memory | UnitMemory,
        visitor: str | None,
        reward: Any,
        details: TrackingEventDetails | None,
    ) -> str:
        named: Any = None if details is None else details.attributes.get(DECISION)
        if named is not None:
            memory.tell_decision(named, reward)
            return ""
        if not visitor:
            return "it has neither a targeting key nor the number of a decision"
        return memory.tell(visitor, reward)

    def expire(self) -> int:
        """Settle every decision that waits, with the agent's default reward: no more will come.

        Not those of `fb.open` and `fb.connect`: their `ttl` does it.

        Returns
        -------
        int
            How many they were.

        Examples
        --------
        >>> from openfeature.evaluation_context import EvaluationContext
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
        >>> provider = fb.openfeature.Provider({"button": agent})
        >>> _ = provider.resolve_object_details("button", {}, EvaluationContext("visitor 17"))
        >>> provider.expire(), agent.waiting
        (1, ())
        """
        return sum(memory.expire() for memory in self._memories.values())

    # ------------------------------------------------------------ through a restart

    def dump(self) -> str:
        """Give what is remembered as text: which decision each targeting key has.

        Dump the agents first, and then the provider. Decisions that a loaded agent does not know
        are dropped when the text is read.

        Returns
        -------
        str
            JSON on one line, for `Provider(..., memory=...)`.

        Examples
        --------
        >>> from openfeature.evaluation_context import EvaluationContext
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
        >>> provider = fb.openfeature.Provider({"button": agent})
        >>> visitor = EvaluationContext("visitor 17")
        >>> provider.resolve_string_details("button.colour", "red", visitor).value
        'red'
        >>> saved = agent.dump(), provider.dump()
        >>> agents = {"button": fb.Agent.load(saved[0])}
        >>> provider = fb.openfeature.Provider(agents, memory=saved[1])
        >>> provider.resolve_string_details("button.colour", "red", visitor).reason
        <Reason.CACHED: 'CACHED'>
        """
        flags = {name: memory.document() for name, memory in self._memories.items()}
        return json.dumps({"format": FORMAT, "flags": flags})

    def _restore(self, text: str) -> None:
        try:
            document = json.loads(text)
        except (TypeError, ValueError):
            document = None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise DumpError("memory must be what Provider.dump() returned")

        flags = document.get("flags", {})
        for name, memory in self._memories.items():
            memory.restore(flags.get(name, []), tuple(factors_of(memory.agent)))


def _seconds(given: Any) -> float:
    if given is None:
        return math.inf
    if not isinstance(given, timedelta) or given <= timedelta(0):
        raise InvalidInputError(
            f"forget_after must be a datetime.timedelta longer than no time, not {shown(given)}"
        )
    return given.total_seconds()


def _checked_rewards(
    given: Mapping[str, str | Iterable[str]] | None, flags: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """The flags that each event rewards."""
    known = tuple(flags)
    if given is None:
        return {name: (name,) for name in known}

    checked: dict[str, tuple[str, ...]] = {}
    for event, named in given.items():
        checked[event] = (named,) if isinstance(named, str) else tuple(named)
        for name in checked[event]:
            if name not in known:
                raise InvalidInputError(
                    f"rewards: {event!r} rewards {name!r}, which is no flag with an agent "
                    f"(known: {', '.join(known)})"
                )
    return checked
