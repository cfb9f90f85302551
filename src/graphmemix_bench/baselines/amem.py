"""A-MEM: every memory becomes a note that may link to its neighbours and rewrite them.

By Xu et al., NeurIPS 2025. Text only. A new note is written by the model (keywords, context, tags),
then the model decides whether it links to any of its five nearest notes, and whether their contexts
and tags change. Nothing is ever deleted or merged.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
from pydantic import Field

from graphmemix.record import Record
from graphmemix_bench.baselines.asking import Schema, fenced
from graphmemix_bench.baselines.frame import System, Titles, kept, listed, made_of
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.weights import WordWeights
from graphmemix_bench.baselines.words import date_of, later, with_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.encode.protocol import Matrix
    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix_bench.baselines.asking import Asker
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Found, Journal, Made

_Word = Annotated[str, Field(max_length=64)]
_MOST_TAGS: Final = 8
_SHOWN: Final = 2000  # characters of a neighbour
_READ: Final = 1000  # characters: about what an encoder of 256 word pieces reads
_SIDE_BY_SIDE: Final = 8  # calls

TITLES: Final = Titles(
    "amem",
    "A-MEM",
    "links under the budget, vectors always fresh, no keyword call for a question",
    "keywords by weight, links by mutual neighbours, nothing is rewritten",
)


class _Written(Schema):
    keywords: list[_Word] = Field(min_length=3, max_length=8)
    context: str = Field(max_length=256)
    tags: list[_Word] = Field(min_length=3, max_length=_MOST_TAGS)


class _Update(Schema):
    label: str
    context: str = Field(max_length=256)
    tags: list[_Word] = Field(max_length=_MOST_TAGS)


class _Evolved(Schema):
    should_evolve: bool
    suggested_connections: list[str] = Field(max_length=5)
    tags_to_update: list[_Word] = Field(max_length=_MOST_TAGS)
    neighbor_updates: list[_Update] = Field(max_length=5)


@dataclass(frozen=True)
class Note(Record):
    """A memory as A-MEM stores it; `links` are places of older notes."""

    memory_id: str
    content: str
    context: str = "General"
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[int, ...] = ()
    date: str = ""

    @property
    def index_text(self) -> str:
        """What its vector is made of."""
        return (
            f"content: {self.content}\ncontext: {self.context}\n"
            f"keywords: {', '.join(self.keywords)}\ntags: {', '.join(self.tags)}"
        )


@dataclass(frozen=True)
class Change(Record):
    """What a new note changes in an older one."""

    note: int
    context: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evolution(Record):
    """What the arrival of a note decides; nothing by default."""

    links: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    changes: tuple[Change, ...] = field(default=())


class AMem(System):
    """A-MEM, with a model or with its stand-ins."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> AMemBuilt:
        """Write and connect the notes, memory by memory; see `Baseline.build`."""
        stored, texts = with_words(memories)
        encoding, asker = Encoding(self.encoder), self.asker()
        contents = encoding.texts(texts)
        if asker is None:
            written = _written_locally(stored, texts)
        else:
            written = await _written(asker, stored, texts, journal)
        notes: list[Note] = []
        rows = Rows(self.encoder.dimension)
        weights = WordWeights(texts)
        for number, note in enumerate(written):
            near = [
                row for row, _ in rows.best(contents[number][None], self.options.amem_neighbours)
            ]
            if not near:
                decided = Evolution()
            elif asker is None:
                decided = _evolved_locally(note, near, notes, rows, contents[number], weights)
            else:
                make = partial(_evolve, asker, note, near, notes)
                made = await kept(journal, f"evolve/{number}", make)
                decided = Evolution.from_json(str(made.value))
            _apply(decided, note, notes, rows, encoding)
        encoding.keep(journal)
        return AMemBuilt(self, stored, notes, rows, len(memories) - len(stored))


def _apply(
    decided: Evolution, note: Note, notes: list[Note], rows: Rows, encoding: Encoding
) -> None:
    """Change older notes as decided, renew exactly their vectors, and append the new one."""
    for change in decided.changes:
        old = notes[change.note]
        new = replace(old, context=change.context or old.context, tags=change.tags or old.tags)
        if new != old:
            notes[change.note] = new
            rows.replace(change.note, encoding.texts([new.index_text])[0])
    notes.append(replace(note, links=decided.links, tags=decided.tags or note.tags))
    rows.add(encoding.texts([notes[-1].index_text]))


async def _written(
    asker: Asker, memories: Sequence[Memory], texts: Sequence[str], journal: Journal
) -> list[Note]:
    """Have all notes written, several at a time: they do not depend on each other."""
    slots = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def one(memory: Memory, text: str) -> Note:
        async with slots:
            made = await kept(journal, f"write/{memory.id}", partial(_write, asker, memory, text))
        return Note.from_json(str(made.value))

    tasks = []
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(one(memory, text))
                for memory, text in zip(memories, texts, strict=True)
            ]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


