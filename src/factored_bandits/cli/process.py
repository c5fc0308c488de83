"""The process around a command: Ctrl-C at any moment, an output that is full or closed.

What a command itself makes of Ctrl-C and of wrong input is in `app`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import types
from typing import Any

UNWRITABLE = 1  # exit code: the output cannot be written
WRONG_INPUT = 2
INTERRUPTED = 130  # as shells have it

LATER = 0.02  # seconds
LARGE = "use fewer levels, arms, repetitions or workers"


def run() -> int:
    """Run the command that the arguments name; returns the exit code."""
    if sys.stdout is None:
        say("standard output is closed; to throw the output away, use > /dev/null")
        return UNWRITABLE
    if hasattr(sys.stdout, "reconfigure"):
        # A letter that the terminal cannot show must not end a run.
        sys.stdout.reconfigure(errors="backslashreplace")

    interrupts = Interrupts()
    try:
        return _run_app()
    except OSError as error:
        reason = error.strerror or str(error)
        if error.filename is None:
            _forget_output()
            say(f"the output cannot be written: {reason}")
        else:
            say(f"{error.filename}: {reason}")
        return UNWRITABLE
    except MemoryError as error:
        say(f"not enough memory: {str(error) or 'the system gives no more'}; {LARGE}")
        return UNWRITABLE
    except BaseException:
        # Ctrl-C in the middle of an import can come out as any error.
        if not interrupts.seen:
            raise
        say("interrupted", error=False)
        return INTERRUPTED
    finally:
        interrupts.end()


def _run_app() -> int:
    try:
        from .app import app
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        print('the command line needs click: pip install "factored-bandits[cli]"', file=sys.stderr)
        return WRONG_INPUT

    try:
        app(prog_name="factored-bandits")
    except SystemExit as done:
        sys.stdout.flush()
        return done.code if isinstance(done.code, int) else int(bool(done.code))
    return 0


class Interrupts:
    """Ctrl-C raises KeyboardInterrupt, as always, and is remembered."""

    def __init__(self) -> None:
        self.seen = False
        # In the background of a shell Ctrl-C is ignored, and stays so.
        self.heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self.heard:
            signal.signal(signal.SIGINT, self._raise)
            sys.unraisablehook = self._again

    def end(self) -> None:
        """While the interpreter leaves, one more Ctrl-C ends it without a word."""
        if self.heard:
            signal.signal(signal.SIGINT, signal.SIG_DFL)

    def _raise(self, number: int, frame: types.FrameType | None) -> None:
        self.seen = True
        raise KeyboardInterrupt

    def _again(self, unraisable: Any) -> None:
        """Where Python must ignore an error (in a callback of an import), raise it a bit later."""
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            threading.Timer(LATER, os.kill, (os.getpid(), signal.SIGINT)).start()
        else:
            sys.__unraisablehook__(unraisable)


def say(sentence: str, error: bool = True) -> None:
    """One sentence on standard error, if that can be written."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"Error: {sentence}" if error else sentence, file=sys.stderr)


def _forget_output() -> None:
    """What is left to be written goes nowhere, or Python would complain of it once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
