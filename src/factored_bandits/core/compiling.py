"""A loop and the kernels that it reaches, compiled together.

Only the loop is ever called from Python. numba does not know that, and would optimise every kernel
on its own and make machine code of it, which is done once more when it has become a part of the
loop. Here the kernels inside are left as they are until then (`Inner`): a quarter less to compile.
Most of what is left is numba's own Python, not LLVM: `extensions.shortcuts` spares what it repeats.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numba
from numba.core.errors import NumbaError

from .cache import can_be_kept, kept
from .extensions import alignment as alignment  # from here on LLVM does it
from .extensions import bits as bits  # numba knows it
from .extensions import branches as branches  # and this
from .extensions import held as held  # and this
from .extensions import indexing as indexing  # and asks this
from .extensions import words as words  # and knows this
from .extensions.shortcuts import KernelCompiler, shortcuts
from .linking import belongs_to, digest, linked, rebound

COMPILE_ERROR = NumbaError

_core: Any = numba.core
_njit: Any = numba.njit
_config: Any = numba.config
_INNER: dict[tuple[Any, ...], Any] = {}  # what loops call, compiled once for all of them
_LOOPS: set[str] = set()  # the names of the loops, which alone are called from Python


def bounds_checked(asked: bool) -> bool:
    """numba's own switch, if it is set, and otherwise what was asked for."""
    switch = _config.BOUNDSCHECK
    return asked if switch is None else bool(switch)


def compilable(
    loop: Any, name: str, kernels: Mapping[str, Any], bounds_checked: bool
) -> Callable[..., Any]:
    """The loop with `kernels` in it, to be compiled for the types of its first arguments."""
    # Kernels own no memory, so counting references (_nrt) would only cost: a third of the time of
    # uniform play.
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "_nrt": False,
        "boundscheck": bounds_checked,
    }
    if not bounds_checked:
        # Of the library. Kernels of others may hold what only numba's own passes can do.
        options["pipeline_class"] = KernelCompiler
    # Only the loop is called from Python; wrappers for the rest would take a third of the time of
    # compiling. As calls, kernels would hand over every field of every array, which costs more than
    # most of them do: `tea` takes 68 ns a round instead of 91 when they become part of the loop.
    inner = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}
    # The loop looks at levels and lengths itself before it indexes by them; kernels may not.
    outer = {**options, "boundscheck": bool(_config.BOUNDSCHECK)}

    def make(part: Any, names: dict[str, Any]) -> Any:
        if part is loop:
            compiled = _njit(**outer)(rebound(part, names, name))
            return kept(compiled) if can_be_kept(loop, kernels) else compiled

        # The same kernel that calls the same others, none of whose constants has changed.
        replaced = kernels if belongs_to(part, loop) else {}
        calls = tuple((name, id(called)) for name, called in names.items())
        key = (part, digest(part, replaced), calls, bounds_checked)
        if key not in _INNER:
            _INNER[key] = _njit(**options, **inner)(rebound(part, names))
        return _INNER[key]

    _LOOPS.add(name)
    compiled: Callable[..., Any] = linked(loop, kernels, make)
    return compiled


def compile_for(compiled: Any, arguments: tuple[Any, ...]) -> None:
    """Compile a loop for the types of these arguments, or load it, unless that was done."""
    if not compiled.signatures:
        _compile(compiled, _types(compiled, arguments))


def load_for(compiled: Any, arguments: tuple[Any, ...]) -> bool:
    """Load a loop for the types of these arguments, unless that was done; False if not kept."""
    return bool(compiled.signatures) or _load(compiled, _types(compiled, arguments))


def entry_for(compiled: Any, arguments: tuple[Any, ...], load_only: bool) -> Any:
    """The function for the types of these arguments, loaded or compiled; None if it is not kept.

    A call of it does not look at the types, which takes longer than a short step does: every call
    must have arguments of these types.
    """
    types = _types(compiled, arguments)
    if types not in compiled.overloads:
        if not load_only:
            _compile(compiled, types)
        elif not _load(compiled, types):
            return None
    return compiled.overloads[types].entry_point


def _types(compiled: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(compiled.typeof_pyval, arguments))


def _compile(compiled: Any, types: tuple[Any, ...]) -> None:
    lock = _core.compiler_lock.global_compiler_lock
    with lock, _inner_libraries(), shortcuts():
        compiled.compile(types)


def _load(compiled: Any, types: tuple[Any, ...]) -> bool:
    with _core.compiler_lock.global_compiler_lock:
        found = compiled._cache.load_overload(types, compiled.targetctx)
        if found is None:
            return False
        compiled.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
        compiled.add_overload(found)
        return True


@contextlib.contextmanager
def _inner_libraries() -> Iterator[None]:
    """While a loop is compiled, the libraries of everything inside are `Inner` ones.

    Inside are our kernels, and numba's own code for `min` or for a normal number. Others who use
    the latter link it, too; but `nrt`, numba's memory, is called by its address.
    """
    codegen = _core.registry.cpu_target.target_context.codegen()
    ordinary = codegen.create_library

    def create_library(name: str, **options: Any) -> Any:
        outside = name in _LOOPS or name == "nrt"
        return ordinary(name, **options) if outside else Inner(codegen, name)

    codegen.create_library = create_library
    try:
        yield
    finally:
        del codegen.create_library


class Inner(_core.codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that is only ever a part of a loop."""

    def _optimize_final_module(self) -> None:
        """Nothing: it is optimised as a part of the loop."""

    def _finalize_final_module(self) -> None:
        """No machine code is made of it."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None: nobody calls it from outside."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """What numba asks to tell the machine code where its Python environment is."""
        return _WithoutEnvironment(self._codegen)


class _WithoutEnvironment:
    """The code generator, but that there is no machine code to tell anything."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        """Nothing: kernels use no Python objects."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)
