"""What a page of the built site holds: anchors, links, resources, words."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

# Where a browser fetches something without being asked.
_FETCHED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "image": "href",
    "img": "src",
    "input": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "track": "src",
    "use": "href",
    "video": "src",
}


@dataclass
class HtmlPage(HTMLParser):
    """Read with `read_page`."""

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)
    styles: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    _silent: str = ""
    _article: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids.add(values.get("id", ""))
        self.classes |= set(values.get("class", "").split())
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in _FETCHED and _FETCHED[tag] in values:
            self.fetched.append(values[_FETCHED[tag]])
        self.fetched += [part.split()[0] for part in values.get("srcset", "").split(",") if part]
        self.styles.append(values.get("style", ""))
        if tag in {"script", "style"}:
            self._silent = tag
        self._article = self._article or tag == "article"

    def handle_endtag(self, tag: str) -> None:
        if tag == self._silent:
            self._silent = ""
        self._article = self._article and tag != "article"

    def handle_data(self, data: str) -> None:
        if self._silent == "style":
            self.styles.append(data)
        elif self._article and not self._silent:
            self.words.append(data)

    @property
    def text(self) -> str:
        """The words of the article, without navigation, with single spaces between them."""
        return " ".join("".join(self.words).split())


def read_page(path: Path) -> HtmlPage:
    page = HtmlPage(path)
    page.feed(path.read_text("utf-8"))
    return page
