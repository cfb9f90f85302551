"""The vectors of views: which views get one, and the same words encoded once."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from graphmemix.encode.pixels import pixels_of
from graphmemix.errors import ArchiveDamagedError, InvalidDataError, MissingExtraError
from graphmemix.memory import CONTEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphmemix.encode.protocol import Encoder, Progress
    from graphmemix.memory import View
    from graphmemix.settings import ViewSettings
    from graphmemix.store.media import MediaFolder
    from graphmemix.store.protocol import Vector

Content: TypeAlias = tuple[str, str | None, float | None]
"""What a vector depends on: words, or the picture of a file at a second."""

PICTURES: Final = frozenset({"image", "frame"})
"""Kinds of views that hold pixels. One that cannot be read has no vector."""


_MOST_RECENT: Final = 20_000  # texts, with vectors of 30 MB
# Of the length of a memory's words. On seven households the pool gains 0.2 points and the first ten
# lose 0.3; a tenth would cost 0.6.
_LITTLE: Final = 0.05


class ViewEncoding:
    """Makes the vectors of views."""

    def __init__(self, encoder: Encoder, media: MediaFolder, settings: ViewSettings) -> None:
        """Prepare; the settings say how long a part is, and how many of a memory get a vector."""
        self._encoder = encoder
        self._media = media
        self._settings = settings
        self._recent: dict[str, Vector] = {}  # newsletters and signatures repeat whole chunks

    def encodable(self, views: Iterable[View]) -> list[View]:
        """Return the views that get a vector."""
        listed = list(views)
        words = _distinct(_first_parts(listed, self._settings))
        if not self._encoder.sees_images:
            return words
        return [*words, *(view for view in listed if view.kind in PICTURES)]

    def vectors(
        self, views: Iterable[View], progress: Progress | None = None
    ) -> dict[Content, Vector]:
        """Return the vectors of those views that get one; the same words are encoded once."""
        encodable = self.encodable(views)
        texts = list(dict.fromkeys(view.text for view in encodable if view.text))
        recent = self._recent  # another thread may replace it meanwhile
        known = {text: recent[text] for text in texts if text in recent}
        if new := [text for text in texts if text not in known]:
            rows = self._encoder.texts(new, progress=progress)
            known |= zip(new, rows, strict=True)
            self._recent = known if len(recent) + len(new) > _MOST_RECENT else recent | known
        made: dict[Content, Vector] = {(text, None, None): row for text, row in known.items()}
        for view in encodable:
            if view.kind in PICTURES:
                # A picture that is damaged or cannot be read is still found by its words.
                with suppress(InvalidDataError, ArchiveDamagedError, MissingExtraError):
                    data = pixels_of(view, self._media)
                    if data is not None:
                        made[content(view)] = self._encoder.images([data])[0]
        return made


def content(view: View) -> Content:
    """Return what a view's vector depends on."""
    if view.kind in PICTURES:
        return "", view.media_sha256, view.seconds
    return view.text, None, None


def _first_parts(views: Sequence[View], settings: ViewSettings) -> Iterator[View]:
    """Yield the views whose words get a vector: the first parts of a memory, and its context.

    Encoders cut a context that is longer than a part to about its first part, which has a vector as
    the words of the memory or of the one that it answers; all of it is found by words. So are the
    few words that a context may have before the memory's own: who wrote a long mail changes its
    vector by next to nothing.
    """
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for view in views:
        if view.kind == "text":
            texts[view.memory_id].append(view.text)
    count: Counter[str] = Counter()
    for view in views:
        if not view.text:
            continue
        if view.kind in CONTEXTS:
            own = texts[view.memory_id]
            fits = len(own) == 1 and len(view.text) <= settings.chunk_characters
            if not own or (fits and not _adds_little(view.text, own[0])):
                yield view
            continue
        count[view.memory_id] += 1
        if count[view.memory_id] <= settings.encoded_parts:
            yield view


def _adds_little(context: str, own: str) -> bool:
    """Return whether a context is a memory's own words behind a few others."""
    return context.endswith(own) and 0 < len(context) - len(own) <= _LITTLE * len(own)


def _distinct(views: Iterable[View]) -> list[View]:
    """Return views without those that repeat the words of another view of the same memory."""
    first: dict[tuple[str, str], View] = {}
    for view in views:
        first.setdefault((view.memory_id, view.text), view)
    return list(first.values())
