"""Data that others have published, as problems and as logs.

Nothing of it is part of the library. A loader reads a file that you have, or one that an installed
package brings, and says under which licence it is and what to cite.

>>> import factored_bandits as fb
>>> sorted(fb.data.SOURCES)
['conjoint', 'hyperparameters', 'open_bandit', 'upworthy', 'votes']
>>> print(fb.data.SOURCES["votes"].licence)
Apache-2.0
"""

from __future__ import annotations

from factored_bandits.environments.real import (
    Dataset,
    Source,
    conjoint,
    hyperparameters,
    open_bandit,
    upworthy,
    votes,
)

from .logs import conjoint_log, open_bandit_log
from .sources import SOURCES

__all__ = [
    "SOURCES",
    "Dataset",
    "Source",
    "conjoint",
    "conjoint_log",
    "hyperparameters",
    "open_bandit",
    "open_bandit_log",
    "upworthy",
    "votes",
]
