"""How a picture is put before a model, and what is counted when nothing comes of it."""

from __future__ import annotations

import hashlib

import pytest

from graphmemix.evidence import QuestionImage
from graphmemix.llm import run_sync
from graphmemix.memory import Description, Media, Memory
from graphmemix.verify import LlmVerifier
from graphmemix.verify.captions import PROMPT, archive_caption
from tests.verify.cases import model, small_case
from tests.verify.local_cases import settings_with


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
