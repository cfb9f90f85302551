"""The section of ingestion."""

from __future__ import annotations

from pydantic import field_validator

from graphmemix.settings.sections import Section, constant, switch


class IngestSettings(Section):
    """How files are read into an archive."""

    zone: str = constant(
        "",
        "Time zone of clocks that tell none, such as those of chats and cameras: an IANA name like "
        "Europe/Vienna; empty for this machine's.",
        unit="name",
        source="importers",
    )
    follow_links: bool = switch(
        "Follow symbolic links that lead out of the folder that is ingested.",
        on=False,
        source="importers",
    )
    seconds_per_file: float = constant(
        300.0,
        "Processor time that one file may take; then it is given up, and what was read stays.",
        unit="seconds",
        source="importers",
        gt=0,
    )
    seconds_per_megabyte: float = constant(
        10.0,
        "What a file may take beside that for each megabyte.",
        unit="seconds",
        source="importers",
        ge=0,
    )
    silent_seconds: float = constant(
        3600.0,
        "Real time that may pass without progress in a file, such as on a disk that does not "
        "answer.",
        unit="seconds",
        source="importers",
        gt=0,
    )
    memory_megabytes: int = constant(
        2048,
        "Memory that reading one file may need, on Linux; other systems set no limit.",
        unit="megabytes",
        source="importers",
        ge=16,
    )
    text_growth: float = constant(
        200.0,
        "How many times larger than a file the text of its memories may be; 64 million characters "
        "are fine for any file.",
        unit="ratio",
        source="importers",
        ge=1,
    )

    @field_validator("zone")
    @classmethod
    def _is_a_zone(cls, name: str) -> str:
        from graphmemix.text.dates.zones import parse_zone  # only if there is something to check

        if name:
            parse_zone(name)
        return name
