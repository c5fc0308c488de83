"""Three living examples with simulated visitors, for those who want to see before they build."""

from __future__ import annotations

from .examples import EXAMPLES, Example
from .history import past
from .visitors import Visitors

__all__ = ["EXAMPLES", "Example", "Visitors", "past"]
