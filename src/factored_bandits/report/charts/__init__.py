"""The kinds of chart; each is a function from what was measured to a `Chart`."""

from factored_bandits.core.stats import Slope
from factored_bandits.report.chart import Chart

from .assumption import assumption
from .certified import certified
from .curves import Scale, curves
from .finals import finals
from .overlay import overlay
from .peers import Peer, peers, ratio_of
from .profile import profile
from .quality import quality
from .slopes import fitted, slopes
from .timeline import timeline

__all__ = [
    "Chart",
    "Peer",
    "Scale",
    "Slope",
    "assumption",
    "certified",
    "curves",
    "finals",
    "fitted",
    "overlay",
    "peers",
    "profile",
    "quality",
    "ratio_of",
    "slopes",
    "timeline",
]
