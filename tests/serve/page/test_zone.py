"""Times in the browser: in the zone of the archive, as they were written in the drawer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from graphmemix import Archive, Memory
from graphmemix.ingest.zone import store_zone
from tests.serve.page.browsing import Page
from tests.serve.page.conftest import served

TOKYO = timezone(timedelta(hours=9))


@pytest.fixture(scope="module")
def abroad(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of an archive in Vienna with times of other zones."""
    folder = tmp_path_factory.mktemp("abroad")
    with Archive.open(folder / "home") as archive:
        evening = datetime(2024, 6, 3, 16, 30, tzinfo=UTC)
        archive.add(
            [
                Memory("e", "event", "Parents' evening", timestamp=evening),
                Memory("k", "email", "Kite", timestamp=datetime(2024, 6, 3, 1, 30, tzinfo=TOKYO)),
            ]
        )
        store_zone(archive.store, "Europe/Vienna")
    with served(folder / "home", folder / "state") as address:
        yield address


def test_times_are_those_of_the_archives_zone(chromium: Page, abroad: str) -> None:
    chromium.address = abroad
    chromium.reset()
    chromium.go("#/home/browse?view=time")
    chromium.until(lambda: len(chromium.all(".day .line")) == 2)
    days = [each.text.split("\n")[:2] for each in chromium.all(".day")]
    assert days == [["Monday, 3 June 2024", "18:30"], ["Sunday, 2 June 2024", "18:30"]]
    chromium.click(".day:last-child .line button")
    chromium.until(lambda: chromium.all("#drawer[open]"))
    chromium.click("#drawer-body > details summary")
    assert "2 Jun 2024, 18:30 (2024-06-03T01:30:00+09:00)" in chromium.text(
        "#drawer-body > details"
    )
