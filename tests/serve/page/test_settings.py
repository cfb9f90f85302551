"""The place to look after an archive, in a real Chromium: models, keys, export, language."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from graphmemix.serve.keys import KeyRing
from tests.serve.page.browsing import Page
from tests.serve.page.conftest import served
from tests.serve.page.test_browser import ENTER, copied, run_axe


def test_settings_say_what_answers_and_try_it(page: Page) -> None:
    page.go("#/home/settings")
    assert "none: answers are quoted" in page.text("#settings")
    assert "asks for no key" in page.text("#settings")
    page.click("#test-models")
    page.until(lambda: "Encoder: works" in page.text("#test-result"))
    page.click("#language option[value=de]")
    page.until(lambda: page.text("#nav-ask") == "Fragen")
    page.until(lambda: "Was antwortet" in page.text("#settings"))


def test_everything_is_saved_as_a_zip(page: Page, tmp_path: Path) -> None:
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    page.go("#/home/settings")
    assert "all of them" in page.text("#settings")  # are found by meaning
    page.click("#save-everything")
    page.until((tmp_path / "home.zip").is_file)
    packed = ZipFile(BytesIO((tmp_path / "home.zip").read_bytes()))
    assert {"manifest.json", "versions.jsonl"} <= set(packed.namelist())
    assert b"Hotel Olivo" in packed.read("versions.jsonl")


def test_keys_are_created_and_revoked_where_there_are_keys(
    chromium: Page, axe: str, archive_folder: Path, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    _, token = KeyRing(state).create("owner", {"*": "admin"})
    with served(copied(archive_folder, tmp_path), state) as address:
        chromium.address = address
        chromium.reset()
        chromium.one("#key").send_keys(token, ENTER)
        chromium.until(lambda: chromium.all("#archive option"))
        chromium.click("#nav-settings")
        chromium.one("#key-name").send_keys("phone")
        chromium.click("#key-scope option[value=read]")
        chromium.one("#key-days").send_keys("30")
        chromium.click("#create-key")
        made = chromium.text("#new-token")
        assert KeyRing(state).principal(made) is not None
        assert "phone all archives: read · until" in chromium.text(".keys li:last-child")
        assert run_axe(chromium, axe, "") == []
        chromium.click(".keys li:last-child button")
        chromium.until(lambda: "revoked" in chromium.text(".keys li:last-child"))
        assert KeyRing(state).principal(made) is None
        chromium.click(".keys li:first-child button")  # of the key in use
        chromium.until(lambda: "uses that key" in chromium.text("#keys .bad"))
        assert all("401" in each or "409" in each for each in chromium.complaints())
