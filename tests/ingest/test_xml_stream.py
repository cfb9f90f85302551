"""XML record by record."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.errors import ImportSourceError
from graphmemix.ingest import xml_stream
from graphmemix.ingest.xml_stream import root_tag, xml_records
from tests.ingest.reading import written

RECORDS = frozenset({"r"})


def texts(folder: Path, data: str | bytes) -> list[str | None]:
    return [each.text for each in xml_records(written(folder, "a.xml", data), "a.xml", RECORDS)]


def test_records_come_whole_and_without_namespaces(tmp_path: Path) -> None:
    data = '<a xmlns:n="u"><r>1</r><b><n:r n:x="y"><r>inner</r></n:r></b></a>'
    first, second = xml_records(written(tmp_path, "a.xml", data), "a.xml", RECORDS)
    assert (first.text, second.get("x"), second.findtext("r")) == ("1", "y", "inner")


@pytest.mark.parametrize("chunk", range(1, 24))
def test_halves_of_an_emoji_are_joined_wherever_a_piece_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(xml_stream, "_CHUNK", chunk)
    data = "<a><r>x&#55357;&#56832;&#55357;&#56832;&#55357;&#1;&#65;&#x41;&amp;</r></a>"
    assert texts(tmp_path, data) == ["x😀😀\ufffd\ufffdAA&"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("<a><r>", "ends too early"),
        ("<a><r></a>", "is not XML"),
        ('<!DOCTYPE a [<!ENTITY e "x">]><a><r>&e;</r></a>', "declares entities"),
        ("<a>" * 200, "nested too deeply"),
        (f'<a xmlns="{"x" * 2000}"/>', "namespace"),
    ],
)
def test_what_is_refused(tmp_path: Path, data: str, reason: str) -> None:
    with pytest.raises(ImportSourceError, match=rf"a\.xml.* {reason}|a\.xml.*{reason}"):
        texts(tmp_path, data)


def test_a_record_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xml_stream, "_LARGEST", 1000)
    with pytest.raises(ImportSourceError, match="a record that is too large"):
        texts(tmp_path, f"<a><r>{'x' * 2000}</r></a>")


def test_a_file_of_another_document_type_is_not_fetched(tmp_path: Path) -> None:
    data = f'<!DOCTYPE a SYSTEM "{(tmp_path / "gone.dtd").as_uri()}"><a><r>1</r></a>'
    assert texts(tmp_path, data) == ["1"]


@pytest.mark.parametrize(
    ("head", "tag"),
    [
        (b"<?xml version='1.0'?><!-- c --><a x='1'><b>", "a"),
        ("<a/>".encode("utf-16"), "a"),
        (b"\xef\xbb\xbf<n:a xmlns:n='u'>", "a"),
        (b"<a", ""),
        (b"text <a>", ""),
        (b"<!DOCTYPE a SYSTEM 'x.dtd'><a/>", "a"),
        (b"", ""),
    ],
)
def test_the_outermost_element(head: bytes, tag: str) -> None:
    assert root_tag(head) == tag
