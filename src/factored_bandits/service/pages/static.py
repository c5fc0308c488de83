"""Style sheets, scripts and icons: files of the package, kept by browsers until they change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from .headers import SAFE
from .part import Part

KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
YEAR = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A file with its digest."""

    content: bytes
    kind: str
    digest: str


class Assets:
    """The assets of all parts, read once.

    Parameters
    ----------
    parts
        Their folders have a folder `assets`.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self._found: dict[str, Asset] = {}
        for part in parts:
            for path in sorted((part.folder / "assets").glob("*.*")):
                content = path.read_bytes()
                digest = hashlib.sha256(content).hexdigest()[:16]
                asset = Asset(content, KINDS[path.suffix], digest)
                self._found[f"{part.name}/{path.name}"] = asset

    def address(self, name: str) -> str:
        """The address of an asset; it changes with its content."""
        return f"/assets/{name}?v={self._found[name].digest}"

    async def serve(self, request: Request) -> Response:
        """An asset, or only that it has not changed."""
        asset = self._found.get(request.path_params["name"])
        if asset is None:
            raise HTTPException(404)
        fresh = request.query_params.get("v") == asset.digest
        tag = f'"{asset.digest}"'
        headers = {**SAFE, "ETag": tag, "Cache-Control": YEAR if fresh else "no-cache"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(None, 304, headers)
        return Response(asset.content, 200, headers, asset.kind)
