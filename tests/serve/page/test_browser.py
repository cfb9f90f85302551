"""The page in a real Chromium, against a real server."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphmemix import Archive
from graphmemix.optimize.explanation import explain
from graphmemix.serve.keys import KeyRing
from graphmemix.serve.page import write_page
from tests.serve.page.browsing import Page
from tests.serve.page.conftest import served
from tests.serve.page.household import HOSTILE, QUESTION, picture

TOOTH = "Mia lost her first tooth"
ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"
LABEL = re.compile(r"(new fact|clarification|corroboration) \+0\.\d{3}")
VIEWS = {
    "ask": ".suggestion",
    "browse": ".tile img[src]",
    "browse?view=time": ".line",
    "browse?view=map": ".circle",
    "bring": ".drop-zone",
    "traces": "#traces a",
    "settings": "#test-models",
}
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"


def test_an_answer_comes_with_its_sources(page: Page) -> None:
    page.ask(QUESTION)
    assert "hotel" in page.text("#answer").lower()
    assert page.one("#answer").get_attribute("aria-busy") is None
    cited = page.one("#answer button.cite").get_attribute("aria-label")
    assert cited
    page.click("#answer button.cite")
    page.drawer_shows(cited.partition(": ")[2])
    assert "chosen" in page.text(".verdict h3")
    page.press(ESCAPE)
    page.until(lambda: not page.all("#drawer[open]"))
    assert "cite" in page.focus(".className")


def test_the_chance_is_told_in_words_and_as_a_number_if_opened(page: Page) -> None:
    page.ask(QUESTION)
    words = page.text("#answer .chance summary")
    assert re.fullmatch(r"The archive .* the answer\.", words)
    assert not page.all("#answer .chance[open]")
    page.click("#answer .chance summary")
    assert re.search(r"Calibrated chance: \d+ %\.", page.text("#answer .chance[open]"))


def test_evidence_is_shown_as_cards_in_the_order_of_the_answer(page: Page) -> None:
    page.ask(QUESTION)
    cited = [each.text.strip("[]") for each in page.all("#answer .cite")]
    cards = page.all(".evidence-cards .card")
    ranks = [each.text for each in page.all(".evidence-cards .rank")]
    assert ranks[: len(set(cited))] == list(dict.fromkeys(cited))
    assert [("cited" in each.text) for each in cards] == [rank in cited for rank in ranks]
    page.until(
        lambda: page.browser.execute_script(
            "return document.querySelector('.evidence-cards .pictured img').naturalWidth"
        )
    )
    page.click(".evidence-cards .card .title")
    page.drawer_shows(cards[0].find_element("css selector", ".title").text)


def test_citations_have_the_numbers_of_the_terminal(page: Page, archive_folder: Path) -> None:
    page.ask(QUESTION)
    cited = [each.text.strip("[]") for each in page.all("#answer .cite")]
    with Archive.open(archive_folder, mode="read") as archive:
        answer = archive.ask(QUESTION, save=False).answer
    assert answer is not None
    assert cited == re.findall(r"\[(\d+): ", answer.text)


def test_a_booking_made_long_before_is_about_the_days_of_what_it_adds_to(page: Page) -> None:
    """The tooth of July and the booking of February: the link says what they share."""
    page.ask(QUESTION)
    links = {link.get_attribute("data-link"): link.text for link in page.all(".forest .link")}
    said = [" ".join(text.split()) for text in links.values()]
    assert any("about the same days" in each for each in said), said


def test_an_answer_takes_a_screen_and_a_half_without_a_number(page: Page) -> None:
    page.ask(QUESTION)
    height = page.browser.execute_script("return document.documentElement.scrollHeight")
    assert height <= 1350  # at 1280 x 900 pixels
    assert not re.search(r"\bp \d|objective|\+0\.\d|utility", page.text("main"))
    assert re.fullmatch(r"Of \d+ memories that could matter, .*", page.text(".why-these"))


def test_a_box_of_the_forest_opens_its_memory(page: Page) -> None:
    page.ask(QUESTION)
    page.click("#all-evidence")
    assert len(page.all(".forest .box")) == len(page.all(".evidence-cards .card"))
    page.open_how()
    boxes = page.all("#how .forest .box")
    listed = page.browser.execute_script(
        "return document.querySelectorAll('.forest-list li').length"
    )
    assert len(boxes) == listed  # the list says what the drawing shows
    page.click(".forest .box.root")
    page.drawer_shows(page.box(".forest .box.root"))
    assert page.box(".forest .box.root") in page.text("#memory-text")


def test_links_are_labelled_in_plain_words(page: Page) -> None:
    page.ask(QUESTION)
    child = page.one(".forest .link").get_attribute("data-link")
    said = [link.text for link in page.all(f".forest .link[data-link='{child}'] text")]
    assert re.match(r"(adds|explains it|confirms it): \w+", " ".join(said))
    spoken = page.one(f".forest .box[data-id='{child}']").get_attribute("aria-label")
    assert re.search(r"; (adds|explains it|confirms it): ", str(spoken))


def test_links_are_labelled_by_role_and_gain_with_how_it_was_found(page: Page) -> None:
    page.ask(QUESTION)
    page.open_how()
    page.click("#graph-level option[value=chosen]")
    labels = [link.text for link in page.all("#how .forest .link text:not(.faint)")]
    assert labels
    assert all(LABEL.fullmatch(label) for label in labels)
    child = page.one("#how .forest .link").get_attribute("data-link")
    gain = labels[0].rpartition("+")[2]
    spoken = page.one(f"#how .forest .box[data-id='{child}']").get_attribute("aria-label")
    assert f"gain {gain}" in str(spoken)
    assert f"+{gain}" in page.text(f".candidates tr[data-id='{child}'] td[data-label=Link]")
    page.click(f"#how .forest .box[data-id='{child}']")
    page.click("#drawer .verdict > summary")
    told = page.text("#drawer[open] .verdict dl")
    assert f"gain of its link\n+{gain}" in told


def test_a_rejected_candidate_says_why_and_leads_on(page: Page) -> None:
    page.ask(QUESTION)
    page.open_how()
    page.click("#fate-filter option[value=rejected]")
    page.until(lambda: not page.all(".candidates .fate.chosen"))
    row = page.one(".candidates tbody tr")
    assert "utility" in row.find_element("css selector", ".why").text
    title = row.find_element("css selector", "button").text
    page.click(".candidates tbody tr button")
    page.drawer_shows(title)
    assert "rejected" in page.text(".verdict h3")
    page.click(".verdict > summary")
    assert "taking it would cost" in page.text(".verdict dl")
    page.click(".verdict details > summary")
    linked = page.text(".verdict details li button")
    page.click(".verdict details li button")
    page.drawer_shows(linked)
    assert page.text("#drawer-title") != title


def test_everything_works_with_the_keyboard_alone(page: Page) -> None:
    def tab_to(there: str) -> None:
        for _ in range(60):
            if page.focus(f".matches({there!r})"):
                return
            page.press(TAB)
        pytest.fail(f"the keyboard does not reach {there}")

    tab_to("#question")
    page.press(*QUESTION, ENTER)
    page.says("Answered.")
    tab_to(".box")
    child = page.one(".forest .link").get_attribute("data-link")
    for _ in page.all(".forest .box"):
        if page.focus(".dataset.id") != child:
            page.press(DOWN)
    assert page.focus(".dataset.id") == child
    page.press(LEFT)
    anchor = page.focus(".dataset.id")
    assert anchor != child
    page.press(DOWN, UP)
    assert page.focus(".dataset.id") == anchor
    page.press(RIGHT)
    assert page.focus(".dataset.id") != anchor
    page.press(LEFT)
    assert page.focus(".dataset.id") == anchor
    page.press(ENTER)
    page.until(lambda: page.all("#drawer[open]"))
    assert page.focus(".id") == "drawer-title"
    page.press(ESCAPE)
    page.until(lambda: not page.all("#drawer[open]"))
    assert page.focus(".dataset.id") == anchor
    tab_to("#how > summary")
    page.press(ENTER)
    page.one("#how .costs tbody tr")
    tab_to(".candidates button")
    page.press(ENTER)
    page.drawer_shows(TOOTH)


def test_script_in_a_mail_is_text(page: Page) -> None:
    page.go("#/home/browse")
    page.one("#words").send_keys("voucher", ENTER)
    page.says("1 memory found.")
    page.click("#found button")
    page.drawer_shows("<script>")
    assert HOSTILE in page.text("#memory-text")
    assert page.browser.execute_script("return window.pwned") is None


def test_an_earlier_question_has_its_address(page: Page) -> None:
    page.ask("Where is the tooth now?")
    answer = page.text("#answer")
    assert "/trace/" in page.browser.current_url
    page.click("#nav-traces")
    page.until(lambda: "Where is the tooth now?" in page.text("#traces"))
    page.click("#traces a")
    page.until(lambda: page.text("#answer") == answer)
    page.go(page.browser.current_url.partition("#")[2].join(("#", "")))
    page.until(lambda: page.text("#answer") == answer)
    assert page.all(".forest .box")


def test_a_picture_is_part_of_the_question(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "asked.jpg"
    file.write_bytes(picture())
    page.one("#picture").send_keys(str(file))
    page.until(lambda: page.one("#picture-shown").is_displayed())
    page.says("asked.jpg")
    page.ask("Where was this tooth?")
    page.click("#drop-picture")
    assert not page.one("#picture-shown").is_displayed()
    page.browser.execute_script(
        "const held = new DataTransfer();"
        "const bytes = Uint8Array.from(atob(arguments[0]), (each) => each.charCodeAt(0));"
        "held.items.add(new File([bytes], 'pasted.jpg', {type: 'image/jpeg'}));"
        "document.getElementById('question').dispatchEvent("
        "new ClipboardEvent('paste', {clipboardData: held, bubbles: true, cancelable: true}))",
        base64.b64encode(picture("orange")).decode(),
    )
    page.says("pasted.jpg")
    page.until(lambda: "same picture" in page.text("#picture-note"))
    page.go("#/home/traces")
    page.click("#traces a")
    page.until(lambda: "with a picture" in page.text("#asked"))


def test_what_goes_wrong_is_told(page: Page) -> None:
    page.click("#ask-form button.main")
    page.says("Write a question")
    page.go("#/home/trace/there-is-none")
    page.says("There is no question with this address.")
    assert any("404" in each for each in page.complaints())  # the browser notes it, rightly
    page.go("#/house/ask")
    page.says("There is no archive “house” here")
    page.go("#/home/nowhere")
    page.says("There is nothing at this address.")


def test_a_narrow_screen_has_everything(page: Page) -> None:
    page.resize(360)
    page.ask(QUESTION)
    assert page.overflow() == 0
    for box in page.all(".forest .box"):
        assert box.rect["x"] >= 0
        assert box.rect["x"] + box.rect["width"] <= 360
    page.click(".forest .box")
    page.drawer_shows(page.box())
    page.press(ESCAPE)
    for view in ("browse", "bring", "traces", "settings"):
        page.click(f"#nav-{view}")
        page.until(page.one(f"#view-{view}").is_displayed)
        assert page.overflow() == 0, view


def test_when_and_where_are_drawn(page: Page) -> None:
    page.ask(QUESTION)
    page.open_how()
    page.click("#graph-level option[value=all]")
    boxes = page.all("#how .forest .box")
    assert len(page.all("section[aria-label=Timeline] .dot")) == len(boxes)
    assert len(page.all("section[aria-label=Map] .dot")) == 3
    assert "Malcesine" in page.text("section[aria-label=Map]")
    stages = [row.text.split()[0] for row in page.all(".costs tbody tr")]
    assert stages[0] == "retrieve"
    assert "read" in stages


def test_light_and_dark_follow_the_system_and_the_switch(page: Page) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = page.browser.execute_script(ground)
    page.click("#theme")
    dark = page.browser.execute_script(ground)
    assert dark != light
    page.go("")
    assert page.browser.execute_script(ground) == dark  # it is remembered
    page.reset(dark=True)
    assert page.browser.execute_script(ground) == dark


def test_axe_finds_nothing_serious(page: Page, axe: str) -> None:
    page.ask(QUESTION)
    page.open_how()
    page.click("#fate-filter option[value=chosen]")  # rows are alike, and axe looks at each
    faults = axe_in_both_schemes(page, axe)
    page.click(".forest .box")
    page.drawer_shows(page.box())
    faults += axe_in_both_schemes(page, axe)
    page.go("")
    for view, there in VIEWS.items():
        page.show(f"#/home/{view}", there)
        faults += axe_in_both_schemes(page, axe)
    assert faults == []


def axe_in_both_schemes(page: Page, axe: str) -> list[str]:
    """Return what axe finds in light; then in dark, where nothing but colours differs."""
    faults = run_axe(page, axe)
    page.colour(dark=True)
    faults += run_axe(page, axe, "color-contrast")
    page.colour(dark=False)
    return faults


# While a part slides in, axe would measure colours that nobody reads.
_RUN_AXE = """
const [options, done] = arguments;
const ends = document.getAnimations().filter(
  (each) => each.effect.getComputedTiming().endTime < Infinity,
);
Promise.allSettled(ends.map((each) => each.finished))
  .then(() => axe.run(document, options)).then(done);
