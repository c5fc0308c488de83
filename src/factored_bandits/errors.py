"""Every error the library raises on purpose.

FactoredBanditsError
├── InvalidInputError (ValueError): a wrong argument: what it was, what was expected
│   ├── UnknownNameError (LookupError): no such policy, environment, level ...
│   └── RewardOutOfRangeError: a reward outside the declared range, or not a number
├── DecisionError (LookupError): an id that was never given out, or is settled already
├── AgentError (RuntimeError): an agent that cannot be used, now or for good; the message says why
├── DumpError (ValueError): a saved agent that is damaged, foreign or of another version
├── KernelError (TypeError): a policy or environment of one's own that cannot be compiled
└── MissingExtraError (ImportError): an optional library is needed; the message says which

In parentheses the built-in error that each one is, too. And one warning:

BacklogWarning (UserWarning): answers pile up behind a decision that was not settled
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FactoredBanditsError(Exception):
    """The root: ``except FactoredBanditsError`` catches every error of the library."""


class InvalidInputError(FactoredBanditsError, ValueError):
    """A wrong argument."""


class UnknownNameError(InvalidInputError, LookupError):
    """A name that nothing answers to."""

    @classmethod
    def of(cls, what: str, name: object, known: Iterable[str]) -> UnknownNameError:
        """Make the error for `name`, with the nearest known name and the whole list.

        Parameters
        ----------
        what
            What was looked for, such as "policy".
        name
            The name that was given.
        known
            The names that there are.

        Returns
        -------
        UnknownNameError
            The error, to be raised by the caller.

        Examples
        --------
        >>> print(UnknownNameError.of("policy", "taa", ["tea", "uniform"]))
        no policy named 'taa'; did you mean 'tea'? (known: tea, uniform)
        """
        known = sorted(known)
        near = difflib.get_close_matches(str(name), known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return cls(f"no {what} named {name!r}{hint} (known: {', '.join(known)})")


class RewardOutOfRangeError(InvalidInputError):
    """A reward outside the declared range, or not a number."""


class DecisionError(FactoredBanditsError, LookupError):
    """An id that was never given out, or is already settled."""


class AgentError(FactoredBanditsError, RuntimeError):
    """An agent that cannot be used: in the middle of another call, or not to be repaired."""


class DumpError(FactoredBanditsError, ValueError):
    """A saved agent that cannot be read."""


class KernelError(FactoredBanditsError, TypeError):
    """A policy or an environment of one's own that cannot be compiled."""


class MissingExtraError(FactoredBanditsError, ImportError):
    """An optional library is needed and not installed."""

    @classmethod
    def of(cls, library: str, extra: str, purpose: str) -> MissingExtraError:
        """Make the error that says what to install.

        Parameters
        ----------
        library
            The library that is missing.
        extra
            The extra of this package that installs it.
        purpose
            What it is needed for.

        Returns
        -------
        MissingExtraError
            The error, to be raised by the caller.

        Examples
        --------
        >>> print(MissingExtraError.of("pandas", "frame", "to_frame()"))
        to_frame() needs pandas, which is not installed: pip install "factored-bandits[frame]"
        """
        return cls(
            f"{purpose} needs {library}, which is not installed: pip install "
            f'"factored-bandits[{extra}]"'
        )


class BacklogWarning(UserWarning):
    """Answers pile up behind a decision that was neither answered nor expired."""
