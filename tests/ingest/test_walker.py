"""What the walker makes of folders as they are: links, pipes, odd names, zips and worse."""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from graphmemix.errors import ImportSourceError
from graphmemix.ingest import zips
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import Found, MediaSink, Reading
from graphmemix.ingest.sources import NotRead, Source
from graphmemix.ingest.walker import Walker, measure
from graphmemix.ingest.zips import ZipLimits, remove_leftovers


class Lines:
    """Reads files that begin with "lines", with ``NAME.side`` beside them."""

    name = "lines"

    def recognises(self, found: Found) -> bool:
        return found.head.startswith(b"lines")

    def companions(self, found: Found) -> Iterable[Path]:
        beside = found.path.with_name(found.path.name + ".side")
        return [beside] if beside.exists() else []

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        yield from ()


class Album(Lines):
    """Reads folders that hold a file "album", as a whole."""

    name = "album"

    def recognises(self, found: Found) -> bool:
        return found.is_folder and (found.path / "album").exists()


class Broken(Lines):
    """Breaks the promise of never raising."""

    name = "broken"

    def recognises(self, found: Found) -> bool:
        raise RuntimeError("broken")


def walked(*paths: Path, **options: object) -> list[Source | NotRead]:
    importers = [Broken(), Album(), Lines()]
    return list(Walker(paths, importers, **options))  # type: ignore[arg-type]


def names(met: list[Source | NotRead]) -> list[str]:
    return [each.name for each in met if isinstance(each, Source)]


def reasons(met: list[Source | NotRead]) -> dict[str, str]:
    return {
        each.skipped.name: each.skipped.reason
        for each in met
        if isinstance(each, NotRead) and each.skipped is not None
    }


def put(path: Path, data: bytes = b"lines") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_files_come_in_the_order_of_names_before_folders(tmp_path: Path) -> None:
    for name in ("b/z", "b/a", "a/1", "c", "A", "ä"):
        put(tmp_path / name)
    assert names(walked(tmp_path)) == ["A", "c", "ä", "a/1", "b/a", "b/z"]
    assert names(walked(tmp_path)) == names(walked(tmp_path))


def test_hidden_system_empty_and_unknown_files_are_reported(tmp_path: Path) -> None:
    for name in (".hidden", ".git/config", "Thumbs.db", "__MACOSX/x", "a.part"):
        put(tmp_path / name)
    put(tmp_path / "empty", b"")
    put(tmp_path / "odd", b"\0\1\2")
    put(tmp_path / "mail.pst", b"!BDN....")
    assert reasons(walked(tmp_path)) == {
        ".git": "hidden",
        ".hidden": "hidden",
        "Thumbs.db": "a system file",
        "__MACOSX": "a system file",
        "a.part": "an unfinished download",
        "empty": "is empty",
        "mail.pst": "an Outlook data file (.pst, .ost); export it as mbox, .eml or .msg files",
        "odd": "unknown file format",
    }


def test_a_hidden_file_that_is_named_is_read(tmp_path: Path) -> None:
    assert names(walked(put(tmp_path / ".notes"))) == [".notes"]


def test_companions_are_not_read_on_their_own(tmp_path: Path) -> None:
    put(tmp_path / "a")
    put(tmp_path / "a.side")
    put(tmp_path / "b.side")
    assert names(walked(tmp_path)) == ["a", "b.side"]


def test_a_source_changes_with_its_companion(tmp_path: Path) -> None:
    put(tmp_path / "a")
    [before] = walked(tmp_path)
    put(tmp_path / "a.side", b"lines 1")
    [with_it] = walked(tmp_path)
    put(tmp_path / "a.side", b"lines 22")
    [changed] = walked(tmp_path)
    prints = {each.fingerprint for each in (before, with_it, changed) if isinstance(each, Source)}
    assert len(prints) == 3


def test_a_folder_that_is_recognised_is_one_source(tmp_path: Path) -> None:
    put(tmp_path / "x" / "album")
    put(tmp_path / "x" / "deep" / "a")
    put(tmp_path / "y" / "a")
    assert names(walked(tmp_path)) == ["x", "y/a"]


def test_loops_of_links_end(tmp_path: Path) -> None:
    put(tmp_path / "a" / "f")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "ring").symlink_to(tmp_path / "a" / "ring")
    (tmp_path / "a" / "dangling").symlink_to(tmp_path / "nowhere")
    met = walked(tmp_path)
    assert names(met) == ["a/f"]
    reported = reasons(met)
    assert reported["a/dangling"] == "a link to something that is not there"
    assert (
        reported["a/up"]
        == reported["a/self"]
        == "folder was read already, or is part of a link loop"
    )
    assert "cannot be opened" in reported["a/ring"]


