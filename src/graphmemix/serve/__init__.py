"""HTTP over archives: a JSON interface, a page, MCP. Needs the extra ``server``.

::

    app.py        puts everything together; `run.py` binds a socket and serves it
    auth.py       who may talk to the server at all: Host, Origin, keys
    limits.py     how much and how fast: sizes, rates, slow clients
    keys.py       API keys, hashed at rest
    archives.py   the archives that are served, their threads and their one writer
    jobs.py       ingestion in the background, on disk
    idempotency.py  replies that are remembered under a key
    access_log.py   logs of requests, without content; metrics.py, telemetry.py
    routes/       the interface, one subject a file
"""

from graphmemix.serve.options import Limits, ServeOptions

__all__ = ["Limits", "ServeOptions"]
