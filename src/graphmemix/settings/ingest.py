"""How files are ingested."""

from __future__ import annotations

from pydantic import field_validator

from graphmemix.settings.sections import Section, constant, switch


class IngestSettings(Section):
    """How files are read into an archive."""

    zone: str = constant(
        "",
        "Time zone for timestamps without an offset, as chats and cameras write them: an IANA name "
        "like Europe/Vienna; empty for this machine's.",
        unit="name",
        source="importers",
    )
    follow_links: bool = switch(
        "Follow symbolic links that point outside the ingested folder.",
        on=False,
        source="importers",
    )
    seconds_per_file: float = constant(
        300.0,
        "CPU time allowed per file; then reading stops and what was read is kept.",
        unit="seconds",
        source="importers",
        gt=0,
    )
    seconds_per_megabyte: float = constant(
        10.0,
        "Additional CPU time allowed per megabyte of the file.",
        unit="seconds",
        source="importers",
        ge=0,
    )
    silent_seconds: float = constant(
        3600.0,
        "Wall-clock time without progress after which a file is given up, such as on a disk that "
        "hangs.",
        unit="seconds",
        source="importers",
        gt=0,
    )
    memory_megabytes: int = constant(
        2048,
        "Memory allowed for reading one file; enforced on Linux only.",
        unit="megabytes",
        source="importers",
        ge=16,
    )
    text_growth: float = constant(
        200.0,
        "How many times larger than the file its text may be; 64 million characters are always "
        "allowed.",
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
