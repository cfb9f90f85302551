"""The page on a large archive, in a real Chromium: first view, scrolling the photos, thumbnails.

    python benchmarks/page.py [--memories 20000] [--photos 5000] [--folder FOLDER] [--json]

Memories are synthetic, over eight years: messages of twenty words, and photos of 1600 x 1200 pixels
at thirty places (64 different files, each address its own, since a trailer differs). The server is
the real one, in this process; the browser is at 1280 x 900. A long task is what Chromium
reports: the main thread busy for over 50 ms. Processor time of that thread is what other work on
the machine disturbs least: `most_cpu_ms_a_screen` is the most that it took for one screen, filling
and emptying months included, so that no single task can have taken more. `--folder` keeps the
archive for a second run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image, ImageDraw
from selenium.webdriver import Chrome, ChromeOptions, ChromeService

from graphmemix.archive import Archive
from graphmemix.memory import Media, Memory, Place, View
from graphmemix.serve.options import Limits, ServeOptions
from graphmemix.serve.run import bind, make_server
from graphmemix.store import Derived, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.store.records import Vector

START: Final = datetime(2016, 1, 1, 8, tzinfo=UTC)
YEARS: Final = 8
BULK: Final = 1000
PICTURES: Final = 64
SCREENS: Final = 60  # scrolled through the grid
WAIT: Final = 60.0  # seconds until something is given up

WATCH: Final = """
window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((e) => e.duration)))
  .observe({type: "longtask", buffered: true});
"""

SCROLL: Final = """
const [screens, done] = arguments;
let left = screens;
const frames = [];
let last = performance.now();
const step = (now) => {
  frames.push(now - last);
  last = now;
  scrollBy(0, innerHeight / 6);
  left -= 1 / 6;
  if (left > 0) requestAnimationFrame(step);
  else done({frames, tiles: document.querySelectorAll(".tile").length});
};
requestAnimationFrame(step);
"""


FILLED: Final = """
const middle = document.elementsFromPoint(300, innerHeight / 2);
const month = middle.map((each) => each.closest(".month")).find(Boolean);
return !month || month.querySelectorAll(".tile").length > 0;
"""


def main() -> None:
    """Build the archive, look at it, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--photos", type=int, default=5_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = wanted.folder or Path(scratch)
        if not (folder / "home").exists():
            fill(folder / "home", wanted.memories, wanted.photos)
        found = look(folder)
    if wanted.json:
        sys.stdout.write(f"{json.dumps(found)}\n")
        return
    for name, value in found.items():
        sys.stdout.write(f"{name:<28} {value:10.2f}\n")


def fill(folder: Path, memories: int, photos: int) -> None:
    """Make the archive: so many memories in all, so many of them photos."""
    rng = np.random.default_rng(7)
    pictures = [_picture(number) for number in range(PICTURES)]
    step = timedelta(days=365 * YEARS) / memories
    is_photo = np.zeros(memories, dtype=bool)
    is_photo[rng.choice(memories, photos, replace=False)] = True
    with Archive.open(folder, encoder="hashing") as archive:
        for first in range(0, memories, BULK):
            entries = []
            for number in range(first, min(first + BULK, memories)):
                when = START + number * step
                vector = rng.standard_normal(archive.encoder.dimension).astype(np.float32)
                vector /= np.linalg.norm(vector)
                if is_photo[number]:
                    data = pictures[number % PICTURES] + number.to_bytes(4, "big")
                    entries.append(_photo(archive, number, when, data))
                else:
                    identity = archive.encoder.identity
                    entries.append(_message(number, when, rng, vector, identity))
            archive.store.add(entries)


def _picture(number: int) -> bytes:
    picture = Image.new("RGB", (1600, 1200), (number * 4 % 256, 120, 255 - number * 4 % 256))
    ImageDraw.Draw(picture).ellipse((number * 10, 200, number * 10 + 500, 700), fill="white")
    held = BytesIO()
    picture.save(held, "JPEG", quality=88)
    return held.getvalue()


