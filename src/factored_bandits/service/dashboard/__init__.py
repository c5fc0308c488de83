"""The dashboard: what the experiments of a service are doing, for people who look."""

from __future__ import annotations

from pathlib import Path

from factored_bandits.service.pages import Page, Part

from . import control, experiment, new, overview
from .following import follow

ONE = "/experiments/{key:path}"

PART = Part(
    "dashboard",
    Path(__file__).parent,
    (
        Page("GET", "/", overview.show),
        Page("GET", "/live", overview.live),
        Page("GET", "/new", new.show, role="admin"),
        Page("POST", "/new", new.create, role="admin"),
        Page("POST", "/new/forecast", new.forecast, role="admin"),
        Page("GET", f"{ONE}/live", experiment.live),
        Page("POST", f"{ONE}/control", control.control, role="admin"),
        Page("GET", f"{ONE}/audit", control.audit),
        Page("GET", f"{ONE}/decisions.parquet", control.download),
        Page("GET", ONE, experiment.show),
    ),
    (follow,),
)
