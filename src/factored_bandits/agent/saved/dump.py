"""A saved agent as text: JSON with a name, a version and a checksum; nothing in it is executed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from factored_bandits import __version__
from factored_bandits.errors import DumpError

FORMAT = "factored-bandits agent"
VERSION = 1


def seal(content: dict[str, Any]) -> str:
    """The text that holds `content`.

    >>> unseal(seal({"rounds": 7}))
    {'rounds': 7}
    """
    document = {"format": FORMAT, "version": VERSION, "library": __version__, "agent": content}
    return json.dumps({**document, "checksum": _checksum(document)}, allow_nan=False)


def unseal(text: str) -> dict[str, Any]:
    """The content of a text by `seal`, if it is whole, ours, and of a version that we know."""
    if not isinstance(text, str):
        raise DumpError(f"a dump is the text that Agent.dump() returned, not {type(text).__name__}")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DumpError(
            f"this is no whole dump of an agent, it was cut off or damaged: {error}"
        ) from error

    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DumpError(
            f"this is no dump of an agent: it does not say that its format is {FORMAT!r}"
        )

    version = document.get("version")
    if isinstance(version, int) and version > VERSION:
        raise DumpError(
            f"the dump has format version {version} (by factored-bandits "
            f"{document.get('library')}); factored-bandits {__version__} reads up to {VERSION}. "
            "Install a newer one"
        )

    checksum = document.pop("checksum", None)
    known = version == VERSION and isinstance(document.get("agent"), dict)
    if not known or checksum != _checksum(document):
        raise DumpError("the dump is damaged: its checksum does not fit its content")

    content: dict[str, Any] = document["agent"]
    return content


def _checksum(document: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
