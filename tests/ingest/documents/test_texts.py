"""Web pages, Markdown and plain text."""

from __future__ import annotations

import datetime as dt
import os
import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.documents.html import Html, to_text
from graphmemix.ingest.documents.markdown import Markdown, _with_headings
from graphmemix.ingest.documents.parts import LONGEST_PART, split
from graphmemix.ingest.documents.text import Text
from tests.growth.doubling import assert_linear
from tests.ingest.reading import met, read, read_anyway, written

# HTML to text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("a<br>b<BR/>c", "a\nb\nc"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("  a \n\n  <b>b</b>c\td ", "a bc d"),
        ("<ul><li>x<li>y</ul>z", "- x\n- y\n\nz"),
        (
            "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "A | B\n1 | 2",
        ),
        ("<script>x<b>y</b></script><style>p{}</style>z", "z"),
        ('<p style="display:none">secret</p>seen', "seen"),
        ('<div hidden>secret<div>more</div></div><span aria-hidden="true">no</span>seen', "seen"),
        ("<p hidden>secret<p>seen", "seen"),
        ('<a href="https://a.example/x">words</a>', "words <https://a.example/x>"),
        ('<a href="https://a.example/x">https://a.example/x</a>', "https://a.example/x"),
        ('<a href="mailto:a@b.example">a@b.example</a>', "a@b.example"),
        ('<a href="#top">top</a> <a href="javascript:x()">run</a>', "top run"),
        ('<img src="x.png" alt="A red barn"> here', "[A red barn] here"),
        ("<pre>a\n  b\n</pre>c", "a\n  b\n\nc"),
        ("1 &lt; 2 &amp;&nbsp;3 &#228; &unknown; &", "1 < 2 & 3 ä &unknown; &"),
        ("a < b and c > d", "a < b and c > d"),
        ("<!-- <p>no</p> -->yes<!-->x", "yes x".replace(" ", "")),
        ("<p>cut <b", "cut <b"),
        ("pre\u200bview\u00ad\u034f text", "preview text"),
        ("<title>T</title><body>b</body>", "b"),
        ("<textarea><b>raw</b></textarea>", "<b>raw</b>"),
        ('<p title="a>b">x</p><p title=\'"\'>y</p>', "x\n\ny"),
        ("<svg><text>no</text></svg>ok", "ok"),
    ],
)
def test_a_page_as_text(html: str, text: str) -> None:
    assert to_text(html) == text


@pytest.mark.parametrize(
    "bad",
    [
        "<a ", "<a '", '<a "x" ', "<", "</a ", "<!--", "<!", "<script>", "<title>", "&#", "<td>",
        "<div>", "<p hidden>", "<a href='https://x.example'><br>", "<pre>\n", "<svg><g>", "</p>",
    ],
)  # fmt: skip
def test_long_nonsense_takes_time_linear_in_its_length(bad: str) -> None:
    # The standard library's parser took more than ten minutes for 400 kB.
    assert_linear(to_text, lambda size: bad * size, most=1 << 16)


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(st.text() | st.lists(st.sampled_from(
    ["<p>", "</p>", "<a href='https://x'>", "</a>", "<!--", "-->", "<script>", "</script>", "'",
     '"', "<", ">", "/", "&amp;", "x", "<td>", "<pre>", "</pre>", "\n", "<p hidden>", "<body>"]
)).map("".join))  # fmt: skip
def test_any_html_gives_some_text(html: str) -> None:
    text = to_text(html)
    assert text == text.strip()


# web pages


def test_a_saved_page_has_its_title_date_and_charset(tmp_path: Path) -> None:
    html = (
        '<!DOCTYPE html><html><head><meta http-equiv="Content-Type" content="text/html; '
        'charset=windows-1251"><title>Рецепт</title>'
        '<meta property="article:published_time" content="2024-03-02T10:30:00+01:00">'
        "</head><body><p>Борщ варят долго.</p></body></html>"
    )
    path = written(tmp_path, "page.html", html.encode("cp1251"))
    written(tmp_path, "page_files/logo.png", b"x")
    (memory,), skipped = read(Html(), path)
    assert memory.text == "Рецепт\n\nБорщ варят долго."
    assert memory.timestamp == dt.datetime(2024, 3, 2, 9, 30, tzinfo=dt.UTC)
    assert (memory.metadata["title"], memory.metadata["date_from"]) == ("Рецепт", "document")
    assert skipped == []
    assert [p.name for p in Html().companions(met(path))] == ["logo.png"]


