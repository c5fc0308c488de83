"""One call of what the user gave: a coroutine in the loop, anything else in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import math
import threading
from collections.abc import Callable
from typing import Any


async def called(function: Callable[..., Any], arguments: tuple[Any, ...], timeout: float) -> Any:
    """What the function returns, within so many seconds.

    A plain function runs in a thread of its own. A thread cannot be stopped: after the time-out it
    goes on, and what it returns is dropped.
    """
    async with asyncio.timeout(timeout if math.isfinite(timeout) else None):
        if is_coroutine_function(function):
            return await function(*arguments)

        result = await in_thread(function, *arguments)
        # a plain function may hand on what a coroutine will return
        return await result if inspect.isawaitable(result) else result


def is_coroutine_function(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await, as far as can be told beforehand.

    >>> async def judge(a, b): ...
    >>> is_coroutine_function(judge), is_coroutine_function(functools.partial(judge, 1))
    (True, True)
    """
    while isinstance(function, functools.partial):
        function = function.func
    method = getattr(function, "__call__", None)  # noqa: B004 - of an object, not whether it is one
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method)


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a plain function returns, without holding up the loop.

    The threads are daemons, not those of `asyncio.to_thread`, which the interpreter waits for when
    it ends: a judge that hangs must not keep the program from ending.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(deliver: Callable[[Any], None], value: Any) -> None:
        if not future.done():  # given up, in the meantime
            deliver(value)

    def work() -> None:
        try:
            deliver, value = future.set_result, function(*arguments)
        except StopIteration as error:  # which no future can hold
            deliver, value = future.set_exception, RuntimeError(f"StopIteration: {error}")
        except BaseException as error:
            deliver, value = future.set_exception, error

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, deliver, value)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True, name="judge").start()
    return await future
