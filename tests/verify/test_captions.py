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
from graphmemix.verify.captions import PROMPT, archive_caption
from tests.verify.cases import MEMORIES, OURS, material, model, small_case
from tests.verify.local_cases import settings_with


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
    assert all(each.get("image_captions") == told[0].get("image_captions") for each in told)
    return told[0].get("image_captions", []), verdict


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
    told = [material(call)["image_captions"] for call in chat.calls if call.options.format]
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


def test_the_call_has_the_instruction_the_picture_and_the_settings() -> None:
    chat = model()
    settings = settings_with(verifier__temperature=0.3, verifier__output_tokens=777)
    image = QuestionImage(b"picture", mime="image/webp")
    run_sync(LlmVerifier(chat, settings).verify(small_case(images=(image,))))
    (call,) = [call for call in chat.calls if call.options.format is None]
    (message,) = call.messages
    assert message.text == "\n".join(PROMPT.items("instructions"))
    assert (message.images[0].data, message.images[0].mime) == (b"picture", "image/webp")
    assert (call.options.temperature, call.options.max_tokens) == (0.3, 777)


def test_each_picture_without_a_caption_is_counted() -> None:
    images = (QuestionImage(b"one"), QuestionImage(b"two"))
    blind = LlmVerifier(model(sees_images=False), settings_with())
    verdict = run_sync(blind.verify(small_case(images=images)))
    assert verdict.repairs == {"captions.no_caption": 2}


def photo(name: str, content: bytes, **words: str) -> Memory:
    medium = Media("image", hashlib.sha256(content).hexdigest(), description=Description(**words))
    return Memory(name, "photo", media=(medium,))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"caption": "Long words.", "short_caption": "Short."}, "Long words."),
        ({"short_caption": "Short."}, "Short."),
        ({}, ""),
    ],
)
def test_the_archive_tells_of_a_picture_what_it_knows_of_that_one(
    words: dict[str, str], told: str
) -> None:
    memories = [photo("a", b"other", caption="Another."), photo("b", b"this", **words)]
    assert archive_caption(memories, hashlib.sha256(b"this").hexdigest()) == told


def test_the_newest_captions_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmemix.verify.captions._REMEMBERED", 2)
    chat = model()
    verifier = LlmVerifier(chat, settings_with())

    def described(*contents: bytes) -> list[bytes]:
        chat.calls.clear()
        for content in contents:
            run_sync(verifier.verify(small_case(images=(QuestionImage(content),))))
        return [image.data for call in chat.calls for image in call.messages[-1].images]

    assert described(b"one", b"two") == [b"one", b"two"]
    assert described(b"one", b"two") == []
    assert described(b"three", b"two", b"one") == [b"three", b"one"]
