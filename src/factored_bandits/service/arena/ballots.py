"""Ballots: a duel that is shown to a voter, until it is judged, skipped, or takes too long.

    shown --vote--> voted --next vote, or time--> telling --told to the agent--> counted
      |  <--undo---   |                              +--settled by then--> late
      +--skip--> skipped    +--voter excluded--> dropped
      +--page closed--> left --opened again, and still free--> shown
      +--too long, and wanted by another voter--> expired

The log of the experiment hears of a vote only when it can no longer be taken back, so that undo
changes nothing there. A duel of which no ballot is shown, voted, telling or counted is free, and is
shown to the next voter. Each step is one UPDATE with the status that it expects, so that of two
who come at once one finds nothing to do.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from factored_bandits.service.store import Transaction

from .study import Rules

Choice = Literal["1", "2", "0"]
CHOICES: tuple[Choice, ...] = ("1", "2", "0")  # the left one, the right one, a tie
HELD = "('shown', 'voted', 'telling', 'counted')"  # a duel has one ballot of these at most
CASTS = "('voted', 'telling', 'counted')"  # what the cap of a voter counts
SECOND = 1_000_000  # microseconds
COLUMNS = (
    "token, decision, block, voter, item, first, second, swapped, shown, chosen, choice, status"
)


class Duel(NamedTuple):
    """A decision of the agent that waits for its verdict."""

    decision: int
    block: int  # the first decision of the block that the policy learns as a whole
    first: int
    second: int


class Ballot(NamedTuple):
    """A duel as it was shown to somebody.

    Attributes
    ----------
    token
        A random text that names it.
    decision, block, first, second
        The duel: two arms.
    voter
        A keyed hash of the voter's cookie.
    item
        Which item was shown; 0 without items.
    swapped
        Whether the second arm was shown left.
    shown, chosen
        When, in microseconds.
    choice
        "1" for left, "2" for right, "0" for a tie.
    status
        See the top of this file.
    """

    token: str
    decision: int
    block: int
    voter: bytes
    item: int
    first: int
    second: int
    swapped: bool
    shown: int
    chosen: int | None
    choice: Choice | None
    status: str

    @property
    def arms(self) -> tuple[int, int]:
        """The arms as they were shown: left and right."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)

    def reward(self, tie: float) -> float:
        """What the agent is told: 1 if the first arm won; `tie` if neither did."""
        if self.choice == "0":
            return tie
        return 1.0 if (self.choice == "1") != self.swapped else 0.0


def _of(row: tuple[Any, ...]) -> Ballot:
    token, decision, block, voter, item, first, second, swapped, *rest = row
    return Ballot(token, decision, block, bytes(voter), item, first, second, bool(swapped), *rest)


def _where(tx: Transaction, condition: str, *given: Any) -> list[Ballot]:
    rows = tx.execute(f"SELECT {COLUMNS} FROM ballot WHERE {condition}", *given).rows
    return [_of(row) for row in rows]


def of_study(tx: Transaction, experiment: int) -> list[Ballot]:
    """All ballots, in the order in which they were shown."""
    return _where(tx, "exp = ? ORDER BY shown, decision", experiment)


def of_voter(tx: Transaction, experiment: int, voter: bytes) -> list[Ballot]:
    """The ballots of a voter, in the order in which they were shown."""
    return _where(tx, "exp = ? AND voter = ? ORDER BY shown, decision", experiment, voter)


def with_votes_left(tx: Transaction) -> set[int]:
    """The studies of which the agent has not heard all votes."""
    rows = tx.execute("SELECT DISTINCT exp FROM ballot WHERE status IN ('voted', 'telling')").rows
    return {row[0] for row in rows}


def cast(tx: Transaction, experiment: int) -> int:
    """How many votes there are."""
    rows = tx.execute(
        f"SELECT count(*) FROM ballot WHERE exp = ? AND status IN {CASTS}", experiment
    ).rows
    return int(rows[0][0])


def held(tx: Transaction, experiment: int) -> set[int]:
    """The duels that are with somebody."""
    rows = tx.execute(
        "SELECT decision FROM ballot WHERE exp = ? AND status IN ('shown', 'voted', 'telling')",
        experiment,
    ).rows
    return {row[0] for row in rows}


def voted(tx: Transaction, experiment: int) -> set[int]:
    """The duels of which a vote is on its way to the agent."""
    rows = tx.execute(
        "SELECT decision FROM ballot WHERE exp = ? AND status IN ('voted', 'telling')", experiment
    ).rows
    return {row[0] for row in rows}


