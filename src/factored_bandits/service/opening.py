"""`fb.open`: an experiment in a database, new or as it was left."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

from factored_bandits.agent.labels import Label
from factored_bandits.agent.parts import Given, History
from factored_bandits.core.checks import Form, finite
from factored_bandits.errors import InvalidInputError, UnknownNameError

from .config import DEFAULTS, MAX_OPEN, Config, checked_key, differences, made
from .durable import DurableAgent
from .engine import Engine, Read
from .fingerprint import fingerprint
from .store import name_of, opened

UNIT = (0.0, 1.0)


def open(
    location: str | os.PathLike[str],
    policy: Given = None,
    *,
    key: str,
    factors: Mapping[str, Sequence[Label]] | None = None,
    arms: Sequence[Label] | None = None,
    reward_range: tuple[float, float] | None = UNIT,
    default: float | None = None,
    ttl: str | timedelta | None = None,
    seed: int = 0,
    horizon: int | None = None,
    history: History | None = None,
    diagnostics: bool = False,
    self_duels: Literal["ask", "skip"] = "ask",
    max_open: int = MAX_OPEN,
    holdout: float | None = None,
    baseline: Mapping[str, Label] | None = None,
    rebase: bool = False,
    timeout: float = 30.0,
    compiled: Form = "auto",
    **params: Any,
) -> DurableAgent:
    """Open an agent that is kept in a database: a new one, or one to go on with.

    Every decision and every reward is on the disk before the call that made it returns. A program
    that is killed at any moment, and started again with the same call, goes on where it was.

    Parameters
    ----------
    location
        The path of a database file, which one process at a time can have open; or the address of
        a PostgreSQL database, "postgresql://user@host/name", for any number of processes.
    policy
        As for `Agent`.
    key
        The name of the experiment; a database holds any number of them.
    factors
        The levels of each factor, to choose one level of each.
    arms
        What to compare, for duels. With neither this nor `factors` the experiment must be there.
    reward_range
        What rewards can be at all, (low, high); None for unbounded rewards.
    default
        The reward of a decision that expires.
    ttl
        How long a decision waits for its reward, such as "30m", "2h" or a `datetime.timedelta`;
        it expires then, with the default reward, which must be given.
    seed
        Same seed, same decisions.
    horizon
        How many rounds are planned, for policies that need to know.
    history
        Duels of the past to begin with; see `Agent`.
    diagnostics
        Keep what `diagnose` needs.
    self_duels
        What to do when the policy lets an arm duel itself; see `Agent`.
    max_open
        How many decisions may wait, or be held back by one that waits; beyond, `ask` is refused.
    holdout
        A share of units, such as 0.05, that the agent does not decide for: `DurableAgent.holdout`
        compares their rewards with those of the rest. Who they are is a hash of the unit.
    baseline
        What the holdout is shown, a level of each factor; by default each combination alike.
    rebase
        Go on though the log was computed by another version of the library, or on another kind of
        processor: its end is kept, and a new part of the log begins.
    timeout
        For how many seconds a call tries again while the database cannot be used.
    compiled
        As for `Agent`.
    **params
        Parameters of the policy, if you name one.

    Returns
    -------
    DurableAgent
        It has the methods of `Agent`; close it, or use it in a `with` statement.

    Raises
    ------
    InvalidInputError
        If the experiment is there and is another one: the message says in what.
    UnknownNameError
        If it is not there, and neither `factors` nor `arms` say what it should be.
    StoreError
        If the database cannot be used.
    ExperimentError
        If the log was computed by another version; see `rebase`.

    Examples
    --------
    >>> import tempfile, factored_bandits as fb
    >>> folder = tempfile.TemporaryDirectory()
    >>> factors = {"headline": ["short", "long"], "button": ["red", "green", "blue"]}
    >>> def shop():
    ...     return fb.open(
    ...         f"{folder.name}/shop.db", key="home", factors=factors, ttl="30m", default=0.0
    ...     )
    >>> with shop() as agent:
    ...     decision = agent.ask(unit="visitor 7")
    >>> with shop() as agent:  # another day, another process
    ...     agent.tell(decision.id, 1.0)
    'accepted'
    >>> folder.cleanup()
    """
    given: dict[str, Any] = {
        "policy": policy,
        "factors": factors,
        "arms": arms,
        "reward_range": reward_range,
        "default": default,
        "ttl": ttl,
        "seed": seed,
        "horizon": horizon,
        "history": history,
        "diagnostics": diagnostics,
        "self_duels": self_duels,
        "max_open": max_open,
        "holdout": holdout,
        "baseline": baseline,
    }
    checked_key(key)
    patience = finite("timeout", timeout)
    config = None
    module = None
    if factors is not None or arms is not None:
        config, module = made(given, params)

    engine, release = _shared(location)
    try:
        store = engine.store
        if config is not None:
            row = store.create(key, config.text(), fingerprint())
            other = differences(Config.of(row.config), config.given)
        else:
            found = store.find(key)
            if found is None:
                names = [each.key for each in store.experiments()]
                raise UnknownNameError.of("experiment", key, names)
            row = found
            other = _other(Config.of(row.config), given)

        if other:
            raise InvalidInputError(
                f"the experiment {key!r} in {store.name!r} is another one: {'; '.join(other)}. "
                "Open it with the arguments that it was made with, or choose another key"
            )

        handle = engine.serve(row, module, compiled)
        if rebase:
            engine.rebase(handle.id)
        engine.call(handle.id, Read())  # it is ready, or says why not
        return DurableAgent(engine, handle, patience, release)
    except BaseException:
        release()
        raise


def _other(stored: Config, given: dict[str, Any]) -> list[str]:
    """What was given besides the key and is otherwise there."""
    told = {
        name: value
        for name, value in given.items()
        if name not in ("policy", "history", "ttl") and value != DEFAULTS[name] and value != UNIT
    }
    return differences(stored, told)


# ------------------------------------------------------------ one engine for each database

_ENGINES: dict[tuple[int, str], tuple[Engine, int]] = {}
_CHANGING = threading.Lock()


def _shared(location: str | os.PathLike[str]) -> tuple[Engine, Any]:
    """The engine of a database in this process, and what gives it back."""
    name = (os.getpid(), name_of(location))

    def release() -> None:
        with _CHANGING:
            engine, users = _ENGINES.pop(name)
            if users > 1:
                _ENGINES[name] = (engine, users - 1)
            else:
                engine.close()

    with _CHANGING:
        engine, users = _ENGINES.get(name) or (Engine(opened(location)), 0)
        _ENGINES[name] = (engine, users + 1)
    return engine, release
