from __future__ import annotations

import asyncio
import base64
import json
import logging
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

import anyio
import pytest
from PIL import Image

from graphmemix.errors import (
    InvalidDataError,
    InvalidInputError,
    LimitReachedError,
    MissingExtraError,
    ModelUnavailableError,
    SettingsError,
)
from graphmemix.llm import (
    Backoff,
    Budget,
    ImagePart,
    JsonFormat,
    Message,
    Meter,
    OpenAiChat,
    Options,
    Pace,
    Piece,
    iterate_sync,
    open_chat,
    run_sync,
)
from graphmemix.llm.openai_wire import ServerFeatures, WireUsage, usage_of
from graphmemix.settings import Settings
from tests.llm.servers import (
    Act,
    Connection,
    HostileServer,
    broken,
    completion,
    drips,
    resets,
    says,
    silent,
    status,
    streams,
)

KEY = "sk-very-secret-0123456789"
HELLO = [Message.user("a private question")]
SCHEMA = JsonFormat("thing", {"type": "object"})
Opener = Callable[..., OpenAiChat]


@pytest.fixture
def open_(hostile: HostileServer) -> Iterator[Opener]:
    opened = []

    def make(**arguments: Any) -> OpenAiChat:
        arguments.setdefault("backoff", Backoff(2, 0.001, 5.0))
        arguments.setdefault("timeout", 10.0)
        opened.append(OpenAiChat(arguments.pop("url", hostile.url), "m", **arguments))
        return opened[-1]

    yield make
    for chat in opened:
        run_sync(chat.aclose())


def picture(width: int, height: int, kind: str = "JPEG", **extra: Any) -> bytes:
    out = BytesIO()
    Image.new("RGB", (width, height), "navy").save(out, kind, **extra)
    return out.getvalue()


def refuse(*names: str) -> Act:
    """Refuse requests that have one of these parameters, as strict servers do."""

    def act(connection: Connection) -> None:
        for name in names:
            if name in connection.body:
                return status(400, f"unknown parameter: {name}")(connection)
        return says("fine")(connection)

    return act


def test_a_reply_comes_back_with_what_it_took(hostile: HostileServer, open_: Opener) -> None:
    chat = open_(prices=(2.0, 30.0), api_key=KEY)
    hostile.script = [says("Lisbon.")]
    with Meter() as meter:
        reply = run_sync(chat.complete(HELLO, Options(max_tokens=5)))
    assert (reply.text, reply.finish) == ("Lisbon.", "stop")
    assert (reply.usage.calls, reply.usage.input_tokens, reply.usage.output_tokens) == (1, 100, 10)
    assert reply.usage.money == pytest.approx((100 * 2 + 10 * 30) / 1e6)
    assert meter.usage == reply.usage
    assert hostile.requests[0] == {
        "model": "m",
        "messages": [{"role": "user", "content": "a private question"}],
        "temperature": 0.0,
        "max_tokens": 5,
    }
    assert hostile.paths == ["/v1/chat/completions"]
    assert hostile.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_server_that_does_not_count_is_estimated(hostile: HostileServer, open_: Opener) -> None:
    hostile.script = [says("x" * 40, usage=None)]
    usage = run_sync(open_().complete(HELLO)).usage
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (5, 10, True)


def test_nothing_is_sent_that_nobody_asked_for(
    hostile: HostileServer, open_: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "from-another-service")
    run_sync(open_().complete(HELLO))
    sent = hostile.headers[0]
    assert "authorization" not in sent
    assert "from-another-service" not in str(sent)
    assert not [name for name in sent if name.startswith(("x-stainless", "openai"))]


def test_a_password_in_the_address_is_sent_as_such_and_shown_nowhere(
    hostile: HostileServer, open_: Opener
) -> None:
    hostile.script = [status(401, "who is anna:geheim?")]
    chat = open_(url=hostile.url.replace("//", "//anna:geheim@") + "?api-key=queried")
    with pytest.raises(ModelUnavailableError) as caught:
        run_sync(chat.complete(HELLO))
    expected = "Basic " + base64.b64encode(b"anna:geheim").decode()
    assert hostile.headers[0]["authorization"] == expected
    assert hostile.paths == ["/v1/chat/completions?api-key=queried"]
    for shown in (str(caught.value), repr(chat), chat.scope):
        assert "geheim" not in shown
        assert "queried" not in shown


