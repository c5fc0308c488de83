"""The kinds of chart; each is a function from what was measured to a `Chart`."""

from factored_bandits.core.stats import Slope
from factored_bandits.report.chart import Chart

from .curves import Scale, curves
from .overlay import overlay
from .profile import profile
from .slopes import fitted, slopes
from .timeline import timeline

__all__ = [
    "Chart",
    "Scale",
    "Slope",
    "curves",
    "fitted",
    "overlay",
    "profile",
    "slopes",
    "timeline",
]
