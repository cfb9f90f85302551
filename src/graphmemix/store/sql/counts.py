"""How many memories there are by day and kind, by person, and by place."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from graphmemix.store.records import DayCount, PersonCount, Spot
from graphmemix.store.sql.columns import DAY_OF_TIME, conditions, require_limit

if TYPE_CHECKING:
    from graphmemix.store.records import Filter
    from graphmemix.store.sql.core import Core


class SqlCounts:
    """Implements `Counts`. Every method is one statement over the columns of memories."""

    def __init__(self, core: Core) -> None:
        self._db = core.db

    def days(self, filter: Filter | None = None) -> list[DayCount]:
        """Return how many memories of each kind each day has, in UTC, in order."""
        where, parameters = conditions(self._db, filter)
        with self._db.read() as session:
            rows = session.run(
                f"SELECT {DAY_OF_TIME}, m.kind, COUNT(*) FROM memories m "  # our own numbers
                f"WHERE {where} AND m.time IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2",
                **parameters,
            )
        return [DayCount(date.fromordinal(day), kind, count) for day, kind, count in rows]

    def people(self, filter: Filter | None = None, *, limit: int = 100) -> list[PersonCount]:
        """Return who wrote, said or took most, and how much."""
        require_limit(limit, least=1)
        where, parameters = conditions(self._db, filter)
        with self._db.read() as session:
            rows = session.run(
                f"SELECT m.speaker, COUNT(*) FROM memories m "  # see `conditions`
                f"WHERE {where} AND m.speaker IS NOT NULL GROUP BY m.speaker",
                **parameters,
            )
        found = [PersonCount(name, count) for name, count in rows if name]
        return sorted(found, key=lambda each: (-each.memories, each.name))[:limit]

    def spots(self, filter: Filter | None = None) -> list[Spot]:
        """Return the coordinates that memories have, in order, each with one of its memories."""
        where, parameters = conditions(self._db, filter)
        with self._db.read() as session:
            rows = session.run(
                f"SELECT m.latitude, m.longitude, COUNT(*), MIN(m.id) "
                f"FROM memories m WHERE {where} AND m.latitude IS NOT NULL "
                "GROUP BY m.latitude, m.longitude ORDER BY m.latitude, m.longitude",
                **parameters,
            )
        return [Spot(*row) for row in rows]
