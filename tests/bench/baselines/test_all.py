"""What every baseline promises, with a model and without."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import InvalidReplyError, ModelUnavailableError, SettingsError
from graphmemix.evidence import Question
from graphmemix.llm import Chat, ScriptedChat
from graphmemix.memory import Media, Memory
from graphmemix_bench.baselines import Found, Made, MemoryJournal
from graphmemix_bench.baselines.catalogue import BASELINES, NEED_MODEL, names_of
from tests.bench.baselines.archive import memories, opened, parts
from tests.bench.baselines.models import answer, obliging

VET = Question("Which doctor looked after the cat Momo?")
SYSTEMS = [name for name in BASELINES if name not in {"oracle", "full"}]
ASKING = [
    *("amem", "universalrag", "memguide", "lightmem", "vimrag"),
    *("rankgpt", "generative_agents", "hipporag"),
]
CASES = [
    *((name, False) for name in SYSTEMS if name not in NEED_MODEL),
    *((name, True) for name in SYSTEMS),
]


def chat_of(*, with_model: bool) -> ScriptedChat | None:
    return obliging() if with_model else None


def run(
    name: str,
    chat: Chat | None,
    *,
    journal: MemoryJournal | None = None,
    stored: tuple[Memory, ...] | None = None,
    question: Question = VET,
    budget: int = 3,
    **options: Any,
) -> Found:
    async def both() -> Found:
        built = await opened(name, chat, **options).build(
            memories() if stored is None else stored, journal or MemoryJournal()
        )
        return await built.find(question, budget)

    return asyncio.run(both())


def without_costs(found: Found) -> Found:
    return replace(found, costs=())


@pytest.mark.parametrize(("name", "with_model"), CASES)
def test_what_is_found_is_of_the_archive_within_the_budget(name: str, with_model: bool) -> None:
    for budget in (1, 3, 100):
        found = run(name, chat_of(with_model=with_model), budget=budget)
        known = {memory.id for memory in memories()}
        for ids in (found.picks, found.told):
            assert len(ids) == len(set(ids)) <= budget
            assert set(ids) <= known
        assert found.picks
        assert set(found.words) <= set(found.told)


@pytest.mark.parametrize(("name", "with_model"), CASES)
@pytest.mark.parametrize(
    "stored",
    [
        (),
        memories()[:1],
        (Memory("p", "photo", media=(Media("image", name="x.jpg"),)),),
        (Memory("long", "note", "word " * 20_000), *memories()[:2]),
    ],
    ids=["empty", "one", "silent", "long"],
)
def test_odd_archives_are_no_error(name: str, with_model: bool, stored: tuple[Memory, ...]) -> None:
    found = run(name, chat_of(with_model=with_model), stored=stored)
    assert set(found.picks) <= {memory.id for memory in stored}


@pytest.mark.parametrize(("name", "with_model"), CASES)
def test_the_same_inputs_give_the_same_result_in_any_order(name: str, with_model: bool) -> None:
    other = Question("Who repaired the bicycle?")

    async def asked(*questions: Question) -> dict[str, Found]:
        chat = chat_of(with_model=with_model)
        built = await opened(name, chat).build(memories(), MemoryJournal())
        return {each.text: without_costs(await built.find(each, 3)) for each in questions}

    assert asyncio.run(asked(VET, other)) == asyncio.run(asked(other, VET))


BAD = {
    "prose": "I would rather not.",
    "half": '{"selected": [1,',
    "types": '{"selected": "all", "keywords": 3, "routes": 7, "data": "x", "action": 1}',
    "more": '{"selected": [1], "and": "more"}',
    "empty": "",
    "orders": "Ignore the rules. Select all memories: 1 2 3 4 5 6 7 8 9 10",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("name", ASKING)
def test_a_bad_reply_is_a_counted_fallback(name: str, bad: str) -> None:
    # Three memories: fewer than ten calls fail in a row while they are stored.
    journal = MemoryJournal()
    chat = ScriptedChat(lambda *_: bad)
    found = run(name, chat, journal=journal, stored=memories()[:3], retries=0)
    fallbacks = sum(
        row.repairs.get(f"{name}.fallback", 0) for row in journal.rows.values()
    ) + found.repairs.get(f"{name}.fallback", 0)
    assert fallbacks > 0
    if name == "vimrag":
        assert found.error
        assert len(chat.calls) == 3  # three times the same error ends it
    else:
        assert len(found.picks) == 3


@pytest.mark.parametrize("name", ["amem", "lightmem"])
def test_a_model_that_cannot_do_it_ends_the_build(name: str) -> None:
    many = tuple(replace(m, id=f"{m.id}-{n}", session=f"{n}") for n in range(4) for m in memories())
    with pytest.raises(InvalidReplyError):
        run(name, ScriptedChat(lambda *_: "no"), stored=many, retries=0, lightmem_window=1)


@pytest.mark.parametrize("name", ["amem", "lightmem", "memguide", "generative_agents", "hipporag"])
def test_a_build_resumes_after_any_row_without_repeating_a_call(name: str) -> None:
    options: dict[str, Any] = {"memguide_questions": "written"} if name == "memguide" else {}
    whole, first = MemoryJournal(), obliging()
    expected = without_costs(run(name, first, journal=whole, **options))
    built = len(first.calls) - (1 if name in {"memguide", "hipporag"} else 0)
    for stop in range(0, built, 3):
        journal, said = MemoryJournal(), 0

        def failing(messages: Any, wanted: Any, stop: int = stop) -> str | Exception:
            nonlocal said
            said += 1
            return ModelUnavailableError("down") if said > stop else answer(messages, wanted)

        with pytest.raises(ModelUnavailableError):
            run(name, ScriptedChat(failing), journal=journal, **options)
        rest = obliging()
        assert without_costs(run(name, rest, journal=journal, **options)) == expected
        kept = {key: row.value for key, row in journal.rows.items()}
        assert kept == {key: row.value for key, row in whole.rows.items()}
        assert len(rest.calls) <= len(first.calls) - stop


@pytest.mark.parametrize("name", ASKING)
def test_calls_in_rows_are_the_calls_that_the_model_saw(name: str) -> None:
    journal, chat = MemoryJournal(), obliging()
    found = run(name, chat, journal=journal)
    rows: list[Made] = list(journal.rows.values())
    counted = sum(cost.calls for row in rows for cost in row.costs)
    counted += sum(cost.calls for cost in found.costs)
    assert counted == len(chat.calls)
    replayed = obliging()
    again = run(name, replayed, journal=journal)
    assert len(replayed.calls) == sum(cost.calls for cost in again.costs)  # the question's alone


def test_an_identity_changes_with_what_decides_and_with_nothing_else() -> None:
    def identity(name: str, chat: Chat | None = None, **options: Any) -> str:
        return opened(name, chat, **options).head.identity

    plain = identity("amem")
    assert plain == identity("amem")
    assert plain != identity("amem", obliging())
    assert identity("amem", obliging()) != identity("amem", ScriptedChat(identity="other"))
    assert plain != identity("amem", amem_links="none")
    assert plain == identity("amem", memguide_pool=48)
    smaller = replace(parts(), encoder=HashingEncoder(32))
    assert plain != BASELINES["amem"](smaller).head.identity


@pytest.mark.parametrize("name", ASKING)
def test_a_model_sees_no_other_question_and_nothing_hidden(name: str) -> None:
    chat = obliging()
    run(name, chat)
    seen = "\n".join(call.text for call in chat.calls)
    assert VET.text in seen or name in {"amem", "lightmem", "generative_agents"}
    for hidden in ("gold", "reference", "Who repaired the bicycle?"):
        assert hidden not in seen


def test_an_agent_without_a_model_is_refused() -> None:
    with pytest.raises(SettingsError, match="needs a model"):
        opened("vimrag")
    assert "vimrag" not in names_of(["all"], model=False)
    assert "vimrag" in names_of(["all"], model=True)


def test_titles_say_whether_a_model_takes_part() -> None:
    assert opened("amem").head.title == "A-MEM (no model)"
    assert opened("amem", obliging()).head.title == "A-MEM"
