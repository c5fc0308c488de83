"""The dashboard: what the experiments of a service are doing, for people who look."""

from __future__ import annotations

from pathlib import Path

from factored_bandits.service.pages import Page, Part

from . import overview

PART = Part(
    "dashboard",
    Path(__file__).parent,
    (Page("GET", "/", overview.show),),
)
