"""The tables, as a list of steps; a database of any earlier version takes the steps it lacks.

A step that was released never changes. There is no way back: restore a backup instead.
"""

from __future__ import annotations

# The ask event is the decision. A decision is asked once, settled once, and late once; a unit and
# an idempotency key have one decision each.
_INDEXES = (
    "CREATE UNIQUE INDEX event_unit ON event (exp, unit) WHERE kind = 'ask' AND unit IS NOT NULL",
    "CREATE UNIQUE INDEX event_idem ON event (exp, idem) WHERE kind = 'ask' AND idem IS NOT NULL",
    "CREATE UNIQUE INDEX event_ask ON event (exp, decision) WHERE kind = 'ask'",
    "CREATE UNIQUE INDEX event_settled ON event (exp, decision) WHERE kind IN ('tell', 'expire')",
    "CREATE UNIQUE INDEX event_late ON event (exp, decision) WHERE kind = 'late'",
)

# What pages show is derived from the log: tallies by the hour, a brief per experiment with the
# number of the last event that is in both, and changes of active sets. Rewards that are no events
# (the same one again, another one, one for nothing) are counted by those who refuse them.
_TALLY = (
    "asks",
    "tells",
    "expires",
    "lates",
    "slow",
    "settled",
    "held_asks",
    "held_settled",
)
_SUMS = ("total", "held_total")


def _derived(whole: str, real: str, end: str) -> tuple[str, ...]:
    counts = "".join(f"{name} {whole} NOT NULL, " for name in _TALLY)
    sums = "".join(f"{name} {real} NOT NULL, " for name in _SUMS)
    return (
        f"CREATE TABLE brief (exp INTEGER PRIMARY KEY REFERENCES experiment, n {whole} NOT NULL, "
        f"at {whole} NOT NULL, body text NOT NULL)",
        f"CREATE TABLE tally (exp INTEGER NOT NULL REFERENCES experiment, hour INTEGER NOT NULL, "
        f"{counts}{sums}PRIMARY KEY (exp, hour)){end}",
        f"CREATE TABLE change (exp INTEGER NOT NULL REFERENCES experiment, n {whole} NOT NULL, "
        f"level INTEGER NOT NULL, at {whole} NOT NULL, active INTEGER NOT NULL, "
        f"PRIMARY KEY (exp, n, level)){end}",
        f"CREATE TABLE unlogged (exp INTEGER NOT NULL, outcome text NOT NULL, "
        f"amount {whole} NOT NULL, PRIMARY KEY (exp, outcome)){end}",
        "CREATE INDEX event_audit ON event (exp, n) "
        "WHERE kind IN ('pause', 'resume', 'stop', 'rebase')",
    )


# A ballot is a duel shown to a voter. A duel is with one voter at a time, and a voter has at most
# one ballot in each block of the policy.
_HELD = "status IN ('shown', 'voted', 'telling', 'counted')"


def _votes(whole: str, binary: str, end: str) -> tuple[str, ...]:
    of_experiment = "exp INTEGER NOT NULL REFERENCES experiment"
    return (
        "CREATE TABLE study (exp INTEGER PRIMARY KEY REFERENCES experiment, "
        "document text NOT NULL)",
        f"CREATE TABLE content ({of_experiment}, item INTEGER NOT NULL, arm INTEGER NOT NULL, "
        f"body {binary} NOT NULL, PRIMARY KEY (exp, item, arm))",
        f"CREATE TABLE voter_link ({of_experiment}, id text NOT NULL, name text NOT NULL, "
        f"most INTEGER, at {whole} NOT NULL, revoked {whole}, PRIMARY KEY (exp, id)){end}",
        f"CREATE TABLE voter ({of_experiment}, voter {binary} NOT NULL, link text NOT NULL, "
        f"at {whole} NOT NULL, excluded text, PRIMARY KEY (exp, voter)){end}",
        f"CREATE TABLE ballot ({of_experiment}, token text NOT NULL, decision {whole} NOT NULL, "
        f"block {whole} NOT NULL, voter {binary} NOT NULL, item INTEGER NOT NULL, "
        "first INTEGER NOT NULL, second INTEGER NOT NULL, swapped INTEGER NOT NULL, "
        f"shown {whole} NOT NULL, chosen {whole}, choice text, status text NOT NULL, "
        f"PRIMARY KEY (exp, token)){end}",
        f"CREATE UNIQUE INDEX ballot_duel ON ballot (exp, decision) WHERE {_HELD}",
        f"CREATE UNIQUE INDEX ballot_block ON ballot (exp, voter, block) WHERE {_HELD}",
        "CREATE INDEX ballot_open ON ballot (exp, status) "
        "WHERE status IN ('shown', 'voted', 'telling')",
    )


POSTGRES: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (name text PRIMARY KEY, value bytea NOT NULL)",
        "CREATE TABLE experiment (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
        "key text NOT NULL UNIQUE, config text NOT NULL, fingerprint text NOT NULL, "
        "status text NOT NULL, reason text, head bigint NOT NULL, at bigint NOT NULL)",
        "CREATE TABLE event (exp integer NOT NULL REFERENCES experiment, n bigint NOT NULL, "
        "at bigint NOT NULL, tx bigint NOT NULL, kind text NOT NULL, decision bigint, "
        "unit bytea, idem bytea, action text, propensity text, body text, who text, "
        "PRIMARY KEY (exp, n))",
        *_INDEXES,
        "CREATE TABLE snapshot (exp integer PRIMARY KEY REFERENCES experiment, "
        "n bigint NOT NULL, body text NOT NULL)",
    ),
    ("CREATE TABLE access (digest bytea PRIMARY KEY, name text NOT NULL, role text NOT NULL)",),
    (
        *_derived("bigint", "double precision", ""),
        'CREATE INDEX experiment_key ON experiment (key COLLATE "C")',
    ),
    _votes("bigint", "bytea", ""),
    # Until a table has statistics, an index that begins with the experiment seems as good as any
    # other: the decision of a unit was looked for among all asks of its experiment.
    (
        "DROP INDEX event_ask",
        "CREATE UNIQUE INDEX event_ask ON event (decision, exp) WHERE kind = 'ask'",
    ),
)

SQLITE: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
        "CREATE TABLE experiment (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
        "config TEXT NOT NULL, fingerprint TEXT NOT NULL, status TEXT NOT NULL, reason TEXT, "
        "head INTEGER NOT NULL, at INTEGER NOT NULL)",
        "CREATE TABLE event (exp INTEGER NOT NULL REFERENCES experiment, n INTEGER NOT NULL, "
        "at INTEGER NOT NULL, tx INTEGER NOT NULL, kind TEXT NOT NULL, decision INTEGER, "
        "unit BLOB, idem BLOB, action TEXT, propensity TEXT, body TEXT, who TEXT, "
        "PRIMARY KEY (exp, n)) WITHOUT ROWID",
        *_INDEXES,
        "CREATE TABLE snapshot (exp INTEGER PRIMARY KEY REFERENCES experiment, "
        "n INTEGER NOT NULL, body TEXT NOT NULL)",
    ),
    (
        "CREATE TABLE access (digest BLOB PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL) "
        "WITHOUT ROWID",
    ),
    _derived("INTEGER", "REAL", " WITHOUT ROWID"),
    _votes("INTEGER", "BLOB", " WITHOUT ROWID"),
)
