"""`forward_of` (ours): a mail that forwards another, and that one."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from graphmemix.relate.groups import Grouped, Rule
from graphmemix.relate.keys import group_name
from graphmemix.relate.moments import in_time
from graphmemix.relate.subjects import normal_subject
from graphmemix.text.folding import plain, words
from graphmemix.text.mail import forwarded_text, mail_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.memory import Memory
    from graphmemix.settings import GraphSettings

_BEGINNING: Final = 10  # words of a text that tell it from others with the same subject
_READ_FIRST: Final = 400  # characters, in which so many words are nearly always
_LEAST: Final = 4  # words; fewer are an answer that anybody may have given
_MOST_CHARACTERS: Final = 20_000


def forward_of(settings: GraphSettings) -> Grouped:
    """Link a mail with the mails that it forwards: same subject, and the text begins the same.

    Whatever lies between them in time, and whatever source each came from. Of several copies of the
    original the earliest ``group_neighbours`` count.
    """

    def link(
        _name: str, members: Sequence[Memory], others: Sequence[Memory]
    ) -> Iterable[tuple[Memory, Memory]]:
        originals = sorted(others, key=in_time)[: settings.group_neighbours]
        return ((one, other) for one in members for other in originals if one.id != other.id)

    return Grouped("forward_of", (Rule("forwards", _forwarded, link, "begins", _own),))


def _forwarded(memory: Memory) -> Iterable[str]:
    if memory.kind == "email":
        yield from _name(memory, forwarded_text(memory.text[:_MOST_CHARACTERS]))


def _own(memory: Memory) -> Iterable[str]:
    if memory.kind == "email" and not forwarded_text(memory.text[:_MOST_CHARACTERS]):
        own = mail_parts(memory.text[:_MOST_CHARACTERS]).own
        subject = memory.metadata.get("subject")
        yield from _name(memory, own.removeprefix(subject if isinstance(subject, str) else ""))


def _name(memory: Memory, text: str) -> Iterable[str]:
    subject = memory.metadata.get("subject")
    beginning = _first_words(text)
    if len(beginning) >= _LEAST:
        about = normal_subject(subject) if isinstance(subject, str) else ""
        yield group_name(about, " ".join(beginning))


def _first_words(text: str) -> list[str]:
    """Return the first words of a text, of which no more is read than that takes."""
    found = _words_in(text[:_READ_FIRST])
    if len(found) <= _BEGINNING:  # a long word, or the last one that was found, may go on
        found = tuple(islice(words(plain(text)), _BEGINNING))
    return list(found[:_BEGINNING])


@lru_cache(maxsize=1 << 10)
def _words_in(beginning: str) -> tuple[str, ...]:
    """Return one word more than needed; remembered, since each rule asks several times."""
    return tuple(islice(words(plain(beginning)), _BEGINNING + 1))
