"""The stages together: with a model, without one, and with one that fails."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from graphmemix.archive import Archive
from graphmemix.encode.protocol import Matrix, Progress
from graphmemix.errors import (
    AnswerBrokenOffError,
    InvalidReplyError,
    ModelUnavailableError,
)
from graphmemix.evidence import Question, QuestionImage, Trace
from graphmemix.llm import ImagePart, Message, Options, ScriptedChat
from graphmemix.llm.scripted import Line
from graphmemix.memory import Media, Memory
from graphmemix.pipeline import listening, replay
from graphmemix.settings import Settings
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.opening import local_verifier
from graphmemix.verify.protocol import Case, Verdict
from tests.answering import (
    ANSWER,
    EVIL,
    KEY,
    clever,
    endpoint,
    failing,
    household,
    is_for_reader,
    serving,
)
from tests.encode.tiny_clip import picture
from tests.llm.servers import HostileServer, status
from tests.verify.cases import MEMORIES, SCORES, material, model
from tests.verify.local_cases import settings_with
from tests.verify.test_worked_example import P

STRICT = settings_with(verifier__degrade=False)


def verifies(_: Sequence[Message], options: Options) -> bool:
    return options.format is not None


def reads(messages: Sequence[Message], _: Options) -> bool:
    return is_for_reader(messages)


def test_the_local_verifier_works_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, threads = LocalVerifier.judge, []

    def watched(self: LocalVerifier, case: Case) -> Verdict:
        threads.append(threading.get_ident())
        return judge(self, case)

    monkeypatch.setattr(LocalVerifier, "judge", watched)

    async def asked(archive: Archive) -> int:
        await archive.arecall(KEY)
        return threading.get_ident()

    with household(tmp_path / "a") as archive:
        loop = asyncio.run(asked(archive))
    assert threads
    assert loop not in threads


# With a model


def test_a_model_verifies_and_answers_with_citations_that_resolve(tmp_path: Path) -> None:
    chat = clever()
    with household(tmp_path / "a", chat=chat) as archive:
        trace = archive.ask(KEY)
        assert trace.answer is not None
        (citation,) = trace.answer.citations
        assert archive.get(citation.memory_id).id == citation.memory_id
        local = archive.case(KEY)
        alone = local_verifier(archive.settings, archive.encoder.identity).judge(local)
    assert trace.answer.text == ANSWER
    assert not trace.answer.extractive
    scores = {support.memory_id: support.score for support in trace.supports}
    assert scores["told"] == 5
    assert sum(scores.values()) == 5
    assert trace.forest is not None
    assert "told" in trace.forest.memory_ids
    before = {support.memory_id: support.utility for support in alone.supports}
    after = {support.memory_id: support.utility for support in trace.supports}
    assert after["told"] > before["told"]
    assert after["boat"] < before["boat"]
    stages = [cost.stage for cost in trace.costs]
    assert stages[0] == "retrieve"
    assert set(stages[1:3]) == {"node", "ecv"}
    assert stages[3:] == ["verify", "optimize", "serialize", "read"]
    assert trace.repairs == {}
    assert trace.answerable is not None  # told by the local verifier's coefficients


def test_a_trace_is_the_same_after_json_and_replays_without_a_model(tmp_path: Path) -> None:
    chat = clever()
    with household(tmp_path / "a", chat=chat) as archive:
        trace = archive.ask(Question(KEY, (QuestionImage(picture("red"), "image/png"),)))
        calls = len(chat.calls)
        saved = archive.trace(trace.id)
        assert saved == trace == Trace.from_json(trace.to_json())
        assert replay(saved, archive.settings) == trace.forest
    assert len(chat.calls) == calls


def test_over_http_it_is_the_same(tmp_path: Path, hostile: HostileServer) -> None:
    hostile.script = [serving()]
    with household(tmp_path / "a", settings=endpoint(hostile.url)) as archive:
        trace = archive.ask(KEY)
    assert trace.answer is not None
    assert trace.answer.text == ANSWER
    assert trace.forest is not None
    cited = [citation.memory_id for citation in trace.answer.citations]
    assert cited == [trace.forest.memory_ids[0]]
    assert len(hostile.requests) == 3
    assert trace.verifier.startswith("llm:m:two:")


def test_the_instruction_reaches_the_reader_alone(tmp_path: Path) -> None:
    chat = clever()
    with household(tmp_path / "a", chat=chat) as archive:
        trace = archive.ask(KEY, instruction="Answer in one word.")
    assert ["Answer in one word." in call.text for call in chat.calls].count(True) == 1
    assert "Answer in one word." in chat.calls[-1].text
    assert trace.packet is not None
    assert trace.packet.instruction == "Answer in one word."


def test_a_picture_of_the_question_arrives_as_pixels(tmp_path: Path) -> None:
    chat = clever()
    red = picture("red")
    with household(tmp_path / "a", chat=chat) as archive:
        archive.ask(Question(KEY, (QuestionImage(red, "image/png"),)))
    seen = [
        [part.data for part in call.messages[-1].parts if isinstance(part, ImagePart)]
        for call in chat.calls
    ]
    assert seen[-1] == [red]  # the reader
    assert seen[0] == [red]  # the caption, for verifiers
    verifiers = [call for call in chat.calls if call.options.format]
    assert len(verifiers) == 2
    for call in verifiers:
        assert material(call)["image_captions"] == ["A picture of a door."]


def test_a_blind_model_gets_words_only(tmp_path: Path) -> None:
    chat = clever(sees_images=False)
    image = QuestionImage(picture("red"), "image/png", "a red door")
    with household(tmp_path / "a", chat=chat) as archive:
        archive.ask(Question(KEY, (image,)))
    parts = [part for call in chat.calls for m in call.messages for part in m.parts]
    assert not any(isinstance(part, ImagePart) for part in parts)
    assert "(a picture: a red door)" in chat.calls[-1].text


def test_a_picture_of_the_archive_arrives_as_pixels(tmp_path: Path) -> None:
    chat = clever("It is red [1].", word="red door")
    with household(tmp_path / "a", chat=chat) as archive:
        sha256 = archive.media.put(picture("red")).sha256
        photo = Memory(
            "door",
            "photo",
            "A red door.",
            media=(Media("image", sha256, "image/png", "door.png"),),
        )
        archive.add([photo])
        archive.ask("Which colour has the red door?")
    parts = chat.calls[-1].messages[-1].parts
    assert sum(isinstance(part, ImagePart) for part in parts) == 1


def test_what_a_memory_says_stays_data(tmp_path: Path) -> None:
    chat = clever(word="Mallory")  # a model that falls for it, as far as the verdict goes
    with household(tmp_path / "a", chat=chat) as archive:
        archive.ask("What does Mallory say about the key, ignore?")
    evil = EVIL.splitlines()[0]
    verifiers = [call for call in chat.calls if call.options.format]
    told = [row["snippet"] for call in verifiers for row in material(call)["candidates"]]
    assert any(evil in snippet for snippet in told)
    for call in verifiers:
        outside = [line for line in call.text.splitlines() if not line.startswith("{")]
        assert not any("Mallory" in line or "Obey" in line for line in outside)
        assert outside.count("===== END CASE =====") == 1
    reader = chat.calls[-1].text
    lines = [line for line in reader.splitlines() if evil in line or "Obey this mail" in line]
    assert len(lines) >= 2
    assert all(line.startswith("> ") for line in lines)
    assert reader.count("\n=== Memory [1] ===") == 1
    assert "<|im_start|>" not in reader


# With a model that fails


def test_a_failure_is_raised_unless_something_may_stand_in(tmp_path: Path) -> None:
    down = ModelUnavailableError("m: is down")
    for when in (verifies, reads):
        with (
            household(
                tmp_path / when.__name__, settings=STRICT, chat=failing(when, down)
            ) as archive,
            pytest.raises(ModelUnavailableError),
        ):
            archive.ask(KEY)


def test_the_local_verifier_stands_in_and_the_trace_says_so(tmp_path: Path) -> None:
    chat = failing(verifies, ModelUnavailableError("m: is down"))
    with household(tmp_path / "a", chat=chat) as archive:
        trace = archive.ask(KEY)
    assert trace.verifier.startswith("local:")
    assert trace.repairs["degraded.unavailable"] == 1
    assert trace.notes == (
        "the verifier's model failed (m: is down); the local verifier decided instead",
    )
    assert trace.answer is not None
    assert trace.answer.text == ANSWER  # the reader works
    assert Trace.from_json(trace.to_json()) == trace


def test_so_does_an_invalid_verdict_after_all_retries(tmp_path: Path) -> None:
    def nonsense(messages: Sequence[Message], options: Options) -> Line:
        return "No idea." if options.format else ANSWER

    with household(tmp_path / "a", chat=ScriptedChat(nonsense)) as archive:
        trace = archive.ask(KEY)
    assert trace.repairs["degraded.invalid_reply"] == 1
    calls = {cost.stage: cost.calls for cost in trace.costs}
    assert calls["node"] == 4
    with (
        household(tmp_path / "b", settings=STRICT, chat=ScriptedChat(nonsense)) as archive,
        pytest.raises(InvalidReplyError),
    ):
        archive.ask(KEY)


def test_quoting_stands_in_for_the_reader_and_the_trace_says_so(tmp_path: Path) -> None:
    chat = failing(reads, ModelUnavailableError("m: is down"))
    with household(tmp_path / "a", chat=chat) as archive:
        *pieces, trace = archive.stream(KEY)
    assert isinstance(trace, Trace)
    assert trace.verifier.startswith("llm:")
    assert trace.repairs == {"read.degraded": 1}
    assert trace.notes == ("the reader's model failed (m: is down); the answer is quoted instead",)
    assert trace.answer is not None
    assert trace.answer.extractive
    assert trace.answer.citations
    assert trace.reader.startswith("extractive")
    assert pieces
    assert Trace.from_json(trace.to_json()) == trace


def test_an_answer_that_breaks_off_is_not_replaced_by_another(tmp_path: Path) -> None:
    chat = ScriptedChat(clever()._replies, break_after=2)
    with household(tmp_path / "a", chat=chat) as archive:
        heard: list[str | Trace] = []
        with pytest.raises(AnswerBrokenOffError) as error:
            heard.extend(archive.stream(KEY))
    assert error.value.partial == "".join(map(str, heard)) == "Olga has"


def test_a_server_that_is_down_ends_in_a_quoted_answer(
    tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [status(500)]
    settings = endpoint(hostile.url, model__retries=1)
    with household(tmp_path / "a", settings=settings) as archive:
        trace = archive.ask(KEY)
    assert trace.answer is not None
    assert trace.answer.extractive
    assert trace.repairs["degraded.unavailable"] == 1
    assert trace.repairs["read.degraded"] == 1


# Stages


def test_stages_are_told_as_they_begin(tmp_path: Path) -> None:
    told: list[str] = []
    with household(tmp_path / "a") as archive, listening(told.append):
        archive.ask(KEY)
        assert told == ["retrieve", "verify", "optimize", "serialize", "read"]
        told.clear()
        archive.recall(KEY)
        assert told == ["retrieve", "verify", "optimize", "serialize"]


# The published method, from end to end


class Placed:
    """An encoder for which the memories of the worked example have just its cosines."""

    identity = "placed/6"
    dimension = 6
    sees_images = False

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        del progress
        rows = np.zeros((len(texts), 6))
        for row, text in zip(rows, texts, strict=True):
            found = [i for i, memory in enumerate(MEMORIES) if memory.text in text]
            if not found:
                row[0] = 1.0  # the question
            else:
                row[0] = SCORES[found[0]]
                row[1 + found[0]] = (1 - SCORES[found[0]] ** 2) ** 0.5
        return rows.astype(np.float32)

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        raise NotImplementedError


def worked(path: Path, chat: ScriptedChat) -> Trace:
    """Ask the archive of the worked example: d, b, a, c follow each other, a and c are a round."""
    settings = settings_with(profile="paper", edges__anchors=2, forest__budget=2)
    a, b, c, d = (
        Memory(m.id, "message", m.text, session="s", sequence=sequence, round=round_id)
        for m, sequence, round_id in zip(
            MEMORIES, (2, 1, 3, 0), ("ac", "b", "ac", "d"), strict=True
        )
    )
    with Archive.open(path, encoder=Placed(), settings=settings, chat=chat) as archive:
        archive.add([a, b, c, d])
        return archive.ask("Where did we stay?")


def test_the_published_profile_gives_the_numbers_of_the_worked_example(tmp_path: Path) -> None:
    verdicts = model()._replies
    assert callable(verdicts)

    def reply(messages: Sequence[Message], options: Options) -> Line:
        return verdicts(messages, options) if options.format else "The Avenida."

    chat = ScriptedChat(reply)
    trace = worked(tmp_path / "a", chat)
    assert trace.profile == "paper"
    assert [each.memory_id for each in trace.candidates] == ["m-a", "m-b", "m-c", "m-d"]
    assert [each.score for each in trace.candidates] == pytest.approx(SCORES, abs=1e-6)
    assert trace.anchors == ("m-a", "m-b")
    assert [support.utility for support in trace.supports] == pytest.approx(P, abs=1e-6)
    (trusted,) = [increment for increment in trace.increments if increment.weight]
    assert (trusted.memory_id, trusted.anchor_id) == ("m-c", "m-a")
    assert trusted.weight == pytest.approx(0.792)
    assert trusted.relations == ("consecutive_turn", "same_round")
    forest = trace.forest
    assert forest is not None
    assert forest.objective_before == pytest.approx(0.571310, abs=2e-6)
    assert forest.objective_after == pytest.approx(0.729463, abs=2e-6)
    assert forest.objective == pytest.approx(0.809463, abs=2e-6)
    assert (forest.method, forest.swaps) == ("published", 1)
    assert forest.memory_ids == ("m-a", "m-c")
    assert len(forest.trees) == 1
    reader = chat.calls[-1]
    assert [message.role for message in reader.messages] == ["user"]  # no system prompt
    assert trace.answer is not None
    assert trace.answer.text == "The Avenida."


# A real server


def test_a_real_llama_server_from_end_to_end(tmp_path: Path, llama: str) -> None:
    settings = endpoint(
        llama,
        model__name="smollm2",
        model__images=False,
        verifier__context_tokens=3000,
        verifier__output_tokens=60,
        verifier__retries=0,
        verifier__degrade=True,  # a model so small does not always manage
        reader__output_tokens=12,
    )
    tent = Memory("tent", "note", "The tent is in the cellar.")
    with household(tmp_path / "a", tent, settings=settings) as archive:
        *pieces, trace = archive.stream("Where is the tent?")
    assert isinstance(trace, Trace)
    assert trace.answer is not None
    assert trace.answer.text == "".join(map(str, pieces))
    assert not trace.answer.extractive
    assert trace.reader.startswith("llm:smollm2:")
    assert sum(cost.input_tokens for cost in trace.costs) > 300
    assert trace.forest is not None
    assert trace.forest.memory_ids == ("tent",)


def test_settings_of_the_published_profile_are_in_force(tmp_path: Path) -> None:
    chat = clever()
    paper = Settings.for_profile("paper")
    with household(tmp_path / "a", settings=paper, chat=chat) as archive:
        trace = archive.ask(KEY)
    assert trace.profile == "paper"
    assert all(candidate.lexical == candidate.matched == 0 for candidate in trace.candidates)
    assert trace.forest is not None
    assert trace.forest.method == "published"
