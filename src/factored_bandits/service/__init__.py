"""The durable agent: the same ask and tell, with a database behind it.

The log is the truth, the agent is its fold: whatever is acknowledged is in the log first, and
whatever is in the log is in the state once. An agent is deterministic, so that its log alone gives
it back, for every policy alike.
"""

from __future__ import annotations

from .client import AsyncRemoteAgent, RemoteAgent, connect, connect_async
from .comparison import HoldoutReport
from .durable import DurableAgent
from .opening import open

__all__ = [
    "AsyncRemoteAgent",
    "DurableAgent",
    "HoldoutReport",
    "RemoteAgent",
    "connect",
    "connect_async",
    "open",
]
