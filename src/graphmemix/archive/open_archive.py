"""An archive that is open: its store, encoder and settings, and what answers and changes it.

The methods of `Archive` are in the classes above this one: `archive.py`,
`question_methods.py`, `upkeep_methods.py`.
"""

from __future__ import annotations

import os
import threading
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias, get_args

from graphmemix import registry
from graphmemix.encode.specs import encoder_for
from graphmemix.errors import ArchiveClosedError, GraphMemixError, InvalidInputError
from graphmemix.ingest.zone import stored_zone
from graphmemix.memory import ViewKind
from graphmemix.settings import Settings, ViewSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from graphmemix.archive.upkeep import Upkeep
    from graphmemix.asking import Questions
    from graphmemix.encode.protocol import Encoder
    from graphmemix.llm.chat import Chat
    from graphmemix.store.media import MediaFolder
    from graphmemix.store.protocol import Store

__all__ = ["Mode", "OpenArchive"]

Mode: TypeAlias = Literal["write", "shared", "read"]

_REPLIES: Final = "replies"  # folder of cached model replies, below the media; erasing empties it
_ENCODER: Final = ("identity", "dimension", "sees_images", "texts")
_CHAT: Final = ("identity", "sees_images", "complete", "stream")


class OpenArchive:
    """Opens an archive, holds its parts, and closes it."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder,
        settings: Settings,
        *,
        kinds: Sequence[ViewKind] | None = None,
        chat: Chat | None = None,
        open_writer: Callable[[], Store] | None = None,
    ) -> None:
        """Assemble an archive from its parts; usually `open` does this.

        Args:
            store: Holds the memories.
            encoder: Makes vectors.
            settings: All settings.
            kinds: Search these views only; by default those enabled in the settings.
            chat: The language model; by default the one in the settings, if any.
            open_writer: Opens the store for writing while a trace is saved, if `store` is open
                for reading.
        """
        self.encoder = encoder
        self.settings = settings
        self._store = store
        self._is_closed = False
        self._kinds = tuple(kinds) if kinds is not None else _kinds(settings.views)
        self._chat = chat
        self._open_writer = open_writer
        self._answering: Questions | None = None
        self._changing: Upkeep | None = None
        self._making = threading.Lock()  # threads may share an archive

    @classmethod
    def open(
        cls,
        location: str | Path,
        *,
        mode: Mode = "write",
        encoder: Encoder | str | None = None,
        settings: Settings | None = None,
        chat: Chat | None = None,
        wait: float = 5.0,
        keep_traces: bool = False,
    ) -> Self:
        """Open an archive; in mode ``write`` or ``shared``, create it if it does not exist.

        Args:
            location: A folder, or ``postgresql://user@host/database#archive``.
            mode: One process may write at a time; any number may read meanwhile. In mode
                ``shared``, this process is the writer only while it changes something, so that
                several processes can add to an archive in turn.
            encoder: An encoder or its name, such as ``clip:FOLDER``; by default the one in the
                settings.
            settings: By default those of the user's file and environment.
            chat: The language model; by default the one in the settings, if any.
            wait: Seconds to wait for another writer to finish.
            keep_traces: In mode ``read``: save traces of questions anyway, by a short write after
                each answer. If another process is writing at that moment, the trace is not saved.

        Raises:
            StoreError: It cannot be opened; the subclass says why.
            InvalidInputError: Unknown encoder or kind of store, or an argument of a wrong type.
            MissingExtraError: The encoder or the store needs an extra that is not installed.
        """
        _require_parts(location, mode, encoder, settings, chat)
        chosen = settings or Settings.load()
        named = chosen.encoder.model if encoder is None else encoder
        if isinstance(named, str):
            registry.load("encoders", named.strip().partition(":")[0])  # a wrong name fails early
        scheme, is_address, _ = str(location).partition("://")
        make_store = registry.load("stores", scheme if is_address else "folder")
        open_writer = None
        if keep_traces and mode == "read":
            open_writer = partial(make_store, location, mode="write", wait=0)
        store = make_store(location, mode=mode, wait=wait)
        try:
            made = encoder_for(named, store.encoder()) if isinstance(named, str) else named
        except BaseException:
            store.close()
            raise
        if not chosen.ingest.zone and (zone := stored_zone(store)):
            inside = chosen.ingest.model_copy(update={"zone": zone})
            chosen = chosen.model_copy(update={"ingest": inside})
        return cls(store, made, chosen, chat=chat, open_writer=open_writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release everything. Closing twice is harmless; any other use raises afterwards."""
        self._is_closed = True
        if self._answering is not None:
            self._answering.close()
        self._store.close()

    @property
    def store(self) -> Store:
        """Where the memories are.

        Raises:
            ArchiveClosedError: The archive was closed.
        """
        if self._is_closed:
            raise ArchiveClosedError(self.name)
        return self._store

    @property
    def name(self) -> str:
        """The folder of the archive, or its name in a database."""
        return self._store.name

    def __repr__(self) -> str:
        if self._is_closed:
            return f"<Archive {self.name}, closed>"
        try:
            count = self._store.count()
        except GraphMemixError as error:  # a repr never raises
            return f"<Archive {self.name}, {error}>"
        memories = "1 memory" if count == 1 else f"{count:,} memories"
        return f"<Archive {self.name}, {memories}>"

    @property
    def replies(self) -> Path:
        """The folder of the model reply cache."""
        return self._store.media.root / _REPLIES

    @property
    def media(self) -> MediaFolder:
        """The media folder; store files there before adding the memories they belong to."""
        return self.store.media

    @property
    def _questions(self) -> Questions:
        _ = self.store  # raises if the archive is closed
        with self._making:
            if self._answering is None:
                from graphmemix.asking.questions import Questions  # other uses start without it

                self._answering = Questions(
                    self._store,
                    self.encoder,
                    self.settings,
                    self._kinds,
                    self.replies,
                    chat=self._chat,
                    open_writer=self._open_writer,
                )
            return self._answering

    @property
    def _upkeep(self) -> Upkeep:
        _ = self.store  # raises if the archive is closed
        with self._making:
            if self._changing is None:
                from graphmemix.archive.upkeep import Upkeep  # who only asks needs none of it

                self._changing = Upkeep(self._store, self.encoder, self.settings)
            return self._changing


