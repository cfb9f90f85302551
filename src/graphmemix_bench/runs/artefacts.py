"""What the stages of a benchmark run made, kept so that a run can be resumed.

::

    RUN/run.json           what was run: data set, settings, hashes, environment
    RUN/STAGE.jsonl        a head that says how this stage works, then one row per input

A row is found by the hash of its inputs, so that a second run makes only what is missing. Files are
appended to and never rewritten; a last line that a crash tore is dropped on opening. A stage whose
head differs, or an input that gave another value before, is refused: one file never mixes rows that
were made in different ways.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, get_args

from graphmemix.errors import ArtefactMismatchError, InvalidDataError, InvalidInputError
from graphmemix.fsio import FileLock, make_folder, open_binary, storage_faults, write_whole
from graphmemix.record import Json, Record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from io import BufferedWriter
    from pathlib import Path

Stage: TypeAlias = Literal[
    "retrieval",
    "candidates",
    "node_scores",
    "edge_scores",
    "built",
    "found",
    "selection",
    "answers",
    "judgments",
]
STAGES: tuple[Stage, ...] = get_args(Stage)

NOT_DECIDING = frozenset(
    (
        # How a model is reached and what it costs, not what it says.
        *(
            f"model.{name}"
            for name in (
                "base_url",
                "api_key",
                "api_key_env",
                "timeout",
                "retries",
                "first_wait",
                "longest_wait",
                "concurrency",
                "requests_per_minute",
                "tokens_per_minute",
                "input_price",
                "output_price",
                "cache",
                "cache_megabytes",
            )
        ),
        # A run names its verifiers and its reader itself.
        "verifier.plugin",
        "reader.plugin",
        # A run reads no files, keeps no traces, and says no "I am not sure".
        *(
            f"ingest.{name}"
            for name in (
                "follow_links",
                "seconds_per_file",
                "seconds_per_megabyte",
                "silent_seconds",
                "memory_megabytes",
                "text_growth",
            )
        ),
        "traces.keep",
        "limits.seconds",
        "limits.money",
        "reader.unsure_below",
        "reader.holds_from",
    )
)
"""Settings that decide no result of a run: it may be resumed with others."""

_DIGITS = 32


@dataclass(frozen=True)
class RunHead(Record):
    """What a run is. Everything but `environment` and `command` must agree to resume it.

    Attributes:
        dataset: The data set's name.
        data: The hash of its contexts and questions, see `fingerprint`.
        settings: All settings, flat.
        identities: What decides, such as ``encoder``, ``verifier``, ``reader`` and ``judge``.
        environment: The machine and the versions that it was begun with.
        command: How it was called.
    """

    dataset: str
    data: str
    settings: Mapping[str, Json] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    command: str = ""

    @property
    def decisive(self) -> dict[str, Json]:
        """What must agree."""
        return {
            "dataset": self.dataset,
            "data": self.data,
            **self.identities,
            **{name: value for name, value in self.settings.items() if name not in NOT_DECIDING},
        }


@dataclass(frozen=True)
class StageHead(Record):
    """The first line of a stage's file: how its rows are made."""

    stage: Stage
    identity: Mapping[str, Json]


@dataclass(frozen=True)
class Row(Record):
    """One row: what went in, by hash, and what came out.

    Attributes:
        key: The hash of the inputs.
        value: What the stage made of them.
        label: The context and the question, for people.
        check: The hash of the value.
    """

    key: str
    value: Json
    label: str
    check: str


class Run:
    """A run's folder, open for writing. Use as a context manager; one process at a time."""

    def __init__(self, folder: Path, head: RunHead) -> None:
        """Begin a run, or resume it.

        Raises:
            ArtefactMismatchError: The folder holds another run; names what differs.
            ArchiveBusyError: Another process is writing to it.
        """
        make_folder(folder)
        self.folder = folder
        with storage_faults(str(folder)):
            self._lock = FileLock(folder / "lock", wait=0.0)
        self._tables: dict[Stage, Table] = {}
        try:
            self.head = self._checked(head)
        except BaseException:
            self._lock.release()
            raise

    def _checked(self, head: RunHead) -> RunHead:
        path = self.folder / "run.json"
        if not path.exists():
            write_whole(path, head.to_json() + "\n")
            return head
        stored = RunHead.from_json(path.read_bytes())
        _require_same(path, stored.decisive, head.decisive)
        return stored

    def table(self, stage: Stage, identity: Mapping[str, Json]) -> Table:
        """Return the rows of a stage, which works as `identity` says.

        Raises:
            ArtefactMismatchError: Its rows were made in another way; names what differs.
            InvalidInputError: A line before the last is damaged; names it.
        """
        if stage in self._tables:
            table = self._tables[stage]
            _require_same(table.path, table.identity, identity)
        else:
            path = self.folder / f"{stage}.jsonl"
            self._tables[stage] = Table(path, StageHead(stage, identity))
        return self._tables[stage]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release everything. Closing twice is harmless."""
        for table in self._tables.values():
            table.close()
        self._lock.release()


class Rows:
    """The rows of one stage as they are on disk, also while a run is writing.

    Attributes:
        path: Their file.
        head: How they were made; None if the stage did not begin.
    """

    def __init__(self, path: Path) -> None:
        """Read a stage.

        Raises:
            InvalidInputError: A line before the last is damaged; names it.
        """
        self.path = path
        lines, self._whole = _lines(path)
        self.head = StageHead.from_json(lines[0]) if lines else None
        rows = [_row(path, number, line) for number, line in enumerate(lines[1:], start=2)]
        self._rows = {row.key: row for row in rows}

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows in the order in which they were made."""
        return iter(tuple(self._rows.values()))

    def get(self, inputs: Json) -> Json | None:
        """Return what the stage made of these inputs before; None if nothing."""
        row = self._rows.get(content_hash(inputs))
        return None if row is None else row.value


