"""Videos and sound: MP4, MOV, 3GP, MKV, WebM, AVI, MPEG; M4A, MP3, Ogg, Opus, WAV, FLAC, AMR.

Frames are sampled when a memory is encoded, and speech is transcribed when it is described; reading
does neither. An id depends on the bytes alone, as with photos.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from graphmemix.errors import ImportSourceError, InvalidDataError
from graphmemix.ingest.albums import beside
from graphmemix.ingest.facts import Facts, merge_facts
from graphmemix.ingest.magic import sound_or_video_magic
from graphmemix.ingest.photos import capture, unzipped
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.recordings import read_recording
from graphmemix.ingest.sidecars import sidecar_facts, sidecars
from graphmemix.text.dates.file_names import name_time, names_a_screenshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading


class Videos:
    """Reads one video or sound file and its sidecars as one memory."""

    name = "videos"
    version = 2

    def __init__(self, zone: tzinfo | None = None) -> None:
        """Create the importer.

        Args:
            zone: Time zone of local times, and of UTC times without a place; None for this
                machine's. The metadata field ``zone_source`` shows where it was assumed.
        """
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts like a video or sound container."""
        return not found.is_folder and sound_or_video_magic(found.head) is not None

    def companions(self, found: Found) -> Iterable[Path]:
        """Return the sidecars: Takeout's JSON, XMP, and what describes the whole folder."""
        return (*sidecars(found.path, is_video=True).paths, *beside(found.path).files)

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the video or sound; a damaged one as `Skipped`.

        Raises:
            ImportSourceError: It is not a recording, cannot be opened or has vanished.
            MissingExtraError: Needs the extra ``video``.
        """
        magic = sound_or_video_magic(found.head)
        if magic is None:
            raise ImportSourceError(f"{found.name}: is not a video or sound in a known format")
        try:
            recording = read_recording(found.path, magic)
        except InvalidDataError as error:
            yield Skipped(found.name, str(error))
            return
        xmp, takeout = sidecar_facts(sidecars(found.path, is_video=True))
        name = unzipped(found.name)
        named = Facts(
            times=tuple(filter(None, [name_time(name)])),
            others={"screenshot": True} if names_a_screenshot(name) else {},
        )
        listed = beside(found.path).facts.get(found.path.name, Facts())
        facts = merge_facts([xmp, recording.facts, takeout, listed, named])
        kind: Literal["video", "audio"] = "video" if recording.has_pictures else "audio"
        mime = f"{kind}/{magic.mime.partition('/')[2]}"
        kept = sink.keep_file(found.path, modality=kind, mime=mime, name=found.path.name)
        medium = replace(
            kept, width=recording.width, height=recording.height, duration=recording.duration
        )
        yield capture(kind, self.name, found, medium, facts, self.zone)