def take(
    tx: Transaction, experiment: int, voter: bytes, rules: Rules, duels: Iterable[tuple[Duel, int]]
) -> Ballot | None:
    """Show a voter the first of these duels, each with an item, that nobody else has."""
    now = tx.clock()
    tx.execute(
        "UPDATE ballot SET status = 'expired' WHERE exp = ? AND status = 'shown' AND shown < ? "
        "AND voter <> ?",
        experiment,
        now - round(rules.patience * SECOND),
        voter,
    )
    for duel, item in duels:
        made = Ballot(
            secrets.token_urlsafe(12),
            duel.decision,
            duel.block,
            voter,
            item,
            duel.first,
            duel.second,
            bool(secrets.randbits(1)),
            now,
            None,
            None,
            "shown",
        )
        row = (*made[:7], int(made.swapped), *made[8:])
        marks = ", ".join("?" * (len(row) + 1))
        added = tx.execute(
            f"INSERT INTO ballot (exp, {COLUMNS}) VALUES ({marks}) ON CONFLICT DO NOTHING",
            experiment,
            *row,
        )
        if added.changed:
            return made
    return None


def vote(
    tx: Transaction, experiment: int, voter: bytes, token: str, choice: Choice, rules: Rules
) -> bool:
    """Cast a vote; whether it is taken. The vote before it can no longer be taken back."""
    _lock(tx, experiment, voter)
    come_back(tx, experiment, voter, token)
    cast = tx.execute(
        f"SELECT count(*) FROM ballot WHERE exp = ? AND voter = ? AND status IN {CASTS}",
        experiment,
        voter,
    ).rows[0][0]
    if cast >= rules.cap:
        return False
    before = tx.execute(
        "SELECT token FROM ballot WHERE exp = ? AND voter = ? AND status = 'voted'",
        experiment,
        voter,
    ).rows
    taken = tx.execute(
        "UPDATE ballot SET status = 'voted', choice = ?, chosen = ? "
        "WHERE exp = ? AND voter = ? AND token = ? AND status = 'shown'",
        choice,
        tx.clock(),
        experiment,
        voter,
        token,
    )
    if not taken.changed:
        return False
    for (each,) in before:
        _become(tx, experiment, each, "voted", "telling")
    return True


def undo(tx: Transaction, experiment: int, voter: bytes) -> bool:
    """Take the last vote back, and show its duel again; whether there was one to take back."""
    _lock(tx, experiment, voter)
    found = tx.execute(
        "UPDATE ballot SET status = 'shown', choice = NULL, chosen = NULL "
        "WHERE exp = ? AND voter = ? AND status = 'voted'",
        experiment,
        voter,
    )
    return found.changed > 0


def skip(tx: Transaction, experiment: int, voter: bytes, token: str) -> bool:
    """Give a duel back; whether it was with this voter."""
    found = tx.execute(
        "UPDATE ballot SET status = 'skipped', chosen = ? "
        "WHERE exp = ? AND voter = ? AND token = ? AND status = 'shown'",
        tx.clock(),
        experiment,
        voter,
        token,
    )
    return found.changed == 1


def leave(tx: Transaction, experiment: int, voter: bytes, token: str) -> bool:
    """Let others have a duel, because its page was closed; whether it was with this voter."""
    found = tx.execute(
        "UPDATE ballot SET status = 'left' "
        "WHERE exp = ? AND voter = ? AND token = ? AND status = 'shown'",
        experiment,
        voter,
        token,
    )
    return found.changed == 1


def come_back(tx: Transaction, experiment: int, voter: bytes, token: str) -> bool:
    """Show a duel again that was left, unless somebody else has it; whether it is shown now.

    A page that is loaded anew is left and opened, and the two messages may come in any order.
    """
    found = tx.execute(
        "UPDATE ballot SET status = 'shown' "
        "WHERE exp = ? AND voter = ? AND token = ? AND status = 'left' AND NOT EXISTS "
        "(SELECT 1 FROM ballot AS other WHERE other.exp = ballot.exp "
        f"AND other.decision = ballot.decision AND other.status IN {HELD})",
        experiment,
        voter,
        token,
    )
    return found.changed == 1


def due(tx: Transaction, experiment: int, rules: Rules) -> list[Ballot]:
    """The votes that can no longer be taken back, and of which the agent has not heard."""
    tx.execute(
        "UPDATE ballot SET status = 'telling' WHERE exp = ? AND status = 'voted' AND chosen <= ?",
        experiment,
        tx.clock() - round(rules.undo * SECOND),
    )
    return _where(tx, "exp = ? AND status = 'telling' ORDER BY chosen, token", experiment)


def told(tx: Transaction, experiment: int, outcomes: dict[str, str]) -> None:
    """Note what became of votes, by their tokens: "counted" or "late"."""
    for token, outcome in outcomes.items():
        _become(tx, experiment, token, "telling", outcome)


def _become(tx: Transaction, experiment: int, token: str, before: str, after: str) -> None:
    tx.execute(
        "UPDATE ballot SET status = ? WHERE exp = ? AND token = ? AND status = ?",
        after,
        experiment,
        token,
        before,
    )


def _lock(tx: Transaction, experiment: int, voter: bytes) -> None:
    """Two requests of one voter come one after the other."""
    tx.execute("UPDATE voter SET at = at WHERE exp = ? AND voter = ?", experiment, voter)
