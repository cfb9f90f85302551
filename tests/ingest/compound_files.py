"""Writes compound files and Outlook messages, as Outlook does, for the tests of importers."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from graphmemix.ingest.compound import MAGIC

_SECTOR, _SMALL, _CUTOFF = 512, 64, 4096
_END, _FREE, _TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_STORAGE, _STREAM, _ROOT = 1, 2, 5

Value = str | bytes | int | datetime


class _Sectors:
    """Sectors of a file, and which one follows which."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.data = bytearray()
        self.table: list[int] = []

    def put(self, data: bytes) -> int:
        """Append some bytes; return the number of their first sector."""
        if not data:
            return _END
        first = len(self.table)
        count = -(-len(data) // self.size)
        self.data += data.ljust(count * self.size, b"\0")
        self.table += [*range(first + 1, first + count), _END]
        return first


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Return a compound file with these streams, by path."""
    large, small = _Sectors(_SECTOR), _Sectors(_SMALL)
    folders = {path.rpartition("/")[0] for path in streams} - {""}
    for folder in list(folders):
        parts = folder.split("/")
        folders |= {"/".join(parts[:n]) for n in range(1, len(parts))}
    paths = sorted([*streams, *folders])
    places: dict[str, int] = {}
    for path, data in streams.items():
        places[path] = (large if len(data) >= _CUTOFF else small).put(data)
    children: dict[str, list[str]] = {}
    for path in paths:
        children.setdefault(path.rpartition("/")[0], []).append(path)
    number = {path: i for i, path in enumerate(paths, start=1)}

    def entry(name: str, kind: int, path: str, start: int, size: int) -> bytes:
        beside = children.get(path.rpartition("/")[0], []) if path else []
        at = beside.index(path) + 1 if path else 0
        right = number[beside[at]] if path and at < len(beside) else _FREE
        inside = children.get(path, []) if kind != _STREAM else []
        child = number[inside[0]] if inside else _FREE
        written = name.encode("utf-16-le") + b"\0\0"
        head = struct.pack("<HBBIII", len(written), kind, 1, _FREE, right, child)
        return written.ljust(64, b"\0") + head + bytes(36) + struct.pack("<IQ", start, size)

    directory = entry("Root Entry", _ROOT, "", large.put(bytes(small.data)), len(small.data))
    for path in paths:
        name = path.rpartition("/")[2]
        if path in streams:
            directory += entry(name, _STREAM, path, places[path], len(streams[path]))
        else:
            directory += entry(name, _STORAGE, path, 0, 0)
    first_entry = large.put(directory)
    small_table = large.put(struct.pack(f"<{len(small.table)}I", *small.table))
    used = len(large.table)
    tables = 1
    while (used + tables) * 4 > tables * _SECTOR:
        tables += 1
    table = [*large.table, *[_TABLE] * tables]
    table += [_FREE] * (tables * _SECTOR // 4 - len(table))
    listed = [used + i for i in range(tables)]
    header = MAGIC + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIIII", 0, tables, first_entry, 0, _CUTOFF, small_table,
                          -(-len(small.table) * 4 // _SECTOR), _END, 0, *listed[:1])  # fmt: skip
    header += struct.pack("<108I", *(listed[1:] + [_FREE] * (109 - len(listed))))
    return header + bytes(large.data) + struct.pack(f"<{len(table)}I", *table)


def properties(values: Mapping[int, Value], *, header: int, wide: bool = True) -> dict[str, bytes]:
    """Return the streams of the properties of a message, a recipient or an attachment."""
    streams: dict[str, bytes] = {}
    fixed = bytes(header)
    for name, value in values.items():
        if isinstance(value, int):
            fixed += struct.pack("<HHIQ", 3, name, 6, value)
        elif isinstance(value, datetime):
            ticks = int((value - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
            fixed += struct.pack("<HHIQ", 0x40, name, 6, ticks)
        elif isinstance(value, bytes):
            streams[f"__substg1.0_{name:04X}0102"] = value
        elif wide:
            streams[f"__substg1.0_{name:04X}001F"] = value.encode("utf-16-le")
        else:
            streams[f"__substg1.0_{name:04X}001E"] = value.encode("cp1252")
    streams["__properties_version1.0"] = fixed
    return streams


def below(folder: str, streams: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return streams in a storage."""
    return {f"{folder}/{name}": data for name, data in streams.items()}


def outlook_message(path: Path) -> Path:
    """Write a message with two recipients, a page, a picture, a file and a message in it."""
    sent = datetime(2023, 7, 14, 9, 30, tzinfo=UTC)
    streams = properties(
        {
            0x1A: "IPM.Note", 0x37: "Ferienhaus in Kärnten", 0x42: "Huber, Anna",
            0x5D02: "anna@example.org", 0x39: sent, 0x1035: "<1@example.org>",
            0x1042: "<0@example.org>", 0x1000: "Der Schlüssel liegt bei Olga.\r\n",
            0x1013: b"<p>Der Schl\xfcssel liegt bei Olga.</p><img src='cid:p1'>", 0x3FDE: 1252,
        },
        header=32,
    )  # fmt: skip
    for number, (kind, name, address) in enumerate(
        [(1, "Ben", "ben@example.org"), (2, "Cleo", "/O=ORG/CN=CLEO")]
    ):
        person = properties({0xC15: kind, 0x3001: name, 0x3003: address}, header=8)
        streams |= below(f"__recip_version1.0_#{number:08X}", person)
    picture: dict[int, Value] = {0x3701: b"\x89PNG\r\n\x1a\n" + bytes(5000), 0x3707: "haus.png",
               0x370E: "image/png", 0x3712: "p1"}  # fmt: skip
    note: dict[int, Value] = {0x3701: b"Ring twice.", 0x3707: "Anreise.txt"}
    for number, attached in enumerate((picture, note)):
        streams |= below(f"__attach_version1.0_#{number:08X}", properties(attached, header=8))
    carried = properties({0x37: "Weitergeleitet", 0x1000: "Alte Nachricht"}, header=24, wide=False)
    folder = "__attach_version1.0_#00000002"
    streams |= below(folder, properties({0x3705: 5}, header=8))
    streams |= below(f"{folder}/__substg1.0_3701000D", carried)
    path.write_bytes(compound(streams))
    return path