def _kinds(views: ViewSettings) -> tuple[ViewKind, ...]:
    """Return the kinds of views that these settings enable."""
    off: set[ViewKind] = set()
    if not views.context:
        off.add("context")
    if not views.transcript:
        off.add("transcript")
    if not views.pixels:
        off |= {"image", "frame"}
    return tuple(kind for kind in get_args(ViewKind) if kind not in off)


def _require_parts(
    location: object, mode: object, encoder: object, settings: object, chat: object
) -> None:
    """Refuse what cannot be a part of an archive, before anything is opened.

    Raises:
        InvalidInputError: Names the argument, and what it has to be.
    """
    if not isinstance(location, str | os.PathLike):
        raise _wrong("location", "a folder, or postgresql://…/database#archive", location)
    if mode not in get_args(Mode):
        expected = ", ".join(map(repr, get_args(Mode)))
        raise InvalidInputError(f"mode: must be one of {expected}, not {mode!r:.80}")
    if not (encoder is None or isinstance(encoder, str) or _has_all(encoder, _ENCODER)):
        raise _wrong("encoder", "an encoder, or the name of one such as 'hashing'", encoder)
    if not (settings is None or isinstance(settings, Settings)):
        example = "Settings.load(overrides={'forest.budget': 8})"
        raise _wrong("settings", f"Settings, such as {example}", settings)
    if not (chat is None or _has_all(chat, _CHAT)):
        expected = "a chat model with complete() and stream(), such as graphmemix.llm.OpenAiChat"
        raise _wrong("chat", expected, chat)


def _has_all(value: object, names: Iterable[str]) -> bool:
    """Return whether an object has attributes, without working any of them out."""
    # Of the class: to name an encoder's identity may read gigabytes. An instance may have its own.
    own = getattr(value, "__dict__", {})
    return not isinstance(value, type) and all(
        hasattr(type(value), name) or name in own for name in names
    )


def _wrong(name: str, expected: str, value: object) -> InvalidInputError:
    found = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
    return InvalidInputError(f"{name}: must be {expected}, not {found}")
