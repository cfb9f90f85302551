"""Limits of reading one file, so that no file holds up the others."""

from __future__ import annotations

from dataclasses import dataclass

_FREE_TEXT = 64 << 20  # characters that any file may yield, however small it is


@dataclass(frozen=True)
class FileLimits:
    """What reading one file may cost; see the settings of the same names.

    Attributes:
        seconds_per_file: Processor time, so that results do not depend on the machine's load.
        seconds_per_megabyte: Additional processor time for large files.
        silent_seconds: Wall time without progress, for example on an unresponsive disk.
        memory_megabytes: In addition to what the process uses before it reads.
        text_growth: How many times larger than the file the text of its memories may be.
    """

    seconds_per_file: float = 300.0
    seconds_per_megabyte: float = 10.0
    silent_seconds: float = 3600.0
    memory_megabytes: int = 2048
    text_growth: float = 200.0

    def processor_seconds(self, size: int) -> float:
        """Return the processor time allowed for a file of this many bytes."""
        return self.seconds_per_file + self.seconds_per_megabyte * size / 1e6

    def most_text(self, size: int) -> float:
        """Return the number of characters allowed from a file of this many bytes."""
        return max(_FREE_TEXT, self.text_growth * size)

    def too_slow(self, size: int) -> str:
        """Return the message for too much processor time."""
        seconds = self.processor_seconds(size)
        return f"took more than {seconds:.0f} s of processor time (ingest.seconds_per_file)"

    def too_silent(self) -> str:
        """Return the message for no progress."""
        return f"no progress for {self.silent_seconds:.0f} s (ingest.silent_seconds)"

    def too_much_memory(self) -> str:
        """Return the message for too much memory."""
        return f"needs more than {self.memory_megabytes} MB of memory (ingest.memory_megabytes)"

    def too_much_text(self, size: int) -> str:
        """Return the message for too much text."""
        most = self.most_text(size) / 1e6
        return f"yields more than {most:.0f} million characters (ingest.text_growth)"
