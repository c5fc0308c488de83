"""Public callables say what they are, take and return, by the sections of numpydoc.

Public is what `factored_bandits` and its public packages name in `__all__`, and the public methods
of those classes.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import factored_bandits as fb

PACKAGES = (
    "",
    ".agent",
    ".environments",
    ".environments.suites",
    ".errors",
    ".evaluation",
    ".gymnasium",
    ".judges",
    ".lab",
    ".logs",
    ".openfeature",
    ".optuna",
    ".planning",
    ".policies",
    ".report.plot",
    ".service",
    ".testing",
    ".theory",
)
NO_RETURN = ("None", "NoReturn")
SOURCE = Path(fb.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))


def public() -> Iterator[tuple[str, Any]]:
    """Name and object of everything public that can be called, each object once."""
    seen = set()
    for package in PACKAGES:
        module = importlib.import_module(f"{fb.__name__}{package}")
        names = getattr(module, "__all__", None) or [
            name
            for name, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__
        ]
        for name in names:
            value = getattr(module, name)
            if callable(value) and id(value) not in seen:
                seen.add(id(value))
                yield f"{value.__module__}.{name}", value


def methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public functions that a class or a base in our packages defines, properties included."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith(f"{fb.__name__}.")]
    for name, value in {k: v for base in reversed(ours) for k, v in vars(base).items()}.items():
        if name.startswith("_"):
            continue
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, property):
            value = value.fget
        if inspect.isfunction(value):
            yield name, value


CALLABLES = dict(public())
METHODS = {
    f"{name}.{method}": function
    for name, kind in CALLABLES.items()
    if isinstance(kind, type)
    for method, function in methods(kind)
}


def sections(docstring: str) -> dict[str, str]:
    """Texts of a docstring by the titles above them; the beginning has the title "".

    >>> sections("One.\\n\\nReturns\\n-------\\nTwo.")
    {'': 'One.', 'Returns': 'Two.'}
    """
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}$", inspect.cleandoc(docstring), flags=re.MULTILINE)
    texts = [part.strip() for part in parts]
    return {"": texts[0], **dict(zip(texts[1::2], texts[2::2], strict=True))}


def described(section: str) -> set[str]:
    """Names at the beginning of a line, several separated by commas.

    >>> sorted(described("x, y\\n    Two numbers.\\n*rest\\n    More."))
    ['rest', 'x', 'y']
    """
    lines = [line for line in section.splitlines() if line and not line[0].isspace()]
    return {name.strip().lstrip("*") for line in lines for name in line.split(":")[0].split(",")}


def parameters(function: Any) -> list[str]:
    if getattr(function, "_is_protocol", False):
        return []  # nobody makes one
    try:
        found = inspect.signature(function).parameters
    except ValueError:
        return []
    return [name for name in found if name not in ("self", "cls") and not name.startswith("_")]


def problems(thing: Any, *, example: bool) -> list[str]:
    """What is missing in the docstring of a function, a method or a class."""
    docstring = inspect.getdoc(thing) if not isinstance(thing, type) else thing.__doc__
    if not docstring or (
        dataclasses.is_dataclass(thing) and docstring.startswith(f"{thing.__name__}(")
    ):
        return ["no docstring"]

    found = []
    lines = inspect.cleandoc(docstring).splitlines()
    if not lines[0].endswith((".", "?")) or (len(lines) > 1 and lines[1].strip()):
        found.append("the first line is not one sentence with a blank line after it")

    parts = sections(docstring)
    if not isinstance(thing, type) or not issubclass(thing, (Exception, enum.Enum)):
        names = described(parts.get("Parameters", "")) | described(parts.get("Attributes", ""))
        missing = [name for name in parameters(thing) if name not in names]
        if missing:
            found.append(f"parameters without a description: {', '.join(missing)}")

    if inspect.isfunction(thing):
        returned = str(inspect.signature(thing).return_annotation)
        if returned not in NO_RETURN and not {"Returns", "Yields"} & set(parts):
            found.append(f"no Returns section, though it returns {returned}")

    if example and ">>>" not in docstring:
        found.append("no example")
    return found


def needs_example(thing: Any) -> bool:
    """Functions and classes that a reader makes; errors and plain records are seen elsewhere."""
    return not (isinstance(thing, type) and issubclass(thing, (Exception, tuple)))


@pytest.mark.parametrize("name", CALLABLES)
def test_public_callable_is_described(name):
    thing = CALLABLES[name]
    assert problems(thing, example=needs_example(thing)) == []


@pytest.mark.parametrize("name", METHODS)
def test_public_method_is_described(name):
    function = METHODS[name]
    is_property = len(parameters(function)) == 0
    found = problems(function, example=False)
    if is_property:  # a property, or a method without arguments: its first sentence says it all
        found = [one for one in found if not one.startswith("no Returns")]
    assert found == []


def good(x: int, *rest: int) -> int:
    """Add.

    Parameters
    ----------
    x, rest
        Numbers.

    Returns
    -------
    The sum.

    Examples
    --------
    >>> good(1, 2)
    3
    """
    return x + sum(rest)


def bad(x: int) -> int:
    """Add
    numbers.
    """
    return x


def bare():
    pass


def test_what_is_missing_is_found():
    assert problems(good, example=True) == []
    assert problems(bare, example=False) == ["no docstring"]
    assert problems(bad, example=True) == [
        "the first line is not one sentence with a blank line after it",
        "parameters without a description: x",
        "no Returns section, though it returns int",
        "no example",
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_every_module_says_what_it_is(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring
    assert docstring.split("\n\n")[0].strip().endswith((".", ":", "?")), (
        "the first paragraph is a sentence"
    )
