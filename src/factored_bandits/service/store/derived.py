"""Tables that are derived from the log, for those who look: the same statements for every database.

They hold nothing that decisions depend on. Each can be removed and is made anew from the log; only
what is in no log cannot: rewards that were told again, otherwise, or for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, Protocol

from .data import Event, Experiment, Found
from .rows import EVENT, event_of

AUDITED = ("pause", "resume", "stop", "rebase")


class Change(NamedTuple):
    """A level that was eliminated, or re-entered, as a decision was made without or with it."""

    n: int  # the event of that decision
    level: int  # counted over all factors
    at: int  # microseconds
    active: bool


class Brief(NamedTuple):
    """What is known of an experiment after the event `n`, as JSON."""

    n: int
    at: int
    body: str


class Settled(NamedTuple):
    """An event with what the ask of the same decision says."""

    n: int
    at: int
    kind: str
    decision: int | None
    body: str | None
    action: str | None
    propensity: str | None
    asked_at: int | None


class HourTally(NamedTuple):
    """What happened in one hour; `held_` is the holdout, which the other sums do not contain."""

    hour: int  # since 1970
    asks: int = 0
    tells: int = 0
    expires: int = 0
    lates: int = 0
    slow: int = 0  # tells within the last tenth of the time to live
    settled: int = 0
    held_asks: int = 0
    held_settled: int = 0
    total: float = 0.0  # of the rewards of `settled`
    held_total: float = 0.0


COLUMNS = HourTally._fields[1:]
# the next events of a log, each with the ask of its decision: what a `Settled` holds
TAIL_COLUMNS = (
    "e.n, e.at, e.kind, e.decision, e.body, "
    "coalesce(e.action, a.action), coalesce(e.propensity, a.propensity), a.at"
)
TAIL = (
    "SELECT {} FROM (SELECT exp, n, at, kind, decision, action, propensity, "
    "CASE WHEN kind = 'rebase' THEN NULL ELSE body END AS body "
    "FROM event WHERE exp = ? AND n > ? ORDER BY n LIMIT ?) e "
    "LEFT JOIN event a ON a.exp = e.exp AND a.decision = e.decision AND a.kind = 'ask' "
    "AND e.kind <> 'ask'"
)


class Derived(Protocol):
    """The half of a transaction that reads and writes what is derived from the log."""

    _by_code: ClassVar[str] = ""  # how texts are ordered by the numbers of their characters

    def execute(self, statement: str, *given: Any) -> Found:
        """A statement about the tables beside the log, in SQL that all databases have.

        Values stand where there is a question mark.
        """
        ...

    def _rows(self, query: str, *given: Any) -> list[Any]:
        return self.execute(query, *given).rows

    def _change(self, statement: str, *given: Any) -> int:
        return self.execute(statement, *given).changed

    # ------------------------------------------------------------ active sets

    def changes(self, experiment: int) -> list[Change]:
        """The changes of active sets in their order."""
        query = "SELECT n, level, at, active FROM change WHERE exp = ? ORDER BY n, level"
        found = self._rows(query, experiment)
        return [Change(n, level, at, bool(active)) for n, level, at, active in found]

    def add_changes(self, experiment: int, changes: Iterable[Change]) -> None:
        """Changes that the decisions of this transaction show."""
        for each in changes:
            self._change(
                "INSERT INTO change (exp, n, level, at, active) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (exp, n, level) DO NOTHING",
                experiment, each.n, each.level, each.at, int(each.active),
            )  # fmt: skip

    # ------------------------------------------------------------ tallies

    def behind(self, most: int) -> list[int]:
        """Numbers of experiments whose brief is behind their log, the longest behind first."""
        rows = self._rows(
            "SELECT e.id FROM experiment e LEFT JOIN brief b ON b.exp = e.id "
            "WHERE e.head > coalesce(b.n, 0) ORDER BY coalesce(b.at, 0), e.id LIMIT ?",
            most,
        )
        return [row[0] for row in rows]

    def tail(self, experiment: int, after: int, most: int) -> list[Settled]:
        """The next events of a log, each with the ask of its decision."""
        query = f"{TAIL.format(TAIL_COLUMNS)} ORDER BY e.n"
        return [Settled(*row) for row in self._rows(query, experiment, after, most)]

    def brief(self, experiment: int) -> Brief | None:
        """What is known of an experiment."""
        rows = self._rows("SELECT n, at, body FROM brief WHERE exp = ?", experiment)
        return Brief(*rows[0]) if rows else None

    def save_brief(self, experiment: int, expected: int | None, brief: Brief) -> bool:
        """Replace a brief unless another process did; `expected` is its event, None for none."""
        if expected is None:
            return self._change(
                "INSERT INTO brief (exp, n, at, body) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (exp) DO NOTHING",
                experiment, *brief,
            ) == 1  # fmt: skip
        return self._change(
            "UPDATE brief SET n = ?, at = ?, body = ? WHERE exp = ? AND n = ?",
            *brief, experiment, expected,
        ) == 1  # fmt: skip

    def add_tallies(self, experiment: int, tallies: Iterable[HourTally]) -> None:
        """Add to what is counted by the hour."""
        sums = ", ".join(f"{name} = tally.{name} + excluded.{name}" for name in COLUMNS)
        marks = ", ".join("?" * (len(COLUMNS) + 2))
        for each in tallies:
            self._change(
                f"INSERT INTO tally (exp, hour, {', '.join(COLUMNS)}) VALUES ({marks}) "
                f"ON CONFLICT (exp, hour) DO UPDATE SET {sums}",
                experiment, *each,
            )  # fmt: skip

    def tallies(self, experiment: int, first: int, hours: int = 1) -> list[HourTally]:
        """What happened since an hour, in stretches of so many hours."""
        sums = ", ".join(f"sum({name})" for name in COLUMNS)
        rows = self._rows(
            f"SELECT hour / {int(hours)} * {int(hours)}, {sums} FROM tally "
            "WHERE exp = ? AND hour >= ? GROUP BY 1 ORDER BY 1",
            experiment, first,
        )  # fmt: skip
        whole = len(COLUMNS) - 2  # PostgreSQL has another type for sums of whole numbers
        return [HourTally(*map(int, row[: whole + 1]), *row[whole + 1 :]) for row in rows]

    def forget(self, experiment: int) -> None:
        """Let brief and tallies of an experiment be made anew."""
        self._change("DELETE FROM brief WHERE exp = ?", experiment)
        self._change("DELETE FROM tally WHERE exp = ?", experiment)

    # ------------------------------------------------------------ rewards in no log

    def add_unlogged(self, counts: Mapping[tuple[int, str], int]) -> None:
        """Rewards that are no events, by experiment (0: of none) and what was answered."""
        for (experiment, outcome), amount in sorted(counts.items()):
            self._change(
                "INSERT INTO unlogged (exp, outcome, amount) VALUES (?, ?, ?) ON CONFLICT "
                "(exp, outcome) DO UPDATE SET amount = unlogged.amount + excluded.amount",
                experiment, outcome, amount,
            )  # fmt: skip

    def unlogged(self, experiment: int) -> dict[str, int]:
        """How many rewards of an experiment are no events, by what was answered."""
        return dict(self._rows("SELECT outcome, amount FROM unlogged WHERE exp = ?", experiment))

    def unlogged_of(self, experiments: list[int]) -> dict[int, dict[str, int]]:
        """The same of several experiments."""
        if not experiments:
            return {}
        marks = ", ".join("?" * len(experiments))
        query = f"SELECT exp, outcome, amount FROM unlogged WHERE exp IN ({marks})"
        found: dict[int, dict[str, int]] = {}
        for experiment, outcome, amount in self._rows(query, *experiments):
            found.setdefault(experiment, {})[outcome] = amount
        return found

    # ------------------------------------------------------------ lists

    def listed(self, after: str, search: str, most: int) -> list[tuple[Experiment, str | None]]:
        """The next experiments by key, without what they are, each with its brief."""
        conditions = [f"e.key{self._by_code} > ?"]
        given: list[Any] = [after]
        if search:
            # only keys are read for that, which an index holds
            found = "SELECT id FROM experiment WHERE lower(key) LIKE ? ESCAPE '!'"
            conditions.append(f"e.id IN ({found})")
            given.append(f"%{_plain(search.lower())}%")
        rows = self._rows(
            "SELECT e.id, e.key, '', '', e.status, e.reason, e.head, e.at, b.body "
            "FROM experiment e LEFT JOIN brief b ON b.exp = e.id "
            f"WHERE {' AND '.join(conditions)} ORDER BY e.key{self._by_code} LIMIT ?",
            *given, most,
        )  # fmt: skip
        return [(Experiment(*row[:8]), row[8]) for row in rows]

    def amount(self) -> int:
        """How many experiments there are."""
        return int(self._rows("SELECT count(*) FROM experiment")[0][0])

    def audit(self, experiment: int, before: int, most: int) -> list[Event]:
        """Who paused, resumed, stopped or rebased, the last first; without dumps."""
        columns = EVENT.replace("body", "CASE WHEN kind = 'rebase' THEN NULL ELSE body END")
        kinds = ", ".join(f"'{kind}'" for kind in AUDITED)
        rows = self._rows(
            f"SELECT {columns} FROM event WHERE exp = ? AND n < ? AND kind IN ({kinds}) "
            "ORDER BY n DESC LIMIT ?",
            experiment, before, most,
        )  # fmt: skip
        return [event_of(row) for row in rows]


def _plain(search: str) -> str:
    """A text without the characters that stand for others.

    >>> _plain("50% off_")
    '50!% off!_'
    """
    return search.replace("!", "!!").replace("%", "!%").replace("_", "!_")
