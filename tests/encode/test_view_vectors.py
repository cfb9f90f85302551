from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.protocol import Matrix, Progress
from graphmemix.encode.view_vectors import ViewEncoding, content
from graphmemix.memory import View, ViewKind
from graphmemix.settings import ViewSettings
from graphmemix.store.media import MediaFolder


class Counting(HashingEncoder):
    """Keeps what it was asked to encode."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        self.seen += texts
        return super().texts(texts, progress=progress)


def views(*parts: tuple[ViewKind, str], memory: str = "m") -> list[View]:
    return [View(memory, kind, ordinal, text) for ordinal, (kind, text) in enumerate(parts)]


def encoding(folder: Path, *, most_parts: int = 100) -> tuple[ViewEncoding, Counting]:
    encoder = Counting()
    settings = ViewSettings(encoded_parts=most_parts, chunk_characters=100)
    return ViewEncoding(encoder, MediaFolder(folder), settings), encoder


def test_the_same_words_are_encoded_once(tmp_path: Path) -> None:
    made, encoder = encoding(tmp_path)
    one = views(("text", "a boat"), ("context", "Mia a boat"))
    other = views(("text", "a boat"), memory="n")
    made.vectors([*one, *other])
    vectors = made.vectors(other)
    assert encoder.seen == ["a boat", "Mia a boat"]
    assert set(vectors) == {content(other[0])}


def test_what_repeats_another_view_of_its_memory_gets_no_vector(tmp_path: Path) -> None:
    made, _ = encoding(tmp_path)
    listed = views(("text", "a boat"), ("caption", "a boat"), ("context", "a boat"))
    assert made.encodable(listed) == listed[:1]


def test_only_the_first_parts_get_a_vector(tmp_path: Path) -> None:
    made, _ = encoding(tmp_path, most_parts=2)
    listed = views(("text", "one"), ("text", "two"), ("text", "three"))
    assert made.encodable(listed) == listed[:2]


def test_a_memory_of_several_parts_gets_no_vector_of_all_its_words(tmp_path: Path) -> None:
    made, _ = encoding(tmp_path)
    listed = views(("text", "one"), ("text", "two"), ("context", "one two"))
    assert made.encodable(listed) == listed[:2]


def test_a_context_that_no_encoder_reads_to_its_end_gets_no_vector(tmp_path: Path) -> None:
    made, _ = encoding(tmp_path)
    for length, encoded in ((100, 2), (101, 1)):
        listed = views(("text", "yes"), ("context", "x" * (length - 4) + " yes"))
        assert made.encodable(listed) == listed[:encoded]


def test_a_picture_keeps_the_vector_of_all_its_words(tmp_path: Path) -> None:
    made, _ = encoding(tmp_path)
    listed = views(("ocr", "x" * 90), ("context", "Porto " + "x" * 190))
    assert made.encodable(listed) == listed


def test_a_name_before_many_words_is_no_reason_for_another_vector(tmp_path: Path) -> None:
    made, _ = encoding(tmp_path)
    for name, encoded in (("Mia", 1), ("Mia Berg", 2)):  # 4 and 9 characters more than 80
        listed = views(("text", "x" * 80), ("context", f"{name} {'x' * 80}"))
        assert made.encodable(listed) == listed[:encoded]
