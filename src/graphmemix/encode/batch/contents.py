"""What an archive wants encoded: the words and pictures of all views of all memories."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.encode.exchange import exchange_keys, keys_around
from graphmemix.encode.pixels import pixels_of
from graphmemix.encode.views import views_of
from graphmemix.errors import ArchiveDamagedError, InvalidDataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphmemix.memory import Memory, View
    from graphmemix.settings import ViewSettings
    from graphmemix.store.protocol import Store

_PAGE = 256  # memories read at a time
_PICTURES: Final = frozenset({"frame", "image"})


class Content(NamedTuple):
    """One thing to encode.

    Attributes:
        key: Under which its vector is kept; None for a picture that cannot be read.
        text: Its words; None for a picture.
        read: Returns its encoded picture; None for words.
    """

    key: bytes | None
    text: str | None = None
    read: Callable[[], bytes] | None = None


class Expected(NamedTuple):
    """About how many contents there are: a memory without views counts as one of words."""

    texts: int
    pictures: int


def expected(store: Store) -> Expected:
    """Return about how many contents an archive holds."""
    views = store.stats().views
    pictures = sum(views.get(kind, 0) for kind in _PICTURES)
    return Expected(sum(views.values()) - pictures + len(store.without_words()), pictures)


def contents(store: Store, settings: ViewSettings, *, pictures: bool) -> Iterator[list[Content]]:
    """Yield the contents of an archive, those of some hundred memories at a time.

    Memories that were not indexed yet are looked at as `index` will look at them when it is done.
    No snapshot is held: what changes meanwhile is encoded when the vectors are taken up.
    """
    pending = _Pending(store)
    for page in _pages(store):
        stored = store.views(page)
        memories = store.get_many([i for i in page if not stored.get(i)])
        made: list[Content] = []
        for memory_id in page:
            views = stored.get(memory_id, ())
            if memory_id in memories:
                memory = memories[memory_id]
                views = views_of(memory, pending.around(memory), settings)
            shown = [view for view in views if pictures or view.kind not in _PICTURES]
            made += [_content(view, store) for view in shown]
        yield made


def _content(view: View, store: Store) -> Content:
    if view.kind not in _PICTURES or view.media_sha256 is None:
        return Content(text_key(view.text), text=view.text)
    # What cannot be read has no vector anywhere; it is found by its words.
    with suppress(InvalidDataError, ArchiveDamagedError, MissingExtraError):
        if view.kind == "image":
            sha256 = view.media_sha256
            return Content(bytes.fromhex(sha256), read=lambda: store.media.read(sha256))
        frame = pixels_of(view, store.media)
        if frame is not None:
            return Content(picture_key(frame), read=lambda: frame)
    return Content(None)


def _pages(store: Store) -> Iterator[list[str]]:
    """Yield all ids. They are listed at once: pages behind an id need that memory to be there."""
    ids: list[str] = []
    with store.snapshot():
        while page := store.find(limit=_PAGE, after=ids[-1] if ids else None):
            ids += [memory.id for memory in page]
    for first in range(0, len(ids), _PAGE):
        yield ids[first : first + _PAGE]


class _Pending:
    """Finds the rest of an exchange among memories whose keys are not stored yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._holders: dict[str, list[str]] = {}
        ids = store.without_vectors()
        for first in range(0, len(ids), _PAGE):
            for memory in store.get_many(ids[first : first + _PAGE]).values():
                for key in exchange_keys(memory):
                    self._holders.setdefault(key, []).append(memory.id)

    def around(self, memory: Memory) -> list[Memory]:
        keys = keys_around(memory)
        if not keys:
            return []
        found = {other.id: other for other in self._store.with_keys(keys)}
        ids = {i for key in keys for i in self._holders.get(key, ())} - found.keys() - {memory.id}
        return [*found.values(), *self._store.get_many(ids).values()]


def text_key(text: str) -> bytes:
    """Return the key of a text. It is never that of a picture."""
    return hashlib.sha256(b"text\0" + text.encode("utf-8", "surrogatepass")).digest()


def picture_key(data: bytes) -> bytes:
    """Return the key of an encoded picture: its SHA-256, as the media folder names it."""
    return hashlib.sha256(data).digest()
