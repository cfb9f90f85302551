"""The main entry point of the library: one archive of one person's memories.

::

    archive.py            `Archive`: adding, finding, getting
    question_methods.py   its methods that ask, by `asking/`
    upkeep_methods.py     its methods that ingest, watch, encode and erase, by `upkeep.py`
    open_archive.py       opening and closing, and what these three share
    inputs.py             what callers may pass, in one form
    upkeep.py             what changes an archive: encoding, updating, erasing
    watching.py           `Watcher` reads files whenever they change
"""

from graphmemix.archive.archive import Archive

__all__ = ["Archive"]
