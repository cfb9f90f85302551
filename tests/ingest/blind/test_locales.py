"""WhatsApp in the forms of further regions: the same two messages each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.blind.gold import memories, spoken

if TYPE_CHECKING:
    from pathlib import Path

EXPORTS = {
    "French": "24/03/2024 à 18:05 - A: one\n24/03/2024 à 18:06 - B: two\n",
    "Spanish": "24/3/24, 6:05 p. m. - A: one\n24/3/24, 6:06 p. m. - B: two\n",
    "Chinese": "[2024/3/24 下午6:05:00] A: one\n[2024/3/24 下午6:06:00] B: two\n",
    "Korean Android": "2024년 3월 24일 오후 6:05, A : one\n2024년 3월 24일 오후 6:06, B : two\n",
    "Korean iPhone": "[2024. 3. 24. 오후 6:05:00] A: one\n[2024. 3. 24. 오후 6:06:00] B: two\n",
    "Japanese": "2024/03/24 18:05 - A: one\n2024/03/24 18:06 - B: two\n",
    "Swedish": "2024-03-24 18:05 - A: one\n2024-03-24 18:06 - B: two\n",
    "Dutch": "24-03-2024 18:05 - A: one\n24-03-2024 18:06 - B: two\n",
    "Finnish": "[24.3.2024 klo 18.05.00] A: one\n[24.3.2024 klo 18.06.00] B: two\n",
    "Danish": "24.03.2024 18.05 - A: one\n24.03.2024 18.06 - B: two\n",
    "South African": "2024/03/24, 18:05 - A: one\n2024/03/24, 18:06 - B: two\n",
    "Arabic": "٢٤\u200f/٣\u200f/٢٠٢٤، ٦:٠٥ م - A: one\n٢٤\u200f/٣\u200f/٢٠٢٤، ٦:٠٦ م - B: two\n",
    "Hindi": "24/03/24, 6:05 अपराह्न - A: one\n24/03/24, 6:06 अपराह्न - B: two\n",
    "Hebrew": "24.3.2024, 18:05 - A: one\n24.3.2024, 18:06 - B: two\n",
    "American, 24 hours": "3/24/24, 18:05 - A: one\n3/24/24, 18:06 - B: two\n",
    "Windows line ends": "24.03.24, 18:05 - A: one\r\n24.03.24, 18:06 - B: two\r\n",
}


@pytest.mark.parametrize("region", EXPORTS)
def test_region(tmp_path: Path, region: str) -> None:
    path = tmp_path / "WhatsApp Chat.txt"
    path.write_text(EXPORTS[region], encoding="utf-8", newline="")
    assert spoken(memories(path, home=tmp_path)) == [
        ("A", "2024-03-24T17:05:00Z", "one"),
        ("B", "2024-03-24T17:06:00Z", "two"),
    ]


def test_a_new_name_of_the_group_is_nobody_s_word(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat mit Tour.txt"
    path.write_text(
        "24.03.24, 18:05 - Anna hat den Gruppennamen zu „Tour: neu“ geändert.\n"
        "24.03.24, 18:06 - Anna: Hallo\n"
    )
    assert [who for who, _, _ in spoken(memories(path, home=tmp_path))] == ["Anna"]
