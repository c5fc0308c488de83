"""The version of the code that a result depends on: a digest of the sources it can reach.

What a result depends on is read from the import statements, starting at the policy, the simulator
and the environments; nobody keeps a list. Comments, docstrings and layout do not count. So an
edited policy makes new results for itself and leaves those of the others as they are.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from factored_bandits import environments, policies

PACKAGE = __name__.partition(".")[0]
SIMULATOR = f"{PACKAGE}.simulation.simulate"


@functools.cache
def code_version(policy: str, experiment: str = "") -> str:
    """The version of the code behind the results of a policy.

    Parameters
    ----------
    policy
        The name of a policy of the library.
    experiment
        The name of an experiment that plays repetitions in its own way.

    Returns
    -------
    str
        Twelve hexadecimal digits.

    Examples
    --------
    >>> code_version("tea") == code_version("tea") != code_version("flat_ucb1")
    True
    """
    roots = [SIMULATOR, policies.load(policy).__name__]
    roots += [environments.load(name).__name__ for name in environments.names()]
    if experiment:
        roots.append(f"{__package__}.paper.{experiment}")

    sha = hashlib.sha256()
    for module in sorted(reachable(roots)):
        sha.update(module.encode())
        sha.update(_digest(module))

    return sha.hexdigest()[:12]


def reachable(roots: list[str]) -> set[str]:
    """The modules of this package that `roots` import, directly or not, and themselves.

    >>> found = reachable(["factored_bandits.core.rng"])
    >>> "factored_bandits.core.kernel" in found, "factored_bandits.lab" in found
    (True, False)
    """
    found: set[str] = set()
    waiting = list(roots)

    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += _imports(module)

    return found


@functools.cache
def _imports(module: str) -> tuple[str, ...]:
    """The modules of this package that a module imports, and the packages that it lies in."""
    path = _path(module)
    inside = module
    if path.name != "__init__.py":
        inside = module.rpartition(".")[0]
    parents = inside.split(".")
    found = {".".join(parents[:depth]) for depth in range(2, len(parents) + 1)} - {module}

    for node in _statements(_tree(module)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names if _is_ours(name.name)}
            continue
        source = node.module or ""
        if node.level:
            base = ".".join(inside.split(".")[: len(inside.split(".")) - node.level + 1])
            source = f"{base}.{source}".rstrip(".")
        if not _is_ours(source):
            continue
        members = {f"{source}.{name.name}" for name in node.names}
        found |= {member for member in members if _exists(member)}
        found |= {source} - {PACKAGE}

    return tuple(sorted(found))


def _statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements, but for those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.expr):  # most of a tree, and no statement is inside
            yield from _statements(node)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE


@functools.cache
def _exists(module: str) -> bool:
    parent = importlib.util.find_spec(module.rpartition(".")[0])
    if parent is None or parent.submodule_search_locations is None:
        return False
    return importlib.util.find_spec(module) is not None


@functools.cache
def _path(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_path(module).read_text(encoding="utf-8"))


@functools.cache
def _digest(module: str) -> bytes:
    return hashlib.sha256(_written(_tree(module)).encode()).digest()


def meaning(source: str) -> str:
    """The source without comments, docstrings and layout.

    >>> meaning("def f(x):  # twice" + chr(10) + "    'Doubles.'" + chr(10) + "    return 2*x")
    'def f(x):\\n    return 2 * x'
    """
    return _written(ast.parse(source))


def _written(tree: ast.Module) -> str:
    """The tree as text, without docstrings; they are taken off the tree."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    for node in _blocks(tree):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _blocks(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all statements in it."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.expr):
            yield from _blocks(inner)