def test_the_key_and_the_question_are_in_no_error_log_or_repr(
    hostile: HostileServer, open_: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    hostile.script = [says("words of the answer"), status(500, f"your key {KEY} is bad")]
    chat = open_(api_key=KEY)
    run_sync(chat.complete(HELLO))
    with pytest.raises(ModelUnavailableError) as caught:
        run_sync(chat.complete(HELLO))
    told = (
        "".join(traceback.format_exception(caught.value))
        + repr(chat)
        + str(vars(chat._server.address))
    )
    for text in (told, caplog.text):
        assert KEY not in text
        assert "private question" not in text
        assert "words of the answer" not in text
    assert caught.value.__context__ is None  # what httpx raises holds the request
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(status(429, Retry_After="0.01"), id="429"),
        pytest.param(status(500), id="500"),
        pytest.param(status(503), id="503"),
        pytest.param(resets, id="reset"),
        pytest.param(broken(b'{"choices": [', 500), id="breaks off"),
        pytest.param(broken(b""), id="empty body"),
        pytest.param(broken(b"<html>gateway</html>"), id="not JSON"),
        pytest.param(broken(b'{"choices": []}'), id="no choices"),
        pytest.param(broken(json.dumps(completion("x") | {"usage": 3}).encode()), id="bad usage"),
    ],
)
def test_what_may_pass_is_tried_again(hostile: HostileServer, open_: Opener, failure: Act) -> None:
    hostile.script = [failure, failure, says("at last")]
    with Meter() as meter:
        reply = run_sync(open_().complete(HELLO))
    assert (reply.text, reply.usage.calls, meter.usage.calls) == ("at last", 3, 3)
    hostile.requests.clear()
    hostile.script = [failure]
    with pytest.raises(ModelUnavailableError, match="after 3 tries"):
        run_sync(open_().complete(HELLO))
    assert len(hostile.requests) == 3


@pytest.mark.parametrize("act", [silent, drips(0.02)], ids=["silent", "slow drip"])
def test_a_reply_that_is_not_complete_in_time_is_given_up(
    hostile: HostileServer, open_: Opener, act: Act
) -> None:
    hostile.script = [act]
    chat = open_(timeout=1, backoff=Backoff(1, 0.001))
    with pytest.raises(ModelUnavailableError, match=r"no complete reply within 1 s"):
        run_sync(chat.complete(HELLO))
    assert len(hostile.requests) == 2


@pytest.mark.parametrize("code", [301, 400, 401, 403, 404])
def test_what_will_not_pass_is_not_tried_again(
    hostile: HostileServer, open_: Opener, code: int
) -> None:
    hostile.script = [status(code, "because", Location="http://127.0.0.1:9/elsewhere")]
    with pytest.raises(ModelUnavailableError, match=f"HTTP {code}"):
        run_sync(open_().complete(HELLO))
    assert len(hostile.requests) == 1


def test_a_server_that_asks_for_a_long_pause_counts_as_unavailable(
    hostile: HostileServer, open_: Opener
) -> None:
    hostile.script = [status(429, Retry_After="3600")]
    with pytest.raises(ModelUnavailableError, match="wait 3600 s"):
        run_sync(open_().complete(HELLO))
    assert len(hostile.requests) == 1


def test_an_address_where_nobody_is_fails_at_once(open_: Opener) -> None:
    with Meter() as meter, pytest.raises(ModelUnavailableError, match="cannot connect"):
        run_sync(open_(url="http://127.0.0.1:9/v1").complete(HELLO))
    assert meter.usage.calls == 1


def test_the_best_decoding_that_the_server_takes_is_found_and_remembered(
    hostile: HostileServer, open_: Opener
) -> None:
    def only_objects(connection: Connection) -> None:
        kind = connection.body.get("response_format", {}).get("type")
        act = status(400, "cannot do that") if kind == "json_schema" else says("{}")
        act(connection)

    hostile.script = [only_objects]
    chat = open_()
    options = Options(format=SCHEMA)
    assert run_sync(chat.complete(HELLO, options)).decoding == "json_object"
    assert run_sync(chat.complete(HELLO, options)).decoding == "json_object"
    kinds = [request["response_format"]["type"] for request in hostile.requests]
    assert kinds == ["json_schema", "json_object", "json_object"]
    hostile.script = [refuse("response_format")]
    chat = open_()
    assert run_sync(chat.complete(HELLO, options)).decoding == "text"


