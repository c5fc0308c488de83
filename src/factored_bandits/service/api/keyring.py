"""Keys over HTTP: who may use the service, made and revoked by those who administer it."""

from __future__ import annotations

from starlette.requests import Request

from .access import name_checked, new_key, revoke
from .bodies import KeyList, KeyName, MadeKey, NewKey
from .problems import ProblemError
from .state import Service


async def create(service: Service, request: Request, body: NewKey) -> tuple[int, MadeKey]:
    """Make a key; the answer is the only time that it is shown."""
    await service.holder(request, "admin")
    name = name_checked(body.name)
    if any(each.name == name for each in await service.aside(service.store.keys)):
        raise ProblemError(409, f"there is a key {name!r} already: revoke it, or take another name")
    key = await service.aside(new_key, service.store, name, body.role)
    await service.refresh_keys()
    return 201, MadeKey(name, body.role, key)


async def listed(service: Service, request: Request, body: None) -> tuple[int, KeyList]:
    """Who may use the service; not the keys themselves, of which only digests are kept."""
    await service.holder(request, "admin")
    found = await service.aside(service.store.keys)
    return 200, KeyList([KeyName(each.name, each.role) for each in found])


async def remove(service: Service, request: Request, body: None) -> tuple[int, KeyName]:
    """Revoke a key; other servers of the same database follow within seconds."""
    await service.holder(request, "admin")
    gone = await service.aside(revoke, service.store, request.path_params["key"])
    await service.refresh_keys()
    return 200, KeyName(gone.name, gone.role)
