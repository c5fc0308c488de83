"""A study comes into being: an experiment of the service, and what is shown of its arms."""

from __future__ import annotations

import json
import secrets
from typing import Any, NamedTuple

from factored_bandits import policies
from factored_bandits.errors import ExperimentError, InvalidInputError, UnknownNameError
from factored_bandits.service.config import Config, checked_key, differences, made
from factored_bandits.service.fingerprint import fingerprint
from factored_bandits.service.store import Experiment, Store, Transaction

from . import tables
from .images import prepared
from .study import TTL, Draft, Rules, default_policy, drafted


class Made(NamedTuple):
    """A study as it is stored."""

    row: Experiment
    new: bool  # whether there was none with this key


def create(
    store: Store, key: str, draft: Draft, policy: str | None = None, seed: int | None = None
) -> Made:
    """Make a study; the same again is no error.

    Parameters
    ----------
    store
        Where experiments are.
    key
        The name of the experiment, which is in the address of its page.
    draft
        Candidates and rules.
    policy
        Which two meet; a policy for duels, by default `duel_top_two`.
    seed
        Same seed and same votes, same duels; by default a random one.

    Returns
    -------
    Made
        The experiment.

    Raises
    ------
    ExperimentError
        If there is another experiment with this key.
    InvalidInputError
        If something does not fit.

    Examples
    --------
    >>> from factored_bandits.service.store import SqliteStore
    >>> import tempfile
    >>> draft = drafted(Rules("Logo"), ["A", "B"], [], [[b"round", b"square"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = SqliteStore(f"{folder}/votes.db")
    ...     made = create(store, "logo", draft)
    ...     store.close()
    >>> made.row.key, made.new
    ('logo', True)
    """
    checked_key(key)
    if "/" in key:
        raise InvalidInputError(f"the key of a study is part of an address: no slash in {key!r}")
    before = store.find(key)
    if seed is None:
        seed = _seed_of(before)
    config = _config(draft, policy or default_policy(draft.rules), seed)
    row = store.create(key, config.text(), fingerprint())
    other = differences(Config.of(row.config), config.given)
    if not other and not tables.changed(store, tables.add_study, row.id, draft):
        other = tables.looked(store, _other_contents, row.id, draft)
    if other:
        raise ExperimentError(f"there is another experiment {key!r}: {'; '.join(other)}")
    return Made(row, before is None)


def _seed_of(before: Experiment | None) -> int:
    """A random one, or that of the experiment which is there."""
    if before is None:
        return secrets.randbits(32)
    return int(Config.of(before.config).given["seed"])


def _config(draft: Draft, policy: str, seed: int) -> Config:
    name = policy.partition("(")[0].strip()
    if name not in policies.names():
        raise UnknownNameError.of("policy", name, policies.names())
    info = policies.make(policy).info
    if info.kind != "duel":
        raise InvalidInputError(f"{policy} chooses one combination at a time: people vote on two")
    given: dict[str, Any] = {
        "policy": policy,
        "arms": list(draft.names),
        "self_duels": "skip",
        "seed": seed,
    }
    if info.ties:
        # where there is no tie, a duel waits until somebody judges it
        given |= {"ttl": TTL, "default": 0.5}
    return made(given, {})[0]


def _other_contents(tx: Transaction, experiment: int, draft: Draft) -> list[str]:
    """What is shown otherwise than it is stored."""
    found = tables.rules_of(tx, experiment)
    assert found is not None, "it was there a moment ago"
    there, here = json.loads(found[0].text()), json.loads(draft.rules.text())
    other = [f"{name} is {there[name]} there and {here[name]} here" for name in here
             if there[name] != here[name]]  # fmt: skip
    shown = {
        (item, tables.PROMPT): prompt.encode() for item, prompt in enumerate(draft.prompts)
    } | {(item, arm): body for item, row in enumerate(draft.contents)
         for arm, body in enumerate(row)}  # fmt: skip
    if shown != tables.contents(tx, experiment):
        other.append("other contents are shown there")
    return other


def draft_of_texts(rules: Rules, texts: dict[str, str]) -> Draft:
    """A study of candidates that stand for themselves."""
    return drafted(rules, list(texts), [], [[text.encode() for text in texts.values()]])


def draft_of_images(rules: Rules, files: dict[str, bytes]) -> Draft:
    """A study of images, by the name of the candidate."""
    return drafted(
        rules, list(files), [], [[prepared(name, content) for name, content in files.items()]]
    )
