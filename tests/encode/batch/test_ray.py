"""Workers on a Ray cluster of this machine: the same vectors, whoever dies."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from graphmemix.encode import HashingEncoder, MiniLmEncoder
from graphmemix.encode.batch import PreparedEncoder, VectorFolder
from graphmemix.encode.batch.contents import text_key
from graphmemix.encode.batch.ray_workers import RayWorkers
from graphmemix.encode.batch.workers import Batch, EncodedBatch
from graphmemix.errors import EncoderError, InvalidInputError, MissingExtraError
from tests.encode.batch import archives

# Ray leaves sockets and files of its own to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def all_of(workers: RayWorkers) -> Iterator[EncodedBatch]:
    while workers.busy:
        yield workers.collect()


@pytest.mark.slow
def test_two_workers_make_the_vectors_of_one_process_even_if_one_is_killed() -> None:
    texts = archives.texts(96)
    workers = RayWorkers("minilm", 2, address=None)
    try:
        before = workers.processes()
        for first in range(0, 96, 24):
            part = texts[first : first + 24]
            workers.submit(Batch(tuple(map(text_key, part)), texts=tuple(part)))
        assert workers.full
        os.kill(before[0], signal.SIGKILL)
        done = list(all_of(workers))
        after = workers.processes()
        with pytest.raises(InvalidInputError, match="room for 2 of 1 cores"):
            RayWorkers("minilm", 3, address=None)
        workers._ray.kill(workers._actors[0])  # its core is free for another
        with pytest.raises(InvalidInputError, match="there is no 'nothing'"):
            RayWorkers("nothing", 1, address=None)
    finally:
        workers.close()
    rows = {key: row for each in done for key, row in zip(each.keys, each.rows, strict=True)}
    assert before[0] not in after
    assert before[1] in after
    made = np.array([rows[text_key(text)] for text in texts])
    assert made.tobytes() == MiniLmEncoder().texts(texts).tobytes()
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"


def test_a_cluster_that_is_not_there_is_told_at_once() -> None:
    with socket.socket() as closed:  # bound and not listening: nobody else can take the port
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(EncoderError, match=f"Ray at {address} does not answer"):
            RayWorkers("hashing", 1, address=address)
    with pytest.raises(InvalidInputError, match="leave it out for this machine"):
        RayWorkers("hashing", 1, address="local")


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[ray\]'"):
        RayWorkers("hashing", 1, address=None)


def test_impossible_workers_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="cpus"):
        RayWorkers("hashing", 1, address=None, cpus=0)


def start(folder: Path, into: Path, *where: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "graphmemix", "encode", str(folder), "--into", str(into),
         "--encoder", "hashing:2048", "--json", *where],
        env={**os.environ, "HOME": str(folder.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )  # fmt: skip


def wait_for_a_shard(into: Path, run: subprocess.Popen[str]) -> None:
    while not list(into.glob("shards/*.npy")):
        assert run.poll() is None, run.communicate()
        time.sleep(0.02)


def finish(folder: Path, into: Path, notes: list[str], *where: str) -> int:
    """Run to the end; return how many contents were left to encode."""
    told, complaint = start(folder, into, *where).communicate(timeout=300)
    with VectorFolder.open(into) as vectors:
        assert len(vectors) == len(notes), complaint
    ahead = PreparedEncoder(into)
    assert ahead.texts(notes[::500]).tobytes() == HashingEncoder(2048).texts(notes[::500]).tobytes()
    assert ahead.encoded == 0
    return int(told.split('"encoded":')[1].split(",")[0])


def interrupted(
    tmp_path: Path, how: signal.Signals, *where: str
) -> tuple[subprocess.Popen[str], str, int]:
    notes = archives.texts(5 * 2048)
    folder = archives.make(tmp_path / "a", notes, encoder=None)
    run = start(folder, tmp_path / "v", *where)
    wait_for_a_shard(tmp_path / "v", run)
    if how == signal.SIGINT:
        os.killpg(run.pid, how)  # as a terminal does: to all that the command started
    else:
        run.send_signal(how)
    complaint = run.communicate(timeout=120)[1]
    # What is on disk counts, even if the index had no time to hear of it.
    kept = sum(len(np.load(shard)) for shard in (tmp_path / "v" / "shards").glob("*.npy"))
    left = finish(folder, tmp_path / "v", notes, *where)
    assert kept + left == len(notes)
    return run, complaint, left


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ctrl_c_loses_nothing_and_the_same_command_goes_on(tmp_path: Path, workers: str) -> None:
    run, complaint, left = interrupted(tmp_path, signal.SIGINT, "--workers", workers)
    assert run.returncode == 130, complaint
    assert "run the command again to continue" in complaint
    assert 0 < left < 5 * 2048


@pytest.mark.slow
def test_a_killed_run_redoes_only_unfinished_shards(tmp_path: Path) -> None:
    run, _, left = interrupted(tmp_path, signal.SIGKILL, "--workers", "2")
    assert run.returncode == -signal.SIGKILL
    assert 0 < left < 5 * 2048


@pytest.mark.slow
def test_a_running_cluster_is_used_and_left_running(tmp_path: Path) -> None:
    notes = archives.texts(100)
    folder = archives.make(tmp_path / "a", notes, encoder=None)
    # Paths of sockets are short; the cluster's word is in the user's home.
    with (
        tempfile.TemporaryDirectory(prefix="gmx", dir="/tmp") as short,
        subprocess.Popen(
            [Path(sys.executable).parent / "ray", "start", "--head", "--block", "--num-cpus=2",
             "--port=0", "--include-dashboard=false", "--temp-dir", short, "--disable-usage-stats"],
            env={**os.environ, "HOME": str(tmp_path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as cluster,
    ):  # fmt: skip
        try:
            for name in ("v", "w"):
                for _ in range(30):  # it takes its time to start
                    run = start(folder, tmp_path / name, "--address", "auto")
                    complaint = run.communicate(timeout=300)[1]
                    if not run.returncode:
                        break
                    assert "Ray at auto does not start or answer" in complaint
                    time.sleep(1)
            assert cluster.poll() is None
        finally:
            cluster.terminate()
    assert PreparedEncoder(tmp_path / "w").texts(notes).shape == (100, 2048)
