"""Encode the contents of archives ahead, over workers, into a folder of vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix import registry
from graphmemix.encode.batch.contents import contents, expected
from graphmemix.encode.batch.folder import VectorFolder
from graphmemix.encode.batch.workers import LocalPool, Packer
from graphmemix.errors import ArchiveDamagedError, InvalidDataError, InvalidInputError
from graphmemix.record import Record
from graphmemix.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.encode.batch.contents import Content, Expected
    from graphmemix.encode.batch.workers import Batch, EncodedBatch, WorkerPool
    from graphmemix.encode.protocol import Progress
    from graphmemix.store.protocol import Store

__all__ = ["BatchReport", "encode_archives"]


@dataclass(frozen=True)
class BatchReport(Record):
    """What a run did.

    Attributes:
        archives: How many archives were looked at.
        encoder: The identity of the encoder.
        there: Contents that had a vector before, or occurred again.
        encoded: Contents that got one.
        unreadable: Pictures and frames that cannot be decoded.
        vectors: How many vectors the folder holds now.
    """

    archives: int
    encoder: str
    there: int
    encoded: int
    unreadable: int
    vectors: int


def encode_archives(
    archives: Iterable[str | Path],
    into: str | Path,
    *,
    encoder: str | None = None,
    workers: int = 0,
    address: str | None = None,
    cpus: float = 1.0,
    gpus: float = 0.0,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> BatchReport:
    """Encode all that archives hold, each content once, into a folder of vectors.

    The archives are read only. Vectors are the same as those that this process would make. What is
    in the folder already is not encoded again, so that a run which was stopped, killed, or made
    before the archives grew goes on. Costs memory for two parts a worker, whatever the size.

    Args:
        archives: Folders or addresses of databases.
        into: The folder; it is made if it is not there.
        encoder: Such as ``clip:FOLDER``; by default that of the settings.
        workers: How many workers of Ray; 0 for this process alone or, with an address, for as many
            as the cluster has cores.
        address: Of a running Ray cluster, such as ``auto``; None for one on this machine, which
            lives as long as the run.
        cpus: Cores of each worker.
        gpus: GPUs of each worker.
        settings: By default those of the user's file and environment.
        progress: Hears how many contents are done, of about how many.

    Raises:
        InvalidInputError: The folder holds vectors of another encoder, or an option is impossible.
        MissingExtraError: Workers need the extra ``ray``.
        EncoderError: The model or a worker failed for good; what is done is kept.
        StoreError: An archive cannot be read, or the folder cannot be written.
    """
    places = [str(archive) for archive in archives]
    if workers < 0:
        raise InvalidInputError(f"workers: must be at least 0, not {workers}")
    chosen = settings or Settings.load()
    spec = encoder or chosen.encoder.model
    if spec.startswith("prepared:"):
        raise InvalidInputError("encoder: name the encoder that made the prepared vectors")
    counts = [_expected(place) for place in places]  # and tell at once if one is not there
    hands = _workers(spec, workers, address, cpus, gpus)
    try:
        with VectorFolder.create(Path(into), hands.origin) as folder:
            sees = hands.origin.sees_images
            total = sum(each.texts + (each.pictures if sees else 0) for each in counts)
            run = _Run(folder, hands, total, progress)
            run.encode(places, chosen)
            return run.report(len(places))
    finally:
        hands.close()


def _workers(spec: str, workers: int, address: str | None, cpus: float, gpus: float) -> WorkerPool:
    if not workers and address is None:
        return LocalPool(spec)
    from graphmemix.encode.batch.ray_workers import RayWorkers

    return RayWorkers(spec, workers, address=address, cpus=cpus, gpus=gpus)


def _open(place: str) -> Store:
    scheme, is_address, _ = place.partition("://")
    store: Store = registry.load("stores", scheme if is_address else "folder")(place, mode="read")
    return store


def _expected(place: str) -> Expected:
    with _open(place) as store:
        return expected(store)


class _Run:
    """One run: what is known, what is out, what came back."""

    def __init__(
        self, folder: VectorFolder, workers: WorkerPool, total: int, progress: Progress | None
    ) -> None:
        self._folder = folder
        self._workers = workers
        self._total = total
        self._progress = progress
        self._packer = Packer(self._submit)
        self._out: set[bytes] = set()
        self._there = self._encoded = self._unreadable = 0

    def encode(self, places: Sequence[str], settings: Settings) -> None:
        """Encode archives, one after the other; keep what is done, whatever happens."""
        pictures = self._workers.origin.sees_images
        try:
            for place in places:
                with _open(place) as store:
                    for page in contents(store, settings.views, pictures=pictures):
                        self._take(page)
            self._packer.flush()
            while self._workers.busy:
                self._keep(self._workers.collect())
        except BaseException:
            for encoded in self._workers.finished():
                self._keep(encoded)
            raise

    def report(self, archives: int) -> BatchReport:
        """Return what was done."""
        return BatchReport(
            archives,
            self._folder.origin.encoder,
            self._there,
            self._encoded,
            self._unreadable,
            len(self._folder),
        )

    def _take(self, page: Sequence[Content]) -> None:
        passed = self._folder.known({content.key for content in page if content.key is not None})
        for content in page:
            key = content.key
            if key is None:
                self._unreadable += 1
            elif key in passed or key in self._out or key in self._packer:
                self._there += 1
            elif content.text is not None:
                self._packer.text(key, content.text)
            else:
                self._take_picture(key, content)
            if key is not None:
                passed.add(key)  # it may be back from its worker when it occurs again
        self._tell()

    def _take_picture(self, key: bytes, content: Content) -> None:
        assert content.read is not None  # noqa: S101  # for the type checker
        try:
            self._packer.picture(key, content.read())
        except (InvalidDataError, ArchiveDamagedError):
            self._unreadable += 1

    def _submit(self, batch: Batch) -> None:
        while self._workers.full:
            self._keep(self._workers.collect())
        self._out.update(batch.keys)
        self._workers.submit(batch)

    def _keep(self, encoded: EncodedBatch) -> None:
        self._folder.add(encoded.keys, encoded.rows)
        self._out.difference_update(encoded.keys)
        self._encoded += len(encoded.keys)
        self._unreadable += encoded.total - len(encoded.keys)
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            done = self._there + self._encoded + self._unreadable
            self._progress(done, max(done, self._total))
