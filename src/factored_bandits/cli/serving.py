"""`serve`: the experiments of a database over HTTP."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factored_bandits.errors import InvalidInputError, MissingExtraError

from .values import Port

if TYPE_CHECKING:
    from factored_bandits.service.demo import Visitors
    from factored_bandits.service.engine import Engine

DEFAULT = "experiments.db"


@click.command()
@click.option(
    "--db",
    "location",
    metavar="DB",
    default=None,
    help=f"The path of a database file, or a postgresql:// address.  [default: {DEFAULT}]",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=Port(), default=8000, show_default=True,
    help="The port to listen on; 0 for any that is free.",
)  # fmt: skip
@click.option(
    "--allow-origin", "origins", metavar="ORIGIN", multiple=True,
    help="Let pages of another origin read answers (CORS), such as https://shop.example; can be "
    "given several times.",
)  # fmt: skip
@click.option(
    "--core", type=click.IntRange(0), default=None,
    help="Stay on one core of the machine, counted from 0 (Linux): its threads take turns anyway, "
    "and a decision takes less processor time if they do not change cores. One for each server.",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="No line of JSON for each request.")
@click.option(
    "--demo",
    is_flag=True,
    help="Three living examples with simulated visitors; in a temporary database without --db.",
)
def serve(
    location: str | None,
    host: str,
    port: int,
    origins: tuple[str, ...],
    core: int | None,
    quiet: bool,
    demo: bool,
) -> None:
    """Serve the experiments of a database over HTTP: decisions, rewards, dashboard, metrics.

    The dashboard is at its address; sign in with a key. The first start prints one with the role
    admin, once. It listens on this machine only unless
    --host says otherwise; put a server with TLS in front of it then. SIGTERM and Ctrl-C let the
    requests that are running end.

    \b
    factored-bandits serve --db shop.db --port 8000
    factored-bandits serve --demo
    """
    try:
        import uvicorn

        from factored_bandits.service.api.access import new_key
        from factored_bandits.service.api.app import application
        from factored_bandits.service.api.connection import connections
        from factored_bandits.service.api.logs import log_lines
        from factored_bandits.service.api.origins import checked_origins
    except MissingExtraError:
        raise
    except ImportError as error:
        raise MissingExtraError.of(str(error.name), "serve", "factored-bandits serve") from None
    from factored_bandits.service.engine import Engine
    from factored_bandits.service.store import opened

    if core is not None:
        _stay_on(core)  # first of all: a thread may run where the one that starts it may
    log_lines(quiet)
    allowed = checked_origins(origins)
    _check_folder(location or DEFAULT)
    with _terminated(), contextlib.ExitStack() as stack:
        if demo:
            location = location or stack.enter_context(_temporary())
            _make_past(location)
        engine = Engine(opened(location or DEFAULT), ahead=True)
        stack.callback(engine.close)
        engine.load_ahead()
        key = None
        if not engine.store.keys():
            key = new_key(engine.store, "first", "admin")
        app = application(engine, allowed)
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=connections(app),
            log_config=None,
            access_log=False,
        )
        if demo:
            stack.callback(_visited(engine).stop)

        class Announcing(uvicorn.Server):
            async def startup(self, sockets: Any = None) -> None:
                await super().startup(sockets)
                if self.started:
                    _announce(self.servers[0].sockets[0].getsockname(), key)

            async def shutdown(self, sockets: Any = None) -> None:
                app.state.end()  # pages that follow would go on for ever
                await super().shutdown(sockets)

        server = Announcing(config)
        # What was imported stays for ever: the collector of garbage need not look at it again. Nor
        # at requests that are being answered, as many as there may be: they leave no cycles behind.
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000)
        server.run()
        if not server.started:
            raise InvalidInputError(f"it is not possible to listen on {host} port {port}")


def _stay_on(core: int) -> None:
    """Let this process run on one core only."""
    if not hasattr(os, "sched_setaffinity"):
        raise InvalidInputError("--core is for Linux: this system places programs by itself")
    allowed = sorted(os.sched_getaffinity(0))
    if core not in allowed:
        raise InvalidInputError(
            f"--core must be one of {', '.join(map(str, allowed))}, the cores that this program "
            f"may use, not {core}"
        )
    for thread in Path("/proc/self/task").iterdir():  # NumPy has some already
        os.sched_setaffinity(int(thread.name), {core})


class _TerminatedError(BaseException):
    """SIGTERM came, and uvicorn has let its requests end."""


@contextlib.contextmanager
def _terminated() -> Iterator[None]:
    """SIGTERM ends the program after everything is given back, and not before."""

    def told(number: int, frame: Any) -> None:
        raise _TerminatedError

    before = signal.signal(signal.SIGTERM, told)
    try:
        yield
    except _TerminatedError:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _temporary() -> Iterator[str]:
    """A database that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="factored-bandits-") as folder:
        yield str(Path(folder) / "demo.db")


def _make_past(location: str) -> None:
    """The examples with some days of visitors, which takes some seconds."""
    from tqdm import tqdm

    from factored_bandits.service.demo import EXAMPLES, past
    from factored_bandits.service.demo.history import STEPS, TOGETHER

    total = STEPS * TOGETHER * len(EXAMPLES)
    with tqdm(total=total, desc="simulating visitors", unit="", leave=False, delay=0.5) as bar:
        past(location, bar.update)


def _visited(engine: Engine) -> Visitors:
    """Visitors of the examples, from now on."""
    from factored_bandits.service.demo import EXAMPLES, Visitors

    rows = {row.key: row for row in engine.store.experiments()}
    served = [(each, engine.serve(rows[each.key])) for each in EXAMPLES if each.key in rows]
    visitors = Visitors(engine, served)
    visitors.start()
    return visitors


def _check_folder(location: str) -> None:
    """A folder that is not there is most often a typing error, and then nothing is where it was."""
    from factored_bandits.service.store.places import is_address

    folder = Path(location).parent
    if not is_address(location) and not folder.is_dir():
        raise InvalidInputError(
            f"there is no folder {str(folder)!r} for the database {Path(location).name!r}: make it "
            "first, or correct the path"
        )


def _announce(address: Any, key: str | None) -> None:
    """Where it listens, the first key, and a line to try."""
    url = f"http://{address[0]}:{address[1]}"
    click.echo(f"listening on {url}")
    if key is not None:
        click.echo(f"admin key, shown this once: {key}")
        click.echo(f"try: curl -H 'Authorization: Bearer {key}' {url}/v1/experiments")
        click.echo(f"dashboard: open {url}/ and sign in with that key")
    sys.stdout.flush()
