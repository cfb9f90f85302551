"""Bytes to text in any charset. The sentences are our own; Python's codecs encode them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.ingest.text import decode, looks_like_text

SENTENCES = {
    "utf-8": "Zażółć — naïve 東京 🎉",
    "utf-16": "Fährt um zehn",
    "utf-16-le": "Plain words in wide letters",
    "utf-16-be": "Plain words in wide letters",
    "utf-32": "weit",
    "cp1252": "Der Zug fährt um zehn Uhr nach Köln, grüße deine Mutter schön.",
    "iso8859-1": "Je suis allé à la plage, c'était très beau, ça va?",
    "cp1250": "Przyjedziemy w sobotę wieczorem, wyślij mi proszę zdjęcia łąki.",
    "cp1251": "Привет, мы приедем в субботу вечером на поезде.",
    "koi8-r": "Привет, мы приедем в субботу вечером на поезде.",
    "cp1253": "Θα φτάσουμε το Σάββατο το βράδυ με το τρένο.",
    "cp1255": "אנחנו מגיעים ביום שבת בערב",
    "cp1256": "سنصل يوم السبت مساء بالقطار",
    "cp874": "เราจะไปเชียงใหม่วันเสาร์",
    "shift_jis": "来週の土曜日に京都へ行きます。ホテルを予約しました。",
    "euc_jp": "来週の土曜日に京都へ行きます。ホテルを予約しました。",
    "gb18030": "我们下个星期六去北京，酒店已经预订好了。",
    "big5": "我們下個星期六去台北，飯店已經訂好了。",
    "euc_kr": "다음 주 토요일에 부산에 갑니다. 호텔을 예약했어요.",
}


@pytest.mark.parametrize(("charset", "text"), SENTENCES.items())
def test_a_charset_that_nobody_declared(charset: str, text: str) -> None:
    assert decode(text.encode(charset)) == text


@pytest.mark.parametrize(
    "text", ["café", "Müller", "¿Qué tal?", "Ça va", "não é", "på lördag", "£5"]
)
def test_a_few_words_are_western(text: str) -> None:
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize(
    ("text", "charset", "declared"),
    [
        ("Grüße", "cp1252", "iso-8859-1"),
        ("“quoted” – €", "cp1252", "us-ascii"),
        ("日本", "iso2022_jp", "ISO-2022-JP"),
        ("Ő", "iso8859-2", "iso-8859-2"),
        ("ĞŞİ", "cp1254", "ISO-8859-9"),
        ("語", "cp932", "shift_jis"),
        ("grün", "utf-8", "iso-8859-1"),  # declared wrongly, as often
        ("grün", "cp1252", "utf-8"),
        ("grün", "utf-8", "x-unknown"),
        ("grün", "utf-8", "zlib"),
        ("grün", "utf-8", "unicode_escape"),
        ("grün", "utf-8", ""),
        ("grün", "utf-16-be", "utf-16be"),
        ("grün", "utf-8", "\0" * 9),
    ],
)
def test_a_declared_charset_helps_and_never_harms(text: str, charset: str, declared: str) -> None:
    assert decode(text.encode(charset), declared) == text


def test_broken_utf8_stays_utf8() -> None:
    assert decode("größer als je — früher".encode() + b"\xff!") == "größer als je — früher\ufffd!"
    assert decode("größer als frü".encode()[:-1]) == "größer als fr\ufffd"


@given(st.binary(max_size=200), st.none() | st.text(max_size=12))
def test_any_bytes_give_some_text(data: bytes, declared: str | None) -> None:
    assert isinstance(decode(data, declared), str)
    looks_like_text(data)


@given(st.text(max_size=50))
def test_utf8_comes_back(text: str) -> None:
    data = text.encode("utf-8", "replace")
    if b"\0" not in data and not text.startswith("\ufeff"):
        assert decode(data) == data.decode()
