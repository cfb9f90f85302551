"""How to install an extra into this very installation.

A clone, a folder, a wheel on disk and a package index each need another command, and pip may be
that of another Python. `install_command` is the one place that knows.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["install_command"]

_NAME = "graphmemix"


def install_command(*extras: str) -> str:
    """Return the command that adds extras to this installation, ready to paste into a shell.

    Examples:
        >>> install_command("llm").endswith("[llm]'")
        True
    """
    names = ",".join(extras)
    url, editable = _origin()
    where = urlsplit(url)
    local = Path(unquote(where.path)) if where.scheme == "file" else None
    if local is None or not local.exists():
        return f"{_installer()} {_quoted(f'{_NAME}[{names}]')}"
    if local.is_dir():
        folder = _shown(str(local))
        flag = "-e " if editable else ""
        return f"{_installer()} {flag}{_quoted(f'{folder}[{names}]')}"
    return f"{_installer()} {_quoted(f'{_NAME}[{names}] @ {url}')}"


def _origin() -> tuple[str, bool]:
    """Return the URL that this package was installed from, and whether it is editable.

    Empty if it came from an index (PEP 610), or if it is not installed at all.
    """
    try:
        text = metadata.distribution(_NAME).read_text("direct_url.json")
        record = json.loads(text or "{}")
        return str(record["url"]), bool(record.get("dir_info", {}).get("editable"))
    except (metadata.PackageNotFoundError, ValueError, KeyError, OSError):
        return "", False


def _installer() -> str:
    """Return the command of the installer that belongs to this Python."""
    if "pipx" in Path(sys.prefix).parts:
        return "pipx install --force"
    if find_spec("pip") is None:  # environments made by uv have none
        return f"uv pip install --python {shlex.quote(sys.executable)}"
    found = shutil.which("pip")
    if found and Path(found).parent == Path(sys.executable).parent:
        return "pip install"
    return f"{shlex.quote(_shown(sys.executable))} -m pip install"


def _shown(path: str) -> str:
    """Return a path from the working folder if it lies below it, such as ``.venv/bin/python``."""
    try:
        here = Path.cwd()
        return path if here == Path(here.root) else str(Path(path).relative_to(here))
    except (OSError, ValueError):  # the working folder is gone, or the path lies elsewhere
        return path


def _quoted(requirement: str) -> str:
    return "'" + requirement.replace("'", "'\\''") + "'"
