"""Reads streams, size, duration and metadata of video and sound files."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphmemix.errors import ImportSourceError, InvalidDataError, MissingExtraError
from graphmemix.ingest.facts import Facts, clean
from graphmemix.text.coordinates import iso_6709
from graphmemix.text.dates.capture_time import Hint, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from graphmemix.ingest.magic import Magic
    from graphmemix.record import Json

_APPLE: Final = "com.apple.quicktime."
_ZONED_TIMES: Final = (_APPLE + "creationdate", "com.apple.photos.originating.creationdate")
_UTC_TIMES: Final = ("creation_time", "date_utc")
_OTHER_TIMES: Final = ("date_recorded", "date", "com.android.capture.time")
_PLACES: Final = (_APPLE + "location.iso6709", "location", "location-eng", "com.android.location")
_TEXTS: Final = ("title", _APPLE + "title", "description", _APPLE + "description", "comment",
                 _APPLE + "comment")  # fmt: skip
_HERTZ: Final = 16_000  # as speech models expect
_LONGEST: Final = 10 * 365 * 86400.0  # seconds; more is a damaged header


@dataclass(frozen=True)
class Recording:
    """The contents of a container.

    Attributes:
        has_pictures: Whether it is a video; cover art does not count.
        has_sound: Whether there is an audio track.
        width: Pixels, as shown; None without pictures.
        height: Pixels, as shown.
        duration: Seconds, if known.
        facts: Time, place, camera and other metadata.
    """

    has_pictures: bool
    has_sound: bool
    width: int | None
    height: int | None
    duration: float | None
    facts: Facts


def read_recording(path: Path, magic: Magic) -> Recording:
    """Open a container in the format of its first bytes; decodes one frame for its rotation.

    Raises:
        InvalidDataError: It is damaged, or has neither video nor sound.
        ImportSourceError: It cannot be opened, or has vanished.
        MissingExtraError: Needs the extra ``video``.
    """
    try:
        with _opened(path, magic) as container:
            return _recording(container)
    except (InvalidDataError, MissingExtraError):
        raise
    except FileNotFoundError:
        raise ImportSourceError(f"{path.name}: no longer exists") from None
    except PermissionError:
        raise ImportSourceError(f"{path.name}: permission denied") from None
    except Exception as error:  # PyAV raises anything on damaged input
        if _is_memory_short(error):
            raise
        raise InvalidDataError(f"a damaged or truncated {magic.format} file") from error


def _is_memory_short(error: Exception) -> bool:
    """Return whether memory ran out. FFmpeg also reports that for absurd sizes in damaged files."""
    return isinstance(error, MemoryError) and type(error).__module__ != "av.error"


def _opened(path: Path, magic: Magic) -> Any:
    """Open only this format and only this file: a container must not make FFmpeg open others."""
    try:
        import av
    except ImportError as error:
        raise MissingExtraError("video", "Reading videos and sound") from error
    return av.open(
        f"file:{path.absolute()}",
        format=magic.format,
        options={"protocol_whitelist": "file"},
        metadata_errors="replace",
    )


def sound_of(path: Path, magic: Magic, *, seconds: float) -> Iterator[NDArray[np.float32]]:
    """Yield the sound of a recording at 16 kHz, mono, in pieces of the given length.

    Yields nothing for a video without sound.

    Raises:
        InvalidDataError: It cannot be decoded to the end.
        MissingExtraError: Needs the extra ``video``.
    """
    try:
        with _opened(path, magic) as container:
            if not container.streams.audio:
                return
            from av import AudioResampler

            resampler = AudioResampler("flt", "mono", _HERTZ)
            held: list[NDArray[np.float32]] = []
            count = 0
            for decoded in chain(container.decode(audio=0), [None]):
                samples = [_samples(part) for part in resampler.resample(decoded)]
                held += samples
                count += sum(map(len, samples))
                if count >= seconds * _HERTZ:
                    yield np.concatenate(held)
                    held, count = [], 0
            if held:
                yield np.concatenate(held)
    except MissingExtraError:
        raise
    except Exception as error:  # PyAV raises anything on damaged input
        if _is_memory_short(error):
            raise
        raise InvalidDataError(f"a damaged or truncated {magic.format} file") from error


def _samples(part: Any) -> NDArray[np.float32]:
    return np.asarray(part.to_ndarray(), np.float32).reshape(-1)


def _recording(container: Any) -> Recording:
    # A cover is a stream of one picture, marked as attached.
    pictures = [s for s in container.streams.video if not _is_cover(s)]
    sounds = list(container.streams.audio)
    if not pictures and not sounds:
        raise InvalidDataError("contains neither video nor sound")
    metadata = {str(k).casefold(): str(v) for k, v in container.metadata.items()}
    for stream in [*pictures, *sounds]:
        for key, value in stream.metadata.items():
            metadata.setdefault(str(key).casefold(), str(value))
    width, height = _size(container, pictures[0], metadata) if pictures else (None, None)
    others: dict[str, Json] = {"has_sound": True} if pictures and sounds else {}
    return Recording(
        has_pictures=bool(pictures),
        has_sound=bool(sounds),
        width=width,
        height=height,
        duration=_duration(container, [*pictures, *sounds]),
        facts=container_facts(metadata, others, is_sound=not pictures),
    )


def _is_cover(stream: Any) -> bool:
    disposition = getattr(stream, "disposition", None)
    return "attached_pic" in str(getattr(disposition, "name", disposition) or "").casefold()


def _size(container: Any, stream: Any, metadata: Mapping[str, str]) -> tuple[int, int]:
    """Return width and height as shown: rotated, and with square pixels."""
    width, height = stream.codec_context.width, stream.codec_context.height
    if not width or not height:
        raise InvalidDataError("a damaged video without a size")
    aspect = stream.codec_context.sample_aspect_ratio
    if aspect and 0.1 < float(aspect) < 10:
        width = round(width * float(aspect))
    turned = 0.0
    first = next(iter(container.decode(stream)), None)
    if first is None:
        raise InvalidDataError("a video without a frame")
    with suppress(ValueError):
        turned = float(getattr(first, "rotation", 0) or metadata.get("rotate", 0))
    return (height, width) if round(turned / 90) % 2 else (width, height)


def _duration(container: Any, streams: list[Any]) -> float | None:
    import av

    lengths = [container.duration / av.time_base] if container.duration else []
    lengths += [float(s.duration * s.time_base) for s in streams if s.duration and s.time_base]
    sensible = [s for s in lengths if math.isfinite(s) and 0 < s < _LONGEST]
    return round(sensible[0], 3) if sensible else None


def container_facts(
    metadata: Mapping[str, str], others: Mapping[str, Json], *, is_sound: bool = False
) -> Facts:
    """Return the facts in the metadata of a container; keys are in lower case."""
    notes: list[str] = []
    more: dict[str, Json] = dict(others)
    where = None
    for name in _PLACES:
        found = iso_6709(metadata.get(name, ""))
        if found is not None:
            where, altitude = found
            if altitude is not None:
                more["altitude"] = altitude
            break
    make, model = (clean(metadata.get(_APPLE + n) or metadata.get(n)) for n in ("make", "model"))
    artist = clean(
        metadata.get("artist") or metadata.get(_APPLE + "author") or metadata.get("author")
    )
    if is_sound and (album := clean(metadata.get("album"))):
        more["album_title"] = album
    return Facts(
        times=tuple(_times(metadata, notes, is_sound=is_sound)),
        point=where,
        texts=tuple(filter(None, (clean(metadata.get(name)) for name in _TEXTS))),
        creator=artist,
        camera=model if model.casefold().startswith(make.casefold()) else f"{make} {model}".strip(),
        others=more,
        notes=tuple(notes),
    )


def _times(metadata: Mapping[str, str], notes: list[str], *, is_sound: bool) -> list[Hint]:
    hints = []
    names = [*_ZONED_TIMES, *_UTC_TIMES]
    if not is_sound:  # the date of a song is its publication date
        names += _OTHER_TIMES
    for name in names:
        try:
            moment = parse_time(metadata.get(name, ""))
        except (ValueError, OverflowError):
            if name != "date":  # often a year
                notes.append("recording time ignored: impossible")
            continue
        if moment is None:
            continue
        if name in _UTC_TIMES:
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
            hints.append(Hint("container", moment, "utc"))
        elif moment.tzinfo is None:
            hints.append(Hint("container", moment, "wall"))
        else:
            hints.append(Hint("container", moment, "zoned"))
    return hints
