"""The key structure of a JSON file, from its first bytes; formats are recognised by it."""

from __future__ import annotations

import re

from graphmemix.ingest.text import decode, looks_like_text

_TOKEN = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*+)"(?P<key>\s*:)?|(?P<mark>[{}\[\]])|(?P<cut>")')
_DEEPEST = 12


def outline(head: bytes) -> frozenset[str]:
    """Return the paths of the keys in the head of a JSON file, such as ``/*/mapping``.

    ``*`` stands for an element of an array. Empty if it is not JSON. The head may be cut anywhere.
    Never raises; takes time linear in the head.
    """
    if not looks_like_text(head):  # guessing the charset would be slow
        return frozenset()
    text = decode(head).lstrip()
    if text[:1] not in {"{", "["}:
        return frozenset()
    found: set[str] = set()
    stack: list[
        tuple[str, str]
    ] = []  # for each open object or array: its path, and the current one
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if token["cut"] or len(stack) > _DEEPEST:
            break
        if mark in {"{", "["}:
            path = stack[-1][1] if stack else ""
            stack.append((path, f"{path}/*" if mark == "[" else path))
        elif mark is not None:
            stack.pop()
            if not stack:
                break
        elif token["key"] is not None:
            path = stack[-1][0]
            stack[-1] = (path, f"{path}/{token['text']}")
            found.add(stack[-1][1])
    return frozenset(found)
