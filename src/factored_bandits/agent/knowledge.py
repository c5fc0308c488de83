"""What an agent knows: what is open, the best action, a status, the evidence, a diagnosis."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any, Generic, TypeVar

import numpy as np

from factored_bandits.core.checks import probability
from factored_bandits.errors import InvalidInputError
from factored_bandits.inference.certificate import certificate
from factored_bandits.inference.diagnosis import Diagnosis, diagnosis
from factored_bandits.inference.evidence import Evidence, FactorEvidence
from factored_bandits.policies import Policy

from .expiry import older
from .parts import Parts
from .status import Status, level_rows

Best = TypeVar("Best")  # what is chosen: a label per factor, or the label of an arm


class Knowledge(Parts, Generic[Best]):
    """The reading half of `Agent`: nothing here changes anything.

    All of it rests on the rounds that are learned. Answers that are held back by an open decision
    are not in it.
    """

    @property
    def policy(self) -> Policy:
        """The policy with its parameters.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> fb.Agent("flat_ucb1", factors={"colour": ["red", "blue"]}, alpha=0.5).policy.label
        'flat_ucb1(alpha=0.5)'
        """
        return self._policy

    @property
    def compiled(self) -> bool:
        """Whether the steps of the policy are compiled ones by now; see `Agent`.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> fb.Agent("uniform", factors={"colour": ["red", "blue"]}, compiled=False).compiled
        False
        """
        return self._learner.steps.are_compiled

    @property
    def waiting(self) -> tuple[int, ...]:
        """The ids that were given out and are neither answered nor expired, oldest first.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]})
        >>> agent.ask().id, agent.ask().id, agent.waiting
        (1, 2, (1, 2))
        """
        return self._calls.read(lambda: tuple(self._ledger.waiting()))

    @property
    def backlog(self) -> int:
        """How many rounds were given out and are not learned.

        These are the decisions that wait, and those that are settled but come after one that
        waits, or are left for the next calls or for `learn`.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]})
        >>> ids = [agent.ask().id for _ in range(3)]
        >>> agent.tell(3, 1.0)
        >>> agent.backlog, agent.waiting
        (3, (1, 2))
        """
        return self._calls.read(lambda: self._ledger.asked - self._ledger.learned)

    @property
    def due(self) -> tuple[int, ...]:
        """The ids that the next `ask`, `tell` or `expire` lets expire by itself, oldest first.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]}, expire_after=2)
        >>> ids = [agent.ask().id for _ in range(4)]
        >>> agent.due, agent.waiting
        ((1,), (1, 2, 3, 4))
        """
        return self._calls.read(self._due)

    def _due(self) -> tuple[int, ...]:
        age = self._expire_after
        return () if age is None else tuple(older(self._ledger, age, self._times.now()))

    def is_waiting(self, id: int) -> bool:
        """Say whether a decision was given out and is neither answered nor expired.

        Parameters
        ----------
        id
            The id of the decision.

        Returns
        -------
        bool
            Whether `tell` would take its reward.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("uniform", factors={"colour": ["red", "blue"]})
        >>> agent.is_waiting(1), agent.is_waiting(agent.ask().id)
        (False, True)
        """
        return self._calls.read(self._ledger.is_waiting, id)

    def best(self) -> Best:
        """Give the best action as far as is known.

        Returns
        -------
        dict or label
            A label per factor; for duels the label of an arm.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> fb.Agent("dueling_tea", arms=["draft A", "draft B"]).best()
        'draft A'
        """
        return self._calls.read(self._best)

    def _best(self) -> Any:
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
        return self._calls.read(self._evidence)

    def _evidence(self) -> Evidence:
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
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("dueling_tea", arms=["draft A", "draft B"], seed=1)
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

    def likely(self) -> float | None:
        """Say how likely it is, by the posterior of the policy, that `best()` is the best.

        A belief that rests on a model and on where one stopped to look, no confidence: of two equal
        arms it sooner or later names one in most runs. `confidence` does not.

        Returns
        -------
        float or None
            At least this probability; None if the policy has no posterior of that.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> agent = fb.Agent("duel_top_two", arms=["draft A", "draft B"], seed=1)
        >>> agent.likely()
        0.5
        """
        if not self._policy.believes:
            return None
        posterior_error = self._policy.module.posterior_error
        return 1.0 - self._calls.read(posterior_error, self._params, self._state)

    def status(self) -> Status:
        """Report what is known of every level.

        Returns
        -------
        Status
            Whether each level is active, its plays, its gap to the leader and what that is at
            least, and its re-entry round; how many rounds are not learned, and which decision has
            been open for longest. Print it.

        Examples
        --------
        >>> import factored_bandits as fb
        >>> print(fb.Agent("tea", factors={"colour": ["red", "blue"]}).status())
        tea: 0 rounds asked, 0 learned, 0 waiting
        factor  level  state   plays    gap  at least  re-enters
        colour  red    active      0  0.000     0.000          -
        colour  blue   active      0      -         -          -
        """
        return self._calls.read(self._status)

    def _status(self) -> Status:
        reports = None
        if self._policy.reports:
            reports = self._policy.module.status(self._params, self._state, self._round)

        ledger = self._ledger
        oldest = ledger.oldest()
        age = None
        if oldest is not None and not math.isnan(ledger.times[oldest]):
            age = timedelta(seconds=float(self._times.now() - ledger.times[oldest]))

        return Status(
            self._policy.label,
            ledger.asked,
            ledger.learned,
            ledger.counters.waiting,
            tuple(level_rows(self._labels, self._plays, reports, self._rewards.slope)),
            oldest,
            age,
        )

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
        >>> import factored_bandits as fb
        >>> factors = {"ad": ["A", "B"], "position": ["top", "side"]}
        >>> agent = fb.Agent("tea", factors=factors, seed=1, diagnostics=True)
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
        return self._calls.read(self._diagnose, probability("alpha", alpha))

    def _diagnose(self, alpha: float) -> Diagnosis:
        if self._interaction_test is None:
            raise InvalidInputError(
                "this agent keeps nothing to diagnose from: make it with Agent(..., "
                "diagnostics=True)"
            )

        named = self._labels
        test = self._interaction_test
        return diagnosis(test, named.kind, named.names, named.levels, self._ledger.learned, alpha)
