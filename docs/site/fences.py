"""For the generated reference: examples in docstrings become code blocks."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n(?!>>>)|\Z)", re.DOTALL | re.MULTILINE)


class FencedExamples(griffe.Extension):
    """Put a fence about every run of `>>>` lines and what they print."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Called for each module, class, function and attribute."""
        if obj.docstring and ">>>" in obj.docstring.value:
            text = EXAMPLE.sub(
                lambda match: f"```pycon\n{match[0].rstrip()}\n```", obj.docstring.value
            )
            obj.docstring.value = text
