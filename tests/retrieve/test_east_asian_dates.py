"""Questions and memories in Japanese, Chinese and Korean meet by the days that they name."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.evidence import Question
from graphmemix.memory import Media, Memory
from graphmemix.settings import Settings

ASKED = datetime(2025, 12, 1, 12, tzinfo=UTC)
_OTHERS = 90  # more than the candidates of a question


def at(month: int, day: int) -> datetime:
    return datetime(2025, month, day, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    folder = tmp_path_factory.mktemp("east_asian")
    settings = Settings.load(environment={"HOME": str(folder)})
    with Archive.open(Path(folder) / "a", encoder=HashingEncoder(), settings=settings) as archive:
        archive.add(
            [
                Memory("photo", "photo", timestamp=at(8, 2), media=(Media("image"),)),
                Memory("note", "note", "ひまわり畑を歩いた", timestamp=at(8, 2)),
                Memory(
                    "ryokan",
                    "email",
                    "ご予約の確認\n\n8月2日(土)より2泊、旅館さくらでお待ちしております。",
                    timestamp=at(6, 20),
                ),
                Memory("party", "message", "11월 9일에 만나요", timestamp=at(11, 1)),
                Memory("bill", "email", "請求書\n\n料金は3,600円です。", timestamp=at(6, 21)),
                *(
                    Memory(f"other{k}", "note", f"何をした {k}", timestamp=at(1, 1) + timedelta(k))
                    for k in range(_OTHERS)
                ),
            ]
        )
        yield archive


def candidates(archive: Archive, question: str) -> set[str]:
    graph = archive.candidates(Question(question, asked_at=ASKED))
    return {each.memory_id for each in graph.candidates}


@pytest.mark.parametrize(
    "question",
    [
        "2025年8月2日は何をした?",
        "8月2日は何をした?",
        "2025年8月2日我们做了什么?",
        "2025년 8월 2일에 뭐 했어?",
    ],
)
def test_what_was_done_on_a_day_is_all_that_is_of_it(archive: Archive, question: str) -> None:
    assert candidates(archive, question) == {"photo", "note", "ryokan"}
    forest = archive.recall(Question(question, asked_at=ASKED), save=False).forest
    assert forest is not None
    assert set(forest.memory_ids) == {"photo", "note", "ryokan"}


@pytest.mark.parametrize(
    "question", ["8月2日はどこに泊まった?", "2025年8月2日我们住在哪里?", "8월 2일에 어디서 잤어?"]
)
def test_a_question_that_says_more_reaches_them_too(archive: Archive, question: str) -> None:
    assert candidates(archive, question) >= {"photo", "note", "ryokan"}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did we do on 2 August 2025?", {"photo", "note", "ryokan"}),
        ("Where did we sleep on 4 August 2025?", {"ryokan"}),  # the mail says how many nights
        ("What happens on 9 November 2025?", {"party"}),
    ],
)
def test_an_english_question_reaches_mails_that_state_its_day(
    archive: Archive, question: str, found: set[str]
) -> None:
    assert candidates(archive, question) >= found


def test_a_day_on_which_nothing_was_is_named_in_the_notes(archive: Archive) -> None:
    trace = archive.recall(Question("2019年8月2日は何をした?", asked_at=ASKED), save=False)
    assert "nothing here is from 2019年8月2日" in trace.notes
