"""Files that no importer reads are named by what they are, with advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.ingest.unsupported import unknown
from tests.growth.importing import packed
from tests.ingest.compound_files import compound
from tests.ingest.reading import met, written

JSON = "JSON of a program that is not supported"


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.doc", compound({"WordDocument": b"x"}),
         "an old Word document (.doc); open it and save it as .docx"),
        ("a.xls", compound({"Workbook": b"x"}),
         "an old Excel workbook (.xls); open it and save it as .xlsx"),
        ("a.ppt", compound({"PowerPoint Document": b"x"}),
         "an old PowerPoint presentation (.ppt); open it and save it as .pptx"),
        ("a.docx", compound({"EncryptedPackage": b"x"}),
         "an Office file with a password; save it without one"),
        ("a.db", compound({"Catalog": b"x"}), "an old Office file; save it in a newer format"),
        ("a.doc", compound({"WordDocument": b"x"})[:600], "a damaged Office or Outlook file"),
        ("a.pst", b"!BDN" + bytes(99),
         "an Outlook data file (.pst, .ost); export it as mbox, .eml or .msg files"),
        ("a.dbx", b"\xcf\xad\x12\xfe" + bytes(99),
         "an Outlook Express mailbox; import it into Thunderbird first"),
        ("a.mobi", bytes(60) + b"BOOKMOBI", "a Kindle book; convert it to EPUB"),
        ("a.tar", bytes(257) + b"ustar\0", "a tar file; unpack it first"),
        ("a.pages", packed({"Index/Document.iwa": "x"}),
         "a Pages document; export it as Word or PDF"),
        ("a.zip", packed({"x": "x"}), "unknown kind of package"),
        ("a.db", b"SQLite format 3\0" + bytes(99), "a database"),
        ("a.xml", b"<?xml version='1.0'?><calls/>", "XML of a program that is not supported"),
        ("a.json", b'{"a": 1}', JSON),
        ("a.tcx", b"<?xml version='1.0'?><TrainingCenterDatabase/>",
         "a TCX recording of a sports watch; export it as GPX"),
        ("a.bin", b"\0\1\2", "unknown file format"),
        ("a.jpg", b"Not found", "content does not fit the ending .jpg"),
        ("a.PDF", b"\0\1\2", "content does not fit the ending .pdf"),
        ("a.key", b"-----BEGIN PRIVATE KEY-----", "unknown file format"),  # no presentation
    ],
)  # fmt: skip
def test_what_a_file_is(tmp_path: Path, name: str, data: bytes, what: str) -> None:
    assert unknown(met(written(tmp_path, name, data))) == what
