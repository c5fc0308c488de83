"""Compiled loops: `@kernel` marks what may be compiled, `bind` compiles a loop around it.

The only file that knows numba. A kernel stays an ordinary Python function until a loop is bound, so
importing the library costs nothing, an agent runs without compiling, and `NUMBA_DISABLE_JIT=1` (or
no numba at all) gives the same numbers, bit for bit.

numba caches a compiled loop by the loop's own source file and would not notice an edited policy. So
the cached name carries a digest of the code of every kernel the loop can reach, and of the
constants they use. Where nothing can be kept on disk, loops are compiled in every process.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import pickle
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from factored_bandits.errors import CacheWarning, KernelError

from .linking import KERNELS, belongs_to, digest, is_kernel, linked, rebound

Function = TypeVar("Function", bound=Callable[..., Any])

_WARNED: list[str] = []  # why nothing can be kept, once that was said
_BOUND: dict[tuple[Any, str, str], Callable[..., Any]] = {}
_INNER: dict[tuple[Any, ...], Any] = {}  # what loops call, compiled once for all of them


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
    KERNELS.add(function)
    return function


def compiles() -> bool:
    """Whether loops are compiled here: numba is installed and not switched off."""
    disabled = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return not disabled and importlib.util.find_spec("numba") is not None


def bind(
    loop: Callable[..., Any],
    label: str,
    /,
    compiled: bool = True,
    bounds_checked: bool = False,
    **kernels: Callable[..., Any],
) -> Callable[..., Any]:
    """The loop with some of its global names replaced, compiled where numba is installed.

    Parameters
    ----------
    loop
        A kernel that calls others by name.
    label
        What is compiled, for messages and for the cache.
    compiled
        False leaves it plain Python.
    bounds_checked
        Whether an index outside an array is an `IndexError` in compiled code, too, and not an
        access to memory of others. `NUMBA_BOUNDSCHECK` overrules it.
    kernels
        By name, what to call instead; in `loop`, and in the kernels of its own module that it
        calls.

    Returns
    -------
    A function with the arguments of `loop`.

    Raises
    ------
    KernelError
        If one of `kernels` is not marked with `@kernel`.

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
    _refuse_unmarked(label, kernels)
    if not (compiled and compiles()):

        def interpreted(part: Any, names: dict[str, Any]) -> Any:
            return rebound(part, names) if belongs_to(part, loop) else part

        return linked(loop, kernels, interpreted)

    checks = _bounds_checked(bounds_checked)
    version = digest(loop, kernels) + ("_checked" if checks else "")
    key = (loop, label, version)
    if key not in _BOUND:
        _BOUND[key] = _compiled(loop, f"{loop.__name__}_{label}_{version}", kernels, checks)
    return _explaining(_BOUND[key], label)


def _refuse_unmarked(label: str, kernels: Mapping[str, Any]) -> None:
    """An unmarked function would be passed over, and the placeholder of the loop would run."""
    unmarked = [name for name, function in kernels.items() if not is_kernel(function)]
    if unmarked:
        raise KernelError(
            f"{', '.join(unmarked)} of {label!r} cannot be compiled: write @kernel above "
            "(from factored_bandits.core.kernel import kernel)"
        )


def _bounds_checked(asked: bool) -> bool:
    """numba's own switch, if it is set, and otherwise what was asked for."""
    import numba

    config: Any = numba.config
    switch = config.BOUNDSCHECK
    return asked if switch is None else bool(switch)


def _compiled(
    loop: Any, name: str, kernels: Mapping[str, Any], bounds_checked: bool
) -> Callable[..., Any]:
    import numba

    njit: Any = numba.njit
    # Kernels own no memory, so counting references (_nrt) would only cost: a third of the time of
    # uniform play.
    options = {
        "nogil": True,
        "error_model": "numpy",
        "_nrt": False,
        "boundscheck": bounds_checked,
    }
    # Only the loop is called from Python; wrappers for the rest would take a third of the time of
    # compiling.
    inner = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    def make(part: Any, names: dict[str, Any]) -> Any:
        if part is loop:
            compiled = njit(**options)(rebound(part, names, name))
            return _kept(compiled) if _can_be_kept(loop, kernels) else compiled

        # The same kernel that calls the same others, none of whose constants has changed.
        replaced = kernels if belongs_to(part, loop) else {}
        calls = tuple((name, id(called)) for name, called in names.items())
        key = (part, digest(part, replaced), calls, bounds_checked)
        if key not in _INNER:
            _INNER[key] = njit(**options, **inner)(rebound(part, names))
        return _INNER[key]

    compiled: Callable[..., Any] = linked(loop, kernels, make)
    return compiled


def _can_be_kept(loop: Any, kernels: Mapping[str, Any]) -> bool:
    """Whether another process could find it again."""
    # numba keeps its cache beside the source file, so a loop typed into a shell has none. The types
    # of a script or a notebook are new ones in every process.
    typed_in = any(function.__module__ == "__main__" for function in kernels.values())
    return os.path.exists(loop.__code__.co_filename) and not typed_in


def _kept(compiled: Any) -> Any:
    """The compiled function with a cache on disk, if there is a folder for it."""
    try:
        compiled._cache = _cache_class()(compiled.py_func)
    except (RuntimeError, OSError):  # no locator available; a source file that cannot be read
        _warn_once("neither the package's folder nor the user's cache folder can be written")
    return compiled


@functools.cache
def _cache_class() -> Any:
    """numba's cache, to which a damaged file is one that is not there, and a full disk no error."""
    import numba

    caching: Any = numba.core.caching
    dumps: Any = numba.core.serialize.dumps

    class Contents(caching.CompileResultCacheImpl):  # type: ignore[misc]
        """Compiled code under a checksum: a changed bit in machine code shows in no other way."""

        if not os.path.isabs(os.path.expanduser("~")):
            # Without a home the user's folder would be a folder named "~" in the current one.
            _locator_classes = [
                locator
                for locator in caching.CompileResultCacheImpl._locator_classes
                if locator is not caching.UserWideCacheLocator
            ]

        def reduce(self, data: Any) -> Any:
            content = dumps(super().reduce(data))
            return _checksum(data.codegen, content), content

        def rebuild(self, target_context: Any, reduced_data: Any) -> Any:
            checksum, content = reduced_data
            if checksum != _checksum(target_context.codegen(), content):
                raise ValueError("the checksum of the compiled code differs")
            return super().rebuild(target_context, pickle.loads(content))

    class Cache(caching.FunctionCache):  # type: ignore[misc]
        _impl_class = Contents

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                found = super().load_overload(sig, target_context)
                if found is None or found.signature.args == tuple(sig):
                    return found
            except Exception:  # whatever damaged bytes lead to
                found = None

            # An unreadable index could not be added to: begin a new one.
            try:
                self.flush()
            except OSError as error:
                _warn_once(error.strerror or str(error))
            return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except Exception as error:  # of the disk, or of an index damaged meanwhile
                _warn_once(getattr(error, "strerror", None) or str(error))

    return Cache


def _checksum(codegen: Any, content: bytes) -> bytes:
    """A digest of compiled code and of the processor that it was compiled for."""
    return hashlib.sha256(repr(codegen.magic_tuple()).encode() + content).digest()


def _warn_once(reason: str) -> None:
    if _WARNED:
        return
    _WARNED.append(reason)
    warnings.warn(
        f"compiled loops cannot be kept on disk ({reason}), so every process compiles them again, "
        "some seconds per policy; NUMBA_CACHE_DIR names another folder",
        CacheWarning,
        stacklevel=2,
    )


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
