"""The main entry point of the library: one archive of one person's memories.

::

    archive.py    `Archive`: opening, adding, finding
    asks.py       its questions
    keeps.py      ingesting, watching, encoding, erasing
    inputs.py     what callers may pass, in one form
    upkeep.py     what changes an archive: adding, encoding, updating, erasing
    watching.py   `Watcher` reads files whenever they change
"""

from graphmemix.archive.archive import Archive

__all__ = ["Archive"]
