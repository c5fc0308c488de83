"""A contract for import-linter: underscored modules stay inside their own folder.

`policies/dueling/rmed/_rmed.py` may be imported by what lies in `policies/dueling/rmed/`, at any
depth, and by nobody else. What two folders share belongs in a module without the underscore
(`policies/blocks/`, `core/`). pyproject.toml names this class under `contract_types`.
"""

from __future__ import annotations

import grimp
from importlinter import Contract, ContractCheck, output


def private_parent(module: str) -> str | None:
    """The package in which a module is private; None for a module that everybody may import.

    >>> private_parent("factored_bandits.policies.dueling.rmed._rmed")
    'factored_bandits.policies.dueling.rmed'
    >>> private_parent("factored_bandits.core.kernel") is None
    True
    >>> private_parent("_thread") is None  # a module of Python that lies in no folder
    True
    """
    parts = module.split(".")
    for depth, part in enumerate(parts):
        if depth > 0 and part.startswith("_") and not part.startswith("__"):
            return ".".join(parts[:depth])
    return None


def violations(graph: grimp.ImportGraph) -> list[tuple[str, str]]:
    """Pairs (importer, imported) that cross the wall of a folder."""
    found = []
    for imported in sorted(graph.modules):
        folder = private_parent(imported)
        if folder is None:
            continue
        for importer in sorted(graph.find_modules_that_directly_import(imported)):
            if importer != folder and not importer.startswith(f"{folder}."):
                found.append((importer, imported))
    return found


class PrivateModules(Contract):
    """No package imports another one's underscored module."""

    type_name = "private_modules"

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Whether every underscored module is imported from its own folder only."""
        found = violations(graph)
        return ContractCheck(kept=not found, metadata={"violations": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """One line per import that should not be there."""
        for importer, imported in check.metadata["violations"]:
            output.print_error(f"{importer} imports {imported}, which is private", bold=False)
