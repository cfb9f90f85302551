from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix_bench.paths import data_folder


def test_the_folder_that_is_named_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEMIX_BENCH_DATA", "/elsewhere")
    assert data_folder("locomo", tmp_path) == tmp_path


def test_parts_of_a_data_set_lie_in_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEMIX_BENCH_DATA", "/data")
    assert data_folder("memeye-mcq", None) == data_folder("memeye", None) == Path("/data/memeye")


def test_without_a_folder_or_a_data_set_the_way_out_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GRAPHMEMIX_BENCH_DATA", raising=False)
    with pytest.raises(InvalidInputError, match="--data DIR, or GRAPHMEMIX_BENCH_DATA"):
        data_folder("locomo", None)
    with pytest.raises(InvalidInputError, match="dataset must be one of atm-bench, "):
        data_folder("zoo", Path("/data"))
