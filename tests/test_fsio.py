"""What we write of somebody's memories is closed to others, whole or not there, and locked."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphmemix import Archive
from graphmemix.errors import ArchiveBusyError
from graphmemix.fsio import (
    PARTIAL,
    FileLock,
    make_folder,
    open_binary,
    open_text,
    partial_file,
    write_text,
    write_whole,
)
from graphmemix.ingest.mail.attachments import Scratch
from graphmemix.ingest.zips import UnpackedSize, ZipLimits, extract, private_folder
from graphmemix.serve.page.export import write_page
from graphmemix.serve.uploads import create
from graphmemix.verify.local import shipped_model
from graphmemix_bench.datasets.base import Context, MediaFile
from graphmemix_bench.datasets.bundle import write
from tests.bench.small import contexts
from tests.bench.small import written as bundle
from tests.cli.commands import make_family, quiet_home, run
from tests.serve.servers import fill, serving


@pytest.fixture(autouse=True)
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def modes(*paths: Path) -> dict[str, str]:
    """Return everything below, with its mode, that is not the owner's alone."""
    found = [each for path in paths for each in (path, *path.rglob("*"))]
    assert found
    return {
        str(path): oct(mode)
        for path in found
        if (mode := stat.S_IMODE(path.stat().st_mode)) != (0o700 if path.is_dir() else 0o600)
    }


def test_new_files_are_the_owners_only(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "a" / "b")
    write_text(folder / "text", "x\r\n")
    open_text(folder / "w").close()
    open_text(folder / "a", "a").close()
    open_binary(folder / "wb").close()
    open_binary(folder / "xb", "xb").close()
    open_binary(folder / "ab", "ab").close()
    assert modes(tmp_path / "a") == {}
    assert (folder / "text").read_bytes() == b"x\r\n"


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("old and longer")
    (tmp_path / "page").chmod(0o666)
    write_text(tmp_path / "page", "new")
    assert modes(tmp_path / "page") == {}
    assert (tmp_path / "page").read_text() == "new"


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    make_folder(tmp_path / "shared" / "mine")
    assert stat.S_IMODE((tmp_path / "shared").stat().st_mode) == 0o755
    assert modes(tmp_path / "shared" / "mine") == {}


def test_devices_are_left_as_they_are() -> None:
    before = Path(os.devnull).stat().st_mode
    write_text(Path(os.devnull), "x")
    assert Path(os.devnull).stat().st_mode == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileExistsError):
        make_folder(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        make_folder(tmp_path / "file" / "below")


@pytest.mark.parametrize("durable", [True, False])
def test_a_file_is_replaced_as_a_whole(tmp_path: Path, durable: bool) -> None:
    file = tmp_path / "file"
    for content in ("old and longer", "new\r\n", b"\xff\n"):
        write_whole(file, content, durable=durable)
        assert file.read_bytes() == (content.encode() if isinstance(content, str) else content)
        assert modes(file) == {}
        assert list(tmp_path.iterdir()) == [file]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", "old")
    with partial_file(tmp_path, "file.") as partial:
        partial.stream.write(b"half")
        assert partial.path.name.startswith("file.")
        assert partial.path.name.endswith(PARTIAL)
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "folder", "new")
    assert (tmp_path / "file").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder"}


