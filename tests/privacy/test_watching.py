"""The watcher itself: it must see what the other tests rely on not to be there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.privacy.watching import Room, needs_strace, python

pytestmark = needs_strace

# Addresses that are for documentation: nobody is there.
CONTACTS = {
    "a datagram": (
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.99', 7))",
        {"192.0.2.99:7"},
    ),
    "a datagram to who was connected to": (
        "s = socket.socket(type=socket.SOCK_DGRAM); s.connect(('192.0.2.99', 53)); s.send(b'x')",
        {"192.0.2.99:53"},
    ),
    "a datagram that is never sent": (
        "socket.socket(type=socket.SOCK_DGRAM).connect(('192.0.2.99', 53))",
        set(),
    ),
    "a connection": (
        "s = socket.socket(); s.setblocking(False); s.connect_ex(('192.0.2.99', 443))",
        {"192.0.2.99:443"},
    ),
    "a connection of a thread in a child, over IPv6": (
        (
            "import os, threading\n"
            "s = socket.socket(socket.AF_INET6)\n"
            "def dial(): s.setblocking(False); s.connect_ex(('2001:db8::1', 443))\n"
            "if os.fork(): os.wait()\n"
            "else: t = threading.Thread(target=dial); t.start(); t.join()"
        ),
        {"2001:db8::1:443"},
    ),
}


@pytest.mark.parametrize("how", CONTACTS)
def test_contacts_are_seen(room: Room, how: str) -> None:
    code, expected = CONTACTS[how]
    made_by = f"import contextlib, socket\nwith contextlib.suppress(OSError):\n  exec({code!r})"
    assert room.run(python("-c", made_by)).contacts == expected


def test_a_lookup_of_a_name_is_seen(room: Room) -> None:
    if "nameserver" not in Path("/etc/resolv.conf").read_text("utf-8"):
        pytest.skip("no server of names is set here")
    look = "import socket\ntry: socket.getaddrinfo('nobody.invalid', 80)\nexcept OSError: pass"
    assert room.run(python("-c", look)).contacts


def test_files_outside_of_the_folder_are_seen(room: Room, tmp_path: Path) -> None:
    write = "import sys\nfor path in sys.argv[1:]: open(path, 'w').close()"
    places = [room.home / "deviceid", tmp_path / "log", room.work / "own"]
    seen = room.run(python("-c", write, *places))
    assert seen.created == {str(room.home / "deviceid"), str(tmp_path / "log")}


def test_files_that_are_gone_again_are_seen(room: Room, tmp_path: Path) -> None:
    make = "import os, sys\nx, y = sys.argv[1:]\nos.mkdir(x); os.rename(x, y); os.rmdir(y)"
    seen = room.run(python("-c", make, tmp_path / "x", tmp_path / "y"))
    assert seen.created == {str(tmp_path / "x"), str(tmp_path / "y")}
