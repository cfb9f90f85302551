"""What the tests do with the page, in the words of a user."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

_SECONDS = 30.0  # until a wait is given up; far more than anything takes


class Page:
    """A browser with the page in it."""

    def __init__(self, browser: Chrome) -> None:
        self.browser = browser
        self.address = ""

    def reset(self, *, width: int = 1280, dark: bool = False) -> None:
        """Open the page anew, with nothing kept from before."""
        kept = {"origin": self.address, "storageTypes": "all"}
        self.browser.execute_cdp_cmd("Storage.clearDataForOrigin", kept)
        self.resize(width)
        self.colour(dark=dark)
        self.go("")

    def leave(self) -> None:
        """Leave the page of an earlier test, and forget what its server's end made it say."""
        self.browser.get("about:blank")
        self.complaints()

    def resize(self, width: int) -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def colour(self, *, dark: bool) -> None:
        """Let the system prefer light or dark."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def go(self, fragment: str) -> None:
        """Load the page, at a fragment such as ``#/home/browse``, and wait for its archives."""
        self.browser.get("about:blank")
        self.browser.get(f"{self.address}/{fragment}")
        self.until(lambda: self.all("#archive option") or self.all("#key-dialog[open]"))

    def show(self, fragment: str, there: str) -> None:
        """Follow a link inside the page, without loading it anew, and wait for what it shows."""
        self.browser.execute_script("location.hash = arguments[0]", fragment)
        self.until(lambda: any(each.is_displayed() for each in self.all(there)))

    def all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements("css selector", selector)

    def one(self, selector: str) -> WebElement:
        """Return the first that fits, waiting for it."""
        found: list[WebElement] = self.until(lambda: self.all(selector))
        return found[0]

    def text(self, selector: str) -> str:
        """Return what the first that fits says, waiting until it is to be seen."""

        def said() -> tuple[str] | None:  # in one go: it may be drawn anew at any moment
            found = self.all(selector)
            return (found[0].text,) if found and found[0].is_displayed() else None

        told: tuple[str] = self.until(said)
        return told[0]

    def until(self, fits: Callable[[], Any]) -> Any:
        """Wait until something is true, and return it."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        wait = WebDriverWait(
            self.browser, _SECONDS, 0.02, ignored_exceptions=[StaleElementReferenceException]
        )
        return wait.until(lambda _: fits())

    def says(self, told: str) -> None:
        """Wait until the status line says this."""
        self.until(lambda: told in self.text("#status"))

    def click(self, selector: str) -> None:
        """Click the first that fits; if it is being drawn anew, the new one."""

        def is_clicked() -> bool:
            element = self.one(selector)
            self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
            element.click()
            return True

        self.until(is_clicked)

    def ask(self, question: str) -> None:
        """Ask, and wait for the whole answer."""
        field = self.one("#question")
        field.clear()
        field.send_keys(question)
        self.click("#ask-form button.main")
        self.says("Answered.")

    def open_how(self) -> None:
        """Open the section on how the evidence was found, and wait until it is filled."""
        self.click("#how > summary")
        self.one("#how .costs tbody tr")

    def set_date(self, selector: str, day: str) -> None:
        """Fill a field of a date, whatever order the browser asks for."""
        script = (
            "arguments[0].value = arguments[1];"
            "arguments[0].dispatchEvent(new Event('change', {bubbles: true}))"
        )
        self.browser.execute_script(script, self.one(selector), day)

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.browser, duration=0).send_keys(key).perform()

    def focus(self, script: str = "") -> Any:
        """Return something of the element that has the focus, such as ``.id``."""
        return self.browser.execute_script(f"return document.activeElement{script}")

    def box(self, selector: str = ".forest .box") -> str:
        """Return what the first box that fits is called."""
        label = str(self.one(selector).get_attribute("aria-label"))
        return label.partition(";")[0].rpartition(". ")[2]

    def drawer_shows(self, title: str) -> None:
        self.until(lambda: title in self.text("#drawer[open] #drawer-title"))

    def complaints(self) -> list[str]:
        """Return what the console got since the last call; the driver forgets it."""
        return [str(entry["message"]) for entry in self.browser.get_log("browser")]  # type: ignore[no-untyped-call]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        script = (
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return int(self.browser.execute_script(script))
