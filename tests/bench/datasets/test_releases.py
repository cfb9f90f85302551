"""What public releases name in more than one way."""

from __future__ import annotations

from pathlib import Path

from graphmemix.memory import Place
from graphmemix_bench.datasets import CATALOGUE, check, count
from graphmemix_bench.datasets.base import Context
from tests.bench.datasets.files import atm, gallery, h2hmem, memeye, picture, put

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n"


def loaded(name: str, folder: Path) -> list[Context]:
    return list(CATALOGUE[name].load(folder))


def test_mem_gallery_is_found_in_each_folder_layout(tmp_path: Path) -> None:
    found = []
    for base in ("data/dialog", "benchmark/data/dialog", "dialog"):
        folder = tmp_path / base.replace("/", "-")
        put(folder / base / "one.json", gallery())
        put((folder / base).parent / "image" / "one" / "a.png", picture())
        (context,) = loaded("mem-gallery", folder)
        assert [file.path.name for file in context.files] == ["a.png"]
        found.append(context.memories)
    assert found[0] == found[1] == found[2]


def test_memeye_is_found_below_benchmark_too(tmp_path: Path) -> None:
    memeye(tmp_path / "benchmark")
    assert [each.name for each in loaded("memeye", tmp_path)] == ["Boats", "Boats_Open"]


def test_a_pointer_of_git_lfs_is_no_picture(tmp_path: Path) -> None:
    put(tmp_path / "data/dialog/one.json", gallery())
    put(tmp_path / "data/image/one/a.png", POINTER)
    put(tmp_path / "data/image/one/q.png", POINTER)
    (context,) = loaded("mem-gallery", tmp_path)
    assert context.files == ()
    (image,) = context.questions[1].question.images
    assert (image.data, image.caption) == (b"", "A sail.")


def test_pictures_that_both_halves_of_memeye_share_count_once(tmp_path: Path) -> None:
    found = count(loaded("memeye", memeye(tmp_path)))
    assert (found["history_images"], found["unique_images"]) == (4, 2)
    assert check(found, {"history_images": 2}).state == "full"


def test_h2hmem_with_all_questions_keeps_those_that_do_not_resolve(tmp_path: Path) -> None:
    h2hmem(tmp_path)
    resolved = sum(len(each.questions) for each in loaded("h2hmem", tmp_path))
    every = [q for each in loaded("h2hmem-all", tmp_path) for q in each.questions]
    assert (resolved, len(every)) == (3, 6)
    assert sum(not question.gold for question in every) == 3


def test_h2hmem_takes_captions_from_beside_the_release(tmp_path: Path) -> None:
    h2hmem(tmp_path)
    put(tmp_path / "captions.json", {"dyadic/dialogue2/session10/1.png": "A step counter."})
    context = next(each for each in loaded("h2hmem", tmp_path) if each.memories)
    by_id = {memory.id: memory for memory in context.memories}
    assert by_id["session10/1"].media[0].description.caption == "A step counter."
    assert by_id["session2/1"].media[0].description.caption == ""
    asked = next(each for each in context.questions if each.question.text == "Steps?")
    assert asked.question.images[0].caption == "A step counter."


def test_atm_reads_points_cities_entities_and_sizes(tmp_path: Path) -> None:
    atm(tmp_path)
    put(
        tmp_path / "output" / "video" / "model" / "batch_results.json",
        [
            {
                "video_path": "v/20220430_140000.mp4",
                "location": [41.5, -8.25],
                "city": "Braga",
                "entities": ["Ponte"],
                "resolution": "1920x1080",
                "caption": "Waves.",
            }
        ],
    )
    (context,) = loaded("atm-bench", tmp_path)
    video = next(memory for memory in context.memories if memory.kind == "video")
    assert video.place == Place("Braga", 41.5, -8.25)
    assert video.metadata["entities"] == ["Ponte"]
    assert (video.media[0].width, video.media[0].height) == (1920, 1080)


def test_atm_finds_the_type_of_a_question_that_names_none(tmp_path: Path) -> None:
    atm(tmp_path)
    rows = [
        {"id": "1", "question": "Which?", "answer": "20220430_132212", "evidence_ids": []},
        {"id": "2", "question": "What did it cost?", "answer": "$12.50", "evidence_ids": []},
        {"id": "3", "question": "Where was it?", "answer": "in Porto", "evidence_ids": []},
    ]
    put(tmp_path / "data" / "atm-bench" / "atm-bench.json", rows)
    (context,) = loaded("atm-bench", tmp_path)
    kinds = [question.response_type for question in context.questions if question.id in "123"]
    assert kinds == ["list", "number", "open"]
    assert "Unknown" in context.questions[0].instruction
