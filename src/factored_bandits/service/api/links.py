"""Which answer leads to which request, as OpenAPI's links: readers, and tools that test, follow."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .endpoints import Endpoint

CREATE = ("POST", "/v1/experiments")
LIST = ("GET", "/v1/experiments")
STUDIES = "/v1/studies"
STUDY = ("POST", STUDIES)
INVITE = ("POST", f"{STUDIES}/{{key}}/links")
REVOKE = ("DELETE", f"{STUDIES}/{{key}}/links/{{link}}")
DECIDE = ("POST", "/v1/experiments/{key}/decisions")
REWARD = ("POST", "/v1/rewards")


def name_of(method: str, path: str) -> str:
    """What the description calls an operation.

    >>> name_of("POST", "/v1/experiments/{key}/decisions")
    'post_v1_experiments_key_decisions'
    """
    return re.sub(r"\W+", "_", f"{method.lower()}{path}").strip("_")


def links_of(endpoint: Endpoint, every: Iterable[Endpoint]) -> dict[str, Any]:
    """The links of a successful answer: its experiment, the rewards of its decisions, more."""
    here = (endpoint.method, endpoint.path)
    if here == CREATE:
        return _keyed(each for each in every if STUDIES not in each.path)
    if here == STUDY:
        return _keyed(each for each in every if STUDIES in each.path)
    if here == INVITE:
        parameters = {"key": "$request.path.key", "link": "$response.body#/id"}
        return {"revoke": _link(name_of(*REVOKE), parameters=parameters)}
    if here == LIST:
        return {"more": _link(name_of(*LIST), parameters={"cursor": "$response.body#/next"})}
    if here == DECIDE:
        token = "$response.body#/decisions/0/token"
        body = {"rewards": [{"token": token, "reward": 1.0}]}
        return {"reward": _link(name_of(*REWARD), requestBody=body)}
    return {}


def _keyed(every: Iterable[Endpoint]) -> dict[str, Any]:
    """Links to everything that the key of an answer is enough for."""
    names = [name_of(each.method, each.path) for each in every if each.path.count("{") == 1]
    return {name: _link(name, parameters={"key": "$response.body#/key"}) for name in names}


def _link(name: str, **given: Any) -> dict[str, Any]:
    return {"operationId": name, **given}
