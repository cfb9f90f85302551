from __future__ import annotations

import base64
import gc
import threading
from typing import Any

import numpy as np
import pytest
from PIL import Image

from graphmemix.encode.endpoint import EndpointEncoder
from graphmemix.encode.protocol import Encoder
from graphmemix.errors import EncoderError, InvalidDataError
from graphmemix.imaging import decode_picture
from tests.encode.embeddings import DIMENSION, KEY, Opened, Reply, Server, embed, unit, vector
from tests.encode.tiny_clip import encoded, halves, picture

# What it promises


def test_keeps_the_contract_of_encoders(server: Server, opened: Opened) -> None:
    contract: Encoder = opened(server, images=True)
    assert contract.identity == "endpoint:tiny"
    assert contract.sees_images
    texts = ["red", "", "日本語", "x" * 99]
    rows = contract.texts(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (4, DIMENSION)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert rows[0] == pytest.approx(unit(vector("red")))
    assert contract.dimension == DIMENSION
    assert contract.texts([]).shape == contract.images([]).shape == (0, DIMENSION)


def test_the_request_is_the_one_of_the_api(server: Server, opened: Opened) -> None:
    opened(server, "m", api_key=KEY, dimensions=4).texts(["red", "blue"])
    assert server.requests == [
        {"model": "m", "input": ["red", "blue"], "encoding_format": "float", "dimensions": 4}
    ]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["Content-Type"] == "application/json"


def test_without_a_key_none_is_sent(server: Server, opened: Opened) -> None:
    opened(server).texts(["red"])
    assert "Authorization" not in server.headers[0]
    assert "dimensions" not in server.requests[0]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("", "/v1/embeddings"),
        ("/", "/v1/embeddings"),
        ("/v1", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),
        ("/v1/embeddings", "/v1/embeddings"),
        ("/api/openai", "/api/openai/embeddings"),
        ("/v1?api-version=2", "/v1/embeddings?api-version=2"),
    ],
)
def test_any_usual_form_of_the_address(
    server: Server, opened: Opened, given: str, path: str
) -> None:
    opened(server.url + given).texts(["red"])
    assert server.paths == [path]


def test_batches_keep_their_order(server: Server, opened: Opened) -> None:
    others = threading.Event()

    def slower_first(request: dict[str, Any]) -> Reply:
        reply = embed(request)
        if "0" in request["input"]:
            others.wait(60)
        elif len(server.requests) > 3:  # a later batch, so the first ones were answered
            others.set()
        return reply

    server.script = slower_first
    texts = [str(i) for i in range(23)]
    told: list[tuple[int, int]] = []
    encoder = opened(server, batch=4, concurrency=3)
    rows = encoder.texts(texts, progress=lambda done, of: told.append((done, of)))
    assert rows == pytest.approx(np.array([unit(vector(text)) for text in texts]), abs=1e-6)
    assert sorted(len(request["input"]) for request in server.requests) == [3, 4, 4, 4, 4, 4]
    assert [of for _, of in told] == [23] * 6
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (23, 23)


def test_requests_run_at_once_up_to_the_limit(server: Server, opened: Opened) -> None:
    three = threading.Barrier(3, timeout=60)

    def together(request: dict[str, Any]) -> Reply:
        three.wait()
        return embed(request)

    server.script = together
    opened(server, batch=1, concurrency=3).texts(list("abcdefghi"))
    assert server.most_under_way == 3


def test_shuffled_rows_find_their_place(server: Server, opened: Opened) -> None:
    def shuffled(request: dict[str, Any]) -> Reply:
        reply = embed(request)
        reply.body["data"].reverse()
        return reply

    server.script = shuffled
    rows = opened(server).texts(["a", "bb", "ccc"])
    assert rows == pytest.approx(np.array([unit(vector(t)) for t in ("a", "bb", "ccc")]), abs=1e-6)


def test_rows_without_index_are_in_order(server: Server, opened: Opened) -> None:
    def bare(request: dict[str, Any]) -> Reply:
        return Reply({"data": [{"embedding": vector(text)} for text in request["input"]]})

    server.script = bare
    rows = opened(server).texts(["a", "bb"])
    assert rows == pytest.approx(np.array([unit(vector(t)) for t in ("a", "bb")]), abs=1e-6)


def test_texts_that_servers_refuse_are_mended(server: Server, opened: Opened) -> None:
    opened(server, max_characters=5).texts(["", "123456789", "\ud800"])
    assert server.requests[0]["input"] == [" ", "12345", "?"]


def test_the_dimension_is_asked_for_once(server: Server, opened: Opened) -> None:
    encoder = opened(server)
    assert [encoder.dimension, encoder.dimension] == [DIMENSION, DIMENSION]
    assert len(server.requests) == 1
    assert opened(server, dimensions=7).dimension == 7
    assert len(server.requests) == 1


