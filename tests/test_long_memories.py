from __future__ import annotations

from pathlib import Path

from graphmemix import Archive, Memory, Settings
from graphmemix.encode import HashingEncoder
from graphmemix.encode.protocol import Matrix, Progress


class Counting(HashingEncoder):
    """Remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def texts(self, texts: object, *, progress: Progress | None = None) -> Matrix:
        assert isinstance(texts, list)
        self.given += texts
        return super().texts(texts, progress=progress)


def test_a_long_memory_has_a_bounded_number_of_vectors_and_is_found_by_its_last_words(
    tmp_path: Path,
) -> None:
    settings = Settings.load(
        environment={"HOME": str(tmp_path)},
        overrides={"views.encoded_parts": "3", "views.chunk_characters": "100"},
    )
    encoder = Counting()
    filler = " ".join(f"Page {number} says nothing of it." for number in range(100))
    text = f"{filler} The spare key is with Olga."
    with Archive.open(tmp_path / "a", encoder=encoder, settings=settings) as archive:
        archive.add([Memory("log", "document", text), Memory("note", "note", "A rainy day.")])
        parts = [given for given in encoder.given if len(given) <= 100]
        assert len(parts) == 3 + 1  # those of the log, and the note
        assert not archive.store.check()
        trace = archive.recall("Who has the spare key, Olga?")
    assert trace.forest is not None
    assert trace.forest.memory_ids[0] == "log"
