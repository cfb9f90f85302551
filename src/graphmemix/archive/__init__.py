"""The main entry point of the library: one archive of one person's memories.

::

    archive.py        `Archive`: adding, finding, getting
    asks.py           its questions
    keeps.py          ingesting, watching, encoding, erasing
    open_archive.py   opening and closing, and what the three above share
    inputs.py         what callers may pass, in one form
    upkeep.py         what changes an archive: adding, encoding, updating, erasing
    watching.py       `Watcher` reads files whenever they change
"""

from graphmemix.archive.archive import Archive

__all__ = ["Archive"]
