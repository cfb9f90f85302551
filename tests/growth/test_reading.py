"""Texts from outside cost what their length costs, whatever their shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from pydantic import BaseModel

from graphmemix.encode.chunks import chunks
from graphmemix.evidence import Block, Packet, Question
from graphmemix.llm import run_sync
from graphmemix.llm.structured import FaultyReplyError, find_json
from graphmemix.memory import Memory
from graphmemix.read.citations import cited_numbers
from graphmemix.read.cues import answer_type
from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.llm import WithoutReasoning, without_reasoning
from graphmemix.read.missing import what_is_missing
from graphmemix.read.packet import canonical
from graphmemix.read.sentences import sentences
from graphmemix.relate.mails import Mail
from graphmemix.relate.subjects import normal_subject
from graphmemix.retrieve.constraints import find_constraints
from graphmemix.retrieve.countries import any_country
from graphmemix.settings import Settings
from graphmemix.text.folding import content_words, plain
from graphmemix.text.quoting import one_line, quoted
from graphmemix.text.words import terms
from graphmemix.verify.snippets import query_weights, snippet
from graphmemix_bench.measures.native import chosen
from graphmemix_bench.measures.normalise import normalise
from tests.growth.doubling import assert_linear

SETTINGS = Settings()
WEIGHTS = query_weights(["Which hotel in Rome in May 2023?"])
ASKED = datetime(2024, 5, 17, 12, 30, tzinfo=UTC)


def _sentences(text: str) -> object:
    return sentences(0, _block(text))


def _snippet(text: str) -> object:
    return snippet(Memory("m", "note", text), WEIGHTS, SETTINGS.verifier)


def _mail(text: str) -> object:
    mail = Mail(Memory("m", "email", text, metadata={"subject": text}), SETTINGS.graph)
    return mail.subject, mail.references, mail.dates, mail.occasions, mail.vocabulary


def _canonical(text: str) -> object:
    return canonical(Memory("m", "note", text))


def _block(text: str) -> Block:
    return Block(1, "m", "", ("text",), text, "2023-05-02", kind="message", speaker="Al")


def _answer(text: str) -> object:
    asked = Question("Which hotels did we pay when Mia was in Rome in May 2023, and who came?")
    return run_sync(ExtractiveReader().read(asked, Packet((_block(text),))))


def _missing(text: str) -> object:
    return what_is_missing(Question("When is Mia's birthday?"), (_block(text),))


def _json(text: str) -> object:
    try:
        return find_json(text, BaseModel)
    except FaultyReplyError as error:
        return error


READERS: dict[str, Callable[[str], object]] = {
    "cited_numbers": lambda text: list(cited_numbers(text)),
    "sentences": _sentences,
    "answer_type": answer_type,
    "answer": _answer,
    "missing": _missing,
    "without_thoughts": without_reasoning,
    "snippet": _snippet,
    "find_json": _json,
    "mail": _mail,
    "subject": normal_subject,
    "content_words": lambda text: content_words([plain(text)], 3),
    "constraints": lambda text: find_constraints(
        text, ASKED, people=["Mia", "Jordan"], places=["Rome", "Italy"], countries=any_country
    ),
    "terms": terms,
    "chunks": lambda text: chunks(text, size=800, overlap=160),
    "canonical": _canonical,
    "quoted": quoted,
    "one_line": one_line,
    "normalise": normalise,
    "chosen": lambda text: chosen(text, ()),
}

SHAPES = {
    "one word": "x",
    "spaces": " ",
    "lines": "\n \t",
    "citations": "[1  1   1 , ",
    "brackets": "[[(<{",
    "numbers": "123,",
    "dates": "3. May 2023-",
    "initials": "A. B. ",
    "wrapped lines": "a line that a mail program has wrapped at seventy characters\n",
    "short clauses": "a1, b2; ",
    "replies": "Re: ",
    "quotes": "On\n> ",
    "signs": "<|[/INST",
    "thoughts": "<think>",
    "objects": '{"a":',
    "number words": "one hundred and ",
    "addresses": "www.a-b.c/d_e@",
    "ideographs": "東京。",
    "ideographic dates": "8月2日(木)〜",
    "countries": "in Italy, Jordan and Chad ",
    "marks": "e\u0301\u0301",
}
_SLOWEST = {"answer", "constraints", "mail", "missing", "terms"}


AIMED = [
    ("cited_numbers", "citations"),
    ("sentences", "wrapped lines"),
    ("sentences", "initials"),
    ("snippet", "short clauses"),
    ("answer", "short clauses"),
    ("missing", "dates"),
    ("find_json", "objects"),
    ("mail", "quotes"),
    ("mail", "ideographic dates"),
    ("subject", "replies"),
    ("constraints", "numbers"),
    ("constraints", "countries"),
    ("constraints", "ideographic dates"),
    ("terms", "addresses"),
    ("terms", "marks"),
    ("quoted", "signs"),
    ("normalise", "number words"),
    ("normalise", "replies"),
]


@pytest.mark.parametrize(("reader", "shape"), AIMED)
def test_a_text_that_is_aimed_at_a_reader(reader: str, shape: str) -> None:
    _assert_linear(reader, shape)


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_with_every_shape(reader: str) -> None:
    for shape in SHAPES:
        _assert_linear(reader, shape)


def _assert_linear(reader: str, shape: str) -> None:
    most = 1 << 15 if reader in _SLOWEST else 1 << 17

    def make(size: int) -> str:
        return SHAPES[shape] * (size // len(SHAPES[shape]) + 1) + "\0"

    assert_linear(READERS[reader], make, most=most)


def test_a_word_without_end_is_cut_in_linear_time() -> None:
    assert_linear(
        lambda text: chunks(text, size=50, overlap=0),
        lambda size: "x" * size,
        start=65536,
        most=1 << 24,
    )


def test_thoughts_that_come_in_many_pieces() -> None:
    def listen(pieces: list[str]) -> None:
        unspoken = WithoutReasoning()
        for piece in pieces:
            unspoken.piece(piece)

    assert_linear(listen, lambda size: ["<think>", *["hm, "] * size], most=1 << 18)


def test_keys_of_a_reply_of_which_one_is_there_twice() -> None:
    def make(size: int) -> str:
        rows = ", ".join(f'"k{number}": 1' for number in range(size))
        return f'{{{rows}, "k{size - 1}": 2}}'

    with pytest.raises(FaultyReplyError, match="twice"):
        find_json(make(3), BaseModel)
    assert_linear(_json, make, most=1 << 15)


def test_clauses_of_a_long_memory() -> None:
    """Up to 60,000 characters are looked at; the cost of choosing among them is bounded too."""
    assert_linear(
        _snippet,
        lambda size: " ".join(f"hotel rome may w{number}." for number in range(size)),
        start=64,
        most=1 << 12,
    )


def test_numbers_in_words_do_not_grow_without_end() -> None:
    assert normalise("one " + "hundred " * 3000).startswith("100 ")
    assert normalise("two hundred and five") == "205"


def test_a_citation_of_112_bytes_ends() -> None:
    text = "[1" + "   1" * 27 + "x"
    assert len(text) <= 112
    assert list(cited_numbers(text)) == []


def test_mentions_near_a_day_are_read_once() -> None:
    mail = Mail(Memory("m", "email", "On 3 May, flight.", timestamp=ASKED), SETTINGS.graph)
    assert mail.dates == (date(2024, 5, 3),)


def test_a_reply_that_is_nested_deeply_is_refused() -> None:
    assert_linear(_json, lambda size: '{"a":' * size, most=1 << 16)
    assert isinstance(_json(json.dumps([[]]) + "{" * 5000), FaultyReplyError)
