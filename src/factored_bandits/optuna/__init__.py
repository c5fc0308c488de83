"""`Sampler`: the agent as a sampler of Optuna, for objectives that are noisy.

>>> import optuna
>>> import factored_bandits as fb
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> def objective(trial):
...     ad = trial.suggest_categorical("ad", ["A", "B", "C"])
...     position = trial.suggest_categorical("position", ["top", "side"])
...     return 0.9 if (ad, position) == ("B", "top") else 0.2
>>> space = {"ad": ["A", "B", "C"], "position": ["top", "side"]}
>>> study = optuna.create_study(
...     sampler=fb.optuna.Sampler(search_space=space, seed=1), direction="maximize"
... )
>>> study.optimize(objective, n_trials=150)
>>> fb.optuna.best_params(study)
{'ad': 'B', 'position': 'top'}

`study.best_params` is the trial with the highest value, which under noise is a lucky one.
`best_params(study)` is what the agent would choose after all trials.

**The agent is a function of the trials.** Nothing is kept but what the storage holds, so that a
study that was killed goes on as if it had not been, and that several processes share one agent.

- A trial that begins asks the agent for a decision and writes a *link* into its system attributes:
  the trial that asked before it, the number of the decision and its levels, and how many decisions
  had their outcome by then, counted without a gap from the first one on. The links form a chain.
- To know the agent, follow the chain. At each link tell the outcomes up to the number that the link
  names, in the order of the decisions, then ask. Outcomes that came later are told later. So
  neither clocks nor the order in which trials finish matter.
- A decision whose trial has vanished is played again by the next trial that asks. A trial vanishes
  if its process is killed, or if it was run with other levels than were decided.
- A trial waits for those that began before it to write their links, for ten seconds at most. If two
  links follow the same trial all the same, the longest chain counts, of equally long ones that with
  the lower number of its last trial. A process that finds its own link outside asks again. Trials
  outside the chain are not learned from.
- Parameters that are no factors are drawn with a generator of their own, seeded by the seed, the
  number of the decision and the name of the parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from factored_bandits.core.lazy import lazy_members

if TYPE_CHECKING:
    from .results import best_params, confidence, release, status, waiting
    from .sampler import Sampler

_MEMBERS = {
    "Sampler": "sampler",
    "best_params": "results",
    "confidence": "results",
    "release": "results",
    "status": "results",
    "waiting": "results",
}

__all__ = ["Sampler", "best_params", "confidence", "release", "status", "waiting"]

__getattr__ = lazy_members(__name__, _MEMBERS, {"optuna": "optuna"}, "optuna")


def __dir__() -> list[str]:
    return sorted(__all__)
