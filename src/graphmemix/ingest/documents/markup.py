"""A tokeniser for HTML that takes time linear in its input, whatever the input is.

The parser of the standard library takes quadratic time on unfinished tags before Python 3.13.4, and
mails and web pages come from strangers.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# The quantifiers are possessive: a tag that does not end is given up after one pass.
_TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*+)((?>[^>"']++|"[^"]*+"|'[^']*+')*+)>""")
_ATTRIBUTE = re.compile(r"""([^\s=/>"']++)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s>"']++))?""")
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "noembed", "noframes"})


class Tag(NamedTuple):
    """An opening or closing tag; `attributes` is its text, see `attributes_of`."""

    name: str
    closing: bool
    attributes: str


def tokens(html: str) -> Iterator[Tag | str]:
    """Yield the tags and the texts of a page, in order. Comments and declarations are dropped.

    Text is unescaped; what only looks like a tag is text. Never raises.
    """
    position = 0
    last_end = html.rfind(">")  # no tag can end after it
    while position < len(html):
        start = html.find("<", position)
        if start < 0 or start > last_end:
            yield unescape(html[position:])
            return
        if start > position:
            yield unescape(html[position:start])
        if html.startswith(("<!", "<?"), start):
            position = _after_declaration(html, start)
            continue
        tag, position = _tag(html, start)
        if tag is None:
            yield html[start:position]
            continue
        yield tag
        if tag.name in _RAW and not tag.closing:
            end = _end_of_raw(html, position, tag.name)
            if tag.name in {"title", "textarea"}:
                yield unescape(html[position:end])
            elif tag.name not in {"script", "style"}:
                yield html[position:end]
            position = end


def attributes_of(tag: Tag) -> dict[str, str]:
    """Return the attributes of a tag, with names in lower case; the first of a name counts."""
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(tag.attributes):
        bare = value[1:-1] if value[:1] in {'"', "'"} else value
        found.setdefault(name.lower(), unescape(bare))
    return found


def _tag(html: str, start: int) -> tuple[Tag | None, int]:
    """Return the tag at `start` and where it ends; None if this is a mere less-than sign."""
    match = _TAG.match(html, start)
    if match is None:
        named = html[start + 1 : start + 3].lstrip("/")[:1]
        if not (named.isascii() and named.isalpha()):
            return None, start + 1
        end = html.find(">", start)  # its quotes do not close
        name = re.split(r"[\s/]", html[start:end].lstrip("</"), maxsplit=1)[0]
        return Tag(name.lower(), html.startswith("</", start), ""), end + 1
    closing, name, attributes = match.groups()
    return Tag(name.lower(), bool(closing), attributes), match.end()


def _after_declaration(html: str, start: int) -> int:
    comment = html.startswith("<!--", start)
    # "<!-->" and "<!--->" are whole comments.
    end = html.find("-->", start + 2) if comment else html.find(">", start)
    return len(html) if end < 0 else end + (3 if comment else 1)


def _end_of_raw(html: str, position: int, name: str) -> int:
    match = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, position)
    return match.start() if match else len(html)
