"""The section of ingestion."""

from __future__ import annotations

from pydantic import field_validator

from graphmemix.settings.sections import Section, constant


class IngestSettings(Section):
    """How files are read into an archive."""

    zone: str = constant(
        "",
        "Time zone of clocks that tell none, such as those of chats and cameras: an IANA name like "
        "Europe/Vienna; empty for this machine's.",
        unit="name",
        source="importers",
    )

    @field_validator("zone")
    @classmethod
    def _is_a_zone(cls, name: str) -> str:
        from graphmemix.ingest.zones import parse_zone  # only if there is something to check

        if name:
            parse_zone(name)
        return name
