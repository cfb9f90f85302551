"""`ask`, `recall` and `stream` as a user calls them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import (
    EncoderMismatchError,
    InvalidDataError,
    InvalidInputError,
    LimitReachedError,
    SettingsError,
    TraceNotFoundError,
)
from graphmemix.evidence import Question, QuestionImage, Trace, Turn
from graphmemix.llm import Budget, Reply, ScriptedChat, Usage
from graphmemix.llm.limits import Meter
from graphmemix.memory import Description, Media, Memory
from graphmemix.settings import Settings
from graphmemix.store.protocol import Filter
from tests.answering import (
    ANSWER,
    HOUSEHOLD,
    KEY,
    clever,
    endpoint,
    household,
    said,
    serving,
)
from tests.encode.tiny_clip import picture
from tests.llm.servers import HostileServer, silent
from tests.verify.local_cases import settings_with


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with household(tmp_path / "a") as opened:
        yield opened


def stages(trace: Trace) -> list[str]:
    return [cost.stage for cost in trace.costs]


# Without a model


def test_an_answer_without_a_model_is_quoted_with_its_source(archive: Archive) -> None:
    trace = archive.ask("Where is the tent?")
    answer = trace.answer
    assert answer is not None
    assert "The tent is in the cellar." in answer.text
    assert answer.extractive
    assert [citation.memory_id for citation in answer.citations][:1] == ["tent"]
    assert answer.answerable == trace.answerable
    assert trace.answerable is not None
    assert 0 < trace.answerable < 1
    assert stages(trace) == ["retrieve", "verify", "optimize", "serialize", "read"]
    assert sum(cost.calls for cost in trace.costs) == 0
    assert trace.verifier.startswith("local:")


def test_recall_stops_at_the_evidence(archive: Archive) -> None:
    trace = archive.recall(KEY)
    assert trace.answer is None
    assert trace.forest is not None
    assert {"asked", "told"} <= set(trace.forest.memory_ids)
    assert trace.packet is not None  # the words of the evidence
    assert tuple(block.memory_id for block in trace.packet.blocks) == trace.forest.memory_ids
    assert stages(trace) == ["retrieve", "verify", "optimize", "serialize"]
    assert len(trace.supports) == len(trace.candidates) == len(HOUSEHOLD)


def test_ask_and_recall_choose_the_same(archive: Archive) -> None:
    asked, recalled = archive.ask(KEY), archive.recall(KEY)
    assert asked.forest == recalled.forest
    assert asked.packet is not None
    assert recalled.forest is not None
    assert tuple(block.memory_id for block in asked.packet.blocks) == recalled.forest.memory_ids


def test_all_faces_give_the_same_answer(archive: Archive) -> None:
    async def later() -> list[Trace]:
        streamed = [piece async for piece in archive.astream(KEY)][-1]
        assert isinstance(streamed, Trace)
        return [await archive.aask(KEY), streamed]

    *_, streamed = archive.stream(KEY)
    assert isinstance(streamed, Trace)
    traces = [archive.ask(KEY), streamed, *asyncio.run(later())]
    assert len({trace.answer for trace in traces}) == 1
    assert len({trace.forest for trace in traces}) == 1
    assert asyncio.run(archive.arecall(KEY)).forest == traces[0].forest


def test_pieces_of_a_stream_are_the_answer(tmp_path: Path) -> None:
    with household(tmp_path / "a", chat=clever()) as archive:
        *pieces, trace = archive.stream(KEY)
    assert isinstance(trace, Trace)
    assert trace.answer is not None
    assert len(pieces) > 1
    assert "".join(map(str, pieces)) == trace.answer.text == ANSWER


def test_it_works_where_an_event_loop_is_running(archive: Archive) -> None:
    async def notebook() -> Trace:
        return archive.ask(KEY)

    assert asyncio.run(notebook()).answer == archive.ask(KEY).answer


def test_questions_at_once_do_not_disturb_each_other(archive: Archive) -> None:
    questions = [KEY, "Where is the tent?", "How is the boat called?", "What cost 80 euros?"] * 2
    alone = [archive.recall(question).forest for question in questions]

    async def together() -> list[Trace]:
        return await asyncio.gather(*(archive.arecall(question) for question in questions))

    assert [trace.forest for trace in asyncio.run(together())] == alone
    with ThreadPoolExecutor(4) as pool:
        assert [trace.forest for trace in pool.map(archive.recall, questions)] == alone
    assert len({trace.id for trace in archive.traces()}) == 24


def test_an_empty_archive_says_so(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", encoder=HashingEncoder(), settings=Settings()) as archive:
        trace = archive.ask(KEY)
        assert trace.answer is not None
        assert trace.answer.citations == ()
        assert (trace.forest, trace.candidates, trace.answerable) == (None, (), 0.0)
        assert archive.trace(trace.id) == trace
        assert archive.recall(KEY).forest is None
        assert [*archive.stream(KEY)][-1] is not None


def test_an_empty_archive_asks_no_verifier(tmp_path: Path) -> None:
    chat = clever("I do not know.")
    with Archive.open(
        tmp_path / "a", encoder=HashingEncoder(), settings=Settings(), chat=chat
    ) as archive:
        trace = archive.ask(KEY)
    assert len(chat.calls) == 1
    assert "(no memories were found)" in chat.calls[0].text
    assert trace.answer is not None
    assert trace.answer.text == "I do not know."


def test_a_question_that_nothing_matches_gets_an_answer_and_a_chance(archive: Archive) -> None:
    trace = archive.ask("Quantum chromodynamics lattice thermodynamics?")
    assert all(candidate.lexical == 0 for candidate in trace.candidates)
    assert trace.answer is not None
    assert trace.answer.answerable == trace.answerable is not None


def test_nothing_to_encode_is_an_error(archive: Archive) -> None:
    with pytest.raises(InvalidDataError, match="question: needs a text or an image"):
        archive.ask(" ")
    with pytest.raises(InvalidDataError, match="does not see images"):
        archive.ask(Question("", (QuestionImage(picture("red"), "image/png"),)))


def test_an_archive_of_another_encoder_is_not_asked(archive: Archive) -> None:
    other = Archive(archive.store, HashingEncoder(32), Settings())
    with pytest.raises(EncoderMismatchError):
        other.ask(KEY)


def test_a_filter_holds(archive: Archive) -> None:
    trace = archive.ask(KEY, filter=Filter(kinds=("note",)))
    assert {candidate.memory_id for candidate in trace.candidates} == {"tent"}


# Traces


def test_a_trace_is_saved_and_the_same_again(archive: Archive) -> None:
    first, second = archive.ask(KEY), archive.recall("tent?")
    assert archive.trace(first.id) == first
    assert [trace.id for trace in archive.traces()] == [second.id, first.id]
    assert archive.traces(limit=1) == [second]


def test_an_archive_keeps_its_newest_traces(tmp_path: Path) -> None:
    settings = settings_with(traces__keep=2)
    with household(tmp_path / "a", settings=settings) as archive:
        asked = [archive.recall(f"Who has key {number}?") for number in range(4)]
        assert archive.traces() == asked[:1:-1]
        with pytest.raises(TraceNotFoundError):
            archive.trace(asked[0].id)


def test_a_trace_that_is_not_saved_has_no_id(archive: Archive) -> None:
    assert archive.ask(KEY, save=False).id == ""
    assert archive.recall(KEY, save=False).id == ""
    *_, last = archive.stream(KEY, save=False)
    assert isinstance(last, Trace)
    assert last.id == ""
    assert archive.traces() == []


def test_an_archive_open_for_reading_answers_and_writes_nothing(tmp_path: Path) -> None:
    household(tmp_path / "a").close()
    before = {path: path.stat().st_size for path in (tmp_path / "a").rglob("*.sqlite*")}
    with Archive.open(
        tmp_path / "a", mode="read", encoder=HashingEncoder(), settings=Settings()
    ) as archive:
        trace = archive.ask(KEY)
        assert trace.answer is not None
        assert trace.id == ""
        assert archive.traces() == []
        *_, last = archive.stream(KEY)
        assert isinstance(last, Trace)
    after = {path: path.stat().st_size for path in (tmp_path / "a").rglob("*.sqlite*")}
    assert {p: s for p, s in after.items() if p in before} == before


def test_erasure_takes_the_traces_that_name_a_memory(archive: Archive) -> None:
    named = archive.ask(KEY)
    other = archive.ask("tent?", filter=Filter(kinds=("note",)))
    archive.erase(["told"])
    with pytest.raises(TraceNotFoundError):
        archive.trace(named.id)
    assert archive.traces() == [other]


def test_erasure_takes_the_replies_that_models_gave(tmp_path: Path, hostile: HostileServer) -> None:
    hostile.script = [serving()]
    with household(tmp_path / "a", settings=endpoint(hostile.url)) as archive:
        first = archive.ask(KEY)
        assert sum(cost.calls for cost in first.costs) == 3
        again = archive.ask(KEY)
        assert again.answer == first.answer
        assert sum(cost.calls for cost in again.costs) == 0
        assert len([*archive.replies.glob("*.json")]) == 3
        archive.erase(["told"])
        assert not [*archive.replies.glob("*")]
        asked = len(hostile.requests)
        archive.ask(KEY)
        assert len(hostile.requests) == asked + 3
        assert [*archive.replies.glob("*.json")]  # and remembers again


# Follow-up questions


def test_earlier_turns_help_to_find_what_is_meant(tmp_path: Path) -> None:
    rest = [said(f"x{i}", f"It cost {i} euros.", 10 + 2 * i) for i in range(12)]
    history = (Turn("user", "How is the sailing boat called?"), Turn("assistant", "Albatross."))
    with household(tmp_path / "a", *HOUSEHOLD, *rest) as archive:
        alone = archive.recall("And what did it cost?")
        after = archive.recall(Question("And what did it cost?", history=history))
    ranks = [[c.memory_id for c in trace.candidates].index("paint") for trace in (alone, after)]
    assert ranks[1] < ranks[0]
    assert after.forest is not None
    assert "paint" in after.forest.memory_ids


def test_earlier_turns_reach_verifier_and_reader(tmp_path: Path) -> None:
    chat = clever()
    history = (Turn("user", "Who paints boats?"), Turn("assistant", "Anna."))
    with household(tmp_path / "a", chat=chat) as archive:
        trace = archive.ask(Question("And who has the key?", history=history))
    assert archive.settings.profile == "default"
    assert trace.question.history == history
    reader = chat.calls[-1]
    roles = [message.role for message in reader.messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert reader.messages[1].text == "Who paints boats?"
    assert all("Who paints boats?" in call.text for call in chat.calls)


# Limits


def test_a_cancelled_question_ends_without_a_model_too(archive: Archive) -> None:
    budget = Budget()
    budget.cancel()
    with pytest.raises(LimitReachedError) as error:
        archive.ask(KEY, budget=budget)
    assert error.value.limit == "cancelled"
    assert archive.traces() == []


def test_another_thread_can_cancel(tmp_path: Path, hostile: HostileServer) -> None:
    hostile.script = [silent]
    budget = Budget()
    settings = endpoint(hostile.url)  # a cancelled question never degrades
    timer = threading.Timer(0.3, budget.cancel)
    with household(tmp_path / "a", settings=settings) as archive:
        timer.start()
        with pytest.raises(LimitReachedError) as error:
            archive.ask(KEY, budget=budget)
    timer.join()
    assert error.value.limit == "cancelled"


@pytest.mark.parametrize("limit", ["deadline", "tokens", "money"])
def test_a_limit_ends_the_question_or_is_answered_without_the_model(
    tmp_path: Path, hostile: HostileServer, limit: str
) -> None:
    hostile.script = [silent] if limit == "deadline" else [serving()]
    caps = {"deadline": ("seconds", 2), "tokens": ("tokens", 5), "money": ("money", 0.001)}
    name, cap = caps[limit]
    changed = {f"limits__{name}": cap, "model__input_price": 1e6, "model__cache": False}
    strict = endpoint(hostile.url, verifier__degrade=False, **changed)
    with household(tmp_path / "a", settings=strict) as archive:
        with pytest.raises(LimitReachedError) as error:
            archive.ask(KEY)
        assert error.value.limit == limit
        (kept,) = archive.traces()
        assert kept == error.value.trace
        assert kept.candidates
        assert kept.answer is None
        assert any(f"ended early: {limit}" in note for note in kept.notes)
    settings = endpoint(hostile.url, **changed)
    with Archive.open(tmp_path / "a", encoder=HashingEncoder(), settings=settings) as archive:
        trace = archive.ask(KEY)
    assert trace.answer is not None
    assert trace.answer.extractive
    assert trace.repairs["read.degraded"] == 1
    assert trace.repairs[f"degraded.{limit}"] == 1
    assert any("the local verifier decided instead" in note for note in trace.notes)
    assert any("the answer is quoted instead" in note for note in trace.notes)


def test_what_was_spent_is_in_the_trace_and_in_the_budget(tmp_path: Path) -> None:
    spent = Reply(ANSWER, usage=Usage(1, 100, 20, 0.25))
    budget = Budget(tokens=100_000, money=1)
    with household(tmp_path / "a", chat=clever(spent)) as archive:
        trace = archive.ask(KEY, budget=budget)
    cost = {each.stage: each for each in trace.costs}
    assert (cost["read"].input_tokens, cost["read"].output_tokens) == (100, 20)
    assert (cost["read"].calls, cost["read"].money) == (1, 0.25)
    assert budget.usage.calls == 3
    assert budget.usage.money == 0.25


def test_a_budget_may_be_shared_by_questions_at_once(tmp_path: Path) -> None:
    budget = Budget(tokens=10**6)
    with household(tmp_path / "a", chat=clever()) as archive:

        async def together() -> list[Trace]:
            return await asyncio.gather(*(archive.aask(KEY, budget=budget) for _ in range(4)))

        asyncio.run(together())
    assert budget.usage.calls == 12


def test_limits_of_a_stream_are_not_those_of_its_listener(tmp_path: Path) -> None:
    chat = clever()
    outside = Meter()
    with household(tmp_path / "a", chat=chat) as archive:

        async def interleaved() -> None:
            one = archive.astream(KEY, budget=(first := Budget()))
            other = archive.astream(KEY, budget=(second := Budget()))
            await anext(one)
            with outside:
                await archive.aask(KEY)
            await anext(other)
            async for _ in one:
                pass
            async for _ in other:
                pass
            assert (first.usage.calls, second.usage.calls) == (3, 3)

        asyncio.run(interleaved())
    assert outside.usage.calls == 3


def test_a_listener_may_stop_early(tmp_path: Path) -> None:
    with household(tmp_path / "a", chat=clever()) as archive:
        pieces = archive.stream(KEY)
        next(pieces)
        pieces.close()  # type: ignore[attr-defined]

        async def early() -> None:
            async for _ in archive.astream(KEY):
                break

        asyncio.run(early())
        assert archive.traces() == []
        assert archive.ask(KEY).answer is not None


# The published profile


def test_the_published_profile_needs_a_model(tmp_path: Path) -> None:
    paper = Settings.for_profile("paper")
    with household(tmp_path / "a", settings=paper) as archive:
        for call in (archive.ask, archive.recall):
            with pytest.raises(SettingsError, match=r"^model\.base_url: no model is set"):
                call(KEY)


def test_a_server_without_a_model_name_is_told(tmp_path: Path) -> None:
    settings = settings_with(model__base_url="http://127.0.0.1:9/v1")
    with (
        household(tmp_path / "a", settings=settings) as archive,
        pytest.raises(SettingsError, match=r"model\.name"),
    ):
        archive.ask(KEY)


def test_coefficients_that_are_not_there_are_told(tmp_path: Path) -> None:
    settings = settings_with(local__model_file="/no/such.json")
    with (
        household(tmp_path / "a", settings=settings) as archive,
        pytest.raises(InvalidInputError, match=r"/no/such\.json"),
    ):
        archive.ask(KEY)


def test_the_local_verifier_may_decide_while_a_model_reads(tmp_path: Path) -> None:
    chat = clever()
    with household(
        tmp_path / "a", settings=settings_with(local__use="always"), chat=chat
    ) as archive:
        trace = archive.ask(KEY)
    assert trace.verifier.startswith("local:")
    assert len(chat.calls) == 1
    assert trace.answer is not None
    assert not trace.answer.extractive


def test_a_chat_of_ones_own_is_used_as_it_is(tmp_path: Path) -> None:
    chat = ScriptedChat(clever()._replies, identity="mine")
    with household(tmp_path / "a", chat=chat) as archive:
        trace = archive.ask(KEY)
        archive.ask(KEY)
    assert trace.verifier.startswith("llm:mine:two:")
    assert trace.reader.startswith("llm:mine:")
    assert len(chat.calls) == 6  # nothing is remembered for it


# Pictures


def test_the_archives_own_caption_of_a_picture_saves_a_call(tmp_path: Path) -> None:
    """Even if the picture's memory is no candidate: here a filter keeps it out."""
    data, chat = picture("red"), clever()
    with household(tmp_path / "a", chat=chat) as archive:
        stored = archive.store.media.put(data)
        media = Media("image", stored.sha256, description=Description(caption="Our red door."))
        archive.add([Memory("door", "photo", media=(media,))])
        asked = Question(KEY, (QuestionImage(data, "image/png"),))
        trace = archive.recall(asked, filter=Filter(kinds=("message",)))
    assert "door" not in {candidate.memory_id for candidate in trace.candidates}
    assert len(chat.calls) == 2
    assert all("Our red door." in call.text for call in chat.calls)
