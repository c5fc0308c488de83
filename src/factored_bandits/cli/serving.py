"""`serve`: the experiments of a database over HTTP."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from factored_bandits.errors import InvalidInputError, MissingExtraError

DEFAULT = "experiments.db"


@click.command()
@click.option(
    "--db",
    "location",
    metavar="DB",
    default=DEFAULT,
    show_default=True,
    help="The path of a database file, or a postgresql:// address.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
    help="The port to listen on; 0 for any that is free.",
)  # fmt: skip
@click.option(
    "--allow-origin", "origins", metavar="ORIGIN", multiple=True,
    help="Let pages of another origin read answers (CORS), such as https://shop.example; can be "
    "given several times.",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="No line of JSON for each request.")
def serve(location: str, host: str, port: int, origins: tuple[str, ...], quiet: bool) -> None:
    """Serve the experiments of a database over HTTP: decisions, rewards, status, metrics.

    The first start prints a key with the role admin, once. It listens on this machine only unless
    --host says otherwise; put a server with TLS in front of it then. SIGTERM and Ctrl-C let the
    requests that are running end.

    \b
    factored-bandits serve --db shop.db --port 8000
    """
    try:
        import uvicorn

        from factored_bandits.service.api.access import new_key
        from factored_bandits.service.api.app import application
        from factored_bandits.service.api.logs import log_lines
        from factored_bandits.service.api.origins import checked_origins
    except MissingExtraError:
        raise
    except ImportError as error:
        raise MissingExtraError.of(str(error.name), "serve", "factored-bandits serve") from None
    from factored_bandits.service.engine import Engine
    from factored_bandits.service.store import opened

    log_lines(quiet)
    allowed = checked_origins(origins)
    _check_folder(location)
    engine = Engine(opened(location))
    try:
        key = None
        if not engine.store.keys():
            key = new_key(engine.store, "first", "admin")
        config = uvicorn.Config(
            application(engine, allowed),
            host=host,
            port=port,
            log_config=None,
            access_log=False,
        )

        class Announcing(uvicorn.Server):
            async def startup(self, sockets: Any = None) -> None:
                await super().startup(sockets)
                if self.started:
                    _announce(self.servers[0].sockets[0].getsockname(), key)

        server = Announcing(config)
        server.run()
        if not server.started:
            raise InvalidInputError(f"it is not possible to listen on {host} port {port}")
    finally:
        engine.close()


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
    sys.stdout.flush()
