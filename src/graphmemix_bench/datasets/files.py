"""Files of public data sets: reading them, finding them, and errors that name what is missing."""

from __future__ import annotations

import json
import mimetypes
import os.path
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmemix.errors import GraphMemixError, InvalidDataError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from graphmemix_bench.datasets.base import Context


_POINTER = b"version https://git-lfs"


def dialogue_files(folder: Path) -> list[Path]:
    """Return the dialogue files of Mem-Gallery or MemEye, in any folder layout of theirs."""
    for base in ("data/dialog", "benchmark/data/dialog", "dialog"):
        found = sorted(folder.glob(f"{base}/*.json"))
        if found:
            return found
    return []


def read_json(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises:
        InvalidInputError: It cannot be read, or is not JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{path}: is not JSON ({error})") from None


def missing(folder: Path, pattern: str, what: str, layout: str) -> InvalidInputError:
    """Return the error that says what was looked for, and what it should look like."""
    return InvalidInputError(
        f"{folder}: has no {pattern}; is this the folder of {what}? Expected: {layout}"
    )


def load_folder(
    paths: Iterable[Path], what: str, load: Callable[[Path], Iterable[Context]]
) -> Iterator[Context]:
    """Yield the contexts of all files, in their order.

    Raises:
        InvalidInputError: A file is not in the data set's layout; names it and the fault.
    """
    for path in paths:
        contexts: Iterator[Context] = iter(())
        with in_layout(path, what):
            contexts = iter(load(path))
        while True:
            with in_layout(path, what):
                context = next(contexts, None)
                if context is not None:
                    _require_types(context)
            if context is None:
                break
            yield context


@contextmanager
def in_layout(path: Path, what: str) -> Iterator[None]:
    """Turn whatever a file of another layout makes fail into an error that names the file."""
    try:
        yield
    except InvalidDataError as error:
        raise _not_in_layout(path, what, error) from None
    except GraphMemixError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, OSError) as error:
        raise _not_in_layout(path, what, error) from None


def _not_in_layout(path: Path, what: str, error: Exception) -> InvalidInputError:
    return InvalidInputError(f"{path}: is not in the layout of {what} ({error!r:.300})")


def _require_types(context: Context) -> None:
    """Raise unless every field has its type: a number where a text should be shows here."""
    from graphmemix_bench.datasets.bundle import question_row

    for memory in context.memories:
        memory.to_json()
    for question in context.questions:
        question_row(question).to_json()


def picture(root: Path, here: Path, name: str) -> Path | None:
    """Return the file that a data set calls `name`, if it is there.

    Looked for beside the file that names it (`here`), one folder up, and below `root` with and
    without ``data/`` and ``image/``. A name that leads out of `root` is no file of the data set.
    """
    name = name.removeprefix("file://")
    if not name or "\0" in name:
        return None
    tail = name.rpartition("image/")[2]
    inside = os.path.normpath(root)
    for base, relative in (
        (here, name),
        (here.parent, name),
        (root, name),
        (root / "data", name),
        (root / "image", tail),
        (root / "data" / "image", tail),
        (root / "benchmark" / "data" / "image", tail),
    ):
        path = Path(os.path.normpath(base / relative))
        if path.is_relative_to(inside) and is_content(path):
            return path
    return None


def is_content(path: Path) -> bool:
    """Return whether a file is there, and not only a pointer of Git LFS to it."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(_POINTER)) != _POINTER


def mime(name: str) -> str:
    """Return the media type that a file's name suggests; empty if it suggests none."""
    return mimetypes.guess_type(name)[0] or ""


def as_list(value: object) -> list[Any]:
    """Return a list for what may be a list, one item, or nothing."""
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, list) else [value]
