"""Every error the library raises on purpose.

FactoredBanditsError
├── InvalidInputError (ValueError): a wrong argument: what it was, what was expected
│   ├── UnknownNameError (LookupError): no such policy, environment, level ...
│   └── RewardOutOfRangeError: a reward outside the declared range, or not a number
├── DecisionError (LookupError): an id that was never given out, or is settled already
├── AgentError (RuntimeError): an agent that cannot be used, now or for good; the message says why
├── DumpError (ValueError): a saved agent that is damaged, foreign or of another version
├── StoreError (RuntimeError): a database that cannot be used; the message says why
├── ExperimentError (RuntimeError): an experiment that takes no requests, now or for good
├── KernelError (TypeError): a policy or environment of one's own that cannot be compiled
├── ContractError (ValueError): a policy or environment of one's own that breaks the contract
├── JudgeError (RuntimeError): a judge that no longer answers; the message says why
└── MissingExtraError (ImportError): an optional library is needed; the message says which

In parentheses the built-in error that each one is, too. And two warnings:

BacklogWarning (UserWarning): answers pile up behind a decision that was not settled
CacheWarning (UserWarning): compiled loops cannot be kept on disk
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

FEW = 10  # names that are listed even where one of them is near
MOST = 100  # names that are listed at all
LONGEST_SHOWN = 80  # characters of a value in a message


class FactoredBanditsError(Exception):
    """The root: ``except FactoredBanditsError`` catches every error of the library."""


class InvalidInputError(FactoredBanditsError, ValueError):
    """A wrong argument."""


class UnknownNameError(InvalidInputError, LookupError):
    """A name that nothing answers to."""

    @classmethod
    def of(cls, what: str, name: object, known: Iterable[str]) -> UnknownNameError:
        """Make the error for `name`, with the nearest known name.

        All known names follow if they are few, or if none is near.

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
        >>> print(UnknownNameError.of("policy", "TEA", ["tea", "uniform"]))
        no policy named 'TEA'; did you mean 'tea'? (known: tea, uniform)
        >>> print(UnknownNameError.of("number", "Seven", ["seven", *"abcdefghijkl"]))
        no number named 'Seven'; did you mean 'seven'?
        """
        known = sorted(known)
        hint = did_you_mean(name, known)
        more = f" and {len(known) - MOST:,} more" if len(known) > MOST else ""
        every = f" (known: {', '.join(known[:MOST])}{more})"
        if hint and len(known) > FEW:
            every = ""
        return cls(f"no {what} named {shown(name)}{hint}{every}")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Suggest the known name that is nearest, whatever its case and with - or _ or a space.

    Parameters
    ----------
    name
        What was given.
    known
        The names that there are.

    Returns
    -------
    str
        The end of a sentence; empty if no name is near.

    Examples
    --------
    >>> did_you_mean("Flat UCB1", ["flat_ucb1", "tea"])
    "; did you mean 'flat_ucb1'?"
    >>> did_you_mean("best", ["flat_ucb1", "tea"])
    ''
    """
    plain = {_plain(each): each for each in known}
    near = difflib.get_close_matches(_plain(str(name)), plain, n=1)
    return f"; did you mean {plain[near[0]]!r}?" if near else ""


def shown(value: object) -> str:
    """A value for a message: on one line, not too long, and a number of NumPy as a number.

    Parameters
    ----------
    value
        What was given.

    Returns
    -------
    str
        Its shortened `repr`.

    Examples
    --------
    >>> import numpy as np
    >>> shown(np.float64(2.5)), shown("two"), shown(np.eye(2)), shown("x" * 1000)[70:]
    ('2.5', "'two'", 'array([[1., 0.], [0., 1.]])', "xxxxxx...'")
    """
    # Not by its class: this file imports nothing, so that the command line starts at once.
    of_numpy = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
    text = " ".join(repr(value.item() if of_numpy else value).split())  # type: ignore[attr-defined]
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[: LONGEST_SHOWN - 4]}...{text[-1]}"


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


class RewardOutOfRangeError(InvalidInputError):
    """A reward outside the declared range, or not a number."""


class DecisionError(FactoredBanditsError, LookupError):
    """An id that was never given out, or is already settled."""


class AgentError(FactoredBanditsError, RuntimeError):
    """An agent that cannot be used: in the middle of another call, or not to be repaired."""


class DumpError(FactoredBanditsError, ValueError):
    """A saved agent that cannot be read."""


class StoreError(FactoredBanditsError, RuntimeError):
    """A database of experiments that cannot be opened, read or written."""


class ExperimentError(FactoredBanditsError, RuntimeError):
    """An experiment that takes no requests: it is paused, stopped, full, or not of this version."""


class KernelError(FactoredBanditsError, TypeError):
    """A policy or an environment of one's own that cannot be compiled."""


class ContractError(FactoredBanditsError, ValueError):
    """A policy or an environment of one's own that breaks the contract: in what, and where."""


class JudgeError(FactoredBanditsError, RuntimeError):
    """A judge that no longer answers; `result` holds what was found until then."""

    result: object = None


class CacheWarning(UserWarning):
    """Compiled loops cannot be kept on disk, so every process compiles them again."""


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
