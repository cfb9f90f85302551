"""The server store (extra ``postgres``)."""

from graphmemix.errors import MissingExtraError

try:
    from graphmemix.store.postgres.store import PostgresStore
except ModuleNotFoundError as error:
    if error.name not in {"psycopg", "psycopg_pool", "pgvector"}:
        raise
    raise MissingExtraError("postgres", "The PostgreSQL store") from error

__all__ = ["PostgresStore"]
