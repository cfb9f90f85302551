"""The state that routes share: archives, keys, jobs, metrics."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from graphmemix.serve.archives import Archives, ServedArchive
from graphmemix.serve.idempotency import IdempotencyKeys
from graphmemix.serve.jobs import Jobs
from graphmemix.serve.keys import KeyRing
from graphmemix.serve.metrics import Metrics, Samples
from graphmemix.serve.options import ServeOptions
from graphmemix.serve.suggestions import Suggester

__all__ = ["Service"]

_PAGE_BYTES = 4096


@dataclass
class Service:
    """The shared state of a server.

    Attributes:
        options: The server's options.
        archives: The served archives.
        keys: The API keys.
        metrics: The metrics.
        idempotency: Replies stored under idempotency keys.
        jobs: Ingestion jobs by archive.
        suggestions: Questions that fit an archive.
        ready: Whether requests are answered.
    """

    options: ServeOptions
    archives: Archives
    keys: KeyRing
    metrics: Metrics
    idempotency: IdempotencyKeys
    jobs: dict[str, Jobs] = field(default_factory=dict)
    suggestions: Suggester = field(default_factory=Suggester)
    ready: bool = False

    def __post_init__(self) -> None:
        self.metrics.gauge(
            "graphmemix_jobs", "Ingestions by state.", ("archive", "state"), self._job_counts
        )
        self.metrics.gauge(
            "process_resident_memory_bytes", "Memory of the process.", (), _resident_memory
        )

    async def start(self) -> None:
        """Start; interrupted jobs continue."""
        # The library runs work in the loop's default executor; ours has a fixed set of threads.
        asyncio.get_running_loop().set_default_executor(self.archives.pool)
        for served in self.archives:
            self.jobs[served.name] = Jobs(served, self.options.state)
            self.jobs[served.name].start()
        self.ready = True

    async def close(self) -> None:
        """Stop jobs cleanly, then close everything."""
        self.ready = False
        await self.suggestions.close()
        await asyncio.gather(*(jobs.close() for jobs in self.jobs.values()))
        await asyncio.to_thread(lambda: None)  # everything queued before this has started
        self.idempotency.close()

    def jobs_of(self, served: ServedArchive) -> Jobs:
        """Return the jobs of an archive."""
        return self.jobs[served.name]

    def _job_counts(self) -> Samples:
        for name, jobs in self.jobs.items():
            states = [job.state for job in jobs.all()]
            for state in sorted(set(states)):
                yield (name, state), states.count(state)


def _resident_memory() -> Samples:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, IndexError, ValueError):  # only Linux has this file
        return
    yield (), pages * _PAGE_BYTES
