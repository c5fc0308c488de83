"""Pause, resume, stop; who did; and the decisions as a file."""

from __future__ import annotations

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from factored_bandits.errors import InvalidInputError, UnknownNameError
from factored_bandits.service.api.problems import ProblemError
from factored_bandits.service.engine import Control
from factored_bandits.service.export import table, write_parquet
from factored_bandits.service.pages import Pages, Visit
from factored_bandits.service.pages.headers import PRIVATE
from factored_bandits.service.store import Store, Transaction

from .experiment import LAST

VERBS = ("pause", "resume", "stop")
AUDIT_PAGE = 50
LARGEST = 2_000_000  # events of a file that is made while somebody waits
WAITING = 3  # files that may be wanted at once


async def control(pages: Pages, visit: Visit) -> Response:
    """Do it, with a reason and the name of the key."""
    assert visit.holder is not None
    verb = visit.text("verb")
    if verb not in VERBS:
        raise InvalidInputError(f"Choose one of {', '.join(VERBS)}.")
    if verb == "stop" and visit.text("sure") != "yes":
        raise InvalidInputError("A stopped experiment cannot be resumed: tick that you are sure.")
    handle = await pages.service.handle(visit.key)
    reason = visit.text("reason") or None
    await pages.service.call(handle, Control(kind=verb, reason=reason, who=visit.holder.name))
    return pages.redirect(f"/experiments/{quote(visit.key)}")


async def audit(pages: Pages, visit: Visit) -> Response:
    """Who paused, resumed and stopped, a page at a time."""
    handle = await pages.service.handle(visit.key)
    before = _number(visit.query("before", str(LAST)))

    def read(tx: Transaction) -> list[object]:
        return list(tx.audit(handle.id, before, AUDIT_PAGE + 1))

    events = await pages.read(read)
    return pages.render(
        visit,
        "dashboard/audit.html",
        key=handle.key,
        audit=events[:AUDIT_PAGE],
        more=len(events) > AUDIT_PAGE,
    )


def _number(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) < 20):
        raise InvalidInputError("The address of this page is not one that a page has shown.")
    return min(int(given), LAST)


async def download(pages: Pages, visit: Visit) -> Response:
    """All decisions as Parquet, one row each."""
    row = await pages.service.aside(pages.service.store.find, visit.key)
    if row is None:
        raise UnknownNameError(f"There is no experiment {visit.key!r}.")
    if row.head > LARGEST:
        raise ProblemError(
            409,
            f"The log has {row.head:,} events, more than {LARGEST:,}: make the file on the server, "
            "with factored-bandits experiments export.",
        )
    thread = pages.kept.setdefault("files", ThreadPoolExecutor(1, "factored-bandits files"))
    waiting = pages.kept.setdefault("files waiting", asyncio.Semaphore(WAITING))
    if waiting.locked():
        raise ProblemError(503, "Other files are being made; try again soon.", {"Retry-After": "5"})
    async with waiting:
        loop = asyncio.get_running_loop()
        path = await loop.run_in_executor(thread, _file, pages.service.store, row.key)
    return FileResponse(
        path,
        headers=PRIVATE,
        media_type="application/vnd.apache.parquet",
        filename=f"{_plain(row.key)}.parquet",
        background=BackgroundTask(path.unlink),
    )


def _file(store: Store, key: str) -> Path:
    row = store.find(key)
    assert row is not None, "experiments are never removed"
    tx = store.reading()
    try:
        columns = table(tx, row)
    finally:
        tx.rollback()
    folder = Path(tempfile.gettempdir())
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".parquet", delete=False) as file:
        path = Path(file.name)
    write_parquet(columns, path)
    return path


def _plain(key: str) -> str:
    """A name that every system takes for a file.

    >>> _plain("home / <b>")
    'home____b_'
    """
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in key)[:60]
