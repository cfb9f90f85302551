"""The main entry point of the library: one archive of one person's memories.

::

    archive.py    `Archive` itself: what it offers, and what each call guarantees
    upkeep.py     what changes an archive: adding, encoding, updating, erasing
"""

from graphmemix.archive.archive import Archive

__all__ = ["Archive"]
