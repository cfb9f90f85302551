"""Asking in a real Chromium: stopped in the middle, with a picture that is dropped, as of a day."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering import endpoint
from tests.llm.servers import Connection, HostileServer, hostile, streams
from tests.serve.page.browsing import Page
from tests.serve.page.conftest import served
from tests.serve.page.household import QUESTION, picture
from tests.serve.page.test_browser import copied

__all__ = ["hostile"]


@pytest.fixture
def talking(
    chromium: Page, hostile: HostileServer, archive_folder: Path, tmp_path: Path
) -> Iterator[Page]:
    """The page of a server whose reader is `hostile`; memories are judged without a model."""
    settings = endpoint(hostile.url, local__use="always", model__others="second")
    with served(copied(archive_folder, tmp_path), tmp_path / "state", settings) as address:
        chromium.leave()
        chromium.address = address
        chromium.reset()
        yield chromium
        chromium.browser.get("about:blank")  # before the server ends
    assert chromium.complaints() == []


def start(page: Page, question: str) -> None:
    page.one("#question").clear()
    page.one("#question").send_keys(question)
    page.click("#ask-form button.main")


def test_an_answer_under_way_can_be_stopped(talking: Page, hostile: HostileServer) -> None:
    hung_up = []

    def endless(connection: Connection) -> None:
        try:
            streams(["word "] * 10_000, pause=0.02)(connection)
        except OSError:
            hung_up.append("the server")
            raise

    hostile.script = [endless, streams(["Hotel ", "Olivo [1]."])]
    assert not talking.one("#stop").is_displayed()
    start(talking, QUESTION)
    talking.until(lambda: "word word" in talking.text("#answer"))
    assert talking.one("#answer").get_attribute("aria-busy") == "true"
    talking.click("#stop")
    talking.says("Stopped.")
    assert not talking.one("#stop").is_displayed()
    assert talking.one("#answer").get_attribute("aria-busy") is None
    assert not talking.all(".forest")
    talking.until(lambda: hung_up)  # the model writes no further
    talking.ask(QUESTION)  # and the next question is answered as ever
    assert talking.text("#answer .answer-text") == "Hotel Olivo [1]."
    assert talking.all(".forest .box")


def test_a_newer_question_replaces_the_one_under_way(talking: Page, hostile: HostileServer) -> None:
    hostile.script = [streams(["old "] * 10_000, pause=0.02), streams(["New [1]."])]
    start(talking, QUESTION)
    talking.until(lambda: "old old" in talking.text("#answer"))
    talking.ask("Where is the tooth now?")
    assert talking.text("#answer .answer-text") == "New [1]."
    assert not talking.one("#stop").is_displayed()


def test_a_question_is_asked_again_with_another_model(
    talking: Page, hostile: HostileServer
) -> None:
    models = []

    def answer(connection: Connection) -> None:
        models.append(connection.body["model"])
        streams([f"By {models[-1]} [1]."])(connection)

    hostile.script = [answer, answer]
    talking.ask(QUESTION)
    assert talking.text("#answer .answer-text") == "By m [1]."
    assert [each.text for each in talking.all("#ask-again option")] == [
        "Ask again with …",
        "m",
        "second",
        "no model, quoted",
    ]
    talking.click("#ask-again option[value=second]")
    talking.until(lambda: talking.text("#answer .answer-text") == "By second [1].")
    assert "second" in talking.text("#answer .notes")
    assert not talking.one("#thread-box").is_displayed()  # the same turn, once more
    talking.click("#ask-again option[value='']")
    talking.until(lambda: "Quoted from memories" in talking.text("#answer .notes"))
    assert models == ["m", "second"]
    assert talking.one("#question").get_property("value") == QUESTION


def drop(page: Page, *files: Path) -> None:
    """Drag files over the form and drop them, as a file manager would."""
    place = page.one("#question").rect
    at = {"x": place["x"] + 20, "y": place["y"] + 20}
    data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver"):
        page.browser.execute_cdp_cmd("Input.dispatchDragEvent", {"type": kind, **at, "data": data})
    page.until(lambda: page.all("#ask-form.over"))
    page.browser.execute_cdp_cmd("Input.dispatchDragEvent", {"type": "drop", **at, "data": data})
    page.until(lambda: not page.all("#ask-form.over"))


def test_a_picture_can_be_dropped(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "dropped.jpg"
    file.write_bytes(picture("orange"))
    drop(page, file)
    page.says("dropped.jpg")
    page.until(lambda: page.one("#picture-shown").get_property("naturalWidth") == 320)
    page.ask("Where was this?")
    page.go("#/home/traces")
    page.click("#traces a")
    page.until(lambda: "with a picture" in page.text("#asked"))


def test_a_picture_says_what_it_can_do(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "known.jpg"
    file.write_bytes(picture("orange"))
    drop(page, file)
    page.until(lambda: "The same picture is in the archive." in page.text("#picture-note"))
    note = page.text("#picture-note")
    assert "does not see what pictures show" in note
    assert "Taken: 14 Jul 2023, 08:15, Graz" in note
    page.one("#question").clear()
    page.click("#ask-form button.main")  # the picture alone is a question
    page.says("Answered.")
    page.until(lambda: page.all(".evidence-cards .pictured"))
    assert "A tooth in a napkin, picture 1" in page.text(".evidence-cards")


def test_what_is_no_picture_is_refused_and_the_page_stays(page: Page, tmp_path: Path) -> None:
    text, huge = tmp_path / "notes.txt", tmp_path / "huge.jpg"
    text.write_text("not a picture")
    huge.write_bytes(picture() + bytes(12_000_000))
    page.one("#question").send_keys("Still here")
    drop(page, text)
    page.says("Only pictures")
    drop(page, huge)
    page.says("larger than 11 MB")
    assert not page.one("#picture-box").is_displayed()
    assert page.one("#question").get_property("value") == "Still here"
    page.ask(QUESTION)
    page.go("#/home/traces")
    page.click("#traces a")
    page.until(lambda: page.text("#asked").startswith("Asked"))
    assert "with a picture" not in page.text("#asked")


def test_a_question_as_of_a_day_sees_nothing_later(page: Page) -> None:
    page.ask(QUESTION)
    page.open_how()
    later = page.text(".candidates tbody")
    assert "14 Jul 2023" in later
    page.click("#ask-filters summary")
    page.set_date("#ask-as_of", "2023-06-02")
    assert page.text("#ask-filters .chip").startswith("as of 2 Jun 2023")
    page.ask(QUESTION)
    page.open_how()
    days = [each.text for each in page.all(".candidates tbody th .faint")]
    assert days
    assert {day.split(" · ")[1].partition(",")[0] for day in days} == {"1 Jun 2023", "2 Jun 2023"}
    page.go("#/home/traces")
    page.click("#traces a")
    page.until(lambda: "as of 2 Jun 2023" in page.text("#asked"))
    assert page.one("#ask-as_of").get_property("value") == "2023-06-02"
    page.go("#/home/traces")
    page.until(lambda: len(page.all("#traces a")) > 1)
    page.all("#traces a")[1].click()
    page.until(lambda: page.one("#ask-as_of").get_property("value") == "")


def test_filters_are_chips_that_hold_for_the_question(page: Page) -> None:
    page.until(lambda: page.all("#ask-kind option[value=note]"))
    page.click("#ask-filters summary")
    page.click("#ask-kind option[value=note]")
    assert page.text("#ask-filters .chip").startswith("note")
    page.ask("What needs care?")
    page.open_how()
    kinds = {each.text.split(" · ")[0] for each in page.all(".candidates tbody th .faint")}
    assert kinds == {"note"}
    page.click("#ask-filters .chip")
    assert not page.all("#ask-filters .chip")


def test_a_follow_up_is_asked_in_its_thread(page: Page) -> None:
    assert not page.one("#follow-up").is_displayed()
    page.ask("Which hotel did we stay in?")
    page.one("#question").clear()
    page.one("#question").send_keys("And who lost a tooth there?")
    page.click("#follow-up")
    page.until(lambda: "Which hotel" in page.text("#thread"))
    page.until(lambda: "/trace/" in page.browser.current_url)
    page.go("#" + page.browser.current_url.partition("#")[2])
    assert "Which hotel did we stay in?" in page.text("#thread")  # it is part of the trace
    page.ask("Where is the piano?")
    assert not page.one("#thread-box").is_displayed()  # a question of its own


def test_an_answer_can_be_copied_and_saved_as_one_file(page: Page, tmp_path: Path) -> None:
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    granted = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    page.browser.execute_cdp_cmd("Browser.grantPermissions", granted)
    page.ask(QUESTION)
    page.click("#copy-answer")
    page.says("Copied, with its sources.")
    copied = page.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert copied.startswith(QUESTION)
    assert "] Mia lost her first tooth" in copied.split("\n\n")[-1]
    page.click("#save-answer")
    page.says("Saved as one file.")
    page.until(lambda: list(tmp_path.glob("answer-*.html")))
    page.until(lambda: "Hotel Olivo" in next(tmp_path.glob("*.html")).read_text("utf-8"))
