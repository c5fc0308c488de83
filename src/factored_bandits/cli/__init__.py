"""The command line. Knows the library; the library never knows it."""

from __future__ import annotations

import sys


def main() -> int:
    """The entry point of the command `factored-bandits`."""
    try:
        from .app import app
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        print('the command line needs click: pip install "factored-bandits[cli]"', file=sys.stderr)
        return 2

    app(prog_name="factored-bandits")
    return 0
