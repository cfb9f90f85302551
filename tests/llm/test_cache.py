from __future__ import annotations

import os
import stat
from pathlib import Path

from graphmemix.llm import (
    ImagePart,
    Message,
    Meter,
    Options,
    RememberingChat,
    Reply,
    ReplyCache,
    ScriptedChat,
    Usage,
    iterate_sync,
    run_sync,
)
from graphmemix.llm.chat import JsonFormat

HELLO = [Message.user("hello")]


def counting(**more: str) -> ScriptedChat:
    chat = ScriptedChat(lambda messages, options: f"reply {len(chat.calls)}", **more)  # type: ignore[arg-type]
    return chat


def test_the_same_again_is_not_asked_again_also_by_another_process(tmp_path: Path) -> None:
    chat = counting()
    first = run_sync(RememberingChat(chat, ReplyCache(tmp_path / "c")).complete(HELLO))
    with Meter() as meter:
        again = run_sync(RememberingChat(chat, ReplyCache(tmp_path / "c")).complete(HELLO))
    assert (first.text, again.text, again.cached) == ("reply 1", "reply 1", True)
    assert meter.usage == again.usage == Usage()
    assert len(chat.calls) == 1


def test_any_difference_in_what_is_asked_is_another_question(tmp_path: Path) -> None:
    cache, chat = ReplyCache(tmp_path), counting()
    remembering = RememberingChat(chat, cache, scope="http://a")
    for messages, options in [
        (HELLO, Options()),
        ([Message.system("hello")], Options()),
        ([*HELLO, *HELLO], Options()),
        ([Message.user("hello", ImagePart(b"1"))], Options()),
        ([Message.user("hello", ImagePart(b"2"))], Options()),
        (HELLO, Options(max_tokens=5)),
        (HELLO, Options(format=JsonFormat("x", {}))),
    ]:
        run_sync(remembering.complete(messages, options))
    run_sync(RememberingChat(chat, cache, scope="http://b").complete(HELLO))
    run_sync(RememberingChat(counting(identity="other"), cache, scope="http://a").complete(HELLO))
    assert len(chat.calls) == 8
    assert len(list(tmp_path.glob("*.json"))) == 9


def test_what_is_cut_empty_or_sampled_is_not_kept(tmp_path: Path) -> None:
    chat = ScriptedChat([Reply("cut", "length"), " ", "a", "b", "c"])
    remembering = RememberingChat(chat, ReplyCache(tmp_path))
    warm = Options(temperature=0.7)
    texts = [run_sync(remembering.complete(HELLO)).text for _ in range(3)]
    texts += [run_sync(remembering.complete(HELLO, warm)).text for _ in range(2)]
    assert texts == ["cut", " ", "a", "b", "c"]


def test_streams_are_remembered_too(tmp_path: Path) -> None:
    chat = counting()
    remembering = RememberingChat(chat, ReplyCache(tmp_path))
    first = "".join(piece.text for piece in iterate_sync(remembering.stream(HELLO)))
    (again,) = iterate_sync(remembering.stream(HELLO))
    assert first == again.text == "reply 1"
    assert again.end is not None
    assert again.end.cached


def test_the_folder_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "cache"
    run_sync(RememberingChat(counting(), ReplyCache(folder)).complete(HELLO))
    (file,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    folder.chmod(0o755)
    ReplyCache(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_folder_stays_below_its_size_and_the_oldest_go_first(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path, megabytes=0.01)
    for number in range(20):
        cache.put(f"{number:064d}", Reply("x" * 1000))
        os.utime(tmp_path / f"{number:064d}.json", (number, number))
    left = sorted(path.stem for path in tmp_path.glob("*.json"))
    assert sum(path.stat().st_size for path in tmp_path.glob("*.json")) <= 10_000
    assert left[-1] == f"{19:064d}"
    assert left == [f"{number:064d}" for number in range(20 - len(left), 20)]
    cache.clear()
    assert not list(tmp_path.iterdir())


def test_a_damaged_entry_is_as_good_as_none(tmp_path: Path) -> None:
    chat = counting()
    remembering = RememberingChat(chat, ReplyCache(tmp_path))
    run_sync(remembering.complete(HELLO))
    (file,) = tmp_path.iterdir()
    file.write_bytes(b'{"text": "tru')
    assert run_sync(remembering.complete(HELLO)).text == "reply 2"
    assert run_sync(remembering.complete(HELLO)).text == "reply 2"


def test_a_folder_that_cannot_be_written_makes_no_question_fail(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    chat = counting()
    remembering = RememberingChat(chat, ReplyCache(tmp_path / "file" / "cache"))
    texts = [run_sync(remembering.complete(HELLO)).text for _ in range(2)]
    assert texts == ["reply 1", "reply 2"]
