"""`/`: the experiments, one row each."""

from __future__ import annotations

from starlette.responses import Response

from factored_bandits.service.pages import Pages, Visit


async def show(pages: Pages, visit: Visit) -> Response:
    """The page."""
    rows = await pages.service.aside(pages.service.store.experiments)
    return pages.render(visit, "dashboard/overview.html", rows=rows)