@pytest.mark.parametrize(
    ("durable", "synced"), [(True, ["file", "rename", "folder"]), (False, ["rename"])]
)
def test_content_is_synced_before_the_rename_and_the_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool, synced: list[str]
) -> None:
    calls = []

    def fsync(handle: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")

    rename = Path.replace

    def replace(path: Path, target: Path) -> None:
        calls.append("rename")
        assert path.read_text() == "content"
        rename(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    write_whole(tmp_path / "file", "content", durable=durable)
    assert calls == synced


def test_a_lock_names_its_holder_and_is_free_after_its_end(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock") as first:
        for wait in (0.0, 0.1):
            with pytest.raises(ArchiveBusyError) as caught:
                FileLock(tmp_path / "lock", wait=wait)
            assert (caught.value.archive, caught.value.process) == (str(tmp_path), os.getpid())
    first.release()  # twice is harmless
    FileLock(tmp_path / "lock", wait=0.0).release()
    assert modes(tmp_path / "lock") == {}


def test_a_lock_is_waited_for_and_free_after_a_crash(tmp_path: Path) -> None:
    held = "import os, sys; from pathlib import Path; from graphmemix.fsio import FileLock;"
    held += "lock = FileLock(Path(sys.argv[1])); print(flush=True); sys.stdin.read(); os._exit(9)"
    command = [sys.executable, "-c", held, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(ArchiveBusyError, match=f"process {other.pid}"):
            FileLock(tmp_path / "lock", wait=0.0)
        other.stdin.close()
        FileLock(tmp_path / "lock").release()


def _archive(home: Path) -> Path:
    return make_family(home / "new" / "family")


def _export(home: Path) -> Path:
    assert run("export", make_family(home / "family"), home / "to" / "out").code == 0
    return home / "to"


def _export_into_an_open_folder(home: Path) -> Path:
    (home / "out").mkdir(mode=0o777)
    assert run("export", make_family(home / "family"), home / "out").code == 0
    return home / "out"


def _backup(home: Path) -> Path:
    assert run("backup", make_family(home / "family"), home / "to" / "out").code == 0
    return home / "to"


def _page(home: Path) -> Path:
    with Archive.open(make_family(home / "family"), encoder="hashing") as archive:
        trace = archive.recall("Where is the key?")
        return write_page(trace, archive.find(), [], home / "page.html")


def _vectors(home: Path) -> Path:
    assert run("encode", make_family(home / "family"), "--into", home / "to" / "v").code == 0
    return home / "to"


def _bundle(home: Path) -> Path:
    (home / "photo.jpg").write_bytes(b"photo")
    whole = contexts()[0]
    medium = MediaFile(whole.memories[0].id, 0, home / "photo.jpg")
    write(
        home / "to" / "bundle",
        [Context(whole.name, whole.memories, whole.questions, files=(medium,))],
        name="mine",
    )
    return home / "to"


def _benchmark(home: Path) -> Path:
    made = run(
        *("bench", "run", "--dataset", "bundle", "--data", bundle(home / "data")),
        *("--out", home / "to" / "run", "--cache", home / "to" / "cache"),
        *("--set", "retrieval.seeds=4", "--set", "graph.candidates=6", "--set", "forest.budget=3"),
        *("--contexts", contexts()[0].name, "--no-selectors", "--no-plots"),
    )
    assert made.code == 0, made.err
    return home / "to"


def _coefficients(home: Path) -> Path:
    shipped_model("").save(home / "model.json")
    return home / "model.json"


def _unpacked_zip(home: Path) -> Path:
    with zipfile.ZipFile(home / "x.zip", "w") as box:
        box.writestr("a/b/c.txt", "a letter")
    folder = private_folder("zip")
    list(extract(home / "x.zip", "x.zip", folder, ZipLimits(), UnpackedSize(), lambda: None))
    return folder


def _uploads(home: Path) -> Path:
    _, stream = create(home / "job", "a/b/c.txt")
    with stream:
        stream.write(b"a letter")
    return home / "job"


def _server_state(home: Path) -> Path:
    fill(home / "home", "quokka")
    with serving(home) as live, live.client() as client:
        body = {"memories": [{"kind": "note", "text": "The key is with Olga."}]}
        reply = client.post(
            "/v1/archives/home/memories", json=body, headers={"Idempotency-Key": "once"}
        )
        assert reply.status_code == 201
        assert modes(home / "state") == {}
    return home / "state"


WRITERS: list[Callable[[Path], Path]] = [
    _archive,
    _export,
    _export_into_an_open_folder,
    _backup,
    _page,
    _vectors,
    _bundle,
    _benchmark,
    _coefficients,
    _unpacked_zip,
    _uploads,
    _server_state,
]


@pytest.mark.parametrize("writer", WRITERS, ids=lambda each: each.__name__.strip("_"))
def test_what_is_written_is_the_owners_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Callable[[Path], Path]
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with quiet_home(tmp_path):
        assert modes(writer(tmp_path)) == {}


def test_an_attachment_is_the_owners_only_while_it_is_read() -> None:
    with Scratch() as room, room.holding("letter.txt", b"a letter") as path:
        assert modes(path.parent) == {}
