"""Every error the library raises on purpose.

FactoredBanditsError
├── InvalidInput            (also ValueError)   a wrong argument: what it was, what was expected, what to do
│   ├── UnknownName         (also LookupError)  no such policy, environment, unit, level ...
│   └── RewardOutOfRange                        a reward outside the declared range, or not a number
├── DecisionError           (also LookupError)  an id that was never given out, or is already settled
├── DumpError               (also ValueError)   a saved agent that is damaged, foreign or of another version
├── KernelError             (also TypeError)    a policy or environment of one's own that cannot be compiled
└── MissingExtra            (also ImportError)  an optional library is needed; the message says how to install it
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FactoredBanditsError(Exception):
    """The root: ``except FactoredBanditsError`` catches everything below."""


class InvalidInput(FactoredBanditsError, ValueError):
    """A wrong argument."""


class UnknownName(InvalidInput, LookupError):
    """A name that nothing answers to."""

    @classmethod
    def of(cls, what: str, name: object, known: Iterable[str]) -> UnknownName:
        """The error for `name`, with the nearest known name and the whole list.

        >>> print(UnknownName.of("policy", "taa", ["tea", "uniform"]))
        no policy named 'taa'; did you mean 'tea'? (known: tea, uniform)
        """
        known = sorted(known)
        near = difflib.get_close_matches(str(name), known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return cls(f"no {what} named {name!r}{hint} (known: {', '.join(known)})")


class RewardOutOfRange(InvalidInput):
    """A reward outside the declared range, or not a number."""


class DecisionError(FactoredBanditsError, LookupError):
    """An id that was never given out, or is already settled."""


class DumpError(FactoredBanditsError, ValueError):
    """A saved agent that cannot be read."""


class KernelError(FactoredBanditsError, TypeError):
    """A policy or an environment of one's own that cannot be compiled."""


class MissingExtra(FactoredBanditsError, ImportError):
    """An optional library is needed and not installed."""

    @classmethod
    def of(cls, library: str, extra: str, purpose: str) -> MissingExtra:
        """The error that says what to install.

        >>> print(MissingExtra.of("matplotlib", "plot", "drawing a figure"))
        drawing a figure needs matplotlib, which is not installed: pip install "factored-bandits[plot]"
        """
        return cls(f'{purpose} needs {library}, which is not installed: pip install "factored-bandits[{extra}]"')
