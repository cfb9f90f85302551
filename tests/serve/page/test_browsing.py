"""Looking through the archive in a real Chromium: photos, days, map, one memory; changing it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix import Archive, Media, Memory
from tests.ingest.camera import video
from tests.serve.page.browsing import Page
from tests.serve.page.conftest import served
from tests.serve.page.household import build
from tests.serve.page.test_browser import ESCAPE
from tests.serve.test_previews import two_pages

END, HOME = "\ue010", "\ue011"


def test_photos_are_a_grid_by_day_and_open(page: Page) -> None:
    page.go("#/home/browse")
    page.until(lambda: len(page.all(".tile")) == 3)
    assert page.text(".day h3") == "Fri 14 Jul"
    assert page.one(".day h3").get_attribute("title") == "Friday, 14 July 2023"
    page.until(
        lambda: page.browser.execute_script(
            "return [...document.querySelectorAll('.tile img')].every((i) => i.naturalWidth)"
        )
    )
    page.click(".tile")
    page.until(lambda: page.one(".media img").get_property("naturalWidth") == 320)


def test_everything_is_listed_by_day_with_a_scrubber_of_months(page: Page) -> None:
    page.go("#/home/browse")
    page.click("#show-time")
    page.until(lambda: page.all(".month[data-month='2023-08'] .line"))
    assert page.text("#scrubber-month") == "August 2023"
    page.one("#scrubber").send_keys(END)
    assert page.one("#scrubber").get_attribute("aria-valuetext")
    page.until(
        lambda: page.browser.execute_script(
            "const month = document.querySelector('.month[data-month=\"2023-06\"]');"
            "return month.getBoundingClientRect().top < innerHeight && month.querySelector('.line')"
        )
    )
    page.one("#words").send_keys("boiler\n")
    page.says("memories found.")
    assert all("boiler" in each.text for each in page.all("#found .line"))


def test_a_place_on_the_map_is_a_filter(page: Page) -> None:
    page.go("#/home/browse?view=map")
    page.until(lambda: len(page.all(".circle")) == 2)
    assert page.one(".world .land").get_attribute("d")
    circle = next(each for each in page.all(".circle") if "Graz" in each.text)
    assert circle.get_attribute("aria-label") == "Graz: 1 memory"
    circle.click()
    page.says("1 memory")
    assert page.text("#browse-filters .chip").startswith("Graz")
    page.until(lambda: len(page.all("#months .tile")) == 1)
    page.click("#browse-filters .chip")
    page.until(lambda: len(page.all(".circle")) == 2)


def test_a_message_stands_among_its_neighbours(page: Page) -> None:
    page.go("#/home/browse?kind=message")
    page.until(lambda: len(page.all(".line")) == 4)
    page.click(".line:last-child button")
    page.until(lambda: len(page.all(".turn")) == 4)
    assert page.all(".turn.here")
    title = page.text(".turn:not(.here) button")
    page.click(".turn:not(.here) button")
    page.drawer_shows(title)
    page.click("#drawer-body > details summary")
    page.click("#drawer-body > details button")
    page.until(lambda: page.text("#browse-filters .chip").startswith("Family"))


def thread() -> list[Memory]:
    """Two mails, the second quoting the first."""
    quoting = "I agree.\n\nOn Monday Lena wrote:\n> Shall we go by train?\n"
    texts = {"t": "Shall we go by train?", "q": quoting}
    return [
        Memory(
            name,
            "email",
            text,
            session="trip",
            speaker="Lena" if name == "t" else "Ruth",
            timestamp=datetime(2022, 5, 2, 8 + number, tzinfo=UTC),
            metadata={"subject": "The trip" if name == "t" else "Re: The trip"},
        )
        for number, (name, text) in enumerate(texts.items())
    ]


def film(archive: Archive, folder: Path) -> Memory:
    """A video of three seconds."""
    kept = archive.media.put(video(folder / "film.mp4", codec="mpeg4", frames=30))
    medium = Media("video", kept.sha256, "video/mp4", "film.mp4", kept.size, 64, 48, 3.0)
    return Memory("f", "video", media=(medium,), timestamp=datetime(2022, 5, 3, 9, tzinfo=UTC))


def letter(archive: Archive) -> list[Memory]:
    """A PDF of two pages; the file is with the first."""
    kept = archive.media.put(two_pages())
    file = Media("text", kept.sha256, "application/pdf", "letter.pdf", kept.size)
    return [
        Memory(
            f"l{page}",
            "document",
            text,
            session="document:letter",
            sequence=page - 1,
            timestamp=datetime(2022, 5, 4, 9, tzinfo=UTC),
            media=(file,) if page == 1 else (),
            metadata={"page": page, "file": "letter.pdf"},
        )
        for page, text in ((1, "Dear tenant, the lift is repaired."), (2, "Yours, the caretaker."))
    ]


def walk() -> list[Memory]:
    """Notes of a morning and of an evening."""
    times = (8, 9, 19, 20)
    return [
        Memory(
            f"w{hour}", "note", f"Seen at {hour}", timestamp=datetime(2022, 5, 5, hour, tzinfo=UTC)
        )
        for hour in times
    ]


@pytest.fixture(scope="module")
def changeable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of an archive of its own, to change things in."""
    folder = tmp_path_factory.mktemp("changeable")
    build(folder / "home")
    with Archive.open(folder / "home") as archive:
        archive.add([*thread(), Memory("n", "note", "The accordion needs care")])
        archive.add([film(archive, folder), *letter(archive), *walk()])
    with served(folder / "home", folder / "state") as address:
        yield address


