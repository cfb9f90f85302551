"""Runs a command under strace: whom it contacts, by name or address, and what it leaves behind.

strace shows what the kernel was asked for, so it does not matter which library asks, in which
language, in which thread or child, nor whether there is a network to answer.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["Room", "Seen", "needs_strace", "python"]

_CONTACT = ("connect", "sendto", "sendmsg", "sendmmsg")
_CREATE = ("creat", "link", "linkat", "mkdir", "mkdirat", "mknod", "mknodat", "open", "openat",
           "rename", "renameat", "renameat2", "symlink", "symlinkat")  # fmt: skip
# A question mark: not every kind of machine has all of these calls.
_STRACE = ["strace", "-f", "-qq", "-y", "--seccomp-bpf", "-s", "512", "-e", "signal=none", "-e",
           "trace=socket," + ",".join("?" + name for name in (*_CONTACT, *_CREATE))]  # fmt: skip
_LINE = re.compile(r"^(\d+) +(?:(\w+)\((.*)|<\.\.\. (\w+) resumed>(.*))$")
_UNFINISHED = " <unfinished ...>"
_ADDRESS = re.compile(
    r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)'
    r'|sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"'
    r'|sun_path=(@?"[^"]*")'
)
_SOCKET = re.compile(r"\d+<(socket:\[\d+\])>")
_NOBODY = ("(No such file or directory)", "(Connection refused)")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_DEVICES = re.compile(r"/dev/(null|tty|urandom|pts/.*|shm/(sem\.)?[^/]*)|/proc/.*")


@functools.cache
def _why_not() -> str:
    """Return why nothing can be watched here; empty if it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run([*_STRACE, "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else f"strace may not watch here: {tried.stderr.decode()!r}"


needs_strace = pytest.mark.skipif(bool(_why_not()), reason=_why_not())


def python(*arguments: object) -> list[str]:
    """Return the command that runs Python, such as with ``-m graphmemix``."""
    return [sys.executable, *map(str, arguments)]


@dataclass(frozen=True)
class Seen:
    """What a command did.

    Attributes:
        contacts: ``ADDRESS:PORT`` of every address that it connected or sent to (a lookup of a
            name is one, to port 53), and ``unix:PATH`` of sockets outside of its own folder.
        created: Files and folders that it made, or meant to, outside of its own folder.
        out: What it printed.
    """

    contacts: set[str]
    created: set[str]
    out: str


class Room:
    """A folder to work in, and a home that is empty and stays so."""

    def __init__(self, folder: Path) -> None:
        self.work = folder / "w"  # sockets of Ray allow short paths only
        self.home = folder / "home"
        self._log = folder / "strace"
        (self.work / "t").mkdir(parents=True)
        self.home.mkdir()

    def environment(self, **more: str) -> dict[str, str]:
        """Return that of a new user: none of the switches that this process has set."""
        return {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PATH": os.environ["PATH"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "TMPDIR": str(self.work / "t"),
            **more,
        }

    def run(self, command: Sequence[str], **environment: str) -> Seen:
        """Run a command to its end and return what it did; it must succeed."""
        with self.running(command, **environment) as process:
            out, complaint = process.communicate(timeout=600)
        assert process.returncode == 0, complaint + out
        return self.seen(out)

    @contextmanager
    def running(
        self, command: Sequence[str], **environment: str
    ) -> Iterator[subprocess.Popen[str]]:
        """Start a command; at the end it is interrupted, if it still runs."""
        process = subprocess.Popen(
            [*_STRACE, "-o", str(self._log), "--", *command],
            cwd=self.work,
            env=self.environment(**environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        with process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGINT)
                    process.communicate(timeout=120)

    def seen(self, out: str = "") -> Seen:
        """Return what the command that was run last has done."""
        contacts, created = set[str](), set[str]()
        datagrams: dict[str, set[str]] = {}
        for name, arguments in _calls(self._log.read_text("utf-8", "replace")):
            found = _SOCKET.search(arguments)
            socket = found[1] if found else ""
            if name == "socket":
                if "SOCK_DGRAM" in arguments:
                    datagrams[socket] = set()
            elif name == "connect" and socket in datagrams:
                # Nothing goes out yet: this is also how a program learns its own address.
                datagrams[socket].update(self._contacts(arguments))
            elif name in _CONTACT:
                contacts.update(self._contacts(arguments), datagrams.get(socket, ()))
            elif not arguments.endswith("(File exists)"):
                created.update(self._created(name, arguments))
        left = {str(path) for path in self.home.rglob("*")}
        return Seen(contacts, created | left, out)

    def _contacts(self, arguments: str) -> Iterator[str]:
        for port4, address4, port6, address6, local in _ADDRESS.findall(arguments):
            if address4 or address6:
                yield f"{address4 or address6}:{port4 or port6}"
            elif not local.strip('"').startswith(str(self.work)) and (
                # Such as glibc, which looks for its cache of names before it asks anybody else.
                not arguments.endswith(_NOBODY)
            ):
                yield f"unix:{local}"

    def _created(self, name: str, arguments: str) -> Iterator[str]:
        if name in {"open", "openat"} and "O_CREAT" not in arguments:
            return
        named = [Path(at or self.work, path) for at, path in _PATH.findall(arguments)]
        # Of two names the second is the new one.
        path = named[-1] if named else Path(arguments)
        own = path.is_relative_to(self.work) or _DEVICES.fullmatch(str(path))
        # `make coverage` has every process of Python write down what it ran.
        if not own and not path.name.startswith(".coverage"):
            yield str(path)


def _calls(log: str) -> Iterator[tuple[str, str]]:
    """Yield the calls with their arguments and results, put together where others came between."""
    begun: dict[str, tuple[str, str]] = {}
    for line in log.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        process, name, arguments, again, rest = found.groups()
        if again:
            yield again, begun.pop(process, (again, ""))[1] + rest
        elif arguments.endswith(_UNFINISHED):
            begun[process] = name, arguments.removesuffix(_UNFINISHED)
        else:
            yield name, arguments
    yield from begun.values()  # of processes that ended within a call
