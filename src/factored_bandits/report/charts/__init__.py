"""The kinds of chart; each is a function from what was measured to a `Chart`."""

from ..chart import Chart
from ._curves import Scale, curves
from ._overlay import overlay
from ._profile import profile
from ._slopes import Slope, fitted, slopes
from ._timeline import timeline

__all__ = ["Chart", "Scale", "Slope", "curves", "fitted", "overlay", "profile", "slopes", "timeline"]
