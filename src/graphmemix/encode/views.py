"""The views under which a memory is found (METHOD section 1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.encode.chunks import chunks
from graphmemix.encode.exchange import came_later, companions
from graphmemix.memory import Media, Memory, View, ViewKind
from graphmemix.text.mail import mail_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphmemix.settings import ViewSettings


# IMG_2748.HEIC, PXL_20230714_111242420.jpg, 20240401_130613.jpg, IMG-20230714-WA0019.jpg, DSC01234
_CAMERA_NAME = re.compile(
    r"[A-Za-z]{0,6}[_\- ]?[0-9]{3,20}(?:[_\-][0-9]{1,20}){0,3}(?:-WA[0-9]{1,6})?(?:\.\w{2,5})?"
)


def views_of(memory: Memory, around: Sequence[Memory], settings: ViewSettings) -> tuple[View, ...]:
    """Return all views of a memory, the canonical one first.

    Args:
        memory: Whose views.
        around: Memories among which the other half of its exchange is: the rest of its round, the
            mail that it answers, the turn before it. They go into context views only.
        settings: Which views to make, and how long a part of a long text is.
    """
    made: list[View] = []
    for kind, text, medium, seconds in _parts(memory, around, settings):
        sha256 = None if medium is None else medium.sha256
        made.append(View(memory.id, kind, len(made), text, sha256, seconds))
    return tuple(made)


def _parts(
    memory: Memory, around: Sequence[Memory], settings: ViewSettings
) -> Iterator[tuple[ViewKind, str, Media | None, float | None]]:
    # Where no other view holds what a mail quotes, its words are all of them.
    whole = memory.kind == "email" and not settings.context
    for text in _chunked(memory.text if whole else spoken(memory), settings):
        yield "text", text, None, None
    if memory.kind == "email" and settings.context and not companions(memory, around):
        for text in _chunked(mail_parts(memory.text).quoted, settings):
            yield "quoted", text, None, None
    for medium in memory.media:
        yield from _media_parts(medium, settings)
    if settings.context:
        yield from ((kind, text, None, None) for kind, text in _contexts(memory, around) if text)


def _contexts(memory: Memory, around: Sequence[Memory]) -> Iterator[tuple[ViewKind, str]]:
    """Yield the views that hold all words of a memory and of its exchange.

    One is enough, unless something came after the memory: as of a moment between the two, what a
    view holds of the later one must not count, so there is a second view without it.
    """
    others = companions(memory, around)
    if not any(came_later(other, memory) for other in others):
        yield "context", _together(memory, others)
        return
    yield "exchange", _together(memory, others)
    earlier = [other for other in around if not came_later(other, memory)]
    yield "past", _together(memory, companions(memory, earlier))


def _together(memory: Memory, others: Iterable[Memory]) -> str:
    """Return the words of an exchange in order, so that all its halves share one text."""
    return " ".join(filter(None, map(_labelled, sorted([memory, *others], key=_order))))


def _labelled(memory: Memory) -> str:
    """Return all words of a memory behind what else a question may name it by.

    That is who wrote or took it, where, the album, and the names of its files unless a camera gave
    them. A photo without a caption is found by these alone.
    """
    labels = ["" if memory.kind == "message" and memory.text else memory.speaker or ""]
    if memory.place is not None:
        labels.append(memory.place.name or "")
    albums = memory.metadata.get("albums") or [memory.metadata.get("album")]
    labels += [each for each in albums if isinstance(each, str)] if isinstance(albums, list) else []
    labels += [medium.name or "" for medium in memory.media if not _is_by_camera(medium)]
    unknown = labels[0].casefold() in {"user", "assistant", "system"}
    return " ".join(filter(None, [*labels[unknown:], all_words(memory)]))


def _is_by_camera(medium: Media) -> bool:
    """Return whether a medium has the name that a camera or a recorder gives, or a bare number."""
    name = medium.name or ""
    says_nothing = not any(letter.isalpha() for letter in name.rpartition(".")[0] or name)
    return medium.modality != "text" and (says_nothing or bool(_CAMERA_NAME.fullmatch(name)))


def _media_parts(
    medium: Media, settings: ViewSettings
) -> Iterator[tuple[ViewKind, str, Media | None, float | None]]:
    """Yield the views of one medium: pixels first, then the words that describe it."""
    if settings.pixels and medium.sha256 is not None:
        if medium.modality == "image":
            yield "image", "", medium, None
        elif medium.modality == "video":
            for seconds in frame_times(medium, settings.frames):
                yield "frame", "", medium, seconds
    described = medium.description
    for caption in dict.fromkeys((described.caption, described.short_caption)):
        for text in _chunked(caption, settings):
            yield "caption", text, medium, None
    for text in _chunked(described.ocr, settings):
        yield "ocr", text, medium, None
    if settings.transcript:
        for text in _chunked(described.transcript, settings):
            yield "transcript", text, medium, None


def frame_times(medium: Media, count: int) -> list[float]:
    """Return the middles of `count` equal parts of a video, in seconds."""
    duration = medium.duration or 0.0
    return [duration * (i + 0.5) / count for i in range(count)] if duration else [0.0]


def spoken(memory: Memory) -> str:
    """Return a memory's own words: with who said them, since questions name people.

    Of a mail, what its sender wrote: no quotes, no signature, no boilerplate.
    """
    if memory.kind == "email":
        return mail_parts(memory.text).own or memory.text
    named = memory.speaker and memory.speaker.casefold() not in {"user", "assistant", "system"}
    if named and memory.text and memory.kind == "message":
        return f"{memory.speaker}: {memory.text}"
    return memory.text


def _order(memory: Memory) -> tuple[int, float, str]:
    when = memory.timestamp.timestamp() if memory.timestamp is not None else 0.0
    return memory.sequence or 0, when, memory.id


def all_words(memory: Memory) -> str:
    """Return a memory's own words and all those that describe its media."""
    words = [spoken(memory)]
    for medium in memory.media:
        described = medium.description
        words += [described.caption or described.short_caption, described.ocr, described.transcript]
    return " ".join(filter(None, map(str.strip, words)))


def _chunked(text: str, settings: ViewSettings) -> list[str]:
    return chunks(text, size=settings.chunk_characters, overlap=settings.chunk_overlap)
