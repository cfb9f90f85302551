"""Archives: list, details of one, everything in it as a zip, and a trial of its models."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from graphmemix.errors import GraphMemixError
from graphmemix.fsio import make_folder
from graphmemix.llm.chat import Message
from graphmemix.llm.openai_chat import OpenAiChat
from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.asgi import principal_of
from graphmemix.serve.removal import discard
from graphmemix.serve.routes.common import Reading, gives, json_reply, service_of
from graphmemix.serve.schemas import ArchiveDetails, ArchiveList, ArchiveSummary, Trial, Trials
from graphmemix.store import Store, export_archive

router = APIRouter(prefix="/v1/archives", tags=["archives"])

_CHUNK: Final = 1 << 18  # bytes


@router.get("", responses=gives(ArchiveList, "The archives that the key may read."))
async def list_archives(request: Request) -> Response:
    """List archives."""
    who = principal_of(request.scope)
    lines = []
    for served in service_of(request).archives:
        scope = who.scope(served.name)
        if scope is None:
            continue
        stats = await served.read(served.stats)
        lines.append(
            ArchiveSummary(
                name=served.name,
                scope=scope,
                writable=served.writable,
                memories=stats.memories,
                first=stats.first,
                last=stats.last,
                zone=served.archive.settings.ingest.zone,
            )
        )
    return json_reply(ArchiveList(archives=lines))


@router.get("/{archive}", responses=gives(ArchiveDetails, "The archive."))  # noqa: FAST003
async def get_archive(request: Request, served: Reading) -> Response:
    """Get an archive's size and settings."""
    scope = principal_of(request.scope).scope(served.name)
    settings = served.archive.settings
    details = ArchiveDetails(
        name=served.name,
        scope=scope or "read",
        writable=served.writable,
        profile=settings.profile,
        encoder=await served.read(served.archive.store.encoder),
        verifier_model=settings.model.name,
        models=list(served.models),
        sees_images=served.archive.encoder.sees_images,
        pending=await served.read(served.archive.store.count_without_vectors),
        stats=await served.read(served.stats),
    )
    return json_reply(details)


@router.get(
    "/{archive}/export",  # noqa: FAST003
    responses=gives(
        None,
        "A zip of what `graphmemix export` writes.",
        content={"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    ),
)
async def export_everything(request: Request, served: Reading) -> Response:
    """Get everything in an archive as one zip. It is collected first, which takes room on disk."""
    trash = service_of(request).jobs_of(served).folder
    packed = await served.read(_zipped, served.archive.store, trash)
    headers = {"Content-Disposition": f'attachment; filename="{served.name}.zip"'}
    return StreamingResponse(_chunks(packed), media_type="application/zip", headers=headers)


def _zipped(store: Store, trash: Path) -> BinaryIO:
    """Return an open zip of everything in a store; it is gone when the file is closed.

    Args:
        store: What to export.
        trash: A folder that takes it meanwhile; `removal.sweep` removes what a crash leaves.
    """
    aside = make_folder(trash / f".removed-{secrets.token_hex(8)}")
    try:
        export_archive(store, aside / "export")
        target = aside / "archive.zip"
        with ZipFile(target, "w", ZIP_DEFLATED) as out:
            for file in sorted((aside / "export").rglob("*")):
                name = file.relative_to(aside / "export")
                # Photos and videos are compressed already.
                how = ZIP_STORED if name.parts[0] == "media" else ZIP_DEFLATED
                if file.is_file():
                    out.write(file, str(name), how)
        return target.open("rb")
    finally:
        discard(aside, trash)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file, and close it."""
    with file:
        while data := file.read(_CHUNK):
            yield data


@router.post("/{archive}/test", responses=gives(Trials, "What works."))  # noqa: FAST003
async def try_models(served: Reading) -> Response:
    """Try the encoder and the model: one short text each."""
    model = await _tried(_ask_model(served)) if served.archive.settings.model.base_url else None
    encoder = await _tried(served.read(served.archive.encoder.texts, ["Does it work?"]))
    return json_reply(Trials(encoder=encoder, model=model))


async def _ask_model(served: ServedArchive) -> None:
    chat = OpenAiChat.from_settings(served.archive.settings.model)
    try:
        await chat.complete([Message("user", ("Reply with the word yes.",))])
    finally:
        await chat.aclose()


async def _tried(work: Awaitable[object]) -> Trial:
    began = time.monotonic()
    try:
        await work
    except GraphMemixError as error:
        return Trial(ok=False, seconds=time.monotonic() - began, detail=str(error))
    return Trial(ok=True, seconds=time.monotonic() - began)