def test_a_schema_is_sent_where_it_is_wanted_alone(hostile: HostileServer, open_: Opener) -> None:
    chat = open_()
    assert run_sync(chat.complete(HELLO, Options(format=SCHEMA))).decoding == "json_schema"
    objects = JsonFormat("thing", {"type": "object"}, "json_object")
    assert run_sync(chat.complete(HELLO, Options(format=objects))).decoding == "json_object"
    sent = [request["response_format"] for request in hostile.requests]
    assert sent[0]["json_schema"]["schema"] == {"type": "object"}
    assert sent[1] == {"type": "json_object"}


def test_a_refusal_that_has_nothing_to_do_with_decoding_is_told_and_not_remembered(
    hostile: HostileServer, open_: Opener
) -> None:
    hostile.script = [status(400, "the context is full")]
    chat = open_()
    with pytest.raises(ModelUnavailableError, match="the context is full"):
        run_sync(chat.complete(HELLO, Options(format=SCHEMA)))
    hostile.script = [says("{}")]
    assert run_sync(chat.complete(HELLO, Options(format=SCHEMA))).decoding == "json_schema"


def test_parameters_that_a_server_does_not_know_are_left_out(
    hostile: HostileServer, open_: Opener
) -> None:
    hostile.script = [refuse("max_tokens", "temperature")]
    chat = open_()
    assert run_sync(chat.complete(HELLO, Options(max_tokens=9))).text == "fine"
    assert hostile.requests[-1].keys() == {"model", "messages", "max_completion_tokens"}


def pixels(url: str) -> tuple[int, int]:
    with Image.open(BytesIO(base64.b64decode(url.partition(",")[2]))) as image:
        assert not image.getexif()
        return image.size


def test_pictures_go_as_data_urls_and_only_large_ones_are_scaled_down(
    hostile: HostileServer, open_: Opener
) -> None:
    plain = picture(60, 20)
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    message = Message.user(
        "see", ImagePart(plain), ImagePart(picture(400, 100)), ImagePart(picture(9, 9, exif=exif))
    )
    run_sync(open_(image_edge=200).complete([message]))
    text, *images = hostile.requests[0]["messages"][0]["content"]
    urls = [image["image_url"]["url"] for image in images]
    assert text == {"type": "text", "text": "see"}
    assert base64.b64decode(urls[0].partition(",")[2]) == plain
    assert [pixels(url) for url in urls] == [(60, 20), (200, 50), (9, 9)]


def test_a_picture_that_is_none_is_named(open_: Opener, hostile: HostileServer) -> None:
    with pytest.raises(InvalidDataError, match="image 0 of the message"):
        run_sync(open_().complete([Message.user(ImagePart(b"nothing"))]))
    assert not hostile.requests


def stream(chat: OpenAiChat) -> list[Piece]:
    return list(iterate_sync(chat.stream(HELLO)))


def test_a_stream_yields_words_and_ends_with_the_whole(
    hostile: HostileServer, open_: Opener
) -> None:
    hostile.script = [streams(["In ", "Lis", "bon."])]
    with Meter() as meter:
        *pieces, last = stream(open_())
    assert [piece.text for piece in pieces] == ["In ", "Lis", "bon."]
    assert last.end is not None
    assert (last.text, last.end.text, last.end.finish) == ("", "In Lisbon.", "stop")
    assert (last.end.usage.input_tokens, last.end.usage.output_tokens) == (7, 3)
    assert meter.usage == last.end.usage
    assert hostile.requests[0]["stream_options"] == {"include_usage": True}


def test_a_stream_without_usage_is_estimated(hostile: HostileServer, open_: Opener) -> None:
    hostile.script = [streams(["word"], end="no_usage")]
    end = stream(open_())[-1].end
    assert end is not None
    assert end.usage.estimated


def test_events_are_cut_at_line_ends_alone(hostile: HostileServer, open_: Opener) -> None:
    def act(connection: Connection) -> None:
        connection.head(kind="text/event-stream")
        for words in ("a\u2028b", "\u0085c"):  # line ends of Unicode, which JSON need not escape
            event = {"choices": [{"delta": {"content": words}, "finish_reason": "stop"}]}
            text = json.dumps(event, ensure_ascii=False)
            connection.send(f": comment\r\nevent: x\r\ndata: {text[:12]}\r\n")
            connection.send(f"data:{text[12:]}\r\n\r\n")
        connection.send("data: [DONE]\n\ndata: {}\n\n")

    hostile.script = [act]
    end = stream(open_())[-1].end
    assert end is not None
    assert end.text == "a\u2028b\u0085c"


