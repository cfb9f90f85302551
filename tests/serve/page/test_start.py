"""The first view in a real Chromium: what is in the archive, what to ask, what to do next."""

from __future__ import annotations

from pathlib import Path

from tests.serve.page.browsing import Page
from tests.serve.page.household import picture


def test_the_start_says_what_is_there_and_what_to_ask(page: Page) -> None:
    assert "30 notes" in page.text(".facts")
    assert "From 1 Jun 2023 to 12 Aug 2023." in page.text("#start section")
    assert len(page.all(".months li")) == 3
    assert "null" not in page.text("#start")  # nothing was asked before
    page.click(".suggestion")
    page.says("Answered.")
    assert "holds the answer" in page.text("#answer .chance summary")
    assert not page.one("#start").is_displayed()
    asked = str(page.one("#question").get_property("value"))
    page.click("#nav-ask")
    page.until(lambda: asked in page.text(".recent"))


def test_kinds_and_months_lead_to_what_they_count(page: Page) -> None:
    page.click(".facts a[href*='kind=email']")
    page.until(lambda: len(page.all(".line")) == 4)
    assert page.text("#browse-filters .chip").startswith("email")
    page.click("#nav-ask")
    page.click(".months li:last-child a")
    page.until(lambda: page.all(".month[data-month='2023-08'] .line"))


def test_from_an_empty_archive_to_an_answer(empty: Page, tmp_path: Path) -> None:
    assert "bring something in" in empty.text("#invite-heading")
    assert empty.one("#try-sample").is_displayed()
    empty.click("#export-heading + details summary")
    assert "Export chat" in empty.text("#export-heading + details p")
    (tmp_path / "keys.md").write_text("# Keys\n\nThe spare key is with Olga next door.\n")
    (tmp_path / "a.jpg").write_bytes(picture())
    (tmp_path / "odd.xyz").write_bytes(bytes(range(256)))
    files = [str(tmp_path / name) for name in ("keys.md", "a.jpg", "odd.xyz")]
    empty.one("#start .choose-files").send_keys("\n".join(files))
    empty.until(lambda: empty.all(".job[data-state=done]"))
    report = empty.text(".job")
    assert "2 new memories" in report
    empty.click(".job summary")
    assert "odd.xyz" in empty.text(".job details")
    empty.says("Everything is read.")
    empty.click("#nav-ask")
    empty.ask("Who has the spare key?")
    assert "Olga" in empty.text("#answer")
