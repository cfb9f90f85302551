"""Photos: JPEG, PNG, WebP, HEIC, TIFF, GIF, BMP and AVIF, with metadata of file and sidecars.

A photo's id depends on its bytes alone: two copies of a file are one memory, and a sidecar that is
added later changes the memory, not its id.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError, InvalidDataError
from graphmemix.ingest.albums import beside
from graphmemix.ingest.facts import Facts, merge_facts, one_line, words
from graphmemix.ingest.magic import picture_magic
from graphmemix.ingest.pictures import TRUNCATED, read_picture
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.sidecars import sidecar_facts, sidecars
from graphmemix.memory import Memory, Place, content_id
from graphmemix.text.dates.capture_time import taken
from graphmemix.text.dates.file_names import name_burst, name_time, names_a_screenshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Kind, Media
    from graphmemix.record import Json


class Photos:
    """Reads one picture file and its sidecars as one memory."""

    name = "photos"
    version = 3

    def __init__(self, zone: tzinfo | None = None) -> None:
        """Create the importer.

        Args:
            zone: Time zone of cameras that record none; None for this machine's. The metadata
                field ``zone_source`` shows where it was assumed.
        """
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts like a picture."""
        return not found.is_folder and picture_magic(found.head) is not None

    def companions(self, found: Found) -> Iterable[Path]:
        """Return the sidecars: Takeout's JSON, XMP, and what describes the whole folder."""
        return (*sidecars(found.path).paths, *beside(found.path).files)

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the photo; a damaged one as `Skipped`.

        Raises:
            ImportSourceError: It is not a picture, cannot be opened or has vanished.
            MissingExtraError: HEIC needs the extra ``heic``.
        """
        magic = picture_magic(found.head)
        if magic is None:
            raise ImportSourceError(f"{found.name}: is not a picture in a known format")
        try:
            picture = read_picture(found.path, magic)
        except InvalidDataError as error:
            yield Skipped(found.name, str(error))
            return
        xmp, takeout = sidecar_facts(sidecars(found.path))
        name = unzipped(found.name)
        stem = PurePosixPath(name).stem
        named = Facts(
            times=tuple(filter(None, [name_time(name)])),
            burst=name_burst(stem) or "",
            others={"screenshot": True} if names_a_screenshot(name) else {},
        )
        listed = beside(found.path).facts.get(found.path.name, Facts())
        facts = merge_facts([xmp, picture.facts, takeout, listed, named])
        kept = sink.keep_file(found.path, modality="image", mime=magic.mime, name=found.path.name)
        yield capture(
            "photo",
            self.name,
            found,
            replace(kept, width=picture.width, height=picture.height),
            facts,
            self.zone,
        )
        if TRUNCATED in facts.notes:
            yield Skipped(found.name, TRUNCATED)


def capture(
    kind: Kind, source: str, found: Found, medium: Media, facts: Facts, zone: tzinfo | None
) -> Memory:
    """Return the memory of a photo, video or recording from its merged metadata."""
    when = taken(facts.times, facts.point, zone)
    metadata: dict[str, Json] = {**facts.others}
    if when is not None:
        metadata |= when.how
    for key, value in (("camera", facts.camera), ("burst", facts.burst)):
        if value:
            metadata[key] = value
    for key, values in (("tags", facts.tags), ("people", facts.people), ("notes", facts.notes)):
        if values:
            metadata[key] = list(values)
    name = unzipped(found.name)
    album = beside(found.path).title or str(PurePosixPath(name).parent).removeprefix(".")
    if album:
        metadata["album"] = album
    return Memory(
        content_id([kind, medium.sha256 or found.name]),
        kind,
        words(facts),
        source=source,
        source_id=name,
        # The relation `same_round` links the photos of a burst.
        session=album or (f"burst {facts.burst}" if facts.burst else None),
        round=f"burst {facts.burst}" if facts.burst else None,
        speaker=one_line(facts.creator) or None,
        timestamp=None if when is None else when.moment,
        place=_place(facts),
        media=(medium,),
        metadata=metadata,
    )


def unzipped(name: str) -> str:
    """Return a file's name as it is outside of the zip that it may be in."""
    parts = PurePosixPath(name).parts
    packed = [i for i, each in enumerate(parts[:-1]) if each.lower().endswith(".zip")]
    return "/".join(parts[packed[-1] + 1 if packed else 0 :])


def _place(facts: Facts) -> Place | None:
    if facts.point is not None:
        return Place(facts.place_name, *facts.point)
    return Place(facts.place_name) if facts.place_name else None