def test_pipes_and_sockets_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert reasons(walked(tmp_path)) == {"pipe": "is not a file"}


def test_names_with_newlines_and_without_text_are_read(tmp_path: Path) -> None:
    put(tmp_path / "two\nlines")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")).write_bytes(b"lines")
    met = walked(tmp_path)
    assert names(met) == ["caf\\xe9", "two\nlines"]
    assert [each.path.read_bytes() for each in met if isinstance(each, Source)] == [b"lines"] * 2


def test_a_file_that_vanishes_while_walking_is_reported(tmp_path: Path) -> None:
    put(tmp_path / "a")
    gone = put(tmp_path / "b")
    walk = iter(Walker([tmp_path], [Lines()]))
    first = next(walk)
    gone.unlink()
    assert isinstance(first, Source)
    assert reasons(list(walk)) == {"b": "no longer exists"}


def test_what_does_not_exist_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    met = walked(tmp_path / "nothing", put(tmp_path / "a"))
    assert names(met) == ["a"]
    assert reasons(met) == {"nothing": "no longer exists"}


def test_an_impossible_path_is_reported(tmp_path: Path) -> None:
    met = walked(tmp_path / "a\0b", tmp_path / ("x" * 5000), put(tmp_path / "a"))
    assert (names(met), len(reasons(met))) == (["a"], 2)
    assert measure([tmp_path / "a\0b", tmp_path / "a"]) == 5


def test_the_same_path_twice_is_read_once(tmp_path: Path) -> None:
    put(tmp_path / "d" / "a")
    assert names(walked(tmp_path / "d", tmp_path / "d" / "a", tmp_path, tmp_path / "d")) == ["a"]
    assert names(walked(tmp_path / "d" / "a", tmp_path / "d" / "a", tmp_path / "d")) == ["a"]


def test_an_archive_is_not_read_into_an_archive(tmp_path: Path) -> None:
    put(tmp_path / "mine" / "archive.db")
    put(tmp_path / "mine" / "writer.lock")
    assert reasons(walked(tmp_path)) == {"mine": "a GraphMemix archive"}


@pytest.fixture
def abyss(tmp_path: Path) -> Iterator[Path]:
    """A folder in a folder in a folder, deeper than Python recurses, with a file at the bottom."""
    root = tmp_path / "deep"
    root.mkdir()
    before = Path.cwd()
    os.chdir(root)
    for _ in range(1200):
        Path("d").mkdir()
        os.chdir("d")
    Path("f").write_bytes(b"lines")
    os.chdir(before)
    yield root
    subprocess.run(["/bin/rm", "-rf", str(root)], check=True)  # what Python removes recursively


def test_folders_deeper_than_python_recurses_are_walked(abyss: Path) -> None:
    assert len(names(walked(abyss))) == 1


def test_a_deep_folder_that_is_read_as_a_whole_stops_nothing(abyss: Path) -> None:
    put(abyss / "album")
    met = walked(abyss)
    assert len(met) == 1


def test_a_forced_importer_reads_everything(tmp_path: Path) -> None:
    put(tmp_path / "odd", b"\0\1")
    assert names(walked(tmp_path, forced=Lines())) == ["odd"]


def test_the_bytes_below_paths_are_counted_once(tmp_path: Path) -> None:
    put(tmp_path / "a" / "f", b"12345")
    put(tmp_path / "g", b"123")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    assert measure([tmp_path]) == 8


# Zips


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        for name, data in files.items():
            box.writestr(name, data)
    return path


def test_a_zip_is_walked_like_a_folder_and_its_files_are_removed_once_read(tmp_path: Path) -> None:
    zipped(tmp_path / "x.zip", {"d/a": b"lines", "d/a.side": b"lines", "o": b"odd"})
    met = walked(tmp_path)
    assert names(met) == ["x.zip/d/a"]
    assert reasons(met) == {"x.zip/o": "unknown file format"}
    [source] = [each for each in met if isinstance(each, Source)]
    assert source.path.read_bytes() == b"lines"
    assert source.container is not None
    assert source.container.folder.stat().st_mode & 0o777 == 0o700
    assert source.container.release() == [source.container]
    assert not source.container.folder.exists()


