"""The names that `import factored_bandits` offers: sorted, complete, and loaded when asked for."""

from __future__ import annotations

import ast

from pages import SOURCE

import factored_bandits as fb


def test_public_names_are_sorted_complete_and_lazy():
    def isort_key(name: str) -> tuple[bool, bool, str]:
        return not name.isupper(), not name[0].isupper(), name

    assert fb.__all__ == sorted(fb.__all__, key=isort_key)
    lazy = {**fb._MODULES, **fb._MEMBERS}
    assert set(fb.__all__) == {*lazy, "__version__"}
    assert len(lazy) == len(fb._MODULES) + len(fb._MEMBERS)
    assert dir(fb) == sorted(fb.__all__)
    for name in fb.__all__:
        assert getattr(fb, name) is not None
    typed = next(
        node
        for node in ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    )
    told_to_type_checkers = {alias.name for line in typed.body for alias in line.names}
    assert told_to_type_checkers == set(lazy)
