"""What the routes share: archives, keys, jobs, figures."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from graphmemix.serve.archives import Archives, Served
from graphmemix.serve.idempotency import IdempotencyKeys
from graphmemix.serve.jobs import Jobs
from graphmemix.serve.keys import KeyRing
from graphmemix.serve.metrics import Metrics, Samples
from graphmemix.serve.options import ServeOptions

__all__ = ["Service"]

_PAGE_BYTES = 4096


@dataclass
class Service:
    """A server's insides, between `start` and `close`.

    Attributes:
        options: How it is set up.
        archives: What it serves.
        keys: Who may use it.
        metrics: What it counts.
        once: Replies to idempotency keys.
        jobs: Ingestions by archive.
        ready: Whether requests are answered.
    """

    options: ServeOptions
    archives: Archives
    keys: KeyRing
    metrics: Metrics
    once: IdempotencyKeys
    jobs: dict[str, Jobs] = field(default_factory=dict)
    ready: bool = False

    def __post_init__(self) -> None:
        self.metrics.gauge(
            "graphmemix_jobs", "Ingestions by state.", ("archive", "state"), self._job_counts
        )
        self.metrics.gauge(
            "process_resident_memory_bytes", "Memory of the process.", (), _resident_memory
        )

    async def start(self) -> None:
        """Begin to work; jobs that were interrupted go on."""
        # The library computes in the loop's threads; ours are of a fixed number and stay.
        asyncio.get_running_loop().set_default_executor(self.archives.pool)
        for served in self.archives:
            self.jobs[served.name] = Jobs(served, self.options.state)
            self.jobs[served.name].start()
        self.ready = True

    async def close(self) -> None:
        """End jobs in order, then close everything."""
        self.ready = False
        await asyncio.gather(*(jobs.close() for jobs in self.jobs.values()))
        await asyncio.to_thread(lambda: None)  # whatever was handed to the pool before has begun
        self.once.close()

    def jobs_of(self, served: Served) -> Jobs:
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
    except (OSError, IndexError, ValueError):  # other systems have no such file
        return
    yield (), pages * _PAGE_BYTES
