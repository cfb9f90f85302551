from __future__ import annotations

from dataclasses import asdict

from graphmemix.ingest.limits import FileLimits
from graphmemix.settings import IngestSettings


def test_the_limits_of_a_file_are_those_of_the_settings() -> None:
    assert asdict(FileLimits()) == IngestSettings().model_dump(include={*asdict(FileLimits())})
