from __future__ import annotations

import hashlib
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from graphmemix.errors import LimitReachedError, ModelUnavailableError
from graphmemix.evidence import QuestionImage
from graphmemix.llm import Budget, ScriptedChat, run_sync
from graphmemix.memory import Description, Media, Memory
from graphmemix.verify import LlmVerifier, Verdict
from tests.verify.cases import MEMORIES, OURS, material, model, small_case


def picture(colour: str = "red") -> bytes:
    out = BytesIO()
    Image.new("RGB", (8, 8), colour).save(out, "PNG")
    return out.getvalue()


RED, BLUE = QuestionImage(picture("red")), QuestionImage(picture("blue"))


def ask(
    chat: ScriptedChat, *images: QuestionImage, memories: Any = MEMORIES, **more: Any
) -> tuple[list[str], Verdict]:
    verifier = LlmVerifier(chat, OURS, **more)
    verdict = run_sync(verifier.verify(small_case(*memories, images=images)))
    told = [material(call) for call in chat.calls if call.options.format]
    assert all(
        each["question_image_captions"] == told[0]["question_image_captions"] for each in told
    )
    return told[0]["question_image_captions"], verdict


def captioned(chat: ScriptedChat) -> list[bytes]:
    return [image.data for call in chat.calls for image in call.messages[-1].images]


def test_a_caption_is_made_from_the_picture_and_the_instruction_alone() -> None:
    chat = model()
    captions, verdict = ask(chat, RED)
    assert captions == ["A hotel door."]
    (call,) = [call for call in chat.calls if call.options.format is None]
    (message,) = call.messages
    assert message.images[0].data == RED.data
    assert "hotel" not in message.text.lower()
    assert "Lisbon" not in message.text
    assert "visible" in message.text or "seen" in message.text
    assert {cost.stage for cost in verdict.costs} == {"captions", "node", "ecv"}


def test_each_picture_is_described_once() -> None:
    chat = model()
    verifier = LlmVerifier(chat, OURS)
    for _ in range(2):
        run_sync(verifier.verify(small_case(images=(RED, BLUE, RED))))
    assert sorted(captioned(chat)) == sorted([RED.data, BLUE.data])
    told = [material(call)["question_image_captions"] for call in chat.calls if call.options.format]
    assert told == [["A hotel door."] * 3] * 4


def test_the_archives_own_caption_comes_first() -> None:
    sha256 = hashlib.sha256(RED.data).hexdigest()
    media = (Media("image", sha256, description=Description(caption="Our door.")),)
    memories = (Memory("m-a", "photo", media=media), *MEMORIES[1:])
    chat = model()
    assert ask(chat, RED, memories=memories)[0] == ["Our door."]
    assert not captioned(chat)


def test_a_caption_that_comes_with_the_question_or_the_archive_needs_no_call() -> None:
    chat = model()
    assert ask(chat, QuestionImage(RED.data, caption="Given."))[0] == ["Given."]
    known = {hashlib.sha256(BLUE.data).hexdigest(): "From the archive."}
    chat = model()
    captions, _ = ask(chat, BLUE, known_caption=lambda sha256: known.get(sha256, ""))
    assert captions == ["From the archive."]
    assert not captioned(chat)


def test_a_picture_without_a_caption_is_counted_and_the_question_goes_on() -> None:
    blind = model(sees_images=False)
    captions, verdict = ask(blind, RED)
    assert (captions, verdict.repairs) == ([""], {"captions.no_caption": 1})

    def fails(messages: Any, options: Any) -> Any:
        if options.format is None:
            return ModelUnavailableError("no pictures here")
        return model()._replies(messages, options)  # type: ignore[operator]

    captions, verdict = ask(ScriptedChat(fails), RED)
    assert (captions, verdict.repairs) == ([""], {"captions.no_caption": 1})


def test_limits_hold_for_captions() -> None:
    with Budget(tokens=100), pytest.raises(LimitReachedError, match="tokens"):
        ask(model(), RED)
