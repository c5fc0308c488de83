"""Policies as people write them: `tea`, `flat_ucb1(alpha=0.5)`, and lists separated by commas.

It is the inverse of `Policy.label`. Parameters are Python literals, or bare words for choices;
nothing is evaluated.
"""

from __future__ import annotations

import ast
import re
from typing import Any, TypeGuard

from factored_bandits.errors import InvalidInputError

# The file of a policy of one's own, or a name.
_FILE = re.compile(r"\s*([^()]*\.py)\s*(?:\((.*)\))?\s*", re.DOTALL)
_SHAPE = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)


def read(text: str) -> tuple[str, dict[str, Any]]:
    """Name and parameters of the policy that `text` describes.

    >>> read("flat-ucb1(alpha=0.5)")
    ('flat_ucb1', {'alpha': 0.5})
    >>> read("my-policies/greedy.py(epsilon=0.2)")
    ('my-policies/greedy.py', {'epsilon': 0.2})
    """
    file = _FILE.fullmatch(text)
    if file is not None:
        return file[1], _parameters(text.strip(), file[2] or "")

    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise InvalidInputError(
            f"policy {text.strip()!r} is not written as name or name(parameter=value, ...)"
        )

    name, inside = shape.groups()
    return name.replace("-", "_"), _parameters(text.strip(), inside or "")


def split(text: str) -> list[str]:
    """Cut at the commas that stand outside all brackets.

    >>> split("tea(reward_range=(0, 1)),uniform")
    ['tea(reward_range=(0, 1))', 'uniform']
    """
    parts = [""]
    depth = 0

    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character

    if depth != 0:
        raise InvalidInputError(f"policies {text!r} have an unclosed or a surplus bracket")
    return parts


def _parameters(text: str, inside: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"policy({inside})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None

    if not _only_keywords(call):
        raise InvalidInputError(
            f"policy {text!r}: parameters are written as name(parameter=value, ...)"
        )

    return {str(keyword.arg): _value(text, keyword) for keyword in call.keywords}


def _only_keywords(call: ast.expr | None) -> TypeGuard[ast.Call]:
    """Whether it is a call with named arguments, each given once."""
    if not isinstance(call, ast.Call) or call.args:
        return False
    names = [keyword.arg for keyword in call.keywords]
    return None not in names and len(set(names)) == len(names)


def _value(text: str, keyword: ast.keyword) -> Any:
    if isinstance(keyword.value, ast.Name):
        return keyword.value.id

    try:
        return ast.literal_eval(keyword.value)
    except (ValueError, TypeError, RecursionError):
        raise InvalidInputError(
            f"policy {text!r}: the value of {keyword.arg} must be a number or a word"
        ) from None