@pytest.mark.parametrize("data", ["{", "[" * 10_000, "\ufffd", "1 2"])
def test_events_that_are_no_json_are_tried_again(
    hostile: HostileServer, open_: Opener, data: str
) -> None:
    def act(connection: Connection) -> None:
        connection.head(kind="text/event-stream")
        connection.send(f"data: {data}\n\n")

    hostile.script = [act, streams(["x"])]
    end = stream(open_())[-1].end
    assert end is not None
    assert (end.text, end.usage.calls) == ("x", 2)


@pytest.mark.parametrize("end", ["reset", "close", "error"])
def test_a_stream_that_breaks_is_an_error_after_the_words_that_came(
    hostile: HostileServer, open_: Opener, end: str
) -> None:
    hostile.script = [streams(["In ", "Lis"], end=end)]
    got: list[str] = []
    pieces = iterate_sync(open_().stream(HELLO))
    broke = pytest.raises(ModelUnavailableError, match="in the middle of the reply")
    with Meter() as meter, broke:
        got.extend(next(pieces).text for _ in range(9))
    assert got == ["In ", "Lis"]
    assert len(hostile.requests) == 1
    assert (meter.usage.calls, meter.usage.output_tokens) == (1, 2)


@pytest.mark.parametrize(
    "act", [streams(["a"], end="silence"), streams(["a"] * 1000, pause=0.05)], ids=["hangs", "slow"]
)
def test_a_stream_has_to_end_in_time(hostile: HostileServer, open_: Opener, act: Act) -> None:
    hostile.script = [act]
    with pytest.raises(ModelUnavailableError, match=r"within 1\.5 s, in the middle"):
        stream(open_(timeout=1.5))


def test_until_the_first_word_a_stream_is_tried_again(
    hostile: HostileServer, open_: Opener
) -> None:
    hostile.script = [status(500), resets, streams(["x"])]
    end = stream(open_())[-1].end
    assert end is not None
    assert (end.text, end.usage.calls) == ("x", 3)


def test_a_listener_may_stop_early_and_the_chat_goes_on(
    hostile: HostileServer, open_: Opener
) -> None:
    chat = open_(pace=Pace(concurrency=1))
    hostile.script = [streams(["a"] * 1000, pause=0.01), says("next")]
    for _ in iterate_sync(chat.stream(HELLO)):
        break
    assert run_sync(chat.complete(HELLO)).text == "next"


def test_no_more_calls_than_allowed_are_under_way(hostile: HostileServer, open_: Opener) -> None:
    def slow(connection: Connection) -> None:
        time.sleep(0.03)
        says("x")(connection)

    hostile.script = [slow]
    chat = open_(pace=Pace(concurrency=2))

    async def many() -> None:
        await asyncio.gather(*(chat.complete(HELLO) for _ in range(8)))

    run_sync(many())
    assert hostile.most_at_once == 2


def test_a_deadline_ends_a_call_that_is_under_way(hostile: HostileServer, open_: Opener) -> None:
    hostile.script = [silent]
    with Budget(seconds=1) as budget, pytest.raises(LimitReachedError) as caught:
        run_sync(open_().complete(HELLO))
    assert caught.value.limit == "deadline"
    assert (budget.usage.calls, budget.usage.input_tokens) == (1, 5)  # the server has had it


@pytest.mark.parametrize("begin", ["", "head", "words"])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_that_a_cancel_scope_ends_closes_its_connection(
    hostile: HostileServer, open_: Opener, begin: str, streamed: bool
) -> None:
    asked, closed = threading.Event(), threading.Event()

    def act(connection: Connection) -> None:
        if begin:
            connection.head(kind="text/event-stream")
        if begin == "words":
            connection.send('data: {"choices": [{"delta": {"content": "x"}}]}\n\n')
        asked.set()
        connection.socket.settimeout(30)
        if not connection.socket.recv(1):
            closed.set()

    hostile.script = [act]
    chat = open_()

    async def call() -> None:
        if streamed:
            async for _ in chat.stream(HELLO):
                pass
        else:
            await chat.complete(HELLO)

    async def among_others() -> None:  # its task is none of anyio's, so that no shield holds
        await asyncio.gather(call())

    async def leave() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(among_others)
            await asyncio.to_thread(asked.wait, 30)
            await asyncio.sleep(0.2)  # until what was sent is read
            group.cancel_scope.cancel()
        assert await asyncio.to_thread(closed.wait, 10)

    run_sync(leave())


