"""Bringing files in, in a real Chromium with real jobs: dropped, cancelled, described."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

from tests.serve.page.browsing import Page
from tests.serve.page.household import picture


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders on the zone, as a file manager would."""
    zone = page.one("#bring-drop .drop-zone").rect
    at = {"x": zone["x"] + 40, "y": zone["y"] + 20}
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.browser.execute_cdp_cmd("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


def test_a_folder_and_a_zip_are_dropped_and_then_described(empty: Page, tmp_path: Path) -> None:
    folder = tmp_path / "things" / "deep"
    folder.mkdir(parents=True)
    (folder / "keys.md").write_text("# Keys\n\nThe spare key is with Olga next door.\n")
    (folder / "photo.jpg").write_bytes(picture())
    with ZipFile(tmp_path / "more.zip", "w") as packed:
        packed.writestr("boiler.md", "# Boiler\n\nThe boiler is serviced in March.\n")
        packed.writestr("odd.xyz", bytes(range(256)))
    empty.click("#nav-bring")
    empty.until(empty.one("#bring-drop").is_displayed)
    drop(empty, tmp_path / "things", tmp_path / "more.zip")
    empty.until(lambda: empty.all(".job[data-state=done]"))
    report = empty.text(".job")
    assert "3 new memories" in report
    assert "1 was left out: why" in report
    empty.click(".job summary")
    assert "odd.xyz" in empty.text(".job details")
    empty.click("#describe")
    empty.until(lambda: len(empty.all(".job[data-state=done]")) == 2)
    assert "Describing pictures and sounds" in empty.text(".job")
    assert "of 3 memories" in empty.text(".job")
    empty.click("#nav-ask")
    empty.ask("When is the boiler serviced?")
    assert "March" in empty.text("#answer")


def test_asking_goes_on_while_a_job_is_under_way_and_it_can_be_cancelled(empty: Page) -> None:
    empty.click("#try-sample")
    empty.until(lambda: empty.all(".job[data-state=running]"))
    empty.until(lambda: empty.all(".job progress"))
    empty.click("#nav-ask")
    empty.until(empty.one("#working").is_displayed)
    assert "what is there so far" in empty.text("#working")
    assert not empty.all("#invite-heading")  # it is not empty any more
    empty.ask("Which hotel did we stay in?")
    empty.click("#working a")
    empty.click(".job[data-state=running] button")
    empty.until(lambda: empty.all(".job[data-state=stopped]"))
    assert empty.text(".job button") == "Go on"  # what was read is kept
    assert not empty.one("#working").is_displayed()
