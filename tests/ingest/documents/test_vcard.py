"""Contacts: vCard 2.1, 3.0 and 4.0 by hand from their specifications, and by vobject."""

from __future__ import annotations

import base64
import datetime as dt
import io
from pathlib import Path
from typing import Any

import pytest
import vobject
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from graphmemix.ingest.documents.vcard import VCard
from tests.ingest.reading import met, read, read_anyway, written


def jpeg() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(data, "JPEG")
    return data.getvalue()


def test_a_card_written_by_vobject(tmp_path: Path) -> None:
    card: Any = vobject.vCard()
    card.add("n").value = vobject.vcard.Name(family="Gößl", given="Anna", prefix="Dr.")
    card.add("fn").value = "Dr. Anna Gößl"
    mail = card.add("email")
    mail.value, mail.type_param = "anna@mail.example", "INTERNET"
    phone = card.add("tel")
    phone.value, phone.type_param = "+43 660 123", "CELL"
    card.add("org").value = ["Klinik Süd", "Chirurgie"]
    card.add("adr").value = vobject.vcard.Address(
        street="Am Berg 3", city="Linz", country="Austria"
    )
    card.add("note").value = "Met at the lake; likes tea, " + "not coffee, " * 12
    photo = card.add("photo")
    photo.value, photo.encoding_param, photo.type_param = jpeg(), "b", "JPEG"
    (memory,), skipped = read(VCard(), written(tmp_path, "c.vcf", card.serialize()))
    assert memory.kind == "contact"
    lines = memory.text.split("\n")
    assert lines[0] == "Dr. Anna Gößl"
    assert "E-mail: anna@mail.example" in lines
    assert "Phone (cell): +43 660 123" in lines
    assert "Organisation: Klinik Süd, Chirurgie" in lines
    assert "Address: Am Berg 3, Linz, Austria" in lines
    assert any(line.startswith("Note: Met at the lake; likes tea, not coffee") for line in lines)
    assert [(m.modality, m.mime) for m in memory.media] == [("image", "image/jpeg")]
    assert skipped == []


def test_version_2_1_with_quoted_printable_and_bare_types(tmp_path: Path) -> None:
    text = (
        b"BEGIN:VCARD\r\nVERSION:2.1\r\n"
        b"N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;;\r\n"
        b"TEL;CELL;PREF:0660 1\r\nTEL;HOME:0660 2\r\n"
        b"NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Stra=DFe am See=0D=0A=\r\n"
        b"zweite Zeile\r\n"
        b"PHOTO;ENCODING=BASE64;JPEG:" + base64.b64encode(jpeg())[:60] + b"\r\n "
        + base64.b64encode(jpeg())[60:] + b"\r\n\r\nBDAY:1980-05-17\r\nREV:20240302T103000Z\r\n"
        b"END:VCARD\r\n"
    )  # fmt: skip
    (memory,), _ = read(VCard(), written(tmp_path, "c.vcf", text))
    assert memory.text.split("\n") == [
        "Jörg Müller", "Phone (cell): 0660 1", "Phone (home): 0660 2",
        "Note: Straße am See", "zweite Zeile", "Birthday: 1980-05-17",
    ]  # fmt: skip
    assert memory.media[0].mime == "image/jpeg"
    assert memory.timestamp == dt.datetime(2024, 3, 2, 10, 30, tzinfo=dt.UTC)
    assert memory.metadata["birthday"] == "1980-05-17"


def test_version_4_0_with_groups_uris_and_a_place(tmp_path: Path) -> None:
    picture = base64.b64encode(jpeg()).decode()
    text = (
        "BEGIN:VCARD\nVERSION:4.0\nUID:urn:uuid:4fbe\nFN:Lena\\, die Große\n"
        'item1.TEL;VALUE=uri;TYPE="voice,work":tel:+43-1-5\nitem1.X-ABLabel:Büro\n'
        "EMAIL;TYPE=work:lena@firm.example\nGEO:geo:48.2,16.37\nANNIVERSARY:20100605\n"
        f"PHOTO:data:image/jpeg;base64,{picture}\nPHOTO:https://x.example/me.jpg\nEND:VCARD\n"
    )
    (memory,), _ = read(VCard(), written(tmp_path, "c.vcf", text))
    assert memory.text.split("\n") == [
        "Lena, die Große", "Phone (work, Büro): +43-1-5", "E-mail (work): lena@firm.example",
        "Anniversary: 2010-06-05",
    ]  # fmt: skip
    assert memory.source_id == "urn:uuid:4fbe"
    assert memory.place is not None
    assert (memory.place.latitude, memory.place.longitude) == (48.2, 16.37)
    assert len(memory.media) == 1


