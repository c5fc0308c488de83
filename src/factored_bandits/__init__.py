"""Factored and dueling bandits: choose several things at once, or the best of K from comparisons, and learn fast.

>>> import factored_bandits as fb
>>> agent = fb.Agent("tea", factors={"ad": ["A", "B"], "position": ["top", "side"]}, seed=1)
>>> decision = agent.ask()
>>> agent.tell(decision.id, 1.0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import environments, errors, lab, plot, policies, suite, theory
    from .agent import Agent
    from .certification import certificate
    from .comparison import compare
    from .environments import load_duels, load_preferences
    from .planning import Guess, plan
    from .simulation import simulate
    from .surveying import survey
    from .tem import TEM

__version__ = "0.1.0"

_WHERE = {
    "Agent": "agent",
    "Guess": "planning",
    "TEM": "tem",
    "certificate": "certification",
    "compare": "comparison",
    "environments": None,
    "errors": None,
    "lab": None,
    "load_duels": "environments",
    "load_preferences": "environments",
    "plan": "planning",
    "plot": None,
    "policies": None,
    "simulate": "simulation",
    "suite": None,
    "survey": "surveying",
    "theory": None,
}

__all__ = [
    "TEM",
    "Agent",
    "Guess",
    "__version__",
    "certificate",
    "compare",
    "environments",
    "errors",
    "lab",
    "load_duels",
    "load_preferences",
    "plan",
    "plot",
    "policies",
    "simulate",
    "suite",
    "survey",
    "theory",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that `import factored_bandits` is instant."""
    if name not in _WHERE:
        raise AttributeError(f"module 'factored_bandits' has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_WHERE[name] or name}")
    value = getattr(module, name) if _WHERE[name] else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
