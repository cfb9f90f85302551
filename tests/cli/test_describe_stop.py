"""Ctrl-C and SIGTERM end ``graphmemix describe`` although a library never looks up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graphmemix import Archive, HashingEncoder, Media, Memory

WAIT = 120.0  # seconds after which a wait has failed; nothing takes so long

COMMAND = """
import ctypes, os
from pathlib import Path
from graphmemix.cli import describe, main

class Stuck:
    field, identity, at_once = "ocr", "stuck", 1

    def wants(self, medium):
        return True

    def describe(self, path, medium):
        Path(os.environ["BEGUN"]).touch()
        ctypes.CDLL(None).sleep(100_000)

describe.Ocr = Stuck
main()
"""


@pytest.mark.parametrize(
    ("number", "codes"), [(signal.SIGINT, {130}), (signal.SIGTERM, {143, -signal.SIGTERM})]
)
def test_a_signal_ends_describing_in_the_middle_of_a_picture(
    tmp_path: Path, number: signal.Signals, codes: set[int]
) -> None:
    with Archive.open(tmp_path / "x", encoder=HashingEncoder()) as archive:
        sha256 = archive.media.put(b"picture").sha256
        medium = Media("image", sha256, mime="image/png", name="p.png", size=7)
        archive.add([Memory.new("photo", "", media=(medium,))])
    begun = tmp_path / "begun"
    arguments = ["describe", str(tmp_path / "x"), "--ocr", "--encoder", "hashing"]
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        env={**os.environ, "BEGUN": str(begun)},
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            end = time.monotonic() + WAIT
            while not begun.exists():
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
            process.send_signal(number)
            assert process.wait(WAIT) in codes
        finally:
            process.kill()
    with Archive.open(tmp_path / "x", mode="write", encoder=HashingEncoder()) as archive:
        assert archive.store.count() == 1
