"""For mkdocstrings: blocks behind ``::`` in docstrings are blocks of code, and the colons go."""

from __future__ import annotations

from typing import Any

import griffe

from generator.markdown import paragraphs


class LiteralBlocks(griffe.Extension):
    """Rewrites docstrings as Markdown has them."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = paragraphs(obj.docstring.value)