def test_folding_within_a_character_and_several_cards(tmp_path: Path) -> None:
    name = "FN:Zoë".encode()
    folded = name[:-1] + b"\r\n " + name[-1:]
    text = (
        b"BEGIN:VCARD\r\n"
        + folded
        + b"\r\nEND:VCARD\r\nBEGIN:VCARD\r\nVERSION:3.0\r\nEND:VCARD\r\n"
    )
    text += b"begin:vcard\r\nfn:Max\r\nend:vcard\r\n"
    memories, skipped = read(VCard(), written(tmp_path, "c.vcf", text))
    assert [memory.text for memory in memories] == ["Zoë", "Max"]
    assert [each.reason for each in skipped] == ["is empty"]


def test_the_same_card_in_another_file_is_the_same_memory(tmp_path: Path) -> None:
    text = "BEGIN:VCARD\nFN:Max\nTEL:1\nEND:VCARD\n"
    one = read(VCard(), written(tmp_path, "a.vcf", text))[0]
    other = read(VCard(), written(tmp_path, "b/b.vcf", text))[0]
    assert one[0].id == other[0].id
    assert one[0].timestamp is None


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("BDAY:19800412", "1980-04-12"),
        ("BDAY:1980-04-12T00:00:00Z", "1980-04-12"),
        ("BDAY;VALUE=date:1980-04-12", "1980-04-12"),
        ("BDAY:--0412", "12 April"),
        ("BDAY:--04-12", "12 April"),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12", "12 April"),
        ("BDAY:1980", "1980"),
        ("BDAY:1980-04", "1980-04"),
        ("BDAY;VALUE=text:circa 1800", "circa 1800"),
        ("BDAY:19809999", "19809999"),
    ],
)
def test_a_birthday_is_shown_as_people_read_it(tmp_path: Path, line: str, shown: str) -> None:
    text = f"BEGIN:VCARD\nFN:Max\n{line}\nEND:VCARD\n"
    [memory], _ = read(VCard(), written(tmp_path, "a.vcf", text))
    assert memory.metadata["birthday"] == shown
    assert memory.text == f"Max\nBirthday: {shown}"


@settings(
    max_examples=2 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.sampled_from([
    b"BEGIN:VCARD", b"END:VCARD", b"FN:\xff\xfe", b"N:;;;;;;;;;;", b"N:", b"PHOTO;ENCODING=b:%%%",
    b"TEL;TYPE=:", b"NOTE;ENCODING=QUOTED-PRINTABLE:=", b"=", b" folded", b"GEO:1e9,0", b"REV:x",
    b"PHOTO:data:,", b"A" * 500, b"ORG:\\",
    b"NOTE;CHARSET=zlib;ENCODING=QUOTED-PRINTABLE:=C3", b":",
    b"BDAY:\x00", b'TEL;TYPE="a:1', b"REV:00010101T000000Z",
]), max_size=20))  # fmt: skip
def test_any_lines_have_a_typed_outcome(tmp_path: Path, lines: list[bytes]) -> None:
    path = written(tmp_path, "x.vcf", b"\n".join([b"BEGIN:VCARD", *lines]))
    read_anyway(VCard(), met(path))


