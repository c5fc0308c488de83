"""The command line. Knows the library; the library never knows it."""

from __future__ import annotations

import sys


def main() -> int:
    """The entry point of the command `factored-bandits`."""
    # Nothing is imported before this line: from here on, Ctrl-C is answered.
    try:
        from .process import run

        return run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
