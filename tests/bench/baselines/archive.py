"""A small archive for baselines, and what they are made of."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.evidence import Question
from graphmemix.llm import Chat
from graphmemix.memory import Description, Media, Memory
from graphmemix.settings import Settings
from graphmemix_bench.baselines import Baseline, Built, Found, Journal, MemoryJournal
from graphmemix_bench.baselines.catalogue import BASELINES, BaselineParts
from graphmemix_bench.baselines.options import BaselineOptions

ENCODER = HashingEncoder(256)
TALK = (
    ("user", "The ferry to Hvar leaves at seven in the morning."),
    ("friend", "Seven sharp, then I set an alarm."),
    ("user", "Doctor Brandt looked after our cat Momo."),
    ("friend", "The vet near the harbour? She is kind."),
    ("user", "I painted the balcony green."),
    ("friend", "Lovely, the neighbours will stare."),
    ("user", "The shop in Kant street repaired my bicycle."),
    ("friend", "For how much? Mine has a flat tyre."),
)


def memories() -> tuple[Memory, ...]:
    """Eight turns in two sessions, a photo with a caption, and a photo that nobody described."""
    turns = tuple(
        Memory(
            f"m{number}",
            "message",
            text,
            session="one" if number < 4 else "two",
            round=str(number // 2),
            sequence=number,
            speaker=who,
            timestamp=datetime(2024, 5, 1 + number, 12, 0, tzinfo=UTC),
        )
        for number, (who, text) in enumerate(TALK)
    )
    described = Media("image", name="cat.jpg", description=Description(caption="A grey cat, Momo"))
    photo = Memory("p0", "photo", media=(described,), timestamp=datetime(2024, 6, 1, tzinfo=UTC))
    silent = Memory("p1", "photo", media=(Media("image", name="x.jpg"),))
    return (*turns, photo, silent)


def parts(chat: Chat | None = None, **options: object) -> BaselineParts:
    """What baselines are made of, without files and servers."""
    settings = Settings.load(environment={"HOME": "/nowhere"}, overrides={})
    changed = BaselineOptions().changed((name, str(value)) for name, value in options.items())
    return BaselineParts(ENCODER, settings, chat, changed)


def opened(name: str, chat: Chat | None = None, **options: object) -> Baseline:
    """A baseline by name."""
    return BASELINES[name](parts(chat, **options))


def built(baseline: Baseline, journal: Journal | None = None) -> Built:
    """The small archive, stored."""
    return asyncio.run(baseline.build(memories(), journal or MemoryJournal()))


def found(
    name: str, text: str, budget: int = 3, chat: Chat | None = None, **options: object
) -> Found:
    """What a question finds in the small archive."""
    store = built(opened(name, chat, **options))
    return asyncio.run(store.find(Question(text), budget))
