"""LightMem: topics, facts and repairs."""

from __future__ import annotations

import asyncio
import json

import pytest

from graphmemix.llm import ScriptedChat
from graphmemix_bench.baselines import MemoryJournal
from graphmemix_bench.baselines.lightmem import LightMemBuilt, calls_of, segments
from graphmemix_bench.baselines.words import compacted, with_words
from tests.bench.baselines.archive import ENCODER, found, memories, opened
from tests.bench.baselines.models import answer, obliging

VET = "Which doctor looked after the cat Momo?"


def facts_of(chat: ScriptedChat | None, **options: object) -> LightMemBuilt:
    built = asyncio.run(opened("lightmem", chat, **options).build(memories(), MemoryJournal()))
    assert isinstance(built, LightMemBuilt)
    return built


@pytest.mark.parametrize("window", [1, 40, 512])
def test_every_memory_is_in_exactly_one_call_in_order(window: int) -> None:
    stored, texts = with_words(memories())
    groups = segments(stored, texts, ENCODER.texts(texts), window)
    calls = calls_of(groups, texts, window)
    assert [place for call in calls for group in call for place in group] == list(range(9))
    for group in groups:
        assert len({stored[place].session for place in group}) == 1


@pytest.mark.parametrize("with_model", [True, False])
def test_every_memory_with_words_has_a_fact_of_its_own(with_model: bool) -> None:
    built = facts_of(obliging() if with_model else None)
    owners = [fact.owner for fact in built.facts]
    assert set(owners) == set(range(9))
    assert all(fact.text != "From nowhere." for fact in built.facts)


def test_a_memory_has_at_most_24_facts() -> None:
    def chatty(messages: object, options: object) -> str:
        facts = [{"source_id": 0, "fact": f"Fact {n}."} for n in range(40)]
        found = json.loads(answer(messages, options))  # type: ignore[arg-type]
        return json.dumps({"data": facts} if "data" in found else found)

    built = facts_of(ScriptedChat(chatty))
    assert max(sum(fact.owner == owner for fact in built.facts) for owner in range(9)) == 24


def test_records_without_a_fact_are_asked_for_alone() -> None:
    chat = obliging()
    facts_of(chat)
    asked = [call.options.format.name for call in chat.calls if call.options.format]
    assert asked.count("lightmem_repair") == asked.count("lightmem_extract")  # the last of each


def test_the_budget_counts_memories_or_facts() -> None:
    by_memory = found("lightmem", VET, budget=3)
    by_fact = found("lightmem", VET, budget=3, lightmem_count="facts")
    assert len(by_memory.picks) == 3
    assert by_fact.figures["facts"] == 3
    assert len(by_fact.picks) <= 3


@pytest.mark.parametrize(
    ("action", "left"),
    [("ignore", ["Same."] * 2), ("update", ["New.", "Same."]), ("delete", ["Same."])],
)
def test_consolidation_changes_the_older_of_two_facts_alone(action: str, left: list[str]) -> None:
    def reply(messages: object, options: object) -> str:
        found = json.loads(answer(messages, options))  # type: ignore[arg-type]
        if "data" in found:
            found = {"data": [{"source_id": n, "fact": "Same."} for n in range(2)]}
        elif "action" in found:
            found = {"action": action, "new_memory": "New."}
        return json.dumps(found)

    baseline = opened("lightmem", ScriptedChat(reply), lightmem_consolidate=True)
    built = asyncio.run(baseline.build(memories()[:2], MemoryJournal()))
    assert isinstance(built, LightMemBuilt)
    assert [fact.text for fact in built.facts] == left


def test_only_long_text_in_pictures_is_cut_and_cutting_twice_changes_nothing() -> None:
    assert compacted("Short.\nText in the picture: Total 5 EUR") == (
        "Short.\nText in the picture: Total 5 EUR"
    )
    long = "Text in the picture: " + " ".join(map(str, range(40))) + " " + "same " * 400 + "end"
    once = compacted(f"Words {'x ' * 2000}\n{long}")
    assert compacted(once) == once
    assert once.startswith("Words x x")
    assert "(more numbers)" in once
    assert once.count("same") == 3
