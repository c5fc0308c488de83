"""What the agent knows, as attributes of the study: optuna-dashboard shows them."""

from __future__ import annotations

from optuna.study import Study

from .replay import Replay

BEST = "factored_bandits:best_params"
CONFIDENCE = "factored_bandits:confidence"
STATUS = "factored_bandits:status"


def write(study: Study, replay: Replay) -> None:
    """Write the best values, the confidence and the status, where they have changed.

    Parameters
    ----------
    study
        The study whose attributes are written.
    replay
        Its agent.
    """
    agent = replay.agent
    known = {
        BEST: replay.settings.best(agent),
        CONFIDENCE: agent.confidence(),
        STATUS: str(agent.status()),
    }
    storage = study._storage
    written = storage.get_study_user_attrs(study._study_id)
    for name, value in known.items():
        if name not in written or written[name] != value:
            storage.set_study_user_attr(study._study_id, name, value)