def test_a_used_up_cap_refuses_the_next_call_before_it_is_sent(
    hostile: HostileServer, open_: Opener
) -> None:
    chat = open_(prices=(1.0, 1.0))
    for budget, limit in ((Budget(tokens=105), "tokens"), (Budget(money=0.0001), "money")):
        hostile.requests.clear()
        with budget:
            run_sync(chat.complete(HELLO))  # paid for, so it is returned
            with pytest.raises(LimitReachedError) as caught:
                run_sync(chat.complete(HELLO))
        assert caught.value.limit == limit
        assert len(hostile.requests) == 1


def test_settings_name_the_endpoint(
    hostile: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    settings = Settings.load(
        environment={"HOME": "/nowhere"},
        overrides={
            "model.base_url": hostile.url,
            "model.name": "big",
            "model.api_key_env": "MY_KEY",
            "model.input_price": 10.0,
        },
    )
    chat = open_chat(settings)
    assert isinstance(chat, OpenAiChat)
    assert run_sync(chat.complete(HELLO)).usage.money == pytest.approx(0.001)
    run_sync(chat.aclose())
    assert (chat.identity, hostile.requests[0]["model"]) == ("big", "big")
    assert hostile.headers[0]["authorization"] == f"Bearer {KEY}"
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(SettingsError, match="MY_KEY is not set"):
        open_chat(settings)


def test_without_an_endpoint_there_is_no_chat() -> None:
    assert open_chat(Settings()) is None


def test_a_key_in_the_settings_is_not_shown() -> None:
    settings = Settings.load(environment={"HOME": "/x", "GRAPHMEMIX_MODEL__API_KEY": KEY})
    assert KEY not in repr(settings) + str(settings.flat()) + settings.model_dump_json()
    with pytest.raises(SettingsError) as caught:
        Settings.load(environment={"HOME": "/x"}, overrides={"model.api_key": [KEY]})
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("base_url", "model", "more"),
    [
        ("localhost:8000", "m", {}),
        ("ftp://host/v1", "m", {}),
        ("http://[broken", "m", {}),
        ("http://host", "", {}),
        ("http://host", "m", {"timeout": 0}),
        ("http://host", "m", {"api_key": "with\nbreak"}),
    ],
)
def test_an_impossible_endpoint_is_refused(base_url: str, model: str, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        OpenAiChat(base_url, model, **more)


def test_a_missing_library_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r"the extra 'llm': .*\[llm\]"):
        OpenAiChat("http://host", "m")


@pytest.mark.parametrize(
    ("details", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 7}}, 7),
        ({"prompt_tokens_details": {"cached_tokens": 99}}, 10),  # no more than there are
        ({"prompt_tokens_details": {"cached_tokens": None}}, 0),
        ({"prompt_tokens_details": {"audio_tokens": 1}}, 0),
        ({"prompt_tokens_details": None}, 0),
        ({}, 0),
    ],
)
def test_tokens_that_the_server_had_read_before_are_counted(
    details: dict[str, object], cached: int
) -> None:
    counted = WireUsage.model_validate({"prompt_tokens": 10, "completion_tokens": 2, **details})
    usage = usage_of(counted, [], "", (0.0, 0.0))
    assert (usage.input_tokens, usage.cached_tokens) == (10, cached)
    assert (usage + usage).cost_of("node", 1.0).cached_tokens == 2 * cached


@pytest.mark.parametrize(
    "refusal",
    [
        "the request exceeds the available context size, try increasing it",
        "'max_tokens' is too large: 8192. this model's maximum context length is 4096 tokens",
        "context_length_exceeded",
    ],
)
def test_a_prompt_that_does_not_fit_is_no_complaint_about_a_parameter(refusal: str) -> None:
    body = {"max_tokens": 5, "response_format": {"type": "json_schema"}}
    assert ServerFeatures().without(body, refusal) is None
    assert ServerFeatures().without(body, "bad request") is not None
