from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ((), ["key", "tooth", "photo", "pillow"]),
        (("--kind", "photo", "--kind", "note"), ["key", "photo"]),
        (("--source", "chat"), ["tooth", "pillow"]),
        (("--session", "family", "--since", "2024-01-01"), ["tooth"]),
        (("--until", "2024-06-01T00:00:00+02:00"), ["key"]),
        (("--speaker", "Ann"), ["key"]),
        (("--modality", "image"), ["photo"]),
        (("--limit", "2"), ["key", "tooth"]),
        (("--limit", "2", "--after", "tooth"), ["photo", "pillow"]),
    ],
)
def test_filters_and_pages(family: Path, options: tuple[str, ...], ids: list[str]) -> None:
    result = run("list", family, "--json", *options)
    assert [memory["id"] for memory in result.lines] == ids


def test_in_a_pipe_columns_have_a_tab_between_them_and_the_rest_goes_elsewhere(
    family: Path,
) -> None:
    result = run("list", family, "--limit", "1")
    assert result.out.splitlines() == [
        "id\twhen\tkind\tby\ttext",
        "key\t2024-05-01 09:30\tnote\tAnn\tThe spare key is with Olga.",
    ]
    assert "1 of 4 memories; more with --after key" in result.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [(("--kind", "dream"), "--kind: 'dream' is not one of"), (("--since", "soon"), "--since: ")],
)
def test_wrong_options_are_named(family: Path, options: tuple[str, ...], reason: str) -> None:
    result = run("list", family, *options)
    assert result.code == 2
    assert reason in result.err
