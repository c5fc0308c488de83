"""The agent: it drives the plain Python kernels of a policy, so it never imports numba."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.checks import flag, integer, probability
from factored_bandits.core.rng import generators
from factored_bandits.environments import PastDuels
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.certificate import certificate
from factored_bandits.inference.diagnosis import Diagnosis, diagnosis
from factored_bandits.inference.evidence import Evidence, FactorEvidence
from factored_bandits.policies import Policy, make
from factored_bandits.policies.footprint import check_memory

from . import fit, snapshot
from .decision import Decision
from .dump import seal, unseal
from .history import warm_start
from .labels import Label, labels
from .ledger import Ledger
from .rewards import UNIT, rewards
from .status import Status, level_rows


class Agent:
    """A policy that learns online from `ask` and `tell`.

    Parameters
    ----------
    policy
        A name or a label such as "tea(bound=betting)", a made policy, or a module of your own.
    factors
        The levels of each factor, to choose one level of each.
    arms
        What to compare, for duels. Give either this or `factors`.
    reward_range
        What rewards can be at all, (low, high); None for unbounded rewards.
    default
        The reward of a decision that expires. By default the low end of the range, in duels a tie.
    seed
        Same seed, same decisions.
    horizon
        How many rounds are planned, for policies that need to know.
    history
        Duels of the past to begin with: a CSV file, a list of (winner, loser) or
        (winner, loser, tie), an array of wins of row over column, or what `load_duels` returned.
    diagnostics
        Keep what `diagnose` needs.
    **params
        Parameters of the policy; `fb.policies.describe` lists them.

    Raises
    ------
    UnknownNameError
        If there is no such policy or parameter.
    InvalidInputError
        If the arguments contradict each other, or the policy cannot take the problem.

    Examples
    --------
    >>> import factored_bandits as fb
    >>> agent = fb.Agent("flat_ucb1", factors={"colour": ["red", "blue"]}, alpha=0.5)
    >>> for _ in range(200):
    ...     decision = agent.ask()
    ...     agent.tell(decision.id, 1.0 if decision.levels["colour"] == "blue" else 0.0)
    >>> agent.best()
    {'colour': 'blue'}
    """

    def __init__(
        self,
        policy: str | types.ModuleType | Policy,
        *,
        factors: Mapping[str, Sequence[Label]] | None = None,
        arms: Sequence[Label] | None = None,
        reward_range: tuple[float, float] | None = UNIT,
        default: float | None = None,
        seed: int = 0,
        horizon: int | None = None,
        history: str | Path | Sequence[Sequence[Any]] | Floats | PastDuels | None = None,
        diagnostics: bool = False,
        **params: Any,
    ) -> None:
        self._labels = labels(factors, arms)
        self._policy = make(policy, **params)
        fit.check_fit(self._policy, self._labels, horizon)
        self._rewards = rewards(self._policy, reward_range, default, self._labels.names)
        self._horizon = 0 if horizon is None else integer("horizon", horizon, 1)
        self._generator = generators(integer("seed", seed, 0))[0]

        sizes = self._labels.sizes
        self._policy.check(sizes, self._horizon)
        check_memory(self._policy, sizes)
        self._params = self._policy.encoded()
        self._state = self._policy.module.init(self._params, sizes, self._horizon)

        longest = self._policy.longest_block(sizes)
        self._actions = np.zeros((longest, len(sizes)), dtype=np.int64)  # scratch
        self._plays = [np.zeros(size, dtype=np.int64) for size in sizes]
        self._ledger = Ledger(self._rewards.outcomes)

        self._interaction_test = None
        if flag("diagnostics", diagnostics):
            self._interaction_test = fit.interaction_test(
                self._policy, self._labels, self._rewards.range
            )

        self._past = 0  # duels of the past, which count as rounds
        if history is not None:
            self._past = warm_start(self._policy, self._params, self._state, self._labels, history)

    @property
    def policy(self) -> Policy:
        """The policy with its parameters.

        Examples
        --------
        >>> Agent("flat_ucb1", factors={"colour": ["red", "blue"]}, alpha=0.5).policy.label
        'flat_ucb1(alpha=0.5)'
        """
        return self._policy

    @property
    def _outcomes(self) -> int:
        return self._rewards.outcomes

    @property
    def _round(self) -> int:
        """The next round, as the policy counts them."""
        return self._past + self._ledger.asked + 1

    @property
    def waiting(self) -> tuple[int, ...]:
        """The ids that were given out and are neither answered nor expired, oldest first.

        Examples
        --------
        >>> agent = Agent("uniform", factors={"colour": ["red", "blue"]})
        >>> agent.ask().id, agent.ask().id, agent.waiting
        (1, 2, (1, 2))
        """
        return tuple(self._ledger.waiting)

    def ask(self) -> Decision:
        """Say what to play next; it never waits for rewards.

        Returns
        -------
        Decision
            The levels to play, under an id that `tell` takes.

        Examples
        --------
        >>> Agent("uniform", factors={"colour": ["red", "blue"]}).ask()
        Decision(id=1, action=(1,), levels={'colour': 'blue'}, propensity={'colour': 0.5})
        """
        if self._ledger.asked == self._ledger.planned:
            self._plan()

        block, row = self._ledger.give_out()
        action = tuple(block.actions[row].tolist())
        for plays, level in zip(self._plays, action, strict=True):
            plays[level] += 1

        propensity = None
        if block.probabilities is not None:
            known = block.probabilities[row].tolist()
            propensity = dict(zip(self._labels.names, known, strict=True))

        return Decision(self._ledger.asked, action, self._labels.named(action), propensity)

    def _plan(self) -> None:
        module = self._policy.module
        length = int(
            module.plan(self._params, self._state, self._round, self._generator, self._actions)
        )
        actions = self._actions[:length].copy()
        probabilities: Floats | None = None

        if self._policy.randomises:
            per_level = module.propensities(self._params, self._state, length)
            columns = [known[actions[:, l]] for l, known in enumerate(per_level)]
            probabilities = np.stack(columns, axis=1)

        self._ledger.open(actions, probabilities)

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
        self._ledger.check(id)
        self._settle(id, self._rewards.taken(reward))

    def expire(self, id: int) -> None:
        """Settle a decision for which no answer came, with the default reward.

        Parameters
        ----------
        id
            The id of the decision.

        Raises
        ------
        DecisionError
            If the id was never given out, or is settled.
        InvalidInputError
            If there is no default reward.

        Examples
        --------
        >>> agent = Agent("dueling_uniform", arms=["draft A", "draft B"])
        >>> agent.expire(agent.ask().id)
        >>> agent.waiting
        ()
        """
        self._ledger.check(id)
        reward = self._rewards.missing()
        self._ledger.expired.append(int(id))
        self._settle(id, reward)

    def _settle(self, identifier: int, reward: float | Floats) -> None:
        self._ledger.settle(int(identifier), reward)

        for block in self._ledger.ready():
            seen = self._rewards.mapped(block.rewards)
            start = self._past + block.start
            self._policy.module.learn(self._params, self._state, start, block.actions, seen)
            if self._interaction_test is not None:
                self._interaction_test.learn(block.actions, self._rewards.share(block.rewards))

    def best(self) -> Any:
        """Give the best action as far as is known.

        Returns
        -------
        dict or label
            A label per factor; for duels the label of an arm.

        Examples
        --------
        >>> Agent("dueling_tea", arms=["draft A", "draft B"]).best()
        'draft A'
        """
        action = np.zeros(len(self._plays), dtype=np.int64)
        self._policy.module.recommend(self._params, self._state, action)
        named = self._labels.named(action.tolist())
        return named["first"] if self._labels.kind == "duel" else named

    def evidence(self) -> Evidence:
        """Give what `fb.certificate` rests on: an anytime-valid p-value per level.

        Raises
        ------
        InvalidInputError
            If nothing is proved: the message says why.
        """
        p_values = self._policy.p_values(self._params, self._state, self._rewards.range)
        named = self._labels
        names = named.factor_names
        levels = named.levels[: len(names)]
        factors = tuple(map(FactorEvidence, names, levels, p_values))
        return Evidence(self._policy.label, named.kind, self._ledger.learned, factors)

    def confidence(self) -> float | None:
        """Say how sure it is that the winner is the best: the confidence of the certificate.

        It is valid in every round, as far as the assumptions of the algorithm hold.

        Returns
        -------
        float or None
            `fb.certificate(agent).confidence`; None where the policy proves nothing.

        Examples
        --------
        >>> agent = Agent("dueling_tea", arms=["draft A", "draft B"], seed=1)
        >>> agent.confidence()
        0.0
        >>> while agent.confidence() < 0.99:
        ...     decision = agent.ask()
        ...     agent.tell(decision.id, 1.0 if decision.levels["first"] == "draft B" else 0.0)
        >>> agent.best()
        'draft B'
        """
        try:
            return certificate(self).confidence
        except InvalidInputError:
            return None  # the policy does not certify, or not with these parameters

    def status(self) -> Status:
        """Report what is known of every level.

        Returns
        -------
        Status
            Whether each level is active, its plays, its gap to the leader and what that is at
            least, and its re-entry round. Print it.

        Examples
        --------
        >>> print(Agent("tea", factors={"colour": ["red", "blue"]}).status())
        tea: 0 rounds asked, 0 learned, 0 waiting
        factor  level  state   plays    gap  at least  re-enters
        colour  red    active      0  0.000     0.000          -
        colour  blue   active      0      -         -          -
        """
        ledger = self._ledger
        reports = None
        if self._policy.reports:
            reports = self._policy.module.status(self._params, self._state, self._round)

        rows = tuple(level_rows(self._labels, self._plays, reports, self._rewards.slope))
        return Status(self._policy.label, ledger.asked, ledger.learned, len(ledger.waiting), rows)

    def diagnose(self, alpha: float = 0.05) -> Diagnosis:
        """Test whether each factor has a best level at all, or that depends on the others.

        As long as every factor has one, an alarm is ever raised with probability at most `alpha`,
        however often one looks. It needs `Agent(..., diagnostics=True)`.

        Parameters
        ----------
        alpha
            The probability of a false alarm.

        Returns
        -------
        Diagnosis
            What was found; print it.

        Raises
        ------
        InvalidInputError
            If the agent was made without diagnostics, or alpha is no probability.

        Examples
        --------
        >>> factors = {"ad": ["A", "B"], "position": ["top", "side"]}
        >>> agent = Agent("tea", factors=factors, seed=1, diagnostics=True)
        >>> for _ in range(400):
        ...     decision = agent.ask()
        ...     agent.tell(decision.id, float(decision.action[0] == decision.action[1]))
        >>> print(agent.diagnose())
        ad has no best level (confidence > 99.99%): which one is best depends on position
          A is behind B when position is side
          B is behind A when position is top
        position has no best level (confidence > 99.99%): which one is best depends on ad
          top is behind side when ad is B
          side is behind top when ad is A
        """
        if self._interaction_test is None:
            raise InvalidInputError(
                "this agent keeps nothing to diagnose from: make it with Agent(..., "
                "diagnostics=True)"
            )

        alpha = probability("alpha", alpha)
        named = self._labels
        test = self._interaction_test
        return diagnosis(test, named.kind, named.names, named.levels, self._ledger.learned, alpha)

    def dump(self) -> str:
        """Give everything as text, the random generator included.

        Returns
        -------
        str
            JSON on one line; `load` goes on from there as if nothing had happened.

        Examples
        --------
        >>> agent = Agent("tea", factors={"colour": ["red", "blue"]})
        >>> Agent.load(agent.dump()).dump() == agent.dump()
        True
        """
        return seal(snapshot.snapshot(self))

    @classmethod
    def load(cls, text: str, policy: types.ModuleType | None = None) -> Self:
        """Make the agent that `dump` wrote.

        Parameters
        ----------
        text
            What `dump` returned.
        policy
            The module of the policy, if it was a module of your own.

        Returns
        -------
        Agent
            It goes on where the other one was, random numbers included.

        Raises
        ------
        DumpError
            If the text is damaged, foreign or of another version.

        Examples
        --------
        >>> agent = Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
        >>> Agent.load(agent.dump()).ask() == agent.ask()
        True
        """
        return snapshot.restored(cls, unseal(text), policy)
