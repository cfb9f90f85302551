"""What the back ends share: the same statements, so that they behave the same.

Each part of a store is a class over `core.Core`; `store.SqlStore` puts the parts together. How to
add a table with its part is in CONTRIBUTING.md.
"""

from graphmemix.store.sql.store import SqlStore

__all__ = ["SqlStore"]
