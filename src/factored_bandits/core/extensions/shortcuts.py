"""What numba does again and again while it compiles a loop, done once.

Most of the time of compiling is numba's own Python. Nothing here changes what is compiled: the same
questions get the same answers, sooner. Outside of `shortcuts` numba is as it always is.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

from numba.core import typed_passes, untyped_passes
from numba.core.base import BaseContext
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction

_manager: Any = PassManager
_untyped: Any = untyped_passes
_typed: Any = typed_passes
_functions: Any = BaseFunction
_contexts: Any = BaseContext
_options: Any = TargetConfig
_stack: Any = ConfigStack
_RESOLVED: dict[tuple[Any, ...], tuple[Any, Any]] = {}  # signature and key of its implementation


@contextlib.contextmanager
def shortcuts() -> Iterator[None]:
    """While a loop is compiled; whoever compiles holds numba's lock."""
    with _compared_quickly(), _resolved_once(), _refreshed_once(), _uncollected():
        yield


class KernelCompiler(CompilerBase):
    """numba's passes but for those that find nothing to do in kernels of the library.

    These have no closures, generators or `with` blocks, no expressions of whole arrays, and nothing
    that runs in parallel. A pass that does nothing still walks through the whole function.
    """

    PASSES = (
        _untyped.TranslateByteCode,
        _untyped.FixupArgs,
        _untyped.IRProcessing,
        _untyped.RewriteSemanticConstants,
        _untyped.DeadBranchPrune,
        _untyped.GenericRewrites,
        _untyped.RewriteDynamicRaises,
        _untyped.ReconstructSSA,
        _typed.NopythonTypeInference,
        _typed.PreLowerStripPhis,
        _typed.IRLegalization,
        _typed.AnnotateTypes,
        _typed.NativeLowering,
        _typed.NoPythonBackend,
    )

    def define_pipelines(self) -> list[Any]:
        """The one list of passes."""
        passes = _manager("kernel")
        for each in self.PASSES:
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]


@contextlib.contextmanager
def _compared_quickly() -> Iterator[None]:
    """Options of the compiler are compared by what was set.

    numba looks up every call by the options among others. All of them have one hash (of the names
    of the options), and a comparison asks for each of some thirty values: a tenth of all the time.
    """
    equal = _options.__eq__
    hashed = _options.__hash__

    hashes: dict[Any, int] = {}

    def hash_of(one: Any) -> int:
        kind = type(one)
        if kind not in hashes:
            hashes[kind] = hashed(kind())
        return hashes[kind]

    def is_equal(one: Any, other: Any) -> Any:
        if type(one) is type(other) and one._values == other._values:
            return True
        return equal(one, other)

    with _replaced(_options, "__eq__", is_equal), _replaced(_options, "__hash__", hash_of):
        yield


@contextlib.contextmanager
def _resolved_once() -> Iterator[None]:
    """What `+` of two integers is, or `math.log` of a float, is found out once per process.

    numba tries all that a function could mean, in each of a thousand calls in a loop: a seventh of
    all the time. The answer depends on the function with all its meanings, on the types, and on
    the options, with which the implementation is compiled.
    """
    resolve = _functions.get_call_type

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        asked = (function, context, args, tuple(kws.items()), _stack.top_or_none())
        if asked not in _RESOLVED:
            signature = resolve(function, context, args, kws)
            _RESOLVED[asked] = signature, function._impl_keys[signature.args]

        signature, key = _RESOLVED[asked]
        function._impl_keys[signature.args] = key
        return signature

    with _replaced(_functions, "get_call_type", get_call_type):
        yield


@contextlib.contextmanager
def _refreshed_once() -> Iterator[None]:
    """New functions that numba may call are looked for at first, and not for every kernel."""
    refresh = _contexts.refresh
    fresh: list[Any] = []

    def refresh_first(context: Any) -> None:
        if context not in fresh:
            fresh.append(context)
            refresh(context)

    with _replaced(_contexts, "refresh", refresh_first):
        yield


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Nobody searches for garbage: hardly any of it is."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextlib.contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
