"""The HTTP server: a JSON API, a web page and MCP. Needs the extra ``server``.

::

    app.py          builds the application; run.py binds a socket and serves it
    auth.py         checks Host, Origin and API keys
    limits.py       body sizes, request rates, slow clients
    keys.py         API keys, hashed at rest
    archives.py     the served archives, their threads and their one writer
    jobs.py         background ingestion, saved on disk
    idempotency.py  replies stored under idempotency keys
    access_log.py   request logs without content; metrics.py, telemetry.py
    routes/         the API, one subject per file; schemas.py has their bodies
"""

from graphmemix.serve.options import Limits, ServeOptions

__all__ = ["Limits", "ServeOptions"]