def test_relatives_days_and_accounts_of_many_programs(tmp_path: Path) -> None:
    text = (
        "BEGIN:VCARD\nVERSION:3.0\nFN:Anna Kay\n"
        "item1.X-ABRELATEDNAMES:Jan\nitem1.X-ABLabel:_$!<Spouse>!$_\n"
        "item2.X-ABRELATEDNAMES:Olga\nitem2.X-ABLabel:REFERRED_BY\n"
        "item3.X-ABRELATEDNAMES:Mia\nitem3.X-ABLabel:Godchild\nX-ABRELATEDNAMES:Tom\n"
        "item4.X-ABDATE;VALUE=date-and-or-time:20040512\nitem4.X-ABLabel:_$!<Anniversary>!$_\n"
        "item5.TEL:1\nitem5.X-ABLabel:Cabin\nitem5.X-ABADR:at\n"
        "X-EVOLUTION-SPOUSE:Jan\nX-SPOUSE:Jan K.\nX-MS-MANAGER:Eva\nX-EVOLUTION-ASSISTANT:Ida\n"
        "X-MS-ANNIVERSARY:20040513\nX-EVOLUTION-ANNIVERSARY:2004-05-14\nX-ANNIVERSARY:2004-05-15\n"
        "X-SKYPE:anna.k\nX-ICQ:5\nX-MS-IMADDRESS:anna@im.example\nX-KADDRESSBOOK-X-SpousesName:J\n"
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;Annie;1;;;;;;;;;;;;;\n"
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;Ben;3;;;;;;;;;;;;;\n"
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/relation;Ute;0;Aunt;;;;;;;;;;;;\n"
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/contact_event;--05-16;1;;;;;;;;;;;;;\n"
        "X-ANDROID-CUSTOM:vnd.android.cursor.item/other;x;1;;\nX-ABUID:7\nEND:VCARD\n"
    )
    (memory,), skipped = read(VCard(), written(tmp_path, "c.vcf", text))
    assert memory.text.split("\n") == [
        "Anna Kay", "Spouse: Jan", "Referred by: Olga", "Godchild: Mia", "Related: Tom",
        "Anniversary: 2004-05-12", "Phone (Cabin): 1", "Spouse: Jan K.", "Manager: Eva",
        "Assistant: Ida", "Anniversary: 2004-05-13", "Anniversary: 2004-05-14",
        "Anniversary: 2004-05-15", "Messenger (Skype): anna.k", "Messenger (ICQ): 5",
        "Messenger: anna@im.example", "Spouse: J", "Nickname: Annie", "Child: Ben", "Aunt: Ute",
        "Anniversary: 16 May",
    ]  # fmt: skip
    assert skipped == []


def test_a_damaged_picture_is_named_and_costs_itself_alone(tmp_path: Path) -> None:
    text = "BEGIN:VCARD\nVERSION:2.1\nFN:Anna\nPHOTO;ENCODING=BASE64;JPEG:/9j/4\n\nEND:VCARD\n"
    (memory,), (skipped,) = read(VCard(), written(tmp_path, "c.vcf", text))
    assert (memory.text, memory.media) == ("Anna", ())
    assert (skipped.name, skipped.reason) == (
        "c.vcf card 1, picture", "is damaged or too large; the rest was read",
    )  # fmt: skip


def test_a_value_that_ends_with_a_soft_break_does_not_swallow_what_follows(tmp_path: Path) -> None:
    lines = [
        "BEGIN:VCARD", "VERSION:2.1", "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=9A=D0=BE=",
        "TEL;CELL:+431", "NOTE;ENCODING=QUOTED-PRINTABLE:Old:=0D=0A=", "TEL: 99=", "",
        "EMAIL:a@x.org", "END:VCARD", "BEGIN:VCARD", "VERSION:2.1", "N:B;A",
        "NOTE;ENCODING=QUOTED-PRINTABLE:x=", "END:VCARD", "BEGIN:VCARD", "FN:C", "END:VCARD", "",
    ]  # fmt: skip
    memories, skipped = read(VCard(), written(tmp_path, "a.vcf", "\r\n".join(lines)))
    assert [memory.text for memory in memories] == [
        "Ко\nPhone (cell): +431\nNote: Old:\nTEL: 99\nE-mail: a@x.org", "A B\nNote: x", "C",
    ]  # fmt: skip
    assert skipped == []
