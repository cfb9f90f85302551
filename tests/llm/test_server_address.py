from __future__ import annotations

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.llm.server_address import ServerAddress


@pytest.mark.parametrize(
    ("given", "url", "query", "login"),
    [
        ("http://host", "http://host/v1", "", None),
        (" https://Host:8000/v1/ ", "https://host:8000/v1", "", None),
        ("http://[::1]:80/api/embeddings?a=1&b=2", "http://[::1]:80/api", "a=1&b=2", None),
        ("http://anna:p%40ss@host/v1", "http://host/v1", "", ("anna", "p@ss")),
    ],
)
def test_an_address_in_parts(
    given: str, url: str, query: str, login: tuple[str, str] | None
) -> None:
    found = ServerAddress.parse(given, "/embeddings")
    assert (found.url, found.query, found.login) == (url, query, login)
    assert repr(found) == f"ServerAddress({url!r})"


@pytest.mark.parametrize("given", ["", "host:80", "ftp://host", "http://", "http://h:port/x"])
def test_what_is_no_address(given: str) -> None:
    with pytest.raises(InvalidInputError, match="base_url: must be like"):
        ServerAddress.parse(given, "/embeddings")