"""


def run_axe(page: Page, axe: str, only: str = "") -> list[str]:
    """Return what axe calls serious or critical; it must have looked at something."""
    if not page.browser.execute_script("return Boolean(window.axe)"):
        page.browser.execute_script(axe)
    options: dict[str, Any] = {"resultTypes": ["violations"]}  # others are counted, not described
    if only:
        options["runOnly"] = {"type": "rule", "values": [only]}
    found = page.browser.execute_async_script(_RUN_AXE, options)
    assert found["passes"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:200]}"
        for fault in found["violations"]
        if fault["impact"] in {"serious", "critical"}
    ]


def test_a_server_with_keys_asks_for_one(
    chromium: Page, archive_folder: Path, tmp_path: Path
) -> None:
    _, token = KeyRing(tmp_path / "state").create("page", {"home": "read"})
    with served(copied(archive_folder, tmp_path), tmp_path / "state") as address:
        chromium.address = address
        chromium.reset()
        chromium.one("#key").send_keys("gmx_wrong", ENTER)
        chromium.until(lambda: "does not accept" in chromium.text("#key-why"))
        chromium.one("#key").send_keys(token, ENTER)
        chromium.until(lambda: chromium.all("#archive option"))
        chromium.go("#/home/browse")  # the key lives as long as the tab
        chromium.until(lambda: len(chromium.all(".tile")) == 3)
        chromium.until(lambda: chromium.one(".tile img").get_property("naturalWidth"))
        assert str(chromium.one(".tile img").get_property("src")).startswith("blob:")
        kept = chromium.browser.execute_script("return JSON.stringify(localStorage)")
        assert token not in kept
        chromium.click("#nav-bring")  # a key that may only read brings nothing in
        assert "for reading only" in chromium.text("#bring-read-only")
        chromium.click("#nav-settings")
        chromium.click("#key-forget")
        chromium.until(lambda: "requires a key" in chromium.text("#key-why"))
        assert all("401" in each for each in chromium.complaints())


def copied(folder: Path, to: Path) -> Path:
    """Return a copy: an archive has one writer, and that is the other server."""
    with Archive.open(folder, mode="read") as archive:
        archive.store.backup(to / "copy")
    return to / "copy"


def test_the_exported_file_works_without_a_server(
    chromium: Page, archive_folder: Path, tmp_path: Path
) -> None:
    with Archive.open(archive_folder, mode="read") as archive:
        trace = archive.ask(QUESTION)
        told = explain(trace, archive.settings)
        file = write_page(trace, archive.find(), told, tmp_path / "it.html", media=archive.media)
    chromium.resize(1280)
    chromium.complaints()
    chromium.browser.get(file.as_uri())
    assert QUESTION in chromium.text("#asked")
    chromium.open_how()
    assert LABEL.fullmatch(chromium.text("#how .forest .link text"))
    chromium.click(".forest .box")
    chromium.drawer_shows(chromium.box())
    chromium.press(ESCAPE)
    for title in chromium.all(".candidates tr[data-id] th button"):
        if "voucher" in title.text:
            title.click()
            break
    chromium.drawer_shows("<script>")
    assert chromium.browser.execute_script("return window.pwned") is None
    assert chromium.all(".forest image[href^='data:image/jpeg']")
    assert chromium.complaints() == []


def test_a_trace_from_before_gains_shows_roles_alone(
    chromium: Page, archive_folder: Path, tmp_path: Path
) -> None:
    with Archive.open(archive_folder, mode="read") as archive:
        trace = archive.ask(QUESTION)
        assert trace.forest is not None
        trees = [
            replace(tree, nodes=tuple(replace(node, gain=None) for node in tree.nodes))
            for tree in trace.forest.trees
        ]
        old = replace(trace, forest=replace(trace.forest, trees=tuple(trees), terms=None))
        told = explain(old, archive.settings)
        file = write_page(old, archive.find(), told, tmp_path / "old.html")
    chromium.resize(1280)
    chromium.browser.get(file.as_uri())
    chromium.open_how()
    labels = [link.text for link in chromium.all("#how .forest .link text:not(.faint)")]
    assert labels
    assert set(labels) <= {"new fact", "clarification", "corroboration"}
    assert "number on a link" not in chromium.text("#how")
    chromium.click(".forest .box")
    chromium.drawer_shows(chromium.box())
    chromium.click(".verdict > summary")
    assert "link" not in chromium.text(".verdict dl")
