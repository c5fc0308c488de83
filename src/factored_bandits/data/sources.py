"""Every source that there is a loader for."""

from __future__ import annotations

from factored_bandits.environments.real import Source
from factored_bandits.environments.real.conjoint import SOURCE as CONJOINT
from factored_bandits.environments.real.hyperparameters import SOURCE as HYPERPARAMETERS
from factored_bandits.environments.real.open_bandit import SOURCE as OPEN_BANDIT
from factored_bandits.environments.real.upworthy import SOURCE as UPWORTHY
from factored_bandits.environments.real.votes import SOURCE as VOTES

SOURCES: dict[str, Source] = {
    source.name: source for source in (CONJOINT, HYPERPARAMETERS, OPEN_BANDIT, UPWORTHY, VOTES)
}
