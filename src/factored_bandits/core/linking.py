"""Which kernels a loop can reach, their fingerprint, and copies of them linked to each other.

`kernel.bind` uses this; nothing here knows the compiler.
"""

from __future__ import annotations

import dis
import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from factored_bandits.errors import KernelError

# What the compiler takes as a constant, and the fingerprint must therefore show.
CONSTANTS = (bool, int, float, str, tuple, np.generic, np.ndarray)

# Everything marked by `@kernel`.
KERNELS: set[Any] = set()


def digest(function: Callable[..., Any], replaced: Mapping[str, Any]) -> str:
    """A fingerprint of the code of `function` and of everything it reaches."""
    sha = hashlib.sha256()
    seen: set[Any] = set()

    def visit(part: Any) -> None:
        if part in seen:
            return
        seen.add(part)
        sha.update(_fingerprint(part.__code__))
        own = replaced if belongs_to(part, function) else {}
        for name, value in references(part, own):
            sha.update(name.encode())
            if isinstance(value, np.ndarray):
                sha.update(f"{value.dtype}{value.shape}".encode())
                sha.update(value.tobytes())
            elif is_kernel(value):
                visit(value)
            else:
                sha.update(repr(value).encode())

    visit(function)
    return sha.hexdigest()[:16]


@functools.cache
def _fingerprint(code: CodeType) -> bytes:
    parts = [code.co_code, repr((code.co_names, code.co_varnames, code.co_freevars)).encode()]
    for constant in code.co_consts:
        inner = isinstance(constant, CodeType)
        parts.append(_fingerprint(constant) if inner else repr(constant).encode())
    return b"".join(parts)


def references(function: Any, replaced: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The kernels and the constants among the global names of `function`."""
    for name in _global_names(function.__code__):
        value = replaced.get(name, function.__globals__.get(name))
        if is_kernel(value) or isinstance(value, CONSTANTS):
            yield name, value


@functools.cache
def _global_names(code: CodeType) -> tuple[str, ...]:
    """The global names that a function reads; `co_names` would hold those of attributes, too."""
    read = [step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"]
    return tuple(dict.fromkeys(read))


def is_kernel(value: Any) -> bool:
    """Whether it is a function marked by `@kernel`."""
    return isinstance(value, FunctionType) and value in KERNELS


def rebound(function: Any, names: Mapping[str, Any], name: str | None = None) -> FunctionType:
    """A copy of `function` in which `names` have other values."""
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


def belongs_to(part: Any, loop: Any) -> bool:
    """Whether a kernel belongs to the loop, so that names are replaced in it too."""
    return bool(part.__module__ == loop.__module__)


def linked(
    loop: Any, kernels: Mapping[str, Any], make: Callable[[Any, dict[str, Any]], Any]
) -> Any:
    """`make(part, names)` of the loop and of every kernel it reaches, the innermost first.

    `names` are what was made of the kernels that the part calls.
    """
    done: dict[Any, Any] = {}

    def inner(part: Any) -> Any:
        if part in done and done[part] is None:
            raise KernelError(
                f"{part.__name__} calls itself, at once or by way of others, which kernels cannot"
            )
        if part not in done:
            done[part] = None  # begun
            replaced = kernels if belongs_to(part, loop) else {}
            called = {n: v for n, v in references(part, replaced) if is_kernel(v)}
            done[part] = make(part, {n: inner(v) for n, v in called.items()})
        return done[part]

    return inner(loop)
