"""Addresses that come from outside."""

from __future__ import annotations

from urllib.parse import urlsplit


def inside(address: str) -> str:
    """An address of this service to go on with; the first page instead of any other one.

    >>> inside("/experiments/home?tab=2"), inside("https://elsewhere.example/"), inside("//x/y")
    ('/experiments/home?tab=2', '/', '/')
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/"
    fine = address.startswith("/") and not parts.netloc and not parts.scheme
    return address if fine and "\\" not in address and address.isprintable() else "/"
