"""Compiled loops: `@kernel` marks what may be compiled, `bind` compiles a loop around it.

A kernel stays an ordinary Python function until a loop is bound, so importing the library costs
nothing, an agent runs without compiling, and `NUMBA_DISABLE_JIT=1` (or no numba at all) gives the
same numbers, bit for bit. How loops are compiled, kept, indexed and given random numbers is in
`compiling`, `cache`, `indexing`, `drawing` and `bits`, the only files that know numba.

numba caches a compiled loop by the loop's own source file and would not notice an edited policy. So
the cached name carries a digest of the code of every kernel the loop can reach, and of the
constants they use.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from factored_bandits.errors import KernelError

from .linking import KERNELS, belongs_to, digest, is_kernel, linked, rebound

Function = TypeVar("Function", bound=Callable[..., Any])

_BOUND: dict[str, Callable[..., Any]] = {}  # by the name of the loop


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

    from . import compiling

    checks = compiling.bounds_checked(bounds_checked)
    name = loop_name(loop, label, kernels, checks)
    if name not in _BOUND:
        _BOUND[name] = compiling.compilable(loop, name, kernels, checks)
    return CompiledLoop(_BOUND[name], label)


def loop_name(
    loop: Callable[..., Any], label: str, kernels: Mapping[str, Any], bounds_checked: bool = False
) -> str:
    """The name under which a compiled loop is kept: another one for other code."""
    version = f"{digest(loop, kernels)}_{_compiler_digest()}" + ("_checked" * bounds_checked)
    return f"{loop.__name__}_{label}_{version}"


@functools.cache
def _compiler_digest() -> str:
    """A fingerprint of how loops are compiled; what another way has made is not loaded."""
    sha = hashlib.sha256()
    for name in ("compiling.py", "drawing.py", "indexing.py", "bits.py"):
        sha.update(Path(__file__).with_name(name).read_bytes())
    return sha.hexdigest()[:8]


def _refuse_unmarked(label: str, kernels: Mapping[str, Any]) -> None:
    """An unmarked function would be passed over, and the placeholder of the loop would run."""
    unmarked = [name for name, function in kernels.items() if not is_kernel(function)]
    if unmarked:
        raise KernelError(
            f"{', '.join(unmarked)} of {label!r} cannot be compiled: write @kernel above "
            "(from factored_bandits.core.kernel import kernel)"
        )


class CompiledLoop:
    """A loop that is compiled, or loaded, when it is called for the first time."""

    def __init__(self, dispatcher: Any, label: str) -> None:
        self.dispatcher = dispatcher
        self.label = label

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        return self._run(arguments, call=True)

    def compile(self, *arguments: Any) -> None:
        """Compile it for arguments of these types, or load it, and do not call it."""
        self._run(arguments, call=False)

    def load(self, *arguments: Any) -> bool:
        """Load it for arguments of these types; False if it was not kept."""
        from . import compiling
        from .drawing import quick

        return compiling.load_for(self.dispatcher, tuple(map(quick, arguments)))

    def entry(self, *arguments: Any, load_only: bool = False) -> Callable[..., Any] | None:
        """Give the function itself, for arguments of these types, which it does not look at.

        A generator must be given as `drawing.quick` makes it. None if it is to be loaded only and
        was not kept.
        """
        from . import compiling

        try:
            found: Callable[..., Any] | None = compiling.entry_for(
                self.dispatcher, arguments, load_only
            )
        except compiling.COMPILE_ERROR as error:
            raise KernelError(explanation(self.label, str(error))) from error
        return found

    def _run(self, arguments: tuple[Any, ...], call: bool) -> Any:
        from . import compiling
        from .drawing import quick

        arguments = tuple(map(quick, arguments))
        try:
            compiling.compile_for(self.dispatcher, arguments)
            return self.dispatcher(*arguments) if call else None
        except compiling.COMPILE_ERROR as error:
            # A sentence instead of numba's pages.
            raise KernelError(explanation(self.label, str(error))) from error


def explanation(label: str, message: str) -> str:
    """Where numba could not compile a loop, from its message, and what kernels must be like.

    >>> message = "no such thing ... typing of call at /home/me/mine.py (12)"
    >>> print(explanation("mine", message).partition(". ")[0])
    the kernels of 'mine' cannot be compiled, see mine.py, line 12
    """
    where = ""
    # The innermost place comes first, in one of two ways of naming it.
    for match in re.finditer(r' at (\S+\.py) \((\d+)\)|File "([^"]+\.py)", line (\d+)', message):
        file, line = match.group(1, 2) if match[1] else match.group(3, 4)
        if "numba" not in file:
            where = f", see {os.path.basename(file)}, line {line}"
            break

    return (
        f"the kernels of {label!r} cannot be compiled{where}. Kernels are loops over numbers and "
        "arrays that make no arrays of their own (numba's message is above); NUMBA_DISABLE_JIT=1 "
        "runs them as plain Python"
    )
