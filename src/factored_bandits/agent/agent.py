"""The agent itself: it drives the plain Python kernels of a policy, so it compiles nothing and
never imports numba.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from factored_bandits.core.arrays import Floats
from factored_bandits.core.rng import generators
from factored_bandits.environments import PastDuels
from factored_bandits.errors import DumpError, InvalidInputError
from factored_bandits.inference.diagnosis import Diagnosis, diagnosis
from factored_bandits.policies import Policy, make

from . import fit as _policies
from . import history as _history
from . import ledger as _ledger
from .dump import pack, seal, unpack, unseal
from .labels import Label, labels
from .rewards import UNIT, rewards
from .status import Status, level_rows

GIVEN = (
    "factors",
    "arms",
    "reward_range",
    "default",
    "horizon",
)  # arguments of an agent that a dump holds


@dataclass(frozen=True)
class Decision:
    """What to play in one round."""

    id: int  # the number of the round; `tell` and `expire` take it
    action: tuple[
        int, ...
    ]  # the index of the level of each factor; in duels of the first and the second arm
    levels: dict[str, Label]  # the same by name
    propensity: (
        dict[str, float] | None
    )  # per factor the chance that this level had; None if the policy cannot say


class Agent:
    """A policy that learns online from `ask` and `tell`.

    `policy`: a name, a made policy, or a module of your own; `params` are its parameters.
    `factors`: the levels of each factor; or `arms`: what to compare, for duels. `reward_range`:
    what rewards can be at all, None for raw ones. `default`: the reward of a decision that expires,
    if not given the low end of the range, in duels a tie. `horizon`: how many rounds are planned,
    for policies that need to know. `history`: duels of the past to begin with, as a CSV file, a
    list of (winner, loser) or (winner, loser, tie), or an array of wins of row over column.
    `diagnostics`: keep what `diagnose` needs.

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
        _policies.check_fit(self._policy, self._labels, horizon)
        self._rewards = rewards(self._policy, reward_range, default, self._labels.names)
        self._horizon = 0 if horizon is None else _policies.integer("horizon", horizon, 1)
        self._generator = generators(_policies.integer("seed", seed, 0))[0]
        module = self._policy.module
        sizes = self._labels.sizes
        self._params = self._policy.encoded()
        self._state = module.init(self._params, self._labels.sizes, self._horizon)
        longest = self._policy.longest_block(sizes)
        self._actions = np.zeros((longest, len(sizes)), dtype=np.int64)  # scratch
        self._plays = [np.zeros(size, dtype=np.int64) for size in sizes]
        self._ledger = _ledger.Ledger(self._outcomes)
        self._interaction_test = (
            _policies.interaction_test(self._policy, self._labels, self._rewards.range)
            if diagnostics
            else None
        )
        self._past = 0  # duels of the past, which count as rounds

        if history is not None:
            self._past = _history.warm_start(
                self._policy, self._params, self._state, self._labels, history
            )

    @property
    def policy(self) -> Policy:
        """The policy with its parameters.

        >>> Agent("flat_ucb1", factors={"colour": ["red", "blue"]}, alpha=0.5).policy.label
        'flat_ucb1(alpha=0.5)'
        """
        return self._policy

    @property
    def _outcomes(self) -> int:
        return len(self._rewards.factors or ())

    @property
    def waiting(self) -> tuple[int, ...]:
        """The ids that were given out and are neither answered nor expired, oldest first.

        >>> agent = Agent("uniform", factors={"colour": ["red", "blue"]})
        >>> agent.ask().id, agent.ask().id, agent.waiting
        (1, 2, (1, 2))
        """
        return tuple(self._ledger.waiting)

    def ask(self) -> Decision:
        """What to play next; it never waits for rewards.

        >>> Agent("uniform", factors={"colour": ["red", "blue"]}).ask()
        Decision(id=1, action=(1,), levels={'colour': 'blue'}, propensity={'colour': 0.5})
        """
        if self._ledger.asked == self._ledger.planned:
            self._plan()
        block, place = self._ledger.give_out()
        action = tuple(block.actions[place].tolist())
        for plays, level in zip(self._plays, action, strict=True):
            plays[level] += 1
        propensity = None
        if block.probabilities is not None:
            propensity = dict(
                zip(self._labels.names, block.probabilities[place].tolist(), strict=True)
            )

        return Decision(self._ledger.asked, action, self._labels.named(action), propensity)

    def _plan(self) -> None:
        module = self._policy.module
        start = self._ledger.asked + 1
        length = int(
            module.plan(
                self._params, self._state, self._past + start, self._generator, self._actions
            )
        )
        actions = self._actions[:length].copy()
        probabilities: Floats | None = None

        if self._policy.randomises:
            per_level = module.propensities(self._params, self._state, length)
            probabilities = np.stack(
                [per_level[l][actions[:, l]] for l in range(actions.shape[1])], axis=1
            )

        self._ledger.open(actions, probabilities)

    def tell(self, id: int, reward: float | Mapping[str, float] | Sequence[float]) -> None:
        """The reward of a decision; in any order, once each. For `cucb`, the outcome of each factor
        by its name.

        >>> agent = Agent("uniform", factors={"colour": ["red", "blue"]})
        >>> agent.tell(agent.ask().id, 1)
        >>> agent.tell(1, 0)
        Traceback (most recent call last):
        factored_bandits.errors.DecisionError: decision 1 is answered already; a decision takes one reward
        """
        self._ledger.check(id)
        self._settle(id, self._rewards.taken(reward))

    def expire(self, id: int) -> None:
        """Settle a decision for which no answer came, with the default reward.

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
            self._policy.module.learn(
                self._params, self._state, self._past + block.start, block.actions, seen
            )
            if self._interaction_test is not None:
                self._interaction_test.learn(block.actions, self._rewards.share(block.rewards))

    def best(self) -> Any:
        """The best action as far as is known: a dict of labels, for duels the label of an arm.

        >>> Agent("dueling_tea", arms=["draft A", "draft B"]).best()
        'draft A'
        """
        action = np.zeros(len(self._plays), dtype=np.int64)
        self._policy.module.recommend(self._params, self._state, action)
        named = self._labels.named(action.tolist())
        return named["first"] if self._labels.kind == "duel" else named

    def confidence(self) -> float | None:
        """How sure the policy is that `best` is the best: the level at which it has ruled out
        everything else.

        0.0 while something else is still in; None where the algorithm makes no such statement. It
        holds as far as the assumptions of the algorithm do.

        >>> agent = Agent("dueling_tea", arms=["draft A", "draft B"], seed=1)
        >>> agent.confidence()
        0.0
        >>> while not agent.confidence():
        ...     decision = agent.ask()
        ...     agent.tell(decision.id, 1.0 if decision.levels["first"] == "draft B" else 0.0)
        >>> agent.best(), agent.confidence() > 0.99
        ('draft B', True)
        """
        module = self._policy.module
        if not hasattr(module, "confidence"):
            return None
        level: float | None = module.confidence(
            self._params, self._state, self._past + self._ledger.asked + 1
        )
        return level

    def status(self) -> Status:
        """What is known of every level: in or out, plays, gap to the leader and what it is at
        least, re-entry round.

        >>> print(Agent("tea", factors={"colour": ["red", "blue"]}).status())
        tea: 0 rounds asked, 0 learned, 0 waiting
        factor  level  state  plays    gap  at least  returns
        colour  red    in         0  0.000     0.000        -
        colour  blue   in         0      -         -        -
        """
        module = self._policy.module
        ledger = self._ledger
        level_reports = None
        if self._policy.reports:
            level_reports = module.status(self._params, self._state, self._past + ledger.asked + 1)
        rows = tuple(level_rows(self._labels, self._plays, level_reports, self._rewards.slope))
        return Status(self._policy.label, ledger.asked, ledger.learned, len(ledger.waiting), rows)

    def diagnose(self, alpha: float = 0.05) -> Diagnosis:
        """Is there a best level of each factor at all, or does it depend on the others? Needs
        `diagnostics=True`.

        As long as every factor has one, an alarm is ever raised with chance at most `alpha`,
        however often one looks.

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

        if not isinstance(alpha, (int, float)) or not 0.0 < alpha < 1.0:
            raise InvalidInputError(f"alpha must lie between 0 and 1, not {alpha!r}")
        return diagnosis(self._interaction_test, self._labels, self._ledger.learned, float(alpha))

    def dump(self) -> str:
        """Everything, the generator included, as text; `load` goes on from there as if nothing had
        happened.

        >>> agent = Agent("tea", factors={"colour": ["red", "blue"]})
        >>> Agent.load(agent.dump()).dump() == agent.dump()
        True
        """
        content = {
            "policy": _policies.document(self._policy),
            "problem": {
                **self._labels.document(),
                "reward_range": self._rewards.range,
                "default": self._rewards.default,
                "horizon": self._horizon or None,
            },
            "generator": self._generator.bit_generator.state,
            "past": self._past,
            "rounds": self._ledger.document(),
            "plays": [pack(plays) for plays in self._plays],
            "state": {name: pack(array) for name, array in self._state._asdict().items()},
        }
        if self._interaction_test is not None:
            content["diagnostics"] = self._interaction_test.document()
        return seal(content)

    @classmethod
    def load(cls, text: str, policy: types.ModuleType | None = None) -> Self:
        """The agent that `dump` wrote; if its policy was a module of your own, give that module.

        >>> agent = Agent("uniform", factors={"colour": ["red", "blue"]}, seed=3)
        >>> Agent.load(agent.dump()).ask() == agent.ask()
        True
        """
        content = unseal(text)
        try:
            given = {name: content["problem"][name] for name in GIVEN}
            watched = "diagnostics" in content
            agent = cls(_policies.restored(content["policy"], policy), diagnostics=watched, **given)
            agent._restore(content)
        except DumpError:
            raise
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            detail = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise DumpError(
                f"the dump does not describe an agent of this version: {detail}"
            ) from error

        return agent

    def _restore(self, content: dict[str, Any]) -> None:
        saved = content["state"]
        if set(saved) != set(self._state._fields):
            raise DumpError(
                f"the dump does not fit its policy: {self._policy.name} keeps "
                f"{', '.join(self._state._fields)}, "
                f"the dump holds {', '.join(saved)}"
            )

        for name, array in self._state._asdict().items():
            array[...] = unpack(saved[name], name, array.dtype, array.shape)
        for plays, counts in zip(self._plays, content["plays"], strict=True):
            plays[:] = unpack(counts, "plays", plays.dtype, plays.shape)
        self._ledger = _ledger.restored(content["rounds"], self._labels.sizes, self._outcomes)
        self._past = _policies.integer("past", content.get("past", 0), 0)
        if self._interaction_test is not None:
            self._interaction_test.restore(content["diagnostics"])
        self._generator.bit_generator.state = content["generator"]
