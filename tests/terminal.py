"""A terminal that remembers what was written to it."""

from __future__ import annotations

import io


class Terminal(io.StringIO):
    """An output that says that it is a terminal."""

    def isatty(self) -> bool:
        return True
