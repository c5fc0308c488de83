"""The agent: it drives the kernels of a policy, in plain Python or compiled."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, overload

from factored_bandits.core.checks import Form, integer
from factored_bandits.errors import InvalidInputError
from factored_bandits.logs import Log

from .backlog import EVERY
from .decision import Decision
from .expiry import Age, Clock, checked_age
from .knowledge import Best, Knowledge
from .labels import Label
from .ledger import DROPPED
from .parts import Given, History
from .playing import Playing
from .saved.saving import Saving


class Agent(Knowledge[Best], Playing, Saving):
    """A policy that learns online from `ask` and `tell`.

    Parameters
    ----------
    policy
        A name or a label such as "tea(bound=betting)", a made policy, or a module of your own. By
        default the one that `fb.policies.default` gives for factors, for arms, for unbounded
        rewards, or with `diagnostics`. It may change from one version to the next; an agent that
        is loaded keeps the policy that it was made with.
    factors
        The levels of each factor, to choose one level of each.
    arms
        What to compare, for duels. Give either this or `factors`.
    duels
        With `factors`: ask for two whole combinations at a time, and be told which one won.
    reward_range
        What rewards can be at all, (low, high); None for unbounded rewards.
    default
        The reward of a decision that expires. By default the low end of the range, in duels a tie.
    seed
        Same seed, same decisions.
    horizon
        How many rounds are planned, for policies that need to know.
    history
        The past to begin with. Of duels: a CSV file, a list of (winner, loser) or
        (winner, loser, tie), an array of wins of row over column, or what `load_duels` returned.
        Of factors: what `load_log` returned, or what it takes with the names of the factors and
        "reward" as columns; for policies whose statistics are about combinations: `flat_ucb1`,
        `lin_ucb`, `lin_thompson`, `logistic_thompson`. A log of `load_log` knows its factors, so
        that they may be left out.
    diagnostics
        Keep what `diagnose` needs.
    self_duels
        What to do when the policy lets an arm duel itself: "ask" like any other duel, or "skip",
        that is settle it without asking, as a tie or at random, whichever the policy's analysis
        allows. After 1,000 of them in a row `ask` gives one out: there is nothing else to ask. Of
        `sparring`, `multi_sbm` and `doubler`, which count them as plays, it gives one out while
        verdicts are outstanding, too: they could not be learned before those.
    expire_after
        Expire decisions that are older: a number of rounds, or a `datetime.timedelta`. By default
        a decision waits until it is settled by `tell` or `expire`.
    clock
        Gives the time in seconds; by default `time.time`. With a clock, or with an `expire_after`
        in time, a dump says when its open decisions were asked.
    compiled
        Whether `plan` and `learn` of the policy are compiled code, which changes nothing but their
        speed. True: compile them now, which takes some seconds the first time and is kept on disk.
        False: plain Python. "auto": never compile, but use what is kept on disk from the time on
        when that pays, which is when they have taken as long as loading it does, 0.8 s.
        `factored_bandits.agent.warm` puts it there.
    **params
        Parameters of the policy, if you name one; `fb.policies.describe` lists them.

    Raises
    ------
    UnknownNameError
        If there is no such policy or parameter.
    InvalidInputError
        If the arguments contradict each other, or the policy cannot take the problem.
    KernelError
        With `compiled=True`, if the kernels of a policy of your own cannot be compiled.

    Notes
    -----
    An agent can be shared by threads: one call at a time. A call that fails, or is interrupted,
    changes nothing. `ask`, `tell` and `expire` learn at most 64 blocks of plays each; `learn` the
    rest.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("flat_ucb1", factors={"colour": ["red", "blue"]}, alpha=0.5)
    >>> for _ in range(200):
    ...     decision = agent.ask()
    ...     agent.tell(decision.id, 1.0 if decision.levels["colour"] == "blue" else 0.0)
    >>> agent.best()
    {'colour': 'blue'}
    >>> fb.Agent(arms=["draft A", "draft B"]).ask().id  # with the default for duels
    1
    """

    if TYPE_CHECKING:  # what `best` gives, for checkers of types; `Parts` does the work

        @overload
        def __init__(
            self: Agent[dict[str, Label]],
            policy: Given = None,
            *,
            factors: Mapping[str, Sequence[Label]],
            duels: bool = False,
            reward_range: tuple[float, float] | None = ...,
            default: float | None = None,
            seed: int = 0,
            horizon: int | None = None,
            history: History | None = None,
            diagnostics: bool = False,
            expire_after: Age | None = None,
            clock: Clock | None = None,
            compiled: Form = "auto",
            **params: Any,
        ) -> None: ...

        @overload
        def __init__(
            self: Agent[dict[str, Label]],
            policy: Given = None,
            *,
            history: Log,
            duels: bool = False,
            reward_range: tuple[float, float] | None = ...,
            default: float | None = None,
            seed: int = 0,
            horizon: int | None = None,
            diagnostics: bool = False,
            expire_after: Age | None = None,
            clock: Clock | None = None,
            compiled: Form = "auto",
            **params: Any,
        ) -> None: ...

        @overload
        def __init__(
            self: Agent[Label],
            policy: Given = None,
            *,
            arms: Sequence[Label],
            reward_range: tuple[float, float] | None = ...,
            default: float | None = None,
            seed: int = 0,
            horizon: int | None = None,
            history: History | None = None,
            diagnostics: bool = False,
            self_duels: Literal["ask", "skip"] = "ask",
            expire_after: Age | None = None,
            clock: Clock | None = None,
            compiled: Form = "auto",
            **params: Any,
        ) -> None: ...

        def __init__(self, *args: Any, **kwargs: Any) -> None: ...

        @classmethod
        def load(
            cls,
            text: str,
            policy: types.ModuleType | None = None,
            clock: Clock | None = None,
            compiled: Form = "auto",
            *args: Any,
            **kwargs: Any,
        ) -> Agent[Any]:
            """Of what, a text does not say; `agent: Agent[str] = Agent.load(text)` does."""

    def ask(self) -> Decision:
        """Say what to play next; it never waits for rewards.

        Returns
        -------
        Decision
            The levels to play, under an id that `tell` takes.

        Warns
        -----
        BacklogWarning
            If a thousand answers and more wait for a decision that seems to be forgotten, and
            none expires by itself; once, until that is over.

        Examples
        --------
        >>> Agent("uniform", factors={"colour": ["red", "blue"]}).ask()
        Decision(id=1, action=(1,), levels={'colour': 'blue'}, propensity={'colour': 0.5})
        """
        self._prepare()
        if self._ledger.asked % EVERY == 0:
            self._watch_backlog()
        return self._calls.change(self._decide)

    def tell(self, id: int, reward: float | Mapping[str, float] | Sequence[float]) -> None:
        """Tell the reward of a decision; in any order, once each.

        Parameters
        ----------
        id
            The id of the decision.
        reward
            The reward; in duels 1 if the first arm won, 0 if the second did, 0.5 for a tie. With
            semi-bandit feedback (`cucb`) the outcome of each factor by its name.

        Raises
        ------
        DecisionError
            If the id was never given out, or is settled.
        RewardOutOfRangeError
            If the reward is not a number of the declared range.

        Examples
        --------
        >>> agent = Agent("uniform", factors={"colour": ["red", "blue"]})
        >>> agent.tell(agent.ask().id, 1)
        >>> agent.tell(1, 0)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        factored_bandits.errors.DecisionError: decision 1 is answered already; a decision takes ...
        """
        self._prepare()
        self._calls.change(self._tell, id, reward)

    @overload
    def expire(self, id: int) -> None: ...

    @overload
    def expire(self, *, older_than: int | timedelta) -> tuple[int, ...]: ...

    def expire(
        self, id: int | None = None, *, older_than: int | timedelta | None = None
    ) -> tuple[int, ...] | None:
        """Settle decisions for which no answer came, with the default reward.

        Parameters
        ----------
        id
            The id of one decision.
        older_than
            An age: all decisions that wait and are older expire, as if one by one. A number of
            rounds, that is of decisions given out since, or a `datetime.timedelta`.

        Returns
        -------
        tuple of int, or None
            With `older_than` the ids that expired.

        Raises
        ------
        DecisionError
            If the id was never given out, or is settled.
        InvalidInputError
            If there is no default reward, or it is not known when decisions were asked.

        Examples
        --------
        >>> agent = Agent("dueling_uniform", arms=["draft A", "draft B"])
        >>> ids = [agent.ask().id for _ in range(9)]
        >>> agent.expire(3)
        >>> agent.expire(older_than=5)
        (1, 2)
        >>> agent.waiting
        (4, 5, 6, 7, 8, 9)
        """
        if older_than is None:
            self._prepare()
            return self._calls.change(self._expire_one, id)

        if id is not None:
            raise InvalidInputError("expire takes an id or older_than=..., not both")
        age = checked_age("older_than", older_than, 0)
        self._prepare()
        return self._calls.change(self._expire_older, age)

    def drop(self, id: int) -> None:
        """Take back a decision that nobody will answer: nothing is learned from it.

        Parameters
        ----------
        id
            The id of the decision.

        Raises
        ------
        InvalidInputError
            If the policy must learn something of every decision, as most do: see `expire`.

        Examples
        --------
        >>> agent = Agent("duel_top_two", arms=["draft A", "draft B"])
        >>> agent.drop(agent.ask().id)
        """
        if not self._policy.info.drops:
            label = self._policy.label
            raise InvalidInputError(f"{label} learns from every decision that it made: expire it")
        self._prepare()
        self._calls.change(self._expire_one, id, DROPPED)

    def learn(self, max_blocks: int | None = None) -> int:
        """Learn blocks of plays that are complete and were left, oldest first.

        `ask`, `tell` and `expire` learn 64 blocks each, and that is all there is, unless one late
        answer completes many. It changes what is planned next, as `tell` does.

        Parameters
        ----------
        max_blocks
            How many blocks to learn at most; by default all that are complete, with none before
            them that is not.

        Returns
        -------
        int
            How many blocks were learned.

        Examples
        --------
        >>> agent = Agent("uniform", factors={"colour": ["red", "blue"]})
        >>> ids = [agent.ask().id for _ in range(1000)]
        >>> for id in reversed(ids):
        ...     agent.tell(id, 0.0)
        >>> agent.waiting, agent.backlog
        ((), 936)
        >>> agent.learn(max_blocks=36), agent.learn(), agent.backlog
        (36, 900, 0)
        """
        most = None if max_blocks is None else integer("max_blocks", max_blocks, 0)
        self._log_levels()
        return self._calls.change(self._learn, most)