def _photo(archive: Archive, number: int, when: datetime, data: bytes) -> Entry:
    kept = archive.media.put(data)
    name = f"IMG_{number}.jpg"
    medium = Media("image", kept.sha256, "image/jpeg", name, kept.size, 1600, 1200)
    spot = number % 30
    place = Place(f"Place {spot}", 36 + spot * 0.7, -8 + spot * 1.3)
    memory = Memory(f"m{number:06}", "photo", timestamp=when, place=place, media=(medium,))
    return Entry(memory, Derived())


def _message(
    number: int, when: datetime, rng: np.random.Generator, vector: Vector, identity: str
) -> Entry:
    text = " ".join(f"w{word}" for word in rng.zipf(1.3, 20) % 20_000)
    name, speaker = f"m{number:06}", f"Person {'ABCDEFGH'[number % 8]}"
    memory = Memory(name, "message", text, session="s", speaker=speaker, timestamp=when)
    return Entry(memory, Derived((View(name, "text", 0, text),), (vector,), identity))


def look(folder: Path) -> dict[str, float]:
    """Open the page and scroll through it."""
    with _served(folder) as address, _browser() as browser:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        found = {"first_view_s": _until(browser, f"{address}/#/home/ask", ".facts li")}
        found["second_visit_s"] = _until(browser, f"{address}/#/home/ask", ".facts li")
        found["photos_s"] = _until(browser, f"{address}/#/home/browse", ".tile img[src]")
        found |= _scrolled(browser, "first_scroll")
        browser.execute_script("scrollTo(0, 0)")
        time.sleep(1)
        found |= _scrolled(browser, "again_scroll")
        found["map_s"] = _until(browser, f"{address}/#/home/browse?view=map", ".circle")
        found["list_s"] = _until(browser, f"{address}/#/home/browse?view=time", ".line")
    kept = list((folder / "home").rglob("preview-256.jpg"))
    return found | {"thumbnails_kept": float(len(kept))}


def _until(browser: Chrome, address: str, selector: str) -> float:
    """Return the seconds from the request of the page until something is to be seen."""
    browser.get("about:blank")
    began = time.monotonic()
    browser.get(address)
    while not browser.find_elements("css selector", selector):
        if time.monotonic() - began > WAIT:
            raise TimeoutError(f"{selector} at {address}")
        time.sleep(0.01)
    return time.monotonic() - began


def _scrolled(browser: Chrome, name: str) -> dict[str, float]:
    browser.execute_script("window.tasks.length = 0")
    before = _busy(browser)
    seen: dict[str, Any] = browser.execute_async_script(SCROLL, SCREENS)
    tasks: list[float] = browser.execute_script("return window.tasks")
    spent = _busy(browser) - before
    steps = [_step(browser) for _ in range(SCREENS)]
    return {
        f"{name}_most_cpu_ms_a_screen": 1000 * max(steps),
        f"{name}_cpu_ms_a_frame": 1000 * spent / len(seen["frames"]),
        f"{name}_frame_p95_ms": float(np.percentile(seen["frames"], 95)),
        f"{name}_long_tasks": float(len(tasks)),
        f"{name}_longest_ms": max(tasks, default=0.0),
        f"{name}_tiles_in_page": float(seen["tiles"]),
    }


def _step(browser: Chrome) -> float:
    """Scroll one screen up, wait until it is filled, and return the processor time of the page."""
    before = _busy(browser)
    browser.execute_script("scrollBy(0, -innerHeight)")
    end = time.monotonic() + WAIT
    while time.monotonic() < end and not browser.execute_script(FILLED):
        time.sleep(0.01)
    return _busy(browser) - before


def _busy(browser: Chrome) -> float:
    """Return the seconds of processor time that the main thread of the page has taken."""
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    options = ServeOptions(
        port=0, state=folder / "state", limits=Limits(requests_per_minute=0), threads=4
    )
    bound = bind(options)
    server = make_server([f"home={folder / 'home'}"], options)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


@contextmanager
def _browser() -> Iterator[Chrome]:
    options = ChromeOptions()
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.add_argument("--window-size=1280,900")
    browser = Chrome(options=options, service=ChromeService(shutil.which("chromedriver")))
    browser.set_script_timeout(300)
    try:
        yield browser
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
