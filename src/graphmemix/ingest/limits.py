"""What one file may cost before it is given up, so that no file holds up the others."""

from __future__ import annotations

from dataclasses import dataclass

_FREE_TEXT = 64 << 20  # characters that any file may bring, however small it is


@dataclass(frozen=True)
class FileLimits:
    """What reading one file may take; the settings of the same names say more.

    Attributes:
        seconds_per_file: Of processor time, so that a busy machine changes no result.
        seconds_per_megabyte: What a large file gets beside that.
        silent_seconds: Of real time without a sign of life, such as a disk that does not answer.
        memory_megabytes: Beside what the process needs before it reads.
        text_growth: How many times larger than the file the text of its memories may be.
    """

    seconds_per_file: float = 300.0
    seconds_per_megabyte: float = 10.0
    silent_seconds: float = 3600.0
    memory_megabytes: int = 2048
    text_growth: float = 200.0

    def processor_seconds(self, size: int) -> float:
        """Return how much processor time a file of this many bytes may take."""
        return self.seconds_per_file + self.seconds_per_megabyte * size / 1e6

    def most_text(self, size: int) -> float:
        """Return how many characters a file of this many bytes may bring."""
        return max(_FREE_TEXT, self.text_growth * size)

    def too_slow(self, size: int) -> str:
        """Say that a file took too much processor time."""
        seconds = self.processor_seconds(size)
        return f"took more than {seconds:.0f} s of processor time (ingest.seconds_per_file)"

    def too_silent(self) -> str:
        """Say that nothing was heard for too long."""
        return f"no progress for {self.silent_seconds:.0f} s (ingest.silent_seconds)"

    def too_much_memory(self) -> str:
        """Say that a file needs too much memory."""
        return f"needs more than {self.memory_megabytes} MB of memory (ingest.memory_megabytes)"

    def too_much_text(self, size: int) -> str:
        """Say that a file brings more text than it can hold."""
        most = self.most_text(size) / 1e6
        return f"brings more than {most:.0f} million characters (ingest.text_growth)"
