"""The section of traces, which questions leave in their archive."""

from __future__ import annotations

from graphmemix.settings.sections import Section, constant


class TraceSettings(Section):
    """What is kept of questions that were asked."""

    keep: int = constant(
        1000,
        "Most traces of an archive, about 40 kB each; once there are more, the oldest twentieth "
        "goes. 0 keeps all.",
        unit="traces",
        source="ARCHITECTURE",
        ge=0,
    )
