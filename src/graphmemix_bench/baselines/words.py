"""The words of a memory as text baselines store them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from graphmemix.read.packet import SEEN_TEXT, canonical
from graphmemix.text.quoting import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory

_LONG_OCR: Final = 1024  # characters
_MANY_TOKENS: Final = 128
_REPEATS: Final = 3
_NUMBERS_SHOWN: Final = 6
_MANY_NUMBERS: Final = 16


def worded(memory: Memory) -> str:
    """Return the words of a memory: a head of what is known, then its text and descriptions.

    Empty for a memory without words, which text baselines do not store.
    """
    body = canonical(memory)
    if not body:
        return ""
    known = (
        ("", date_of(memory)),
        ("by ", memory.speaker or ""),
        ("session ", memory.session or ""),
        ("at ", memory.place.name if memory.place else ""),
    )
    head = "; ".join(f"{label}{one_line(value)}" for label, value in known if value)
    return f"{head}\n{body}" if head else body


def fielded(memory: Memory) -> str:
    """Return a memory as fixed lines of key and value, as schema-guided memory writes it."""
    media = [medium.description for medium in memory.media]
    fields = (
        ("kind", memory.kind),
        ("time", date_of(memory)),
        ("place", memory.place.name if memory.place else ""),
        ("from", memory.speaker or ""),
        ("subject", str(memory.metadata.get("subject") or "")),
        ("text", memory.text),
        ("short caption", " ".join(each.short_caption for each in media)),
        ("caption", " ".join(each.caption for each in media)),
        ("text in picture", " ".join(each.ocr for each in media)),
        ("tags", " ".join(map(str, _tags(memory)))),
    )
    return "\n".join(f"{key}: {value.strip()}" for key, value in fields if value.strip())


def _tags(memory: Memory) -> list[object]:
    tags = memory.metadata.get("tags")
    return list(tags) if isinstance(tags, list) else []


def date_of(memory: Memory) -> str:
    """Return day and time of a memory; midnight means that only the day is known."""
    when = memory.timestamp
    if when is None:
        return ""
    return f"{when:%Y-%m-%d}" if not (when.hour or when.minute) else f"{when:%Y-%m-%d %H:%M}"


def with_words(memories: Iterable[Memory]) -> tuple[list[Memory], list[str]]:
    """Return the memories that have words, each once, and their words."""
    texts = {memory.id: (memory, worded(memory)) for memory in memories}
    kept = [(memory, text) for memory, text in texts.values() if text]
    return [memory for memory, _ in kept], [text for _, text in kept]


def later(memories: Sequence[Memory], question: Question) -> set[int]:
    """Return the places of memories from after the question's `as_of`, which must not be found."""
    until = question.as_of
    if until is None:
        return set()
    return {
        place
        for place, memory in enumerate(memories)
        if memory.timestamp is not None and memory.timestamp > until
    }


def compacted(text: str) -> str:
    """Return words with long text in pictures cut down; other lines stay as they are.

    Runs of 16 or more numbers keep their first 6. Text of more than 128 words or 1,024 characters
    keeps each word at most three times, and 1,024 characters. Doing it twice changes nothing.
    """
    return "\n".join(
        SEEN_TEXT + _compact(line.removeprefix(SEEN_TEXT)) if line.startswith(SEEN_TEXT) else line
        for line in text.split("\n")
    )


def _compact(text: str) -> str:
    short = " ".join(_without_tables(text.split(" ")))
    words = short.split(" ")
    if len(words) <= _MANY_TOKENS and len(short) <= _LONG_OCR:
        return short
    counts: dict[str, int] = {}
    kept = []
    for word in words:
        counts[word] = counts.get(word, 0) + 1
        if counts[word] <= _REPEATS:
            kept.append(word)
    return " ".join(kept)[:_LONG_OCR].rstrip()


def _without_tables(words: list[str]) -> Iterator[str]:
    """Yield words; of a long run of numbers only the first few."""
    for numeric, run in groupby(words, key=lambda word: word[:1].isdigit()):
        found = list(run)
        if numeric and len(found) >= _MANY_NUMBERS:
            yield from (*found[:_NUMBERS_SHOWN], "(more numbers)")
        else:
            yield from found
