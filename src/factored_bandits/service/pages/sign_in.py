"""Sign in with a key of the service, and sign out."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import Response

from .addresses import inside
from .part import Page, Part
from .session import NOBODY
from .visit import Visit

if TYPE_CHECKING:
    from .router import Pages

LOGGER = logging.getLogger("factored_bandits.service")
LONGEST_KEY = 200


async def show(pages: Pages, visit: Visit) -> Response:
    """The form."""
    onward = inside(visit.query("next", "/"))
    if visit.holder is not None:
        return pages.redirect(onward)
    return pages.render(visit, "pages/sign-in.html", onward=onward, failed="")


async def sign_in(pages: Pages, visit: Visit) -> Response:
    """Begin a session, if somebody has this key."""
    onward = inside(visit.text("next", "/"))
    client = visit.request.client
    address = "" if client is None else client.host
    wait = pages.limiter.wait(address)
    if wait:
        said = f"Too many attempts from here. Try again in {wait:.0f} seconds."
        response = pages.render(visit, "pages/sign-in.html", 429, onward=onward, failed=said)
        response.headers["Retry-After"] = f"{wait:.0f}"
        return response

    holder = await pages.service.holder_of_key(visit.text("key")[:LONGEST_KEY])
    if holder is None:
        pages.limiter.failed(address)
        LOGGER.warning("a sign-in with an unknown key from %s", address)
        said = "Nobody has this key. A key begins with fb_ and was shown once, when it was made."
        return pages.render(visit, "pages/sign-in.html", 401, onward=onward, failed=said)

    # a new nonce, so that nobody can have prepared the session
    visit.session = pages.sessions.begin(holder)
    visit.fresh = True
    return pages.redirect(onward)


async def sign_out(pages: Pages, visit: Visit) -> Response:
    """End the session."""
    visit.session = pages.sessions.begin()
    assert visit.session.who == NOBODY
    visit.fresh = True
    return pages.redirect("/sign-in")


PART = Part(
    "pages",
    Path(__file__).parent,
    (
        Page("GET", "/sign-in", show, role=None),
        Page("POST", "/sign-in", sign_in, role=None),
        Page("POST", "/sign-out", sign_out, role=None),
    ),
)
