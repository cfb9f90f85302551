"""One message of a chat as a memory, and the rounds of a dialogue with an assistant."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from graphmemix.ingest.protocol import Reading, Skipped
from graphmemix.memory import Media, Memory, Place, Reference, content_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from graphmemix.record import Json

_LONGEST = 4_000_000  # characters; an archive stores records of up to 16 MiB


def message(
    source: str,
    session: str,
    sequence: int,
    text: str,
    *,
    speaker: str = "",
    timestamp: datetime | None = None,
    source_id: str = "",
    replies_to: str = "",
    round: str | None = None,  # noqa: A002  # the field's own name
    place: Place | None = None,
    media: Iterable[Media] = (),
    metadata: Mapping[str, Json] | None = None,
) -> Reading:
    """Return a message as a memory, or as `Skipped` if it is too long.

    The id depends on the message's id in the source and not on its position, so that an export of
    a part of the chat has the same memories. Empty metadata are left out.
    """
    if len(text) > _LONGEST:
        return Skipped(f"{session} message {sequence}", f"is longer than {_LONGEST:,} characters")
    memory = Memory.new(
        "message",
        text.strip(),
        source=source,
        source_id=source_id,
        session=session,
        round=round,
        sequence=None if source_id else sequence,
        speaker=speaker or None,
        timestamp=timestamp,
        place=place,
        media=tuple(media),
        references=(Reference("reply_to", replies_to),) if replies_to else (),
        metadata={k: v for k, v in (metadata or {}).items() if v not in (None, "", [], {}, False)},
    )
    if source_id:
        memory = replace(memory, id=content_id([memory.id, source_id]), sequence=sequence)
    return memory


class Stamps:
    """Creates ids for messages of sources without ids: from time and text, whatever the zone.

    Identical consecutive messages are numbered.
    """

    def __init__(self) -> None:
        self._clock: Json = None
        self._met: Counter[str] = Counter()

    def of(self, clock: Json, *said: str) -> str:
        """Return the id of the next message, from its time as written and its text."""
        if clock != self._clock:
            self._clock, self._met = clock, Counter()
        name = content_id([clock, *said])
        self._met[name] += 1
        return f"{name}/{self._met[name]}" if self._met[name] > 1 else name


class Rounds:
    """Numbers the rounds of a dialogue: a user message and everything up to the next one."""

    def __init__(self) -> None:
        self._round = 0
        self._role = ""

    def of(self, role: str) -> str:
        """Return the round of the next turn; turns before the user's first are round 0."""
        if role == "user" and self._role != "user":
            self._round += 1
        self._role = role
        return str(self._round)