@pytest.mark.parametrize(
    ("head", "is_page"),
    [
        (b"<!DOCTYPE html><p>x", True), (b"\xef\xbb\xbf\n<html lang=de>", True),
        (b"<?xml version='1.0'?><html>", True), (b"<?xml version='1.0'?><rss>", False),
        (b"plain <html>", False), (b"", False), (b"<\0html>", False),
    ],
)  # fmt: skip
def test_pages_are_known_by_how_they_begin(tmp_path: Path, head: bytes, is_page: bool) -> None:
    assert Html().recognises(met(written(tmp_path, "x", head))) is is_page


# Markdown


def test_sections_with_front_matter_and_code(tmp_path: Path) -> None:
    filler = "word " * 60
    text = (
        '---\ntitle: "Trip: Norway"\nauthor: Lea\ndate: 2024-05-17\ntags: [a]\n---\n'
        f"# Fjords\n{filler}\n```sh\n# no heading\n```\n"
        f"## Ferry\n{filler}\n\nTrains\n------\n{filler}\n"
    )
    memories, _ = read(Markdown(ZoneInfo("Europe/Oslo")), written(tmp_path, "n.md", text))
    assert [memory.metadata["section"] for memory in memories] == ["Fjords", "Ferry", "Trains"]
    assert "# no heading" in memories[0].text
    assert memories[2].text.startswith("Trains\n------")
    assert memories[0].metadata["title"] == "Trip: Norway"
    assert memories[0].timestamp == dt.datetime(2024, 5, 16, 22, tzinfo=dt.UTC)
    assert len({memory.session for memory in memories}) == 1


def test_short_sections_are_read_together(tmp_path: Path) -> None:
    text = "# List\n## A\nmilk\n## B\neggs\n"
    (memory,), _ = read(Markdown(), written(tmp_path, "n.md", text))
    assert memory.text == text.strip()


# plain text


def test_text_in_another_charset_with_the_day_of_the_file_as_a_hint(tmp_path: Path) -> None:
    path = written(tmp_path, "note.txt", "Schlüssel liegt beim Bäcker.\r\nGrüße".encode("cp1252"))
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (memory,), _ = read(Text(), path)
    assert memory.text == "Schlüssel liegt beim Bäcker.\nGrüße"
    assert memory.timestamp is None
    assert memory.metadata["file_date"] == "2023-11-14"
    os.utime(path, (1_600_000_000, 1_600_000_000))
    assert read(Text(), path)[0][0].id == memory.id


def test_a_long_text_comes_in_linked_parts_and_nothing_is_lost(tmp_path: Path) -> None:
    words = [f"word{i}" for i in range(5000)]
    text = "".join(word + ("\n\n" if i % 40 == 0 else " ") for i, word in enumerate(words))
    memories, _ = read(Text(), written(tmp_path, "long.txt", text))
    assert [memory.sequence for memory in memories] == list(range(len(memories)))
    assert " ".join(memory.text for memory in memories).split() == words
    assert max(len(memory.text) for memory in memories) <= LONGEST_PART


@given(st.text(max_size=500), st.integers(1, 50))
def test_pieces_hold_every_word(text: str, longest: int) -> None:
    pieces = split(text, longest)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(len(piece) <= longest for piece in pieces)


@pytest.mark.parametrize(
    ("name", "data", "is_text"),
    [
        ("a.txt", b"words", True), ("README", b"words", True), ("a.txt", b"\x00\x01\x02", False),
        ("a.txt", b"\x7fELF\x02\x01\x01\x00", False), ("a.py", b"print()", False),
        ("a.txt", "weit".encode("utf-16"), True), ("run", b"#!/bin/sh\n", False),
        ("a.txt", b"", False),
        ("a.txt", bytes(range(1, 32)) * 9, False), ("a.csv", b"a;b\n1;2\n", True),
    ],
)  # fmt: skip
def test_what_is_text(tmp_path: Path, name: str, data: bytes, is_text: bool) -> None:
    assert Text().recognises(met(written(tmp_path, name, data))) is is_text


def test_binary_is_refused_even_if_forced(tmp_path: Path) -> None:
    with pytest.raises(ImportSourceError, match="is not text"):
        read_anyway(Text(), met(written(tmp_path, "x.bin", bytes(range(256)) * 40)))


@given(st.text("# \ta", max_size=20))
def test_headings_lose_their_closing_signs(line: str) -> None:
    expected = re.fullmatch(r"[ ]{0,3}#{1,6}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*", line)
    ((_, heading),) = _with_headings([line])
    assert heading == ("" if expected is None else expected["title"] or line)


def test_a_number_of_thousands_of_digits_is_a_sign_that_cannot_be_shown() -> None:
    assert to_text(f"a&#{'9' * 5000};b&#65;") == "a\ufffdbA"