def test_the_folders_of_a_zip_are_read_where_those_of_another_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Disks give the number of a removed folder to the next one."""
    true = Path.stat

    def same_number(self: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        status = true(self, follow_symlinks=follow_symlinks)
        if not self.is_relative_to(tempfile.gettempdir()) or self.is_relative_to(tmp_path):
            return status
        return os.stat_result((status[0], 7, *status[2:]))

    zipped(tmp_path / "x.zip", {"d/a": b"lines"})
    zipped(tmp_path / "y.zip", {"d/a": b"lines"})
    monkeypatch.setattr(Path, "stat", same_number)
    met = walked(tmp_path)
    assert (names(met), reasons(met)) == (["x.zip/d/a", "y.zip/d/a"], {})


def test_the_same_zip_at_the_same_place_is_the_same_source(tmp_path: Path) -> None:
    zipped(tmp_path / "x.zip", {"a": b"lines"})
    [one], [other] = walked(tmp_path), walked(tmp_path)
    assert isinstance(one, Source)
    assert isinstance(other, Source)
    assert (one.key, one.fingerprint) == (other.key, other.fingerprint)
    assert one.path != other.path


def test_names_that_lead_out_of_a_zip_are_refused(tmp_path: Path) -> None:
    evil = ["../out", "/abs", "a/../../out", "C:\\x", "..\\out", "x" * 300, "new\nline"]
    zipped(tmp_path / "x.zip", dict.fromkeys([*evil, "good"], b"lines"))
    met = walked(tmp_path)
    assert names(met) == ["x.zip/good"]
    assert len(reasons(met)) == len(evil)
    assert not (tmp_path.parent / "out").exists()


def test_a_zip_with_deep_folders_is_read_without_them(tmp_path: Path) -> None:
    zipped(tmp_path / "x.zip", {"d/" * 1500 + "a": b"lines", "good": b"lines"})
    assert names(walked(tmp_path)) == ["x.zip/good"]


def test_links_in_a_zip_are_not_made(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as box:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        box.writestr(link, "/etc/passwd")
    assert reasons(walked(tmp_path)) == {"x.zip/link": "a link; links in zips are not followed"}


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    zipped(tmp_path / "x.zip", {"zeros": b"\0" * 70_000_000})
    [reason] = reasons(walked(tmp_path)).values()
    assert reason == "zip refused: it unpacks to more than 200 times its size"


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"a": os.urandom(5000)})
    data = path.read_bytes()
    start = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry = data[start:end]
    many = b"".join(entry.replace(b"a", bytes([c]), 1) for c in b"abcdef")
    tail = bytearray(data[end:])
    struct.pack_into("<HHI", tail, 8, 6, 6, len(many))
    path.write_bytes(data[:start] + many + tail)
    assert reasons(walked(tmp_path)) == {"x.zip": "zip refused: its entries overlap"}


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (ZipLimits(entries=2), "zip refused: more than 2 entries"),
        (ZipLimits(total=10), "zip refused: it unpacks to more than 10 bytes"),
    ],
)
def test_limits_of_a_zip_are_kept(tmp_path: Path, limits: ZipLimits, expected: str) -> None:
    zipped(tmp_path / "x.zip", dict.fromkeys("abc", b"lines"))
    assert reasons(walked(tmp_path, limits=limits)) == {"x.zip": expected}


def test_zips_in_zips_end_at_a_depth(tmp_path: Path) -> None:
    path = zipped(tmp_path / "0.zip", {"a": b"lines"})
    for level in range(1, 6):
        outer = zipped(tmp_path / f"{level}.zip", {"in.zip": path.read_bytes(), "f": b"lines"})
        path.unlink()
        path = outer
    met = walked(tmp_path)
    assert len(names(met)) == 3
    assert list(reasons(met).values()) == ["zip refused: nested more than 3 levels deep"]


def test_damaged_entries_and_damaged_zips_are_reported(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"a": b"lines" * 100, "b": b"lines"})
    data = bytearray(path.read_bytes())
    data[40] ^= 255
    path.write_bytes(data)
    met = walked(path)
    assert names(met) == ["x.zip/b"]
    assert "damaged zip entry" in reasons(met)["x.zip/a"]
    for size in (3, 30, len(data) // 2, len(data) - 10):
        path.write_bytes(zipped(tmp_path / "w", {"a": b"lines" * 99}).read_bytes()[:size])
        assert all(reasons(walked(path)).values())


def test_nothing_is_left_of_a_zip_that_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    path = zipped(tmp_path / "x.zip", {"d": b"lines", "d/e": b"lines", "o": b"odd"})
    met = walked(path)
    for each in met:
        if isinstance(each, Source) and each.container is not None:
            each.container.release()
    assert list(scratch.iterdir()) == []


def test_what_a_killed_run_left_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead, alive = (
        tmp_path / "graphmemix-zip-999999999-x",
        tmp_path / f"{zips._PREFIX}{os.getpid()}-y",
    )
    dead.mkdir()
    alive.mkdir()
    remove_leftovers()
    assert (dead.exists(), alive.exists()) == (False, True)


def test_books_and_programs_are_not_unpacked(tmp_path: Path) -> None:
    zipped(tmp_path / "book.odb", {"mimetype": b"application/x-database", "a": b"lines"})
    assert reasons(walked(tmp_path)) == {"book.odb": "unknown kind of package"}


# Links and zips in zips


def linked(tmp_path: Path) -> tuple[Path, Path]:
    """Return a folder with links out of it and within it, and what lies outside."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside / "deep", outside):
        folder.mkdir(parents=True)
    (outside / "secret.txt").write_text("lines secret")
    (inside / "deep" / "own.txt").write_text("lines own")
    (inside / "file.txt").symlink_to(outside / "secret.txt")
    (inside / "folder").symlink_to(outside)
    (inside / "within.txt").symlink_to(inside / "deep" / "own.txt")
    (inside / "loop").symlink_to(inside)
    return inside, outside