def find(page: Page, words: str) -> None:
    page.go("#/home/browse")
    page.one("#words").send_keys(f"{words}\n")
    page.says("memory found.")
    page.click("#found button")
    page.until(lambda: page.all("#drawer[open]"))


def test_quoted_text_is_folded(chromium: Page, changeable: str) -> None:
    chromium.address = changeable
    chromium.reset()
    find(chromium, "agree")
    assert chromium.text("#memory-text").startswith("I agree.")
    assert "Shall we go" not in chromium.text("#memory-text")
    chromium.click(".quoted summary")
    assert "Shall we go by train?" in chromium.text("#memory-text")


def test_a_mail_stands_among_those_of_its_thread_without_what_they_quote(
    chromium: Page, changeable: str
) -> None:
    chromium.address = changeable
    chromium.reset()
    find(chromium, "agree")
    chromium.until(lambda: len(chromium.all(".turn")) == 2)
    assert [turn.text.split("\n", 1)[1] for turn in chromium.all(".turn")] == [
        "Shall we go by train?",
        "I agree.",
    ]


def test_a_video_has_a_poster_and_plays(chromium: Page, changeable: str) -> None:
    chromium.address = changeable
    chromium.reset()
    chromium.go("#/home/browse?kind=video")
    chromium.until(lambda: chromium.one(".tile img").get_property("naturalWidth") == 64)
    assert chromium.text(".tile .play") == "▶"
    chromium.click(".tile")
    chromium.until(lambda: chromium.one(".media video").get_attribute("poster"))
    assert "/media/" in str(chromium.one(".media video").get_attribute("src"))
    assert chromium.one(".media video").get_attribute("controls")
    assert chromium.complaints() == []


def test_a_document_is_one_line_and_has_its_pages(chromium: Page, changeable: str) -> None:
    chromium.address = changeable
    chromium.reset()
    chromium.go("#/home/browse?kind=document")
    chromium.until(lambda: len(chromium.all(".line")) == 1)
    assert "2 pages" in chromium.text(".line")
    chromium.click(".line button")
    chromium.until(lambda: chromium.one("img.page").get_property("naturalWidth"))
    assert chromium.text("#pages-heading") == "Page 1 of 2"
    previous, following = chromium.all(".pages .row button")
    assert (previous.is_enabled(), following.is_enabled()) == (False, True)
    following.click()
    chromium.until(lambda: chromium.text("#pages-heading") == "Page 2 of 2")
    chromium.until(lambda: chromium.one("img.page").get_property("naturalWidth"))
    assert "page=2" in str(chromium.one("img.page").get_property("src"))
    chromium.drawer_shows("Yours, the caretaker.")
    assert chromium.complaints() == []


def test_a_day_is_divided_into_episodes(chromium: Page, changeable: str) -> None:
    chromium.address = changeable
    chromium.reset()
    chromium.go("#/home/browse?view=time&at=2022-05")
    chromium.until(lambda: len(chromium.all(".month[data-month='2022-05'] .episode")) == 2)
    names = [each.text for each in chromium.all(".month[data-month='2022-05'] .episode h4")]
    assert names == ["19:00 – 20:00 · 2 memories", "08:00 – 09:00 · 2 memories"]


def test_a_memory_is_changed_and_erased_with_a_receipt(chromium: Page, changeable: str) -> None:
    chromium.address = changeable
    chromium.reset()
    find(chromium, "accordion")
    chromium.click("#edit-memory")
    text = chromium.one("#edit-text")
    text.clear()
    text.send_keys("The xylophone needs care")
    chromium.one("#edit-place").send_keys("Attic")
    chromium.click(".editor button.main")
    chromium.says("Saved as version 2.")
    chromium.drawer_shows("The xylophone needs care")
    chromium.press(ESCAPE)
    find(chromium, "xylophone")
    chromium.click("#drawer-body > details summary")
    assert "where\nAttic" in chromium.text("#drawer-body > details")
    chromium.click("#erase-memory")
    assert "for good" in chromium.text(".eraser")
    chromium.click("#erase-really")
    assert "1 memory" in chromium.text("#receipt")
    assert "1 earlier version" in chromium.text("#receipt")
    chromium.press(ESCAPE)
    chromium.one("#words").send_keys("\n")
    chromium.says("No memory matches.")
    assert chromium.complaints() == []
