"""Opens office files, which are zips of untrusted XML, within limits.

A zip may unpack to far more than its size, and XML entities may expand without end.
"""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING, Self

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.xml_tree import parse_xml

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found

MOST_MEMBERS = 20_000
LARGEST_MEMBER = 256 << 20  # bytes, unpacked
LARGEST_TOTAL = 1 << 30
HIGHEST_RATIO = 200  # unpacked to packed; Word's own XML reaches about 30
_SMALL = 4 << 20  # bytes; below it no ratio is suspicious


class Packed:
    """An office file, open for reading; a context manager.

    Raises:
        ImportSourceError: It is not a zip, or would exceed the limits when unpacked.
    """

    def __init__(self, found: Found) -> None:
        self._name = found.name
        try:
            self._zip = zipfile.ZipFile(found.path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError):
            raise ImportSourceError(f"{found.name}: is damaged, or is not an office file") from None
        try:
            self._check()
        except ImportSourceError:
            self._zip.close()
            raise

    def _check(self) -> None:
        members = self._zip.infolist()
        if len(members) > MOST_MEMBERS:
            raise ImportSourceError(f"{self._name}: contains more than {MOST_MEMBERS:,} files")
        for member in members:
            swollen = member.file_size > HIGHEST_RATIO * max(member.compress_size, 1)
            if member.file_size > LARGEST_MEMBER or (member.file_size > _SMALL and swollen):
                raise ImportSourceError(f"{self._name}: would unpack to far more than its size")
        if sum(member.file_size for member in members) > LARGEST_TOTAL:
            raise ImportSourceError(f"{self._name}: would unpack to more than 1 GiB")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._zip.close()

    def __contains__(self, member: str) -> bool:
        return member in self._zip.NameToInfo

    def members(self) -> list[str]:
        """Return the names of all members."""
        return self._zip.namelist()

    def read(self, member: str) -> bytes:
        """Return a member, unpacked up to the size that was checked.

        Raises:
            ImportSourceError: It is damaged, encrypted or missing.
        """
        try:
            return self._zip.read(member)
        except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError, KeyError, EOFError,
                NotImplementedError, ValueError):  # fmt: skip
            raise ImportSourceError(f"{self._name}: {member} cannot be unpacked") from None

    def xml(self, member: str, *, document_type: bool = False) -> Element:
        """Return the root of a member that is XML.

        Tags and attributes have their local names, without namespaces; only the ids of
        relationships keep a prefix, ``r:id``.

        Args:
            member: Its name.
            document_type: Whether it may declare a document type, without entities.

        Raises:
            ImportSourceError: It is missing, is not XML, or is not safe to parse.
        """
        label = f"{self._name}: {member}"
        data = self.read(member)
        return parse_xml(data, label, _local, _attribute, document_type=document_type)

    def xml_or_none(self, member: str, *, document_type: bool = False) -> Element | None:
        """Return the root of an optional member; None if it is missing."""
        return self.xml(member, document_type=document_type) if member in self else None


def _attribute(name: str) -> str:
    """Return the local name; relationship ids keep a prefix, because elements also have an `id`."""
    namespace, _, local = name.rpartition("}")
    return f"r:{local}" if namespace.endswith("/relationships") else local


def _local(name: str) -> str:
    return name.rpartition("}")[2]
