"""Serves the web page: static files of the package, held in memory."""

from __future__ import annotations

import hashlib
import importlib.resources
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from typing import Final

from fastapi import FastAPI, Request
from starlette.responses import Response

__all__ = ["add_page"]

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "webmanifest": "application/manifest+json",
    "woff2": "font/woff2",
    "json": "application/json",
}


def add_page(app: FastAPI) -> None:
    """Serve every file of the page's folder under its name, and index.html at ``/``.

    Only files found at startup have a route, so that no path can lead out of the folder.
    """
    folder = importlib.resources.files("graphmemix.serve") / "page"
    if not folder.is_dir():
        return
    for name, file in _files(folder):
        extension = name.rpartition(".")[2]
        if extension in _TYPES:
            _add(app, f"/{name}", file.read_bytes(), _TYPES[extension])
            if name == "index.html":
                _add(app, "/", file.read_bytes(), _TYPES[extension])


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry


def _add(app: FastAPI, path: str, data: bytes, kind: str) -> None:
    etag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache"}

    async def get_file(request: Request) -> Response:
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=kind, headers=headers)

    app.add_api_route(path, get_file, methods=["GET"], include_in_schema=False)
