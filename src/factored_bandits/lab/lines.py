"""Where a field stands in a TOML text, for complaints: the parser of Python does not say."""

from __future__ import annotations

import re
from typing import Any

Where = tuple[Any, ...]  # a table of the text: (), ("quick",) or ("problems", 0)


def line_of(text: str, where: Where, key: str) -> int | None:
    """The line of a field; of its table, if the field is not there; None if neither is.

    >>> line_of("seed = 1" + chr(10) + "[quick]" + chr(10) + "horizon = 5", ("quick",), "horizon")
    3
    """
    seen: dict[str, int] = {}
    table: Where = ()
    heading = None

    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*(\[\[?)\s*([\w-]+)\s*\]", line):
            name = header[2]
            seen[name] = seen.get(name, -1) + 1
            table = (name, seen[name]) if header[1] == "[[" else (name,)
            if table == where:
                heading = number
            if not where and name == key:
                return number
        elif table == where and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number

    return heading
