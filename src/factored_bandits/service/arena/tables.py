"""Studies, voter links and voters in the database."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from factored_bandits.service.store import Store, Transaction

from . import ballots
from .study import Draft, Rules

COLUMNS = {
    "study": "document",
    "content": "item, arm, body",
    "voter_link": "id, name, most, at, revoked",
    "voter": "voter, link, at, excluded",
    "ballot": ballots.COLUMNS,
}
PROMPT = -1  # the "arm" under which the text of an item is kept
T = TypeVar("T")


class Link(NamedTuple):
    """A link that makes whoever opens it a voter.

    Attributes
    ----------
    id
        A random text; the link is this and a signature.
    name
        What it is for, such as "team".
    most
        How many voters it makes at most; None for any number.
    at
        When it was made, in microseconds.
    revoked
        When it was revoked; None while it is good.
    voters
        How many voters it has made.
    """

    id: str
    name: str
    most: int | None
    at: int
    revoked: int | None
    voters: int = 0


class VoterRow(NamedTuple):
    """Somebody who opened a voter link, in one browser.

    Attributes
    ----------
    voter
        A keyed hash of the cookie.
    link
        The id of the link.
    at
        When that was, in microseconds.
    excluded
        Why their votes are left out; None if they are not.
    revoked
        Whether the link was revoked.
    """

    voter: bytes
    link: str
    at: int
    excluded: str | None
    revoked: bool


def changed(store: Store, work: Callable[..., T], *given: Any) -> T:
    """Do something in a transaction of its own, all or nothing."""
    tx = store.begin()
    try:
        result = work(tx, *given)
    except BaseException:
        tx.rollback()
        raise
    tx.commit()
    return result


def looked(store: Store, work: Callable[..., T], *given: Any) -> T:
    """Look at something as it is at one moment."""
    tx = store.reading()
    try:
        return work(tx, *given)
    finally:
        tx.rollback()


# ------------------------------------------------------------ studies


def add_study(tx: Transaction, experiment: int, draft: Draft) -> bool:
    """Keep a study; whether there was none before."""
    added = tx.execute(
        "INSERT INTO study (exp, document) VALUES (?, ?) ON CONFLICT (exp) DO NOTHING",
        experiment,
        draft.rules.text(),
    )
    if not added.changed:
        return False
    for item, prompt in enumerate(draft.prompts):
        _add_content(tx, experiment, item, PROMPT, prompt.encode())
    for item, row in enumerate(draft.contents):
        for arm, body in enumerate(row):
            _add_content(tx, experiment, item, arm, body)
    return True


def _add_content(tx: Transaction, experiment: int, item: int, arm: int, body: bytes) -> None:
    statement = "INSERT INTO content (exp, item, arm, body) VALUES (?, ?, ?, ?)"
    tx.execute(statement, experiment, item, arm, body)


def rules_of(tx: Transaction, experiment: int) -> tuple[Rules, int] | None:
    """The rules of a study, and how many items it has; None if it is no study."""
    found = tx.execute("SELECT document FROM study WHERE exp = ?", experiment).rows
    if not found:
        return None
    items = tx.execute(
        "SELECT count(*) FROM content WHERE exp = ? AND arm = ?", experiment, PROMPT
    ).rows
    return Rules.of(found[0][0]), int(items[0][0])


def content(tx: Transaction, experiment: int, item: int, arm: int) -> bytes | None:
    """What is shown of a candidate, or with `PROMPT` of the item itself."""
    found = tx.execute(
        "SELECT body FROM content WHERE exp = ? AND item = ? AND arm = ?", experiment, item, arm
    ).rows
    return bytes(found[0][0]) if found else None


def contents(tx: Transaction, experiment: int) -> dict[tuple[int, int], bytes]:
    """Everything that is shown, by item and arm."""
    found = tx.execute("SELECT item, arm, body FROM content WHERE exp = ?", experiment).rows
    return {(item, arm): bytes(body) for item, arm, body in found}


def studies(tx: Transaction) -> dict[int, Rules]:
    """All studies, by the number of their experiment."""
    return {exp: Rules.of(text) for exp, text in tx.execute("SELECT exp, document FROM study").rows}


def copy_study(source: Transaction, number: int, target: Transaction, copy: int) -> bool:
    """Copy everything about a study to another database; whether it is one.

    Links and cookies stay good: what they are signed with depends on the key of the study.
    """
    for table, columns in COLUMNS.items():
        rows = source.execute(f"SELECT {columns} FROM {table} WHERE exp = ?", number).rows
        marks = ", ".join("?" * (columns.count(",") + 2))
        for row in rows:
            target.execute(f"INSERT INTO {table} (exp, {columns}) VALUES ({marks})", copy, *row)
    return rules_of(source, number) is not None


# ------------------------------------------------------------ links and voters


def add_link(tx: Transaction, experiment: int, name: str, most: int | None) -> Link:
    """Make a voter link."""
    made = Link(secrets.token_hex(8), name, most, tx.clock(), None)
    tx.execute(
        "INSERT INTO voter_link (exp, id, name, most, at) VALUES (?, ?, ?, ?, ?)",
        experiment,
        *made[:4],
    )
    return made


def links(tx: Transaction, experiment: int) -> list[Link]:
    """The voter links of a study, the newest last."""
    found = tx.execute(
        "SELECT id, name, most, at, revoked, (SELECT count(*) FROM voter "
        "WHERE voter.exp = voter_link.exp AND voter.link = voter_link.id) "
        "FROM voter_link WHERE exp = ? ORDER BY at, id",
        experiment,
    ).rows
    return [Link(*row) for row in found]


def revoke_link(tx: Transaction, experiment: int, id: str) -> bool:
    """Let a link, and those who came by it, vote no more; whether there is such a link."""
    found = tx.execute(
        "UPDATE voter_link SET revoked = COALESCE(revoked, ?) WHERE exp = ? AND id = ?",
        tx.clock(),
        experiment,
        id,
    )
    return found.changed == 1


def add_voter(tx: Transaction, experiment: int, link: str, voter: bytes) -> str | None:
    """Make somebody a voter; gives the reason if the link does not allow it."""
    # an update first: it locks the row, so that two who come at once are counted one by one
    good = tx.execute(
        "UPDATE voter_link SET name = name WHERE exp = ? AND id = ? AND revoked IS NULL",
        experiment,
        link,
    )
    if not good.changed:
        return "this link was revoked, or is not one of this study"
    most, voters = tx.execute(
        "SELECT most, (SELECT count(*) FROM voter WHERE exp = ? AND link = ?) "
        "FROM voter_link WHERE exp = ? AND id = ?",
        *(experiment, link) * 2,
    ).rows[0]
    if most is not None and voters >= most:
        return "this link was used as often as it may be; ask for one of your own"
    tx.execute(
        "INSERT INTO voter (exp, voter, link, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        experiment,
        voter,
        link,
        tx.clock(),
    )
    return None


VOTERS = (
    "SELECT voter.voter, voter.link, voter.at, voter.excluded, voter_link.revoked FROM voter "
    "JOIN voter_link ON voter_link.exp = voter.exp AND voter_link.id = voter.link "
    "WHERE voter.exp = ?"
)


def voter_of(tx: Transaction, experiment: int, voter: bytes) -> VoterRow | None:
    """A voter; None if nobody has this hash."""
    rows = tx.execute(f"{VOTERS} AND voter.voter = ?", experiment, voter).rows
    return _voter(rows[0]) if rows else None


def voters(tx: Transaction, experiment: int) -> list[VoterRow]:
    """All voters of a study, the first first."""
    rows = tx.execute(f"{VOTERS} ORDER BY voter.at, voter.voter", experiment).rows
    return [_voter(row) for row in rows]


def exclude(tx: Transaction, experiment: int, voter: bytes, reason: str | None) -> bool:
    """Leave a voter out, or with None take them back; whether there is such a voter.

    A vote that they may still take back is dropped, so that its duel is shown to somebody else.
    """
    found = tx.execute(
        "UPDATE voter SET excluded = ? WHERE exp = ? AND voter = ?", reason, experiment, voter
    )
    if reason is not None:
        tx.execute(
            "UPDATE ballot SET status = 'dropped' WHERE exp = ? AND voter = ? "
            "AND status IN ('shown', 'voted')",
            experiment,
            voter,
        )
    return found.changed == 1


def _voter(row: tuple[Any, ...]) -> VoterRow:
    return VoterRow(bytes(row[0]), row[1], row[2], row[3], row[4] is not None)
