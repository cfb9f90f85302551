"""A real server with a small archive, and a real Chromium that looks at it."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graphmemix import Archive
from graphmemix.settings import Settings
from tests.serve.page.browsing import Page
from tests.serve.page.household import build
from tests.serve.servers import until


@pytest.fixture(scope="module", autouse=True)
def light_encoder() -> None:
    """The packaged encoder, unlike beside the page: its answers are looked at."""


FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def served(archive: Path, state: Path, settings: Settings | None = None) -> Iterator[str]:
    """Serve an archive on a free port, and yield the address."""
    from graphmemix.serve.options import ServeOptions
    from graphmemix.serve.run import bind, make_server

    options = ServeOptions(port=0, state=state, threads=2)
    bound = bind(options)
    server = make_server([f"home={archive}"], options, settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


@pytest.fixture(scope="session")
def archive_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page") / "home"
    build(folder)
    return folder


@pytest.fixture(scope="session")
def address(archive_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(archive_folder, tmp_path_factory.mktemp("state")) as found:
        yield found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Page]:
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("Chromium and its driver are not installed; `make browser` does it as root")
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    os.environ["SE_AVOID_STATS"] = "true"
    options = ChromeOptions()
    options.binary_location = binary
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = Chrome(options=options, service=ChromeService(driver))
    browser.set_script_timeout(60)  # axe looks at everything, and other tests want the processor
    yield Page(browser)
    browser.quit()


@pytest.fixture
def page(chromium: Page, address: str) -> Iterator[Page]:
    """The page, freshly opened; afterwards the console must be empty."""
    chromium.leave()
    chromium.address = address
    chromium.reset()
    yield chromium
    assert chromium.complaints() == []


@pytest.fixture
def empty(chromium: Page, tmp_path: Path) -> Iterator[Page]:
    """The page of an archive that has nothing in it."""
    with Archive.open(tmp_path / "new"):
        pass
    with served(tmp_path / "new", tmp_path / "state") as address:
        chromium.leave()
        chromium.address = address
        chromium.reset()
        yield chromium
        chromium.browser.get("about:blank")  # before the server ends
    assert chromium.complaints() == []


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, from the one file of a package that is used here."""
    try:
        files = importlib.metadata.files("axe-playwright-python") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("axe is not installed; `make` adds the package axe-playwright-python")
    script = next(file for file in files if file.name == "axe.min.js")
    return script.read_text("utf-8")
