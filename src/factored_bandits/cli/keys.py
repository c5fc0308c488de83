"""`experiments keys`: who may use the service of a database."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from factored_bandits.errors import InvalidInputError

from .experiments import as_json, database, experiments, reading
from .output import show, show_json
from .values import Choice

if TYPE_CHECKING:
    from factored_bandits.service.store import Store

ROLES = ("read", "write", "admin")


@experiments.group()
def keys() -> None:
    """List, create and revoke the keys of a service; the database holds digests of them.

    A database file must not be open elsewhere for create and revoke: ask a running service by
    POST and DELETE /v1/keys instead.

    \b
    factored-bandits experiments keys list shop.db
    factored-bandits experiments keys create shop.db page --role write
    factored-bandits experiments keys revoke shop.db page
    """


@keys.command("list")
@database
@as_json
def list_(location: str, as_json: bool) -> None:
    """List who may use the service, and for what."""
    from factored_bandits.core.table import Table

    with reading(location) as (store, _):
        found = store.keys()
    if as_json:
        return show_json([{"name": each.name, "role": each.role} for each in found])
    show(Table("", ("name", "role"), [(each.name, each.role) for each in found], align="ll"))


@keys.command()
@database
@click.argument("name")
@click.option("--role", type=Choice(ROLES), required=True, help="What may be done with the key.")
def create(location: str, name: str, role: str) -> None:
    """Make a key and print it, this once."""
    from factored_bandits.service.api.access import name_checked, new_key

    with _changing(location) as store:
        known = store.keys()
        if name in [each.name for each in known]:
            raise InvalidInputError(f"there is a key {name!r} already")
        click.echo(new_key(store, name_checked(name), role))


@keys.command()
@database
@click.argument("name")
def revoke(location: str, name: str) -> None:
    """Take a key away; never the last one with the role admin."""
    from factored_bandits.service.api import access

    with _changing(location) as store:
        gone = access.revoke(store, name)
    click.echo(f"revoked {gone.name}, which had the role {gone.role}", err=True)


@contextlib.contextmanager
def _changing(location: str) -> Iterator[Store]:
    """A store to write to, which must be there: a path with a slip in it makes no database."""
    from factored_bandits.service.store import opened

    with reading(location):
        pass  # an error, if it is not there or not ours
    with contextlib.closing(opened(location)) as store:
        yield store
