"""WhatsApp exports in the forms of phones around the world; contents are invented."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from graphmemix.ingest.chats.whatsapp import WhatsApp
from graphmemix.memory import Place
from tests.ingest.reading import met, read, read_anyway, written

VIENNA = ZoneInfo("Europe/Vienna")
NNBSP = "\u202f"
NBSP = "\xa0"
LRM = "\u200e"


def chat(folder: Path, text: str, name: str = "WhatsApp Chat with Vera.txt") -> Path:
    return written(folder / "export", name, text)


def clocks(path: Path, zone: ZoneInfo = VIENNA) -> list[str]:
    memories, _ = read(WhatsApp(zone), path)
    return [f"{m.timestamp.astimezone(zone):%Y-%m-%d %H:%M:%S}" for m in memories if m.timestamp]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("7/14/23, 9:22 PM - Vera: hi", "2023-07-14 21:22:00"),  # Android, United States
        (f"7/14/23, 9:22{NNBSP}PM - Vera: hi", "2023-07-14 21:22:00"),
        ("14/07/2023, 21:22 - Vera: hi", "2023-07-14 21:22:00"),  # Android, United Kingdom
        ("14.07.23, 21:22 - Vera: hi", "2023-07-14 21:22:00"),  # Android, Germany
        ("14-07-2023 21:22 - Vera: hi", "2023-07-14 21:22:00"),  # Android, Netherlands
        ("2023-07-14, 9:22 p.m. - Vera: hi", "2023-07-14 21:22:00"),  # Android, Canada
        ("2023/07/14, 21:22 - Vera: hi", "2023-07-14 21:22:00"),  # Android, South Africa
        ("14/7/2023 9:22 p.\u00a0m. - Vera: hi", "2023-07-14 21:22:00"),  # Android, Colombia
        ("2023. 7. 14. 오후 9:22 - Vera: hi", "2023-07-14 21:22:00"),  # Android, Korea
        ("[14.07.23, 21:22:39] Vera: hi", "2023-07-14 21:22:39"),  # iPhone, Germany
        (f"[7/14/23, 9:22:39{NNBSP}PM] Vera: hi", "2023-07-14 21:22:39"),  # iPhone, US
        ("[14/07/23, 9:22:39 pm] Vera: hi", "2023-07-14 21:22:39"),  # iPhone, Australia
        ("[14.7.2023 klo 21.22.39] Vera: hi", "2023-07-14 21:22:39"),  # iPhone, Finland
        ("[2023/7/14 下午9:22:39] Vera: hi", "2023-07-14 21:22:39"),  # iPhone, Taiwan
        ("[2023-07-14, 21:22:39] Vera: hi", "2023-07-14 21:22:39"),  # iPhone, Sweden
        (f"{LRM}[14.07.23, 21:22:39] Vera: hi", "2023-07-14 21:22:39"),
        ("\u200f١٤\u200f/٧\u200f/٢٠٢٣، ٩:٢٢ م - Vera: hi", "2023-07-14 21:22:00"),  # Egypt
        ("14/07/2566, 21:22 - Vera: hi", "2023-07-14 21:22:00"),  # Thailand, Buddhist years
        ("14/07/2023 21:22:39: Vera: hi", "2023-07-14 21:22:39"),  # before 2014
        ("7/14/23, 12:05 AM - Vera: hi", "2023-07-14 00:05:00"),
        ("7/14/23, 12:05 PM - Vera: hi", "2023-07-14 12:05:00"),
    ],
)
def test_the_same_evening_in_the_forms_of_many_regions(
    tmp_path: Path, line: str, shown: str
) -> None:
    path = chat(tmp_path, line + "\n")
    assert clocks(path) == [shown]
    (memory,), skipped = read(WhatsApp(VIENNA), path)
    assert (memory.speaker, memory.text, skipped) == ("Vera", "hi", [])


def test_a_day_above_twelve_anywhere_in_the_file_tells_day_from_month(tmp_path: Path) -> None:
    path = chat(
        tmp_path, "03/04/23, 10:00 - A: x\n05/04/23, 10:00 - B: y\n25/04/23, 10:00 - A: z\n"
    )
    assert clocks(path)[0] == "2023-04-03 10:00:00"
    path = chat(
        tmp_path, "04/03/23, 10:00 - A: x\n04/05/23, 10:00 - B: y\n04/25/23, 10:00 - A: z\n"
    )
    assert clocks(path)[0] == "2023-04-03 10:00:00"


def test_without_such_a_day_the_messages_follow_each_other_in_time(tmp_path: Path) -> None:
    months_first = "1/10/23, 10:00 - A: x\n2/3/23, 10:00 - B: y\n3/1/23, 10:00 - A: z\n"
    assert clocks(chat(tmp_path, months_first))[0] == "2023-01-10 10:00:00"
    days_first = "10/1/23, 10:00 - A: x\n3/2/23, 10:00 - B: y\n1/3/23, 10:00 - A: z\n"
    assert clocks(chat(tmp_path, days_first))[0] == "2023-01-10 10:00:00"


def test_an_order_that_nothing_proves_is_marked_as_assumed(tmp_path: Path) -> None:
    (doubtful,), _ = read(WhatsApp(VIENNA), chat(tmp_path, "05/06/23, 10:00 - A: x\n"))
    assert doubtful.metadata["date_order"] == "dmy (assumed)"
    (certain,), _ = read(WhatsApp(VIENNA), chat(tmp_path, "25/06/23, 10:00 - A: x\n"))
    assert "date_order" not in certain.metadata


DAYS = [(18, 6, 13), (18, 6, 14), (18, 6, 30), (18, 7, 1), (18, 11, 2)]


@pytest.mark.parametrize("separator", ["-", "/", "."])
@pytest.mark.parametrize("form", ["[{0}, 21:25:15] {1}", "{0} 21:25 - {1}", "{0}, 9:25 PM - {1}"])
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0)])
def test_the_whole_file_tells_where_the_year_is(
    tmp_path: Path, separator: str, form: str, order: tuple[int, int, int]
) -> None:
    written = [separator.join(f"{day[i]:02}" for i in order) for day in DAYS]
    path = chat(tmp_path, "".join(form.format(date, "Vera: hi\n") for date in written))
    assert [clock[:10] for clock in clocks(path)] == [
        f"20{year}-{month:02}-{day:02}" for year, month, day in DAYS
    ]


def test_a_year_that_is_taken_to_come_first_is_said_to_be(tmp_path: Path) -> None:
    lines = ("18-06-13", "18-06-14", "18-07-15")  # also days of 2013, 2014 and 2015
    path = chat(tmp_path, "".join(f"{day}, 21:25 - Vera: hi\n" for day in lines))
    memories, [note] = read(WhatsApp(VIENNA), path)
    assert clocks(path)[0] == "2018-06-13 21:25:00"
    assert memories[0].metadata["date_order"] == "ymd (assumed)"
    assert note.reason == "dates do not tell their order: assumed the year first"


@pytest.mark.parametrize(
    "line",
    [
        f"3/6/18, 9:25 p.{NBSP}m. - Ana: hola",
        "3/6/18 9:25 p. m. - Ana: hola",
        "3/6/18, 9:25 pm - Ana: hola",
        "3. 6. 2018. 21:25 - Ana: hola",
        "[3. 6. 2018. 21:25:00] Ana: hola",
        "3. 6. 2018. u 21:25 - Ana: hola",
        "3/6/2018 21h25 - Ana: hola",
    ],
)
def test_the_day_comes_first_but_in_the_united_states(tmp_path: Path, line: str) -> None:
    path = chat(tmp_path, line + "\n")
    assert clocks(path) == ["2018-06-03 21:25:00"]
    [memory], _ = read(WhatsApp(VIENNA), path)
    assert (memory.speaker, memory.text) == ("Ana", "hola")


@pytest.mark.parametrize(
    "url",
    [
        "https://maps.google.com/?q=48.2082,16.3738",
        "https://maps.google.com/maps?q=48.2082%2C16.3738&z=17",
        "https://www.google.com/maps/search/?api=1&query=48.2082,16.3738",
        "http://maps.apple.com/?ll=48.2082,16.3738",
    ],
)
def test_a_shared_location_is_a_place_and_no_notice(tmp_path: Path, url: str) -> None:
    path = chat(tmp_path, f"[14.07.23, 21:22:39] Vera: {LRM}Location: {url}\n")
    [memory], _ = read(WhatsApp(VIENNA), path)
    assert memory.place == Place(latitude=48.2082, longitude=16.3738)
    assert (memory.speaker, memory.text) == ("Vera", f"Location: {url}")
    assert "system" not in memory.metadata


def test_a_poll_is_no_notice(tmp_path: Path) -> None:
    text = (
        f"[14.07.23, 21:22:39] Vera: {LRM}UMFRAGE:\nWann grillen wir?\n"
        f"{LRM}OPTION: Freitag ({LRM}2 Stimmen)\n{LRM}OPTION: Samstag ({LRM}0 Stimmen)\n"
    )
    [memory], _ = read(WhatsApp(VIENNA), chat(tmp_path, text))
    assert memory.text.split("\n") == [
        "UMFRAGE:",
        "Wann grillen wir?",
        "OPTION: Freitag (2 Stimmen)",
        "OPTION: Samstag (0 Stimmen)",
    ]
    assert (memory.speaker, memory.metadata["poll"]) == ("Vera", True)
    assert "system" not in memory.metadata


def test_lines_without_a_date_continue_the_message(tmp_path: Path) -> None:
    text = (
        "14/07/23, 21:22 - Vera: shopping\n- milk\n\n- 12/3 eggs: six\n14/07/23, 21:23 - Ben: ok\n"
    )
    first, second = read(WhatsApp(VIENNA), chat(tmp_path, text))[0]
    assert first.text == "shopping\n- milk\n\n- 12/3 eggs: six"
    assert (second.speaker, second.sequence) == ("Ben", 1)
    assert first.session == second.session == "whatsapp:Vera"


def test_a_known_name_needs_no_blank_behind_its_colon(tmp_path: Path) -> None:
    text = (
        "14/07/23, 21:22 - Vera: hello\n14/07/23, 21:23 - Vera:.\n14/07/23, 21:24 - Vera:\n- milk\n"
        "14/07/23, 21:25 - Note:changed\n"
    )
    memories, _ = read(WhatsApp(VIENNA), chat(tmp_path, text))
    assert [(each.speaker, each.text) for each in memories] == [
        ("Vera", "hello"),
        ("Vera", "."),
        ("Vera", "- milk"),
        (None, "Note:changed"),
    ]


def test_notices_of_the_program_have_no_speaker_and_are_marked(tmp_path: Path) -> None:
    text = (
        "14/07/23, 21:20 - Messages and calls are end-to-end encrypted. Tap to learn more.\n"
        '14/07/23, 21:21 - Ben changed the subject from "Trip: A" to "Trip: B"\n'
        "14/07/23, 21:22 - Vera: see you\n"
    )
    first, second, third = read(WhatsApp(VIENNA), chat(tmp_path, text))[0]
    assert [m.speaker for m in (first, second, third)] == [None, None, "Vera"]
    assert [m.metadata.get("system") for m in (first, second, third)] == [True, True, None]


def test_android_media_come_from_beside_the_chat_with_their_caption(tmp_path: Path) -> None:
    text = (
        "14.07.23, 21:22 - Vera: IMG-20230714-WA0003.jpg (Datei angehängt)\nam See\n"
        f"14.07.23, 21:23 - Ben: {LRM}PTT-20230714-WA0004.opus (file attached)\n"
        "14.07.23, 21:24 - Ben: Rechnung Juli.pdf (archivo adjunto)\n"
    )
    path = chat(tmp_path, text, "WhatsApp-Chat mit Vera Blau.txt")
    Image.new("RGB", (3, 2), "green").save(path.parent / "IMG-20230714-WA0003.jpg")
    written(path.parent, "PTT-20230714-WA0004.opus", b"OggS\0\2" + bytes(40))
    memories, skipped = read(WhatsApp(VIENNA), path)
    photo, voice, bill = memories
    assert (photo.text, photo.media[0].mime, photo.media[0].modality) == (
        "am See", "image/jpeg", "image",
    )  # fmt: skip
    assert photo.media[0].sha256 is not None
    assert photo.session == "whatsapp:Vera Blau"
    assert (voice.media[0].modality, voice.media[0].sha256 is not None) == ("audio", True)
    assert (bill.media[0].name, bill.media[0].sha256) == ("Rechnung Juli.pdf", None)
    assert [each.reason for each in skipped] == ["file not found"]
    assert {p.name for p in WhatsApp().companions(met(path))} == {
        "IMG-20230714-WA0003.jpg", "PTT-20230714-WA0004.opus",
    }  # fmt: skip


def test_iphone_media_are_named_in_brackets(tmp_path: Path) -> None:
    name = "00000012-PHOTO-2023-07-14-21-22-39.jpg"
    text = f"[14.07.23, 21:22:39] Vera: {LRM}<Anhang: {name}>\n[14.07.23, 21:23:00] Ben: nice <3\n"
    path = chat(tmp_path, text.replace("Anhang", "angehängt"), "_chat.txt")
    Image.new("RGB", (3, 2), "red").save(path.parent / name)
    (photo, answer), skipped = read(WhatsApp(VIENNA), path)
    assert (photo.text, photo.media[0].name, skipped) == ("", name, [])
    assert answer.text == "nice <3"
    assert photo.session == "whatsapp:export"


@pytest.mark.parametrize(
    ("note", "omitted"),
    [
        ("<Media omitted>", "media"),
        ("<Medien ausgeschlossen>", "media"),
        ("<Multimedia omitido>", "media"),
        ("<Médias omis>", "media"),
        ("<Media omessi>", "media"),
        ("<Mídia oculta>", "media"),
        ("<Без медиафайлов>", "media"),
        (f"{LRM}image omitted", "image"),
        (f"{LRM}video omitted", "video"),
        (f"{LRM}audio omitted", "audio"),
        (f"{LRM}Bild weggelassen", "image"),
        (f"{LRM}imagen omitida", "image"),
        (f"{LRM}document omitted", "text"),
    ],
)
def test_what_was_left_out_of_the_export_is_known(tmp_path: Path, note: str, omitted: str) -> None:
    (memory,), _ = read(WhatsApp(VIENNA), chat(tmp_path, f"[14.07.23, 21:22:39] Vera: {note}\n"))
    assert (memory.text, memory.metadata["omitted"]) == ("", omitted)
    if omitted in {"image", "video", "audio"}:
        assert [m.modality for m in memory.media] == [omitted]


@pytest.mark.parametrize(
    "words", ["image omitted from the report?", "<b>bold</b>", "<Media>", "see photo.jpg (really)"]
)
def test_peoples_own_words_stay(tmp_path: Path, words: str) -> None:
    (memory,), _ = read(WhatsApp(VIENNA), chat(tmp_path, f"14.07.23, 21:22 - Vera: {words}\n"))
    assert memory.text == words
    assert memory.media == ()


def test_an_edited_message_loses_the_note_and_keeps_the_fact(tmp_path: Path) -> None:
    text = f"[14.07.23, 21:22:39] Vera: at eight {LRM}<This message was edited>\n"
    (memory,), _ = read(WhatsApp(VIENNA), chat(tmp_path, text))
    assert (memory.text, memory.metadata["edited"]) == ("at eight", True)


def test_a_shared_location_is_a_place(tmp_path: Path) -> None:
    text = "14.07.23, 21:22 - Vera: location: https://maps.google.com/?q=48.2082,16.3738\n"
    (memory,), _ = read(WhatsApp(VIENNA), chat(tmp_path, text))
    assert memory.place is not None
    assert (memory.place.latitude, memory.place.longitude) == (48.2082, 16.3738)


def test_the_zone_is_the_configured_one_and_metadata_say_so(tmp_path: Path) -> None:
    path = chat(tmp_path, "25.07.23, 21:22 - Vera: hi\n")
    (memory,), _ = read(WhatsApp(ZoneInfo("Asia/Tokyo")), path)
    assert memory.timestamp == datetime(2023, 7, 25, 12, 22, tzinfo=UTC)
    assert memory.metadata["zone"] == "Asia/Tokyo"
    (machine,), _ = read(WhatsApp(), path)
    assert machine.metadata["zone"] == "machine"
    assert machine.timestamp is not None
    assert machine.timestamp.replace(tzinfo=None).isoformat() == "2023-07-25T21:22:00"


def test_in_the_hour_that_clocks_show_twice_messages_go_forward(tmp_path: Path) -> None:
    text = "29.10.23, 02:50 - A: one\n29.10.23, 02:10 - B: two\n29.10.23, 03:05 - A: three\n"
    memories, _ = read(WhatsApp(VIENNA), chat(tmp_path, text))
    times = [m.timestamp for m in memories if m.timestamp]
    assert times == sorted(times)
    assert times[1] - times[0] == timedelta(minutes=20)


@pytest.mark.parametrize(
    "name", ["../secret.jpg", "/etc/hostname.txt", "..\\..\\secret.jpg", "link.jpg", "C:\\x.jpg"]
)
def test_media_names_never_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    written(tmp_path, "secret.jpg", b"\xff\xd8\xffsecret")
    path = chat(tmp_path, f"[14.07.23, 21:22:39] Vera: {LRM}<attached: {name}>\n")
    (path.parent / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    (memory,), skipped = read(WhatsApp(VIENNA), path)
    assert all(medium.sha256 is None for medium in memory.media)
    assert list(WhatsApp().companions(met(path))) == []
    if memory.media:
        assert [each.reason for each in skipped] == ["names a file outside its folder"]


@pytest.mark.parametrize(
    "text",
    [
        "Dear diary,\n14/07/23, 21:22 - Vera: hi\n",
        "2023-07-14 21:22:39,123 - app - INFO - started\n",
        "2023-07-14 21:22:39 - INFO - app: started\n2023-07-14 21:22:40 - ERROR - app: x\n",
        "2023-07-14 10:00:00 - started\n2023-07-14 10:00:01 - GET /x: 200\n",
        "14/07/23, 10:00 - Board meeting\nPresent: Vera, Ben\n",
        "name,date\nVera,14/07/23\n",
        "",
        "[{}]",
    ],
)
def test_other_texts_are_not_taken_for_chats(tmp_path: Path, text: str) -> None:
    assert not WhatsApp().recognises(met(written(tmp_path, "x.txt", text)))


def test_utf16_and_broken_utf8_are_read(tmp_path: Path) -> None:
    line = "14.07.23, 21:22 - Véra: größer\n"
    (wide,), _ = read(WhatsApp(VIENNA), written(tmp_path / "a", "c.txt", line.encode("utf-16")))
    assert (wide.speaker, wide.text) == ("Véra", "größer")
    broken = line.encode() + b"14.07.23, 21:23 - Ben: \xff\xfe!\n"
    memories, _ = read(WhatsApp(VIENNA), written(tmp_path / "b", "c.txt", broken))
    assert memories[1].text == "\ufffd\ufffd!"


def test_a_message_of_many_megabytes_is_skipped_and_the_next_is_read(tmp_path: Path) -> None:
    text = "14.07.23, 21:22 - A: " + "x" * 5_000_000 + "\n14.07.23, 21:23 - B: after\n"
    memories, skipped = read(WhatsApp(VIENNA), chat(tmp_path, text))
    assert [m.text for m in memories] == ["after"]
    assert [each.reason for each in skipped] == ["is too long"]


def test_a_day_that_does_not_exist_leaves_the_time_open(tmp_path: Path) -> None:
    text = "30/02/23, 10:00 - A: x\n14/07/23, 10:00 - B: y\n"
    first, second = read_anyway(WhatsApp(VIENNA), met(chat(tmp_path, text)))[0]
    assert first.timestamp is None
    assert second.timestamp is not None
