"""Compiled loops: `@kernel` marks what may be compiled, `bind` compiles a loop around it.

The only file that knows numba. A kernel stays an ordinary Python function until a loop is bound, so
importing the library costs nothing, an agent runs without compiling, and `NUMBA_DISABLE_JIT=1` (or
no numba at all) gives the same numbers, bit for bit.

numba caches a compiled loop by the loop's own source file and would not notice an edited policy. So
the cached name carries a digest of the code of every kernel the loop can reach, and of the
constants they use.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, TypeVar

from factored_bandits.errors import KernelError

Function = TypeVar("Function", bound=Callable[..., Any])

_KERNELS: set[Any] = set()
_BOUND: dict[tuple[Any, str, str], Callable[..., Any]] = {}


def kernel(function: Function) -> Function:
    """Mark `function` as compilable.

    A kernel consists of scalar loops over arrays and calls only `math`, NumPy and other kernels, by
    name.

    >>> @kernel
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    _KERNELS.add(function)
    return function


def compiles() -> bool:
    """Whether loops are compiled here: numba is installed and not switched off."""
    disabled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return not disabled and importlib.util.find_spec("numba") is not None


def bind(loop: Callable[..., Any], label: str, **kernels: Callable[..., Any]) -> Callable[..., Any]:
    """The loop with some of its global names replaced, compiled where numba is installed.

    Parameters
    ----------
    loop
        A kernel that calls others by name.
    label
        What is compiled, for messages and for the cache.
    kernels
        By name, what to call instead; in `loop`, and in the kernels of its own module that it
        calls.

    Returns
    -------
    A function with the arguments of `loop`.

    Examples
    --------
    >>> @kernel
    ... def step(x):
    ...     return x + 1
    >>> @kernel
    ... def run(x, times):
    ...     for _ in range(times):
    ...         x = step(x)
    ...     return x
    >>> @kernel
    ... def double(x):
    ...     return 2 * x
    >>> bind(run, "powers", step=double)(1, 10)
    1024
    """
    if not compiles():

        def interpreted(part: Any, names: dict[str, Any]) -> Any:
            return _rebound(part, names) if _own(part, loop) else part

        return _linked(loop, kernels, interpreted)

    key = (loop, label, digest(loop, kernels))
    if key not in _BOUND:
        _BOUND[key] = _compiled(loop, f"{loop.__name__}_{label}_{key[2]}", kernels)
    return _explaining(_BOUND[key], label)


def digest(function: Callable[..., Any], replaced: Mapping[str, Any]) -> str:
    """A fingerprint of the code of `function` and of everything it reaches."""
    sha = hashlib.sha256()
    seen: set[Any] = set()

    def visit(part: Any) -> None:
        if part in seen:
            return
        seen.add(part)
        for text in _fingerprint(part.__code__):
            sha.update(text)
        own = replaced if _own(part, function) else {}
        for name, value in _references(part, own):
            sha.update(name.encode())
            if value in _KERNELS:
                visit(value)
            else:
                sha.update(repr(value).encode())

    visit(function)
    return sha.hexdigest()[:16]


def _fingerprint(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_freevars)).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _fingerprint(constant)
        else:
            yield repr(constant).encode()


def _references(function: Any, replaced: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The kernels and the scalar constants among the global names of `function`."""
    for name in function.__code__.co_names:
        value = replaced.get(name, function.__globals__.get(name))
        called = isinstance(value, FunctionType) and value in _KERNELS
        if called or isinstance(value, (bool, int, float, str, tuple)):
            yield name, value


def _rebound(function: Any, names: Mapping[str, Any], name: str | None = None) -> FunctionType:
    copy = FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        name or function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__module__ = function.__module__
    copy.__qualname__ = name or function.__qualname__
    return copy


def _own(part: Any, loop: Any) -> bool:
    """Whether a kernel belongs to the loop, so that names are replaced in it too."""
    return bool(part.__module__ == loop.__module__)


def _linked(
    loop: Any, kernels: Mapping[str, Any], make: Callable[[Any, dict[str, Any]], Any]
) -> Any:
    """`make(part, names)` of the loop and of every kernel it reaches, the innermost first.

    `names` are what was made of the kernels that the part calls.
    """
    done: dict[Any, Any] = {}

    def inner(part: Any) -> Any:
        if part not in done:
            replaced = kernels if _own(part, loop) else {}
            called = {n: v for n, v in _references(part, replaced) if v in _KERNELS}
            done[part] = make(part, {n: inner(v) for n, v in called.items()})
        return done[part]

    return inner(loop)


def _compiled(loop: Any, name: str, kernels: Mapping[str, Any]) -> Callable[..., Any]:
    import numba

    njit: Any = numba.njit
    # Kernels own no memory, so counting references (_nrt) would only cost: a third of the time of
    # uniform play.
    options = {"nogil": True, "error_model": "numpy", "_nrt": False}
    # Only the loop is called from Python; wrappers for the rest would take a third of the time of
    # compiling.
    inner = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    # numba keeps its cache beside the source file, so a loop typed into a shell has none.
    cache = os.path.exists(loop.__code__.co_filename)

    def make(part: Any, names: dict[str, Any]) -> Any:
        if part is loop:
            return njit(**options, cache=cache)(_rebound(part, names, name))
        return njit(**options, **inner)(_rebound(part, names))

    compiled: Callable[..., Any] = _linked(loop, kernels, make)
    return compiled


def _explaining(compiled: Callable[..., Any], label: str) -> Callable[..., Any]:
    """The compiled loop, with a sentence instead of numba's pages if its first call fails."""
    from numba.core.errors import NumbaError

    def call(*arguments: Any) -> Any:
        try:
            return compiled(*arguments)
        except NumbaError as error:
            raise KernelError(explanation(label, str(error))) from error

    return call


def explanation(label: str, message: str) -> str:
    """Where numba could not compile a loop, from its message, and what kernels must be like.

    >>> message = "no such thing ... typing of call at /home/me/mine.py (12)"
    >>> print(explanation("mine", message).partition(". ")[0])
    the kernels of 'mine' cannot be compiled, see mine.py, line 12
    """
    where = ""
    for file, line in re.findall(r" at (\S+\.py) \((\d+)\)", message):
        if "numba" not in file:
            where = f", see {os.path.basename(file)}, line {line}"
            break

    return (
        f"the kernels of {label!r} cannot be compiled{where}. Kernels are loops over numbers and "
        "arrays that make no arrays of their own (numba's message is above); NUMBA_DISABLE_JIT=1 "
        "runs them as plain Python"
    )
