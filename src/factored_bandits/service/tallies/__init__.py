"""What is counted of each experiment, derived from its log bit by bit, for those who look.

Pages never read a log. A task beside the service reads each event once, adds it to the tallies of
its hour and to the brief of its experiment, and notes how far it has come.
"""

from __future__ import annotations

from .follower import PORTION, Follower, advance
from .shape import Shape
from .tally import SPANS, Bucket, Tally

__all__ = ["PORTION", "SPANS", "Bucket", "Follower", "Shape", "Tally", "advance"]
