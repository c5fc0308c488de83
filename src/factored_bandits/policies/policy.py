"""`Policy`: a policy module with its parameters, and what the module can do."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field
from typing import Any, Literal

from factored_bandits.core.arrays import Floats, Ints
from factored_bandits.errors import InvalidInputError

from .base import (
    FROM_ENVIRONMENT,
    Believes,
    Bets,
    Certifies,
    Checks,
    Eliminates,
    Info,
    PlansBlocks,
    Randomises,
    Range,
    Reports,
    Skips,
    WarmStarts,
)

CAPABILITIES = {
    "skips": Skips,
    "eliminates": Eliminates,
    "reports": Reports,
    "randomises": Randomises,
    "certifies": Certifies,
    "bets": Bets,
    "believes": Believes,
    "warm_starts": WarmStarts,
}


@dataclass(frozen=True)
class Policy:
    """An algorithm with its parameters; made by `policies.make`.

    Attributes
    ----------
    name
        The name of the module.
    module
        The policy module; see `policies.base.PolicyModule`.
    params
        The parameters of the module, checked.
    reward_range
        The declared range of the rewards; None for unbounded rewards, "environment" if the
        environment or the agent says it.
    skips, eliminates, reports, randomises, certifies, bets, believes, warm_starts
        What the module can do, found out once.

    Examples
    --------
    >>> from factored_bandits import policies
    >>> print(policies.make("flat_ucb1", alpha=0.5))
    flat_ucb1(alpha=0.5)
    """

    name: str
    module: Any  # a PolicyModule; Any, because what it can do beyond that is found out below
    params: Any
    reward_range: Range | Literal["environment"] | None = FROM_ENVIRONMENT
    skips: bool = field(init=False, repr=False)
    eliminates: bool = field(init=False, repr=False)
    reports: bool = field(init=False, repr=False)
    randomises: bool = field(init=False, repr=False)
    certifies: bool = field(init=False, repr=False)
    bets: bool = field(init=False, repr=False)
    believes: bool = field(init=False, repr=False)
    warm_starts: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for capability, protocol in CAPABILITIES.items():
            object.__setattr__(self, capability, isinstance(self.module, protocol))

    def __str__(self) -> str:
        return self.label

    @property
    def info(self) -> Info:
        """What the module says of itself."""
        return typing.cast(Info, self.module.INFO)

    @property
    def takes_history(self) -> bool:
        """Whether an agent with it can begin with a record of the past.

        Examples
        --------
        >>> from factored_bandits import policies
        >>> policies.make("flat_ucb1").takes_history, policies.make("tea").takes_history
        (True, False)
        """
        return self.warm_starts if self.info.kind == "duel" else self.info.any_plays

    @property
    def label(self) -> str:
        """The name, with every parameter that is not at its default; `make` reads it back.

        Examples
        --------
        >>> from factored_bandits import policies
        >>> policies.make("flat_ucb1", alpha=0.5).label
        'flat_ucb1(alpha=0.5)'
        """
        defaults = self.params._field_defaults
        changed = {n: v for n, v in self.params._asdict().items() if v != defaults[n]}
        if self.reward_range != FROM_ENVIRONMENT:
            changed["reward_range"] = self.reward_range

        if not changed:
            return self.name
        return f"{self.name}({', '.join(f'{n}={v}' for n, v in changed.items())})"

    @property
    def own(self) -> bool:
        """Whether the module is from outside the library.

        Examples
        --------
        >>> from factored_bandits import policies
        >>> policies.make("tea").own
        False
        """
        return not self.module.__name__.startswith(f"{__package__}.")

    @property
    def compiled(self) -> bool:
        """Whether its kernels can be compiled; an adapted object (`adapt`) is plain Python.

        Examples
        --------
        >>> from factored_bandits import policies
        >>> policies.make("tea").compiled
        True
        """
        return bool(getattr(self.module, "COMPILED", True))

    @property
    def family(self) -> str:
        """The folder of the module below that of its kind; empty if it has none.

        Examples
        --------
        >>> from factored_bandits import policies
        >>> policies.make("flat_ucb1").family, policies.make("tea").family
        ('flat', '')
        """
        path = self.module.__name__.split(".")
        below = path[len(__package__.split(".")) + 1 : -1]
        return ".".join(below) if self.module.__name__.startswith(f"{__package__}.") else ""

    @property
    def theorem(self) -> int | None:
        """The theorem of the paper on it; None with parameters that are not the paper's."""
        with_defaults = self.params == type(self.params)()
        return self.info.theorem if with_defaults else None

    def encoded(self) -> Any:
        """The parameters as kernels see them: a choice becomes its index among the choices."""
        hints = typing.get_type_hints(type(self.params))
        values = [
            typing.get_args(hints[name]).index(value) if isinstance(value, str) else value
            for name, value in self.params._asdict().items()
        ]
        return type(self.params)(*values)

    def check(self, sizes: Ints, horizon: int) -> None:
        """Raise an error if the policy cannot take a problem of these sizes; cheap.

        Parameters
        ----------
        sizes
            How many levels each factor has; in duels the number of arms, twice.
        horizon
            How many rounds will be played; 0 where that is not known.

        Raises
        ------
        InvalidInputError
            If the policy cannot take the problem.
        """
        if isinstance(self.module, Checks):
            self.module.check(self.encoded(), sizes, horizon)

    def longest_block(self, sizes: Ints) -> int:
        """Give the number of plays that one plan holds at most.

        Parameters
        ----------
        sizes
            How many levels each factor has.

        Returns
        -------
        int
            What the module says; otherwise the number of levels of the largest factor.
        """
        if isinstance(self.module, PlansBlocks):
            return self.module.longest_block(sizes)
        return int(max(sizes))

    def p_values(self, params: Any, state: Any, reward_range: Range | None) -> list[Floats]:
        """Give anytime-valid p-values, per factor and level, of its being the best.

        Parameters
        ----------
        params
            The parameters as kernels see them: `encoded()`.
        state
            The state of the policy.
        reward_range
            The declared range of the rewards; None for unbounded rewards.

        Returns
        -------
        list of array
            Per factor an array (levels,).

        Raises
        ------
        InvalidInputError
            If nothing is proved: the message says why.

        Examples
        --------
        >>> from factored_bandits.policies import make
        >>> tea = make("tea")
        >>> state = tea.module.init(tea.encoded(), [2, 1], 0)
        >>> tea.p_values(tea.encoded(), state, (0.0, 1.0))
        [array([1., 1.]), array([1.])]
        """
        if not self.certifies:
            raise InvalidInputError(
                f"{self.label} does not say at any time what is ruled out; these do: "
                f"{', '.join(_certifying())}"
            )

        bound = getattr(self.params, "bound", None)
        if reward_range is None and bound is None:
            raise InvalidInputError(
                f"{self.label}: p-values need rewards of a declared range; give "
                "reward_range=(low, high)"
            )
        if reward_range is None and bound != "paper":
            raise InvalidInputError(
                f"{self.label}: the bound {bound!r} needs rewards of a declared range; give "
                "reward_range=(low, high), or use bound='paper', which holds for unbounded "
                "rewards with 1-sub-Gaussian noise and means in [-1, 1]"
            )

        found: list[Floats] | None = self.module.p_values(params, state)
        if found is None:
            defaults = type(self.params)()._asdict().items()
            changed = [f"{n}={v!r}" for n, v in defaults if v != getattr(self.params, n)]
            raise InvalidInputError(
                f"{self.label}: nothing is proved with these parameters; use {', '.join(changed)}"
            )

        return found


def _certifying() -> list[str]:
    from .registry import make, names  # the registry makes policies, so it imports this file

    return [name for name in names() if make(name).certifies]
