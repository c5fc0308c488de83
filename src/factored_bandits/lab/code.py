"""The version of the code that a result depends on: a digest of sources, without comments and
docstrings.

What every simulation runs through counts for all; of the policies, only the one that was run and
the building blocks. So an edited policy makes new results for itself and leaves those of the others
as they are.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
SHARED = ("arrays", "kernel", "loop", "randomness", "result", "simulation", "lab/_work")
FOLDERS = ("environments", "agent")


@functools.cache
def code_version(policy: str, experiment: str = "") -> str:
    """The version of a policy of the library; with `experiment`, of that experiment's own way to
    play too.

    >>> code_version("tea") == code_version("tea") != code_version("flat_ucb1")
    True
    """
    sha = hashlib.sha256(_shared().encode())
    own = [PACKAGE / "policies" / f"{policy}.py"] + (
        [PACKAGE / "lab" / f"{experiment}.py"] if experiment else []
    )
    for path in own:
        sha.update(meaning(path.read_text(encoding="utf-8")).encode())
    return sha.hexdigest()[:12]


@functools.cache
def _shared() -> str:
    sha = hashlib.sha256()
    files = [PACKAGE / f"{name}.py" for name in SHARED]
    files += sorted(path for folder in FOLDERS for path in (PACKAGE / folder).glob("*.py"))
    files += sorted((PACKAGE / "policies").glob("_*.py"))
    for path in files:
        sha.update(path.name.encode())
        sha.update(meaning(path.read_text(encoding="utf-8")).encode())
    return sha.hexdigest()


def meaning(source: str) -> str:
    """The source without comments, docstrings and layout.

    >>> meaning("def f(x):  # twice" + chr(10) + "    'Doubles.'" + chr(10) + "    return 2*x")
    'def f(x):\\n    return 2 * x'
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)
