"""Write constraints-oldest.txt: the oldest versions that pyproject.toml allows.

    python tools/oldest.py

Only libraries that the package imports are in it. Tools (what only the extras `dev`, `dist` and
`docs` name) may be of any version that fits. A test compares the file with pyproject.toml, so that
it cannot be forgotten.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOLS = ("dev", "dist", "docs")  # extras of tools, not of libraries
LOWER = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,]+\])?>=(?P<version>[\d.]+)")


def lower_bounds(requirements: list[str]) -> dict[str, str]:
    """Names and lower bounds of those that have one.

    >>> lower_bounds(["numpy>=2.0", "ray[default]>=2.9", "pandas-stubs", "pytest>=8.3,<9.2"])
    {'numpy': '2.0', 'ray': '2.9', 'pytest': '8.3'}
    """
    return {match["name"]: match["version"] for one in requirements if (match := LOWER.match(one))}


def oldest(pyproject: str) -> list[str]:
    """The lines of the file, sorted by name."""
    project = tomllib.loads(pyproject)["project"]
    libraries = lower_bounds(project["dependencies"])

    for extra, requirements in project["optional-dependencies"].items():
        if extra not in TOOLS:
            libraries |= lower_bounds(requirements)

    return sorted(f"{name}=={version}" for name, version in libraries.items())


def main() -> None:
    """Write the file."""
    lines = oldest((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (ROOT / "constraints-oldest.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
