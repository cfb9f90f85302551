"""The address of a model server, read from settings, with its secrets kept apart."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from graphmemix.errors import InvalidInputError

__all__ = ["ServerAddress", "bad_address"]


@dataclass(frozen=True)
class ServerAddress:
    """Where a server is. Its secrets are in no `repr`.

    Attributes:
        url: Without user, password and query.
        query: What goes with every request, as it was written.
        login: User and password.
    """

    url: str
    query: str
    login: tuple[str, str] | None

    def __repr__(self) -> str:
        return f"ServerAddress({self.url!r})"

    @property
    def secrets(self) -> list[str]:
        """User, password and the values of the query."""
        return [*(self.login or ()), *(value for _, value in parse_qsl(self.query))]

    @classmethod
    def parse(cls, base_url: str, path: str) -> ServerAddress:
        """Read an address, with or without `path` at its end; a bare host gets ``/v1``.

        Raises:
            InvalidInputError: It is not the address of a server.
        """
        try:
            parts = urlsplit(base_url.strip())
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if parts.scheme not in {"http", "https"} or not host:
            raise bad_address()
        netloc = f"[{host}]" if ":" in host else host
        netloc += f":{port}" if port else ""
        base = parts.path.rstrip("/").removesuffix(path) or "/v1"
        login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        return cls(urlunsplit((parts.scheme, netloc, base, "", "")), parts.query, login)


def bad_address() -> InvalidInputError:
    """Return the error about an address that is none."""
    # The address itself is not shown: it may hold a password.
    return InvalidInputError("base_url: must be like http://localhost:8000/v1")
