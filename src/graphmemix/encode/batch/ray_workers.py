"""Workers on Ray: processes of this machine, or of a cluster that is running.

A worker that dies is started again, and its batch is given out again. Nothing of what is encoded is
logged, no dashboard is started, and no usage is reported to anybody.
"""

from __future__ import annotations

import logging
import math
import os
import secrets
import shutil
import socket
import tempfile
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from graphmemix import __version__
from graphmemix.encode.batch.workers import MOST_BYTES, Batch, BatchWorker, EncodedBatch
from graphmemix.errors import (
    EncoderError,
    GraphMemixError,
    InvalidInputError,
    MissingExtraError,
    reason_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.encode.batch.folder import Origin

__all__ = ["RayWorkers"]

_PARTS_EACH: Final = 2  # one being encoded, one waiting, so that no worker waits for us
_TRIES_AGAIN: Final = 2  # a batch that kills three workers kills every worker
_PATIENCE: Final = 5.0  # seconds
_SMALLEST_STORE: Final = 128 << 20  # bytes; Ray wants at least 75 MiB


class RayWorkers:
    """Workers that take batches and give vectors back, in any order."""

    def __init__(
        self, spec: str, count: int, *, address: str | None, cpus: float = 1.0, gpus: float = 0.0
    ) -> None:
        """Start workers, and wait until each has opened the encoder.

        Args:
            spec: Of the encoder, such as ``clip:FOLDER``. Workers on other machines need the model
                at the same place, and a key of an endpoint in their own environment.
            count: How many workers; 0 for as many as the cluster has room for.
            address: Of a running cluster; None to start one here that ends with `close`.
            cpus: Cores of each worker.
            gpus: GPUs of each worker.

        Raises:
            MissingExtraError: Ray is not installed.
            InvalidInputError: The cluster has no room for such workers.
            EncoderError: The cluster does not answer, or its workers make other vectors.
        """
        if cpus <= 0 or gpus < 0:
            raise InvalidInputError("cpus must be above 0, and gpus not below it")
        if address is not None:
            _require_reachable(address)
        self._ray = _import_ray()
        self._cluster = _Cluster(self._ray, address, count, cpus, gpus)
        self._out: dict[Any, Any] = {}  # what a worker was asked, to who was asked
        try:
            self._actors = self._start(spec, count or self._cluster.room(cpus, gpus), cpus, gpus)
            self.origin = self._agreed()
        except BaseException:
            self.close()
            raise

    def _start(self, spec: str, count: int, cpus: float, gpus: float) -> list[Any]:
        room = self._cluster.room(cpus, gpus)
        if not 0 < count <= room:
            raise InvalidInputError(
                f"workers: the cluster has room for {room} of {cpus:g} cores and {gpus:g} GPUs, "
                f"not for {count}"
            )
        actor = self._ray.remote(_RayWorker).options(
            num_cpus=cpus, num_gpus=gpus, max_restarts=-1, max_task_retries=_TRIES_AGAIN
        )
        return [actor.remote(spec) for _ in range(count)]

    def _agreed(self) -> Origin:
        """Return the origin that all workers tell.

        Raises:
            EncoderError: They differ in version, or in the encoder.
        """
        answers = [self._get(each) for each in [actor.hello.remote() for actor in self._actors]]
        if len({str(each) for each in answers}) > 1 or answers[0][0] != __version__:
            raise EncoderError(
                "the workers are not alike: "
                + "; ".join(sorted({f"version {v}, {o.encoder}" for v, o in answers}))
                + f"; install version {__version__} and the same model everywhere"
            )
        origin: Origin = answers[0][1]
        return origin

    def processes(self) -> list[int]:
        """Return the process ids of the workers."""
        return [self._get(each) for each in [actor.process.remote() for actor in self._actors]]

    def submit(self, batch: Batch) -> None:
        """Hand a batch to the worker with the least to do."""
        loads = {id(actor): 0 for actor in self._actors}
        for actor in self._out.values():
            loads[id(actor)] += 1
        least = min(self._actors, key=lambda actor: loads[id(actor)])
        self._out[least.encode.remote(batch)] = least

    @property
    def full(self) -> bool:
        """Whether every worker has a batch and another one waiting."""
        return len(self._out) >= _PARTS_EACH * len(self._actors)

    @property
    def busy(self) -> bool:
        """Whether anything is still out."""
        return bool(self._out)

    def collect(self) -> EncodedBatch:
        """Wait for the next batch that is done.

        Raises:
            EncoderError: It cannot be encoded, or every worker that tried it died.
        """
        done, _ = self._ray.wait(list(self._out), num_returns=1)
        del self._out[done[0]]
        encoded: EncodedBatch = self._get(done[0])
        return encoded

    def finished(self) -> Iterator[EncodedBatch]:
        """Yield what is done already, without waiting; what failed is left out."""
        for each in list(self._out):
            # Ctrl-C in a terminal reaches the cluster too; then there is nobody left to ask.
            with suppress(GraphMemixError, self._ray.exceptions.RayError):
                if self._ray.wait([each], timeout=0)[0]:
                    del self._out[each]
                    yield self._get(each)

    def close(self) -> None:
        """Let the workers go, and the cluster too if it was started for them."""
        self._out.clear()
        for actor in getattr(self, "_actors", []):
            with suppress(Exception):  # it may be gone
                self._ray.kill(actor)
        self._cluster.close()

    def _get(self, promised: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(promised)
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, GraphMemixError):
                raise cause from None
            raise EncoderError(f"a worker failed: {reason_of(cause)}") from None
        except errors.RayActorError as error:
            raise EncoderError(
                f"a worker died {_TRIES_AGAIN + 1} times over one batch, or could not start "
                f"({reason_of(error)}); it may lack memory: use fewer workers"
            ) from None
        except errors.RayError as error:
            raise EncoderError(f"the cluster failed: {reason_of(error)}") from None


class _RayWorker(BatchWorker):
    """A worker in a process of Ray's."""

    def hello(self) -> tuple[str, Origin]:
        """Return the version of this package there, and whose vectors the worker makes."""
        return __version__, self.origin()

    def process(self) -> int:
        """Return the id of the worker's process."""
        return os.getpid()


class _Cluster:
    """A connection to Ray: one that is there already, one to an address, or a cluster of ours."""

    def __init__(self, ray: Any, address: str | None, count: int, cpus: float, gpus: float) -> None:
        self._ray = ray
        self._ours = not ray.is_initialized()
        self._folder: str | None = None
        if not self._ours:
            return
        quiet = {"log_to_driver": False, "configure_logging": False}
        logging.getLogger("ray").setLevel(logging.ERROR)
        try:
            if address is not None:
                ray.init(address=address, **quiet)
                return
            # Ray listens on all interfaces, and asks for a word to be let in (unless the user set
            # RAY_AUTH_MODE). Without this one it would write a word where others can read it.
            os.environ["RAY_AUTH_TOKEN"] = _password()
            self._folder = tempfile.mkdtemp(prefix="gmx")  # sockets allow short paths only
            with _without_reporter():
                ray.init(
                    address="local",
                    num_cpus=math.ceil(count * cpus),
                    num_gpus=gpus * count or None,
                    include_dashboard=False,
                    object_store_memory=max(_SMALLEST_STORE, 3 * _PARTS_EACH * count * MOST_BYTES),
                    _temp_dir=self._folder,
                    _node_ip_address="127.0.0.1",
                    **quiet,
                )
        except (ConnectionError, OSError, RuntimeError, ValueError, ImportError) as error:
            self.close()
            where = f"Ray at {address}" if address else "Ray"
            raise EncoderError(f"{where} does not start or answer: {reason_of(error)}") from None

    def room(self, cpus: float, gpus: float) -> int:
        """Return how many workers the cluster could hold, were it idle."""
        there = self._ray.cluster_resources()
        room = there.get("CPU", 0.0) // cpus
        return int(min(room, there.get("GPU", 0.0) // gpus) if gpus else room)

    def close(self) -> None:
        """Leave the cluster; end it if it is ours."""
        if self._ours:
            self._ray.shutdown()
        if self._folder is not None:
            os.environ.pop("RAY_AUTH_TOKEN", None)
            shutil.rmtree(self._folder, ignore_errors=True)


def _require_reachable(address: str) -> None:
    """Ask at once whether anybody is there: Ray would try for minutes.

    Raises:
        InvalidInputError: This is not where a running cluster is.
        EncoderError: Nobody listens there.
    """
    if address == "local":
        raise InvalidInputError("address: leave it out for this machine, and say how many workers")
    host, _, port = address.rpartition(":")
    if "://" in address or not port.isdigit():
        return  # such as auto, which Ray resolves
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise EncoderError(f"Ray at {address} does not answer: {reason_of(error)}") from None


@contextmanager
def _without_reporter() -> Iterator[None]:
    """Start Ray without the process that reports its use.

    Without a dashboard that process does nothing else. With reports turned off it still asks which
    cloud this is: it looks up ``metadata.google.internal``, and asks 169.254.169.254. No option
    of Ray's leaves it out.
    """
    from ray._private import node

    kind: Any = node.Node
    kept = kind.start_api_server
    kind.start_api_server = lambda *_, **__: None
    try:
        yield
    finally:
        kind.start_api_server = kept


@cache
def _password() -> str:
    """Return the word of this process; Ray reads it once, and keeps it."""
    return secrets.token_hex(32)


def _import_ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise MissingExtraError("ray", "Encoding over workers") from error
    return ray
