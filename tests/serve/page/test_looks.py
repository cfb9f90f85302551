"""Every view at every width, light and dark, and with the keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.serve.page.browsing import Page
from tests.serve.page.household import QUESTION
from tests.serve.page.test_browser import ENTER, ESCAPE, RIGHT, TAB, VIEWS, run_axe

SPACE = "\ue00d"


@pytest.mark.parametrize("width", [360, 1280, 1600])
def test_nothing_is_wider_than_the_window_or_cut_off(page: Page, width: int) -> None:
    page.reset(width=width)
    page.ask(QUESTION)
    require_fits(page, "answer")
    page.go("")
    for view, there in VIEWS.items():
        page.show(f"#/home/{view}", there)
        require_fits(page, view)


def require_fits(page: Page, view: str) -> None:
    """Check what is shown in light and in dark."""
    for dark in (False, True):
        page.colour(dark=dark)
        assert page.overflow() == 0, (view, dark)
        assert outside(page) == [], (view, dark)


def outside(page: Page) -> list[str]:
    """Return what reaches over the right edge of the window, unless it can be scrolled to."""
    script = """
    const isScrolled = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX);
    const scrolls = (e) => e && (isScrolled(e) || scrolls(e.parentElement));
    const looked = "main button, main a, main p, main h2, main img, header a";
    return [...document.querySelectorAll(looked)]
      .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1)
      .filter((e) => !scrolls(e.parentElement) && !e.closest(".quiet"))
      .map((e) => e.outerHTML.slice(0, 120));
    """
    found: list[str] = page.browser.execute_script(script)
    return found


@pytest.mark.parametrize("width", [360, 1600])
def test_axe_finds_nothing_serious_on_narrow_and_wide_screens(
    page: Page, axe: str, width: int
) -> None:
    page.reset(width=width)
    page.ask(QUESTION)
    faults = run_axe(page, axe)
    page.go("")
    for view in ("ask", "browse", "browse?view=time", "bring", "settings"):
        page.show(f"#/home/{view}", VIEWS[view])
        faults += run_axe(page, axe)
    assert faults == []


def tab_to(page: Page, there: str) -> None:
    for _ in range(80):
        if page.focus(f".matches({there!r})"):
            return
        page.press(TAB)
    pytest.fail(f"the keyboard does not reach {there}")


def test_browsing_works_with_the_keyboard_alone(page: Page) -> None:
    tab_to(page, "#nav-browse")
    page.press(ENTER)
    page.until(lambda: len(page.all(".tile")) == 3)
    tab_to(page, ".tile")
    first = page.focus(".dataset.id")
    page.press(ENTER)
    page.until(lambda: page.all("#drawer[open] .media img[src]"))
    page.press(ESCAPE)
    page.until(lambda: not page.all("#drawer[open]"))
    assert page.focus(".dataset.id") == first
    page.browser.execute_script("document.getElementById('nav-browse').focus()")
    tab_to(page, "#show-time")
    page.press(SPACE)
    page.until(lambda: page.all(".month[data-month='2023-08'] .line"))
    tab_to(page, "#scrubber")
    page.press(RIGHT, RIGHT)
    page.until(lambda: page.one("#scrubber").get_attribute("aria-valuetext") == "June 2023")
    page.browser.execute_script("document.getElementById('nav-browse').focus()")
    tab_to(page, "#show-map")
    page.press(ENTER)
    page.until(lambda: len(page.all("#world .circle")) == 2)
    tab_to(page, ".circle")
    page.press(ENTER)
    page.until(lambda: page.all("#browse-filters .chip"))
    page.browser.execute_script("document.getElementById('show-map').focus()")
    tab_to(page, "#browse-filters .chip")
    page.press(ENTER)
    page.until(lambda: not page.all("#browse-filters .chip"))
    tab_to(page, "#browse-filters summary")
    page.press(ENTER)
    tab_to(page, "#browse-kind")
    page.press("n")  # the note, by its first letter
    page.until(lambda: page.all("#browse-filters .chip[data-key=kind]"))


def test_files_are_chosen_with_the_keyboard_alone(page: Page, tmp_path: Path) -> None:
    tab_to(page, "#nav-bring")
    page.press(ENTER)
    page.until(page.one("#bring-drop").is_displayed)
    # The dialog of the system is no part of the page: that it was asked for is what counts.
    page.browser.execute_script(
        "document.querySelector('#bring-drop .choose-files').addEventListener('click', (event) => {"
        "event.preventDefault(); window.asked = true; })"
    )
    tab_to(page, "#bring-drop button.main")
    page.press(ENTER)
    page.until(lambda: page.browser.execute_script("return window.asked"))
    tab_to(page, "#bring-help summary")
    page.press(ENTER)
    assert "Export chat" in page.text("#bring-help details[open] p")
