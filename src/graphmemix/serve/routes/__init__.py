"""The API under ``/v1``, one subject per file."""

from graphmemix.serve.routes import (
    archives,
    health,
    jobs,
    keys,
    media,
    memories,
    overview,
    questions,
    traces,
)

__all__ = ["ROUTERS"]

ROUTERS = (
    health.router,
    archives.router,
    overview.router,
    memories.router,
    media.router,
    jobs.router,
    questions.router,
    traces.router,
    keys.router,
)
