"""Policies as people write them: `tea`, `flat_ucb1(alpha=0.5)`, and lists of these separated by
commas.

The inverse of `Policy.label`: parameters are Python literals, or bare words for choices; nothing is
evaluated.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from factored_bandits.errors import InvalidInputError
from factored_bandits.policies import Policy, make

_SHAPE = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse(text: str) -> Policy:
    """The policy that `text` describes.

    >>> parse("flat_ucb1(alpha=0.5)").params.alpha
    0.5
    >>> parse("dueling-tea").label
    'dueling_tea'
    """
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise InvalidInputError(
            f"policy {text.strip()!r} is not written as name or name(parameter=value, ...)"
        )
    name, inside = shape.groups()
    return make(name.replace("-", "_"), **_parameters(text.strip(), inside or ""))


def parse_list(text: str) -> list[Policy]:
    """The policies of a comma-separated list; commas inside parentheses separate parameters.

    >>> [policy.label for policy in parse_list("flat_ucb1(alpha=0.5), tea")]
    ['flat_ucb1(alpha=0.5)', 'tea']
    """
    return [parse(part) for part in split(text)] if text.strip() else []


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

    if (
        not isinstance(call, ast.Call)
        or call.args
        or any(keyword.arg is None for keyword in call.keywords)
    ):
        raise InvalidInputError(
            f"policy {text!r}: parameters are written as name(parameter=value, ...)"
        )

    return {str(keyword.arg): _value(text, keyword) for keyword in call.keywords}


def _value(text: str, keyword: ast.keyword) -> Any:
    if isinstance(keyword.value, ast.Name):
        return keyword.value.id
    try:
        return ast.literal_eval(keyword.value)
    except (ValueError, TypeError, RecursionError):
        raise InvalidInputError(
            f"policy {text!r}: the value of {keyword.arg} must be a number or a word"
        ) from None
