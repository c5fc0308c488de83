"""A run carried out: in the caller's loop, or in a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from factored_bandits.errors import JudgeError

from .run import Run

Result = TypeVar("Result")


async def play(run: Run, result: Callable[[Run], Result]) -> Result:
    """Carry a run out and give its result; an error of the judge holds the result so far."""
    try:
        await run.play()
    except JudgeError as error:
        error.result = result(run)
        raise
    return result(run)


def play_sync(run: Run, result: Callable[[Run], Result]) -> Result:
    """The same for callers without a loop, and for notebooks, which have one already.

    The loop is in a thread of its own, so that Ctrl-C arrives here, in the caller's thread, and
    not in the middle of something. The run is then told to end, and gives what it has.
    """
    outcome: Future[Result] = Future()
    loop = asyncio.new_event_loop()

    def work() -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                outcome.set_result(runner.run(play(run, result)))
        except BaseException as error:
            outcome.set_exception(error)

    thread = threading.Thread(target=work, daemon=True, name="arena")
    thread.start()
    try:
        return outcome.result()
    except KeyboardInterrupt:
        run.interrupt(loop)
        thread.join()
        return result(run)
