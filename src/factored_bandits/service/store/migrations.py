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

# A ballot is a duel shown to a voter. A duel is with one voter at a time, and a voter has at most
# one ballot in each block of the policy.
_HELD = "status IN ('shown', 'voted', 'telling', 'counted')"
_BALLOT_INDEXES = (
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
        "CREATE TABLE study (exp integer PRIMARY KEY REFERENCES experiment, "
        "document text NOT NULL)",
        "CREATE TABLE content (exp integer NOT NULL REFERENCES experiment, item integer NOT NULL, "
        "arm integer NOT NULL, body bytea NOT NULL, PRIMARY KEY (exp, item, arm))",
        "CREATE TABLE voter_link (exp integer NOT NULL REFERENCES experiment, id text NOT NULL, "
        "name text NOT NULL, most integer, at bigint NOT NULL, revoked bigint, "
        "PRIMARY KEY (exp, id))",
        "CREATE TABLE voter (exp integer NOT NULL REFERENCES experiment, voter bytea NOT NULL, "
        "link text NOT NULL, at bigint NOT NULL, excluded text, PRIMARY KEY (exp, voter))",
        "CREATE TABLE ballot (exp integer NOT NULL REFERENCES experiment, token text NOT NULL, "
        "decision bigint NOT NULL, block bigint NOT NULL, voter bytea NOT NULL, "
        "item integer NOT NULL, first integer NOT NULL, second integer NOT NULL, "
        "swapped integer NOT NULL, shown bigint NOT NULL, chosen bigint, choice text, "
        "status text NOT NULL, PRIMARY KEY (exp, token))",
        *_BALLOT_INDEXES,
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
    (
        "CREATE TABLE study (exp INTEGER PRIMARY KEY REFERENCES experiment, "
        "document TEXT NOT NULL)",
        "CREATE TABLE content (exp INTEGER NOT NULL REFERENCES experiment, item INTEGER NOT NULL, "
        "arm INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (exp, item, arm))",
        "CREATE TABLE voter_link (exp INTEGER NOT NULL REFERENCES experiment, id TEXT NOT NULL, "
        "name TEXT NOT NULL, most INTEGER, at INTEGER NOT NULL, revoked INTEGER, "
        "PRIMARY KEY (exp, id)) WITHOUT ROWID",
        "CREATE TABLE voter (exp INTEGER NOT NULL REFERENCES experiment, voter BLOB NOT NULL, "
        "link TEXT NOT NULL, at INTEGER NOT NULL, excluded TEXT, PRIMARY KEY (exp, voter)) "
        "WITHOUT ROWID",
        "CREATE TABLE ballot (exp INTEGER NOT NULL REFERENCES experiment, token TEXT NOT NULL, "
        "decision INTEGER NOT NULL, block INTEGER NOT NULL, voter BLOB NOT NULL, "
        "item INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL, "
        "swapped INTEGER NOT NULL, shown INTEGER NOT NULL, chosen INTEGER, choice TEXT, "
        "status TEXT NOT NULL, PRIMARY KEY (exp, token)) WITHOUT ROWID",
        *_BALLOT_INDEXES,
    ),
)
