"""Factored and dueling bandits.

Choose several things at once, or the best of K from comparisons, and learn fast.

>>> import factored_bandits as fb
>>> agent = fb.Agent(factors={"ad": ["A", "B"], "position": ["top", "side"]}, seed=1)
>>> decision = agent.ask()
>>> agent.tell(decision.id, 1.0)
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in typing, whose import would take most of the time of this one
if TYPE_CHECKING:
    from factored_bandits import (
        data,
        environments,
        errors,
        gymnasium,
        inference,
        lab,
        logs,
        openfeature,
        optuna,
        policies,
        testing,
        theory,
    )
    from factored_bandits.agent import Agent
    from factored_bandits.environments import load_duels, load_preferences, suites
    from factored_bandits.evaluation.effects import effects
    from factored_bandits.evaluation.evaluate import evaluate
    from factored_bandits.inference.certificate import certificate
    from factored_bandits.judges.answers import Score, Verdict
    from factored_bandits.judges.arena import arena, arena_sync
    from factored_bandits.judges.budget import Budget
    from factored_bandits.judges.tune import tune, tune_sync
    from factored_bandits.logs import load_log
    from factored_bandits.planning import Assumptions, plan
    from factored_bandits.policies.tem.module import TEM
    from factored_bandits.report import plot
    from factored_bandits.service.client import connect, connect_async
    from factored_bandits.service.opening import open
    from factored_bandits.simulation.benchmark import benchmark
    from factored_bandits.simulation.compare import compare
    from factored_bandits.simulation.simulate import simulate

__version__ = "0.1.0"

_MODULES = {
    "data": "data",
    "environments": "environments",
    "errors": "errors",
    "gymnasium": "gymnasium",
    "inference": "inference",
    "lab": "lab",
    "logs": "logs",
    "openfeature": "openfeature",
    "optuna": "optuna",
    "plot": "report.plot",
    "policies": "policies",
    "suites": "environments.suites",
    "testing": "testing",
    "theory": "theory",
}
_MEMBERS = {
    "Agent": "agent",
    "Assumptions": "planning",
    "Budget": "judges",
    "Score": "judges",
    "TEM": "policies.tem.module",
    "Verdict": "judges",
    "arena": "judges",
    "arena_sync": "judges",
    "benchmark": "simulation.benchmark",
    "certificate": "inference.certificate",
    "compare": "simulation.compare",
    "connect": "service",
    "connect_async": "service",
    "effects": "evaluation",
    "evaluate": "evaluation",
    "load_duels": "environments",
    "load_log": "logs",
    "load_preferences": "environments",
    "open": "service",
    "plan": "planning",
    "simulate": "simulation.simulate",
    "tune": "judges",
    "tune_sync": "judges",
}

__all__ = [
    "TEM",
    "Agent",
    "Assumptions",
    "Budget",
    "Score",
    "Verdict",
    "__version__",
    "arena",
    "arena_sync",
    "benchmark",
    "certificate",
    "compare",
    "connect",
    "connect_async",
    "data",
    "effects",
    "environments",
    "errors",
    "evaluate",
    "gymnasium",
    "inference",
    "lab",
    "load_duels",
    "load_log",
    "load_preferences",
    "logs",
    "open",
    "openfeature",
    "optuna",
    "plan",
    "plot",
    "policies",
    "simulate",
    "suites",
    "testing",
    "theory",
    "tune",
    "tune_sync",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import factored_bandits` is instant."""
    if name in _MODULES:
        value: object = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    elif name in _MEMBERS:
        value = getattr(importlib.import_module(f"{__name__}.{_MEMBERS[name]}"), name)
    else:
        raise AttributeError(f"module 'factored_bandits' has no attribute {name!r}")

    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