def test_links_out_of_a_folder_are_named_and_not_followed(tmp_path: Path) -> None:
    inside, _ = linked(tmp_path)
    met = walked(inside)
    assert sorted(names(met)) == ["deep/own.txt", "within.txt"]
    out = "link leads outside the folder; use --follow-links to read it"
    assert {n: r for n, r in reasons(met).items() if n != "loop"} == {
        "file.txt": out,
        "folder": out,
    }


def test_links_out_of_a_folder_are_followed_if_that_is_asked_for(tmp_path: Path) -> None:
    inside, _ = linked(tmp_path)
    met = walked(inside, follow_links=True)
    assert {"file.txt", "folder/secret.txt"} <= set(names(met))


def test_a_link_that_was_named_itself_is_followed(tmp_path: Path) -> None:
    _, outside = linked(tmp_path)
    (tmp_path / "named").symlink_to(outside)
    assert names(walked(tmp_path / "named")) == ["secret.txt"]


def test_a_folder_that_is_read_as_a_whole_must_hold_no_link_out_of_it(tmp_path: Path) -> None:
    inside, outside = linked(tmp_path)
    (inside / "deep" / "album").write_text("")
    (inside / "deep" / "passwd").symlink_to(outside / "secret.txt")
    met = walked(inside)
    assert "deep" not in names(met)
    assert "deep/passwd" in reasons(met)
    assert "deep" in names(walked(inside, follow_links=True))


def test_no_media_are_kept_through_a_link_out_of_the_folder(tmp_path: Path) -> None:
    inside, _ = linked(tmp_path)
    sink = ArchiveMediaSink(None, within=inside)
    with pytest.raises(ImportSourceError, match=r"file\.txt: link leads outside"):
        sink.keep_file(inside / "file.txt", modality="image", mime="image/x")
    assert sink.keep_file(inside / "within.txt", modality="image", mime="image/x").size == 9


def nested(path: Path, depth: int, size: int) -> bytes:
    """Return a zip of zips, each of which is larger in its own measure than what it lies in."""
    name, content = "a.txt", b"lines " + b"\0" * size
    for _ in range(depth):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            for number in range(3):
                made.writestr(f"{number}{name}", content)
        name, content = ".zip", path.read_bytes()
    return content


def test_zips_in_a_zip_grow_no_more_than_the_outermost_allows(tmp_path: Path) -> None:
    outer = nested(tmp_path / "outer.zip", depth=2, size=60_000)
    limits = ZipLimits(ratio=400, free_ratio=1)
    assert 180_000 < 400 * len(outer) < 3 * 180_000  # one of them is fine, three are not
    met = walked(tmp_path, limits=limits)
    refused = "zip refused: it unpacks to more than 400 times the size of the outermost zip"
    assert refused in set(reasons(met).values())
    assert 0 < len(names(met)) < 9
    total = walked(tmp_path, limits=ZipLimits(total=200_000))
    assert "zip refused: it unpacks to more than 200000 bytes" in set(reasons(total).values())
