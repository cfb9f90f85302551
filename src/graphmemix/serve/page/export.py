"""Exports a trace as one HTML file that works without a server.

The file fetches nothing. Its Content-Security-Policy allows only its own script and style, by their
hashes, and embedded pictures; the content of memories is inserted as text.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphmemix.errors import GraphMemixError
from graphmemix.fsio import write_text
from graphmemix.imaging import decode_picture
from graphmemix.read.chance import in_words
from graphmemix.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.evidence import Trace
    from graphmemix.memory import Memory
    from graphmemix.optimize.explanation import Explanation
    from graphmemix.store.media import MediaFolder

__all__ = ["page_text", "write_page"]

_FOLDER: Final = Path(__file__).parent
_ENTRY: Final = "exported"
_IMPORT: Final = re.compile(r'^import \{[^{}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=async |function|const|class|let)", re.MULTILINE)
_EDGE: Final = 640  # px, the longest edge of a picture in the file
_QUALITY: Final = 80  # of JPEG


def write_page(
    trace: Trace,
    memories: Iterable[Memory],
    explanations: Iterable[Explanation],
    path: Path | str,
    *,
    media: MediaFolder | None = None,
    settings: Settings | None = None,
) -> Path:
    """Write a trace as one HTML file that any browser opens, and return its path.

    The file holds the question, the answer and the memories in full: share it as you would share
    them.

    Args:
        trace: What to show.
        memories: Those that the trace names; a missing one is shown by its id.
        explanations: From `optimize.explanation.explain`; without them no candidate is listed.
        path: The file to write; an existing file is replaced.
        media: Holds the pictures, which are embedded at 640 px or less; None leaves them out.
            Missing and damaged pictures are left out too.
        settings: Say from which chance on the archive holds the answer; None for the defaults.

    Raises:
        OSError: The file cannot be written.
    """
    target = Path(path)
    write_text(target, page_text(trace, memories, explanations, media=media, settings=settings))
    return target


def page_text(
    trace: Trace,
    memories: Iterable[Memory],
    explanations: Iterable[Explanation],
    *,
    media: MediaFolder | None = None,
    settings: Settings | None = None,
) -> str:
    """Return what `write_page` writes; the arguments are the same."""
    known = list(memories)
    data = {
        "trace": json.loads(trace.to_json()),
        "holds": in_words(trace, (settings or Settings()).reader),
        "explanations": [json.loads(one.to_json()) for one in explanations],
        "memories": [json.loads(memory.to_json()) for memory in known],
        "pictures": {} if media is None else _pictures(known, media),
        "zone": (settings or Settings()).ingest.zone,
    }
    style = (_FOLDER / "style.css").read_text("utf-8")
    script = _script(_ENTRY, [])
    parts = {
        "policy": (
            f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
        "title": html.escape(trace.question.text[:80] or "GraphMemix"),
        "style": style,
        # `</script>` in a mail would end the element, so `<` is always escaped in the data.
        "data": json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
        "script": script,
    }
    frame = (_FOLDER / "export.template").read_text("utf-8")
    # One pass: a placeholder in a memory's text stays what it is.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], frame)


def _script(module: str, done: list[str]) -> str:
    """Return a module and everything that it imports, as one script.

    The modules use one form of import and export, and their top-level names are unique.
    """
    done.append(module)
    text = (_FOLDER / "js" / f"{module}.js").read_text("utf-8")
    before = [_script(name, done) for name in _IMPORT.findall(text) if name not in done]
    return "".join(before) + _EXPORT.sub("", _IMPORT.sub("", text))


def _hash(text: str) -> str:
    """Return the hash of a text in the form of a Content-Security-Policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _pictures(memories: Iterable[Memory], media: MediaFolder) -> dict[str, str]:
    wanted = {
        medium.sha256
        for memory in memories
        for medium in memory.media
        if medium.sha256 is not None and medium.modality == "image"
    }
    found = {sha256: _small(sha256, media) for sha256 in sorted(wanted)}
    return {sha256: url for sha256, url in found.items() if url is not None}


def _small(sha256: str, media: MediaFolder) -> str | None:
    try:
        picture = decode_picture(media.read(sha256), sha256)
    except (GraphMemixError, OSError):
        return None
    picture.thumbnail((_EDGE, _EDGE))
    held = BytesIO()
    picture.save(held, "JPEG", quality=_QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(held.getvalue()).decode()}"