class Table(Rows):
    """The rows of one stage, open for more.

    Attributes:
        identity: How its rows are made.
        dropped: Torn lines that were dropped on opening: 0 or 1.
    """

    def __init__(self, path: Path, head: StageHead) -> None:
        super().__init__(path)
        if self.head is None:
            lacks_head, self.head = True, head
        else:
            lacks_head = False
            stored = {"stage": self.head.stage, **self.head.identity}
            _require_same(path, stored, {"stage": head.stage, **head.identity})
        self.stage, self.identity = head.stage, head.identity
        self.dropped = 0
        if path.exists() and self._whole < path.stat().st_size:
            self.dropped = 1
            os.truncate(path, self._whole)
        self._stream: BufferedWriter | None = open_binary(path, "ab")
        if lacks_head:
            self._append(head.to_json())

    def put(self, inputs: Json, value: Json, *, label: str = "") -> None:
        """Append a row. The same again changes nothing.

        Raises:
            ArtefactMismatchError: These inputs gave another value before.
        """
        row = Row(content_hash(inputs), value, label, content_hash(value))
        before = self._rows.get(row.key)
        if before is not None:
            if before.check != row.check:
                raise ArtefactMismatchError(
                    str(self.path), ((f"value of {label or row.key}", before.check, row.check),)
                )
            return
        self._append(row.to_json())
        self._rows[row.key] = row

    async def get_or_await(
        self, inputs: Json, make: Callable[[], Awaitable[Json]], *, label: str = ""
    ) -> Json:
        """Return what is there, or make it, keep it and return it."""
        found = self.get(inputs)
        if found is None:
            found = await make()
            self.put(inputs, found, label=label)
        return found

    def _append(self, line: str) -> None:
        if self._stream is None:
            raise InvalidInputError(f"{self.path}: is closed")
        self._stream.write(line.encode() + b"\n")
        self._stream.flush()  # a killed process loses nothing that was appended

    def close(self) -> None:
        """Bring everything to the disk. Closing twice is harmless."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.flush()
            os.fsync(stream.fileno())
            stream.close()


def read_run(folder: Path) -> RunHead:
    """Return what a run is, without resuming it.

    Raises:
        InvalidInputError: There is no run in this folder.
    """
    path = folder / "run.json"
    if not path.is_file():
        raise InvalidInputError(f"{folder}: holds no run; there is no run.json")
    return RunHead.from_json(path.read_bytes())


def read_rows(folder: Path, stage: Stage) -> Rows:
    """Return a stage's rows as they are now; raises as `Rows`."""
    return Rows(folder / f"{stage}.jsonl")


def content_hash(content: Json) -> str:
    """Return the hash of anything that JSON can say; the order of keys does not count."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _row(path: Path, number: int, line: bytes) -> Row:
    try:
        row = Row.from_json(line)
    except InvalidDataError as error:
        raise InvalidInputError(f"{path}:{number}: {error}") from None
    if content_hash(row.value) != row.check:
        raise InvalidInputError(f"{path}:{number}: the value is not what was written")
    return row


def _lines(path: Path) -> tuple[list[bytes], int]:
    """Return the whole lines of a file, and how many bytes they take.

    The last line is torn if it has no end, or if it is no JSON: then it was written by halves.
    """
    if not path.exists():
        return [], 0
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].splitlines()
    if lines and not _is_json(lines[-1]):
        whole -= len(lines.pop()) + 1
    return lines, whole


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _require_same(path: Path, stored: Mapping[str, Json], asked: Mapping[str, Json]) -> None:
    """Raise `ArtefactMismatchError` with every name whose value differs."""
    differences = tuple(
        (name, _shown(stored, name), _shown(asked, name))
        for name in dict.fromkeys([*stored, *asked])
        if name not in stored or name not in asked or stored[name] != asked[name]
    )
    if differences:
        raise ArtefactMismatchError(str(path), differences)


def _shown(values: Mapping[str, Json], name: str) -> str:
    return json.dumps(values[name], ensure_ascii=False)[:200] if name in values else "not there"