async def _write(asker: Asker, memory: Memory, text: str) -> Made:
    reply = await asker.reply("amem_write", fenced(text), _Written, "write")
    note = Note(memory.id, text, date=date_of(memory))
    if reply.value is not None:
        found = reply.value
        note = replace(
            note,
            context=found.context.strip() or note.context,
            keywords=tuple(found.keywords),
            tags=tuple(found.tags),
        )
    return made_of(reply, note.to_json(), [memory.id])


async def _evolve(asker: Asker, note: Note, near: Sequence[int], notes: Sequence[Note]) -> Made:
    labels = {f"N{place}": row for place, row in enumerate(near, start=1)}
    shown = [
        f"{label} ({notes[row].date or 'no date'})\n{fenced(notes[row].index_text[:_SHOWN])}"
        for label, row in labels.items()
    ]
    text = "\n\n".join([f"New card\n{fenced(note.index_text)}", "Neighbours", *shown])
    reply = await asker.reply("amem_evolve", text, _Evolved, "write")
    return made_of(reply, _decided(reply.value, labels).to_json(), [note.memory_id])


def _decided(found: _Evolved | None, labels: dict[str, int]) -> Evolution:
    """Return what a reply decides; labels that were not given are passed over."""
    if found is None or not found.should_evolve:
        return Evolution()
    links = dict.fromkeys(labels[each] for each in found.suggested_connections if each in labels)
    changes = {
        labels[each.label]: Change(labels[each.label], each.context.strip(), tuple(each.tags))
        for each in found.neighbor_updates
        if each.label in labels
    }
    return Evolution(tuple(links), tuple(found.tags_to_update), tuple(changes.values()))


def _written_locally(memories: Sequence[Memory], texts: Sequence[str]) -> list[Note]:
    """Return notes with the most telling words, the first sentence, and tags by kind and month."""
    weights = WordWeights(texts)
    notes = []
    for memory, text in zip(memories, texts, strict=True):
        name = set((memory.speaker or "").casefold().split())
        body = text.partition("\n")[2] or text
        sentence = " ".join(body.replace("\n", " ").split(". ")[0].split()[:40])[:256]
        tags = [memory.kind, *memory.modalities, memory.source or "", date_of(memory)[:7]]
        notes.append(
            Note(
                memory.id,
                text,
                sentence or "General",
                tuple(weights.keywords(body, 8, without=name)),
                tuple(dict.fromkeys(tag for tag in tags if tag))[:_MOST_TAGS],
                date=date_of(memory),
            )
        )
    return notes


def _evolved_locally(
    note: Note,
    near: Sequence[int],
    notes: Sequence[Note],
    rows: Rows,
    content: Matrix,
    weights: WordWeights,
) -> Evolution:
    """Link to neighbours among whose nearest the new note is too; they gain a shared keyword."""
    links, changes = [], []
    for row in near:
        likeness = rows.matrix @ rows.matrix[row]
        nearer = int((np.delete(likeness, row) > float(content @ rows.matrix[row])).sum())
        if nearer >= len(near):
            continue
        links.append(row)
        shared = set(note.keywords) & set(notes[row].keywords) - set(notes[row].tags)
        if shared and len(notes[row].tags) < _MOST_TAGS:
            gained = max(sorted(shared), key=weights.rarity)
            changes.append(Change(row, "", (*notes[row].tags, gained)))
    return Evolution(tuple(links), (), tuple(changes))


class AMemBuilt:
    """The notes of a context."""

    def __init__(
        self, of: AMem, memories: Sequence[Memory], notes: list[Note], rows: Rows, silent: int
    ) -> None:
        self._of = of
        self._memories = memories
        self.notes = notes
        self.rows = rows
        self._silent = silent
        self._cut = sum(len(note.content) > _READ for note in notes)

    async def find(self, question: Question, budget: int) -> Found:
        """Return hits, each followed by its linked notes, within the budget."""
        parts, seconds = asked(question, self._of.encoder)
        hidden = later(self._memories, question)
        hits = self.rows.best(parts, budget, hidden)
        order: dict[int, float] = {}
        for row, score in hits:
            order.setdefault(row, score)
            if self._of.options.amem_links == "inline":
                for link in self.notes[row].links:
                    if link not in hidden:
                        order.setdefault(link, score)
        words = {note.memory_id: f"{note.content}\nContext: {note.context}" for note in self.notes}
        ranked = [(self.notes[row].memory_id, score) for row, score in order.items()]
        figures = {"seen": len(order), "silent": self._silent, "cut_notes": self._cut}
        return listed(ranked, budget, words, seconds, **figures)


def open_amem(parts: BaselineParts) -> AMem:
    """Return A-MEM on these parts."""
    return AMem.opened(TITLES, parts, ("amem_write", "amem_evolve"), ("amem_",))