def test_identity_names_the_model_and_not_the_server(opened: Opened) -> None:
    assert opened("http://a", "m").identity == opened("http://b/v1", "m").identity == "endpoint:m"
    assert opened("http://a", "m", dimensions=256).identity == "endpoint:m@256"


def test_threads_may_share_an_encoder(server: Server, opened: Opened) -> None:
    encoder = opened(server, batch=1, concurrency=2)
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        found[number] = encoder.texts([f"{number} {i}" for i in range(5)])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, rows in found.items():
        expected = [unit(vector(f"{number} {i}")) for i in range(5)]
        assert rows == pytest.approx(np.array(expected), abs=1e-6)


def test_connections_are_given_back(server: Server) -> None:
    with EndpointEncoder(server.url, "m") as encoder:
        encoder.texts(["red"])
    with pytest.raises(EncoderError, match="closed"):
        encoder.texts(["red"])
    forgotten = EndpointEncoder(server.url, "m")
    forgotten.texts(["red"])
    del forgotten
    gc.collect()  # an open socket would warn, and warnings are errors


# Pictures


def sent_picture(item: dict[str, Any]) -> tuple[str, bytes]:
    head, _, body = item["image"].partition(";base64,")
    return head.removeprefix("data:"), base64.b64decode(body)


def test_plain_pictures_go_as_they_are(server: Server, opened: Opened) -> None:
    files = [
        picture("red", file_format="JPEG"),
        picture("red", file_format="PNG"),
        picture("red", file_format="WEBP"),
        encoded(Image.new("L", (9, 9))),
    ]
    rows = opened(server, images=True).images(files)
    sent = [sent_picture(item) for item in server.requests[0]["input"]]
    assert sent == list(
        zip(("image/jpeg", "image/png", "image/webp", "image/png"), files, strict=True)
    )
    assert rows[1] == pytest.approx(unit(vector(server.requests[0]["input"][1])))


def with_exif(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "a camera of Ms Private"
    return exif


@pytest.mark.parametrize(
    ("file", "mime"),
    [
        (encoded(halves("red", "blue"), "JPEG", exif=with_exif(6), quality=95), "image/jpeg"),
        (
            encoded(halves("red", "blue"), "JPEG", exif=with_exif(1), comment=b"Private"),
            "image/jpeg",
        ),
        (encoded(halves("red", "blue"), "PNG", exif=with_exif(3)), "image/png"),
        (encoded(halves("red", "blue").convert("RGBA"), "PNG"), "image/png"),
        (encoded(halves("red", "blue").convert("P"), "GIF"), "image/png"),
        (encoded(halves("red", "blue").convert("CMYK"), "TIFF"), "image/png"),
        (encoded(halves("red", "blue"), "BMP"), "image/png"),
        (
            encoded(
                halves("red", "blue"), "WEBP", save_all=True, append_images=[halves("red", "white")]
            ),
            "image/jpeg",
        ),
    ],
)
def test_other_pictures_are_sent_as_pixels_alone(
    server: Server, opened: Opened, file: bytes, mime: str
) -> None:
    opened(server, images=True).images([file])
    kind, sent = sent_picture(server.requests[0]["input"][0])
    assert kind == mime
    assert b"Private" not in sent
    seen, expected = decode_picture(sent, "sent"), decode_picture(file, "original")
    difference = np.asarray(seen).astype(float) - np.asarray(expected).astype(float)
    assert np.abs(difference).mean() < 3


def test_the_messages_form_is_the_one_of_vllm(server: Server, opened: Opened) -> None:
    file = picture("red")
    encoder = opened(server, images=True, image_style="messages", concurrency=1)
    encoder.images([file, picture("blue")])
    encoder.texts(["a text", ""])
    url = f"data:image/png;base64,{base64.b64encode(file).decode()}"
    assert [len(request["messages"]) for request in server.requests] == [1] * 4
    assert server.requests[0]["messages"] == [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    ]
    assert server.requests[2]["messages"][0]["content"] == [{"type": "text", "text": "a text"}]
    assert server.requests[3]["messages"][0]["content"] == [{"type": "text", "text": " "}]


def test_an_encoder_of_words_refuses_pictures(server: Server, opened: Opened) -> None:
    encoder = opened(server)
    assert not encoder.sees_images
    with pytest.raises(EncoderError, match="does not see images"):
        encoder.images([picture("red")])
    assert not server.requests


def test_a_corrupt_picture_is_named(server: Server, opened: Opened) -> None:
    encoder = opened(server, images=True, batch=2)
    with pytest.raises(InvalidDataError, match=r"images\[3\]"):
        encoder.images([*[picture("red")] * 3, b"no picture", picture("red")])
