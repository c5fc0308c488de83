"""Public names of a package that needs an extra: imported when first used, or said what to install.

A package of ours may be named like the library that it needs; it is imported without it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping

from factored_bandits.errors import MissingExtraError


def lazy_members(
    package: str, members: Mapping[str, str], libraries: Mapping[str, str], extra: str
) -> Callable[[str], object]:
    """Make the `__getattr__` of a package.

    Parameters
    ----------
    package
        The name of the package.
    members
        The module in it that holds each public name.
    libraries
        What the modules import, and the name under which that is installed.
    extra
        The extra of this project that installs it.

    Returns
    -------
    callable
        It imports a name, or raises `MissingExtraError` if a library is missing.

    Examples
    --------
    >>> find = lazy_members("factored_bandits.core", {"shown": "checks"}, {}, "none")
    >>> find("shown")(1)
    '1'
    >>> find("hidden")
    Traceback (most recent call last):
    AttributeError: module 'factored_bandits.core' has no attribute 'hidden'
    """

    def find(name: str) -> object:
        if name not in members:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")

        try:
            module = importlib.import_module(f"{package}.{members[name]}")
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            if missing not in libraries:
                raise
            purpose = f"fb{package.removeprefix('factored_bandits')}.{name}"
            raise MissingExtraError.of(libraries[missing], extra, purpose) from None

        value: object = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return find
