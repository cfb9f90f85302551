"""Looking through the archive in a real Chromium: photos, days, map, one memory; changing it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphmemix import Archive, Memory
from tests.serve.page.browsing import Page
from tests.serve.page.conftest import served
from tests.serve.page.household import build
from tests.serve.page.test_browser import ESCAPE

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


@pytest.fixture(scope="module")
def changeable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of an archive of its own, to change things in."""
    folder = tmp_path_factory.mktemp("changeable")
    build(folder / "home")
    quoting = "I agree.\n\nOn Monday Lena wrote:\n> Shall we go by train?\n"
    with Archive.open(folder / "home") as archive:
        mail = Memory("q", "email", quoting, metadata={"subject": "Re: The trip"})
        archive.add([mail, Memory("n", "note", "The accordion needs care")])
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


def test_settings_say_what_answers_and_try_it(page: Page) -> None:
    page.go("#/home/settings")
    assert "none: answers are quoted" in page.text("#settings")
    assert "asks for no key" in page.text("#settings")
    page.click("#test-models")
    page.until(lambda: "Encoder: works" in page.text("#test-result"))
    page.click("#language option[value=de]")
    page.until(lambda: page.text("#nav-ask") == "Fragen")
    page.until(lambda: "Was antwortet" in page.text("#settings"))
