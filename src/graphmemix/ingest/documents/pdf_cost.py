"""Estimates the cost of reading the pages of a PDF before they are read.

A page of a few bytes may use a form a thousand times, which uses others a thousand times; and many
pages may share one content.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

_SHOWN: Final = re.compile(rb"/([^\s/<>\[\](){}%]+)\s+Do\b")
_LEAST: Final = 16 << 20  # bytes of content that any file may have
_RATIO: Final = 16  # content to file size; drawings compress about ten times
_DEEPEST: Final = 30  # nested forms; pypdf ignores deeper and recursive ones


class Allowance:
    """The amount of content that may be read from one file.

    Args:
        size: Bytes of the file.
    """

    def __init__(self, size: int) -> None:
        self._left = _LEAST + _RATIO * size
        self._forms: dict[object, int] = {}

    def allows(self, page: Any) -> bool:
        """Return whether a page may be read; if so, its cost is deducted."""
        cost = self._cost(_contents(page), page, 0)
        if cost > self._left:
            return False
        self._left -= cost
        return True

    def _cost(self, data: bytes, holder: Any, depth: int) -> int:
        """Return the bytes of a content and of its forms, counted as often as they are used."""
        cost = len(data)
        shown = Counter(_SHOWN.findall(data)) if b"Do" in data and depth < _DEEPEST else {}
        if shown:
            forms = _forms(holder)
            for name, count in shown.items():
                cost += count * self._form(forms, f"/{name.decode('latin-1')}", depth + 1)
        return cost

    def _form(self, forms: Any, name: str, depth: int) -> int:
        if name not in forms:
            return 0
        written = forms.raw_get(name)
        key = getattr(written, "idnum", None) or id(written)
        if key not in self._forms:
            self._forms[key] = 0  # a recursive form is not read again
            form = forms[name].get_object()
            if form.get("/Subtype") == "/Form":
                self._forms[key] = self._cost(form.get_data(), form, depth)
        return self._forms[key]


def _contents(page: Any) -> bytes:
    contents = page.get("/Contents")
    contents = None if contents is None else contents.get_object()
    if contents is None:
        return b""
    streams = contents if isinstance(contents, list) else [contents]
    return b"\n".join(stream.get_object().get_data() for stream in streams)


def _forms(holder: Any) -> Any:
    """Return the forms and pictures of a page or form, by name."""
    while holder is not None and "/Resources" not in holder:
        parent = holder.get("/Parent")
        holder = None if parent is None else parent.get_object()
    resources = {} if holder is None else holder["/Resources"].get_object()
    return resources["/XObject"].get_object() if "/XObject" in resources else {}
