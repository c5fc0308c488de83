"""Problems made of data that others have published: one file for each source.

The data are not part of the library. A loader reads a file that you have, or one that an installed
package brings, and says what it is, under which licence, and whether it is the version that the
figures of the documentation were computed from.
"""

from __future__ import annotations

from .conjoint import conjoint
from .hyperparameters import hyperparameters
from .open_bandit import open_bandit
from .source import Dataset, Source
from .upworthy import upworthy
from .votes import votes

__all__ = [
    "Dataset",
    "Source",
    "conjoint",
    "hyperparameters",
    "open_bandit",
    "upworthy",
    "votes",
]
