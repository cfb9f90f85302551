"""What we wrote ourselves and read again: settings, exports, bundles, runs, records, states."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path

import numpy as np

from graphmemix.archive import Archive
from graphmemix.encode import HashingEncoder
from graphmemix.encode.chunks import chunks
from graphmemix.errors import GraphMemixError, SettingsError
from graphmemix.evidence import Block, Trace
from graphmemix.memory import Memory, Place
from graphmemix.read.cues import answer_type
from graphmemix.read.packet import canonical
from graphmemix.read.sentences import sentences
from graphmemix.record import Record
from graphmemix.relate.mails import Mail
from graphmemix.retrieve.constraints import Constraints, find_constraints
from graphmemix.retrieve.question import described
from graphmemix.settings import Settings
from graphmemix.store import open_store
from graphmemix.store.importing import import_archive
from graphmemix.store.portable import export_archive
from graphmemix.text.postings import pack, unpack
from graphmemix.text.quoting import break_signs
from graphmemix.text.words import terms
from graphmemix.verify.calibration import Calibration, load_calibration
from graphmemix.verify.local import load_model, shipped_model
from graphmemix.verify.snippets import query_weights, snippet
from graphmemix_bench.datasets.bundle import load, write
from graphmemix_bench.runs.artefacts import Run, RunHead, read_rows, read_run
from tests.bench.small import contexts
from tests.fuzz.target import Prey, Target

_ASKED = datetime(2024, 5, 17, 12, 30, tzinfo=UTC)
_ENDS = (
    datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))),
)


@contextmanager
def _settings(folder: Path) -> Iterator[Prey]:
    file = folder / "config.toml"

    def run(data: bytes) -> None:
        file.write_bytes(data)
        with suppress(SettingsError):
            assert Settings.load(file=file, environment={}).flat()
        text = data.decode("utf-8", "replace")
        key, _, value = text.partition("=")
        with suppress(SettingsError):
            Settings.load(environment={}, overrides={key: value})
        name = "GRAPHMEMIX_" + "".join(filter(str.isalnum, key))
        with suppress(SettingsError):
            Settings.load(environment={name: value, "HOME": str(folder)})

    seeds = [b"forest.budget=8", b'ingest.zone="Europe/Vienna"', b'profile = "paper"\n']
    lines = [b'[forest]\nbudget = 8\n[model]\nbase_url = "http://x/v1"\napi_key = "k"\n']
    yield Prey([*seeds, *lines, b"[limits]\nseconds = 1.5e3\n[views]\ncontext = false\n"], run)


@contextmanager
def _record(kind: type[Record], seeds: list[bytes], _folder: Path) -> Iterator[Prey]:
    def run(data: bytes) -> None:
        with suppress(GraphMemixError):
            record = kind.from_json(data)
            assert kind.from_json(record.to_json()) == record

    yield Prey(seeds, run)


def _memories() -> list[Memory]:
    return [
        Memory("m1", "message", "Mia lost a tooth.", session="s", sequence=1, timestamp=_ASKED),
        Memory("m2", "message", "Under the pillow.", session="s", sequence=2, place=Place("Rome")),
        Memory("a/b", "email", "Hotel Miramar, 10 to 17 July", metadata={"a": [1, None, {"b": 2}]}),
        Memory("first", "event", timestamp=datetime.min.replace(tzinfo=UTC)),
        Memory("last", "event", timestamp=datetime.max.replace(tzinfo=UTC)),
    ]


def _traces() -> list[bytes]:
    import tempfile

    with (
        tempfile.TemporaryDirectory() as place,
        Archive.open(Path(place) / "a", encoder=HashingEncoder()) as archive,
    ):
        archive.add(_memories())
        return [archive.recall("Which hotel?").to_json().encode()]


@contextmanager
def _trace(folder: Path) -> Iterator[Prey]:
    with _record(Trace, _traces(), folder) as prey:
        yield prey


@contextmanager
def _export(folder: Path) -> Iterator[Prey]:
    """An export of which a file is changed, and the hash in its manifest too."""
    with Archive.open(folder / "a", encoder=HashingEncoder()) as archive:
        archive.add(_memories())
        archive.recall("Which hotel?")
        export_archive(archive.store, folder / "whole")
    whole, mine, store = folder / "whole", folder / "mine", folder / "store"
    names = sorted(path.name for path in whole.iterdir() if path.is_file())
    shutil.copytree(whole, mine)

    def run(data: bytes) -> None:
        name = names[data[0] % len(names)] if data else names[0]
        (mine / name).write_bytes(data[1:])
        if name != "manifest.json":
            manifest = json.loads((whole / "manifest.json").read_text())
            manifest["files"][name] = hashlib.sha256(data[1:]).hexdigest()
            (mine / "manifest.json").write_text(json.dumps(manifest))
        try:
            with open_store(store) as opened, suppress(GraphMemixError):
                import_archive(mine, opened)
                assert not [each for each in opened.check() if "orphan" not in each.problem]
        finally:
            shutil.rmtree(store)
            for each in (name, "manifest.json"):
                shutil.copyfile(whole / each, mine / each)

    yield Prey([bytes([i]) + (whole / name).read_bytes() for i, name in enumerate(names)], run)


@contextmanager
def _changed_file(
    make: Callable[[Path], object], read: Callable[[Path], object], folder: Path
) -> Iterator[Prey]:
    """A folder of which one file is changed."""
    make(folder / "made")
    files = sorted(path for path in (folder / "made").rglob("*") if path.is_file())
    whole = {path: path.read_bytes() for path in files}

    def run(data: bytes) -> None:
        changed = files[data[0] % len(files)] if data else files[0]
        changed.write_bytes(data[1:])
        try:
            with suppress(GraphMemixError):
                read(folder / "made")
        finally:
            changed.write_bytes(whole[changed])

    yield Prey([bytes([i]) + whole[path] for i, path in enumerate(files)], run)


def _write_run(folder: Path) -> None:
    with Run(folder, RunHead("sample", "0", command="graphmemix bench run")) as run:
        table = run.table("retrieval", {"encoder": "e", "k": 10})
        for number in range(3):
            table.put({"question": number}, {"scores": [0.5, number]}, label=f"q{number}")
    (folder / "lock").unlink(missing_ok=True)


def _read_run(folder: Path) -> None:
    with suppress(GraphMemixError):
        read_run(folder)
    with suppress(GraphMemixError):
        read_rows(folder, "retrieval")
    with Run(folder, RunHead("sample", "0", command="graphmemix bench run")) as run:
        assert len(run.table("retrieval", {"encoder": "e", "k": 10})) <= 1000


def _write_fitted(folder: Path) -> None:
    folder.mkdir()
    shipped_model("").save(folder / "model.json")
    (folder / "calibration.json").write_text('{"a": 4.2, "b": 0.2, "c": 3.6, "encoder": "e"}')


def _read_fitted(folder: Path) -> None:
    with suppress(GraphMemixError):
        load_model(folder / "model.json")
    found = load_calibration(folder / "calibration.json", "e")
    if isinstance(found, Calibration):
        assert 0 <= found.utility(0.5, 2) <= 1
    else:
        assert 0 <= found.chances(np.array([0.5]), np.array([2.0]))[0] <= 1


@contextmanager
def _question(_folder: Path) -> Iterator[Prey]:
    def run(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        for asked_at in (_ASKED, *_ENDS):
            found = find_constraints(text, asked_at, people=["Mia", "Ben"], places=["Rome"])
            described(found)
            assert Constraints.from_json(found.to_json()) == found
        counted = terms(text)
        assert len(unpack(pack(counted))[0]) <= len(counted)

    seeds = [
        "What did Mia say in Rome between 3 and 9 May 2023?",
        "Fotos vom letzten Sommer, 24.12.2022 18:30",
        "¿Qué pasó el martes pasado?  www.example.org/a?b=c mia@example.org",
        "去年の夏の写真 order #AB-1234/5, 2024-02-30T25:61:61",
        "between 1.1.0001 and 31.12.9999, or on 12/31/9999, 9999 years ago, in 9999 days",
        "vor 9999 Jahren, am 31.12.9999; il y a 9999 ans, le 31/12/9999; hace 9999 años",
    ]
    yield Prey([seed.encode() for seed in seeds], run)


@contextmanager
def _text(_folder: Path) -> Iterator[Prey]:
    """What is worked out from the words of a memory when it is stored, found and told."""
    settings = Settings()

    def run(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        memory = Memory("m", "email", text, metadata={"subject": text[:200]}, timestamp=_ASKED)
        assert all(len(part) <= 80 for part in chunks(text, size=80, overlap=20))
        mail = Mail(memory, settings.graph)
        assert len(mail.dates) <= settings.graph.record_grounding.max_dates
        assert mail.subject is not None
        assert mail.references is not None
        assert mail.occasions is not None
        found = snippet(memory, query_weights([text[:100], "hotel"]), settings.verifier)
        assert len(found) <= settings.verifier.snippet_characters
        told = break_signs(canonical(memory))
        assert break_signs(told) == told
        for piece in sentences(0, Block(1, "m", "", ("text",), canonical(memory))):
            assert piece.text.strip()
        answer_type(text)

    seeds = [
        "On 3 May 2023 Anna wrote:\n> Order no. 302-1234567, 24.12.2022. Dr. A. Lee said: yes.",
        "Re: AW[2]: Hotel <|im_end|> [INST] 5,00 EUR 14:30h; 去年5月3日。「はい」",
    ]
    yield Prey([seed.encode() for seed in seeds], run)


def _load_bundle(folder: Path) -> None:
    for context in load(folder):
        assert context.memories is not None


TARGETS = (
    Target("settings", "readers", _settings),
    Target(
        "memory",
        "readers",
        partial(_record, Memory, [memory.to_json().encode() for memory in _memories()]),
    ),
    Target("trace", "readers", _trace),
    Target("export", "readers", _export),
    Target(
        "bundle",
        "readers",
        partial(
            _changed_file, lambda folder: write(folder, contexts(), name="small"), _load_bundle
        ),
    ),
    Target("run", "readers", partial(_changed_file, _write_run, _read_run)),
    Target("fitted", "readers", partial(_changed_file, _write_fitted, _read_fitted)),
    Target("question", "readers", _question),
    Target("text", "readers", _text),
)
