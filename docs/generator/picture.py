"""The picture of README: the page that `graphmemix demo` writes, as Chromium shows it.

::

    .venv/bin/python docs/generator/picture.py    # writes docs/images/forest.png
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image
from selenium import webdriver

TARGET: Final = Path(__file__).parents[1] / "images" / "forest.png"
WIDTH: Final = 1260  # pixels of the page; the picture has twice as many
COLOURS: Final = 64  # enough for a page of few colours, at a third of the bytes


def main() -> None:
    """Ask the sample archive and keep what is to be seen from the question to the forest."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "forest.html"
        command = [sys.executable, "-m", "graphmemix", "demo", folder, "--page", str(page)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  # our own
        seen = Image.open(io.BytesIO(_shown(page)))
    seen.convert("RGB").quantize(COLOURS).save(TARGET, optimize=True)


def _shown(page: Path) -> bytes:
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars"):
        options.add_argument(argument)
    options.add_argument("--force-device-scale-factor=2")
    options.add_argument(f"--window-size={WIDTH},2000")
    with webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver")) as browser:
        browser.get(page.as_uri())
        top, bottom = browser.execute_script(
            "const first = document.querySelector('main section');"
            "const last = document.querySelector('.canvas').closest('section');"
            "return [first.getBoundingClientRect().top, last.getBoundingClientRect().bottom]"
        )
        whole = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
    margin = 12
    part = whole.crop((0, int(2 * (top - margin)), 2 * WIDTH, int(2 * (bottom + margin))))
    kept = io.BytesIO()
    part.save(kept, "PNG")
    return kept.getvalue()


if __name__ == "__main__":
    main()
