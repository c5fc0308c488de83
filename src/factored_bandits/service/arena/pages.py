"""The pages of votes: `/arena/{key}` for voters, `/studies` for those who ask."""

from __future__ import annotations

from pathlib import Path

from factored_bandits.service.pages import Page, Part

from . import managing, starting, voting

LARGEST_UPLOAD = 60_000_000  # bytes: some large images

PART = Part(
    "arena",
    Path(__file__).parent,
    (
        Page("GET", "/arena/{key}", voting.show, role=None),
        Page("POST", "/arena/{key}", voting.act, role=None),
        Page("POST", "/arena/{key}/join", voting.join, role=None),
        Page("GET", "/arena/{key}/image/{token}/{side:int}", voting.image, role=None),
        Page("GET", "/studies", managing.listed),
        Page("GET", "/studies/new", starting.show, role="admin"),
        Page("POST", "/studies/new", starting.make, role="admin", largest=LARGEST_UPLOAD),
        Page("GET", "/studies/{key}", managing.show),
        Page("GET", "/studies/{key}/pairs.csv", managing.pairs),
        Page("POST", "/studies/{key}/links", managing.invite, role="admin"),
        Page("POST", "/studies/{key}/revoke", managing.revoke, role="admin"),
        Page("POST", "/studies/{key}/settle", managing.settle, role="admin"),
        Page("POST", "/studies/{key}/exclude", managing.exclude, role="admin"),
    ),
    (voting.tell_what_was_left,),
)
