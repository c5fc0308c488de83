"""Clients of the service: one that waits, and its twin for coroutines."""

from __future__ import annotations

from .remote import RemoteAgent, connect
from .twin import AsyncRemoteAgent, connect_async

__all__ = ["AsyncRemoteAgent", "RemoteAgent", "connect", "connect_async"]
