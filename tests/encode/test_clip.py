from __future__ import annotations

import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from onnxruntime.quantization import quantize_dynamic

from graphmemix.encode.clip import ClipEncoder
from graphmemix.encode.protocol import Encoder
from tests.encode import tiny_clip
from tests.encode.tiny_clip import COLOURS, encoded, halves, picture, same

LAYOUTS = get_args(tiny_clip.Layout)


# Texts and pictures in one space


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_text_finds_the_picture_of_its_colour(tmp_path: Path, layout: tiny_clip.Layout) -> None:
    encoder = ClipEncoder(tiny_clip.build(tmp_path, layout=layout))
    names = list(COLOURS)
    texts = encoder.texts([f"which picture is {name}" for name in names])
    pictures = encoder.images([picture(name) for name in names])
    assert (texts @ pictures.T).argmax(axis=1).tolist() == list(range(len(names)))
    assert (texts @ pictures.T).diagonal().min() > 0.9


def test_keeps_the_contract_of_encoders(encoder: ClipEncoder) -> None:
    contract: Encoder = encoder
    assert contract.dimension == tiny_clip.DIMENSION
    assert contract.sees_images
    rows = np.vstack([contract.texts(["red", ""]), contract.images([picture("red")])])
    assert rows.dtype == np.float32
    assert rows.shape == (3, tiny_clip.DIMENSION)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3), abs=1e-6)


def test_nothing_in_nothing_out(encoder: ClipEncoder) -> None:
    assert encoder.texts([]).shape == (0, tiny_clip.DIMENSION)
    assert encoder.images([]).shape == (0, tiny_clip.DIMENSION)


def test_progress_tells_done_and_all(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    encoder = ClipEncoder(folder, batch=2)
    encoder.texts(["red"] * 5, progress=lambda done, of: told.append((done, of)))
    assert told == [(2, 5), (4, 5), (5, 5)]
    encoder.images([picture("red")] * 3, progress=lambda done, of: told.append((done, of)))
    assert told[3:] == [(2, 3), (3, 3)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_company_in_a_batch_changes_nothing(tmp_path: Path, layout: tiny_clip.Layout) -> None:
    folder = tiny_clip.build(tmp_path, layout=layout)
    texts = ["red", "", "the blue car " * 40, "which wall is green", "日本語", "\ud800 broken"]
    pictures = [picture("red"), encoded(halves("blue", "white", (9, 300))), picture("cyan", (1, 1))]
    together, alone = ClipEncoder(folder, batch=64), ClipEncoder(folder, batch=1)
    assert np.array_equal(together.texts(texts), alone.texts(texts))
    assert np.array_equal(together.images(pictures), alone.images(pictures))
    assert np.array_equal(together.texts(texts[::-1])[::-1], alone.texts(texts))


def test_activations_quantised_on_the_fly_feel_no_company(copy: Path) -> None:
    for name in ("text_model", "vision_model"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quantize_dynamic(copy / f"onnx/{name}.onnx", copy / f"onnx/{name}_int8.onnx")
    encoder = ClipEncoder(copy, variant="int8")
    assert b"DynamicQuantize" in (copy / "onnx/text_model_int8.onnx").read_bytes()
    texts = ["red", "red red white " * 20, ""]  # the second is 60 times as strong
    alone = np.vstack([encoder.texts([text]) for text in texts])
    assert np.array_equal(encoder.texts(texts), alone)
    assert encoder.identity != ClipEncoder(copy).identity


def test_threads_may_share_an_encoder(folder: Path) -> None:
    encoder = ClipEncoder(folder)
    names = list(COLOURS)
    expected = encoder.texts(names) @ encoder.images([picture(name) for name in names]).T
    with ThreadPoolExecutor(8) as pool:
        fresh = ClipEncoder(folder)
        pictures = pool.map(lambda name: fresh.images([picture(name)])[0], names * 4)
        rows = np.array(list(pictures))
    assert same(encoder.texts(names) @ rows[:8].T, expected)
    assert same(rows[:8], rows[-8:])


# Texts


def test_long_texts_are_cut(encoder: ClipEncoder) -> None:
    filled = "a " * (tiny_clip.CLIP_LENGTH - 2)
    assert same(encoder.texts([filled + "red"]), encoder.texts([filled]))
    assert encoder.texts(["a " * 100_000]).shape == (1, tiny_clip.DIMENSION)


def test_clip_masks_its_padding_and_siglip_reads_it(tmp_path: Path) -> None:
    clip = ClipEncoder(tiny_clip.build(tmp_path / "clip"))
    siglip = ClipEncoder(tiny_clip.build(tmp_path / "siglip", layout="siglip"))
    matrix, bias = (weight for _, weight in tiny_clip.projection("text", seed=0))
    red = np.zeros(tiny_clip.FEATURES)
    red[: tiny_clip.QUARTERS] = [1] * 4 + [-1] * 8
    red[tiny_clip.PADDING_FEATURE] = tiny_clip.END
    assert same(clip.texts(["red"])[0], unit(red @ matrix + bias))
    # One token of 64 is the word; the other 63 are padding and the end.
    red[tiny_clip.PADDING_FEATURE] = 63 / 64
    assert same(siglip.texts(["red"])[0], unit(red @ matrix + bias))


def unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize(
    ("files", "length", "pad"),
    [
        ({}, 77, 1),
        ({"tokenizer_config.json": None}, 77, 1),
        ({"tokenizer_config.json": {"pad_token": {"content": "<unk>"}}}, 77, 2),
        ({"tokenizer_config.json": {"model_max_length": 1e30, "pad_token": "gone"}}, 77, 1),
        (
            {"config.json": {"text_config": {"max_position_embeddings": 20, "pad_token_id": 5}}},
            20,
            1,
        ),
        ({"config.json": {"model_type": "siglip"}, "tokenizer_config.json": None}, 64, 1),
        (
            {
                "config.json": {"model_type": "siglip", "text_config": {"pad_token_id": 0}},
                "tokenizer_config.json": None,
            },
            64,
            0,
        ),
    ],
)
def test_length_and_padding_come_from_the_files(
    copy: Path, files: dict[str, Any], length: int, pad: int
) -> None:
    for name, content in files.items():
        if content is None:
            (copy / name).unlink()
        else:
            (copy / name).write_text(json.dumps(content))
    feeds = ClipEncoder(copy)._words.feeds(["red"])
    assert feeds["input_ids"].shape == (1, length)
    assert feeds["input_ids"][0, -1] == pad


def test_padding_named_by_the_tokenizer_wins(copy: Path) -> None:
    tokenizer = tiny_clip.tokenizer(siglip=False)
    tokenizer.enable_padding(pad_id=2, pad_token="<unk>")
    tokenizer.enable_truncation(11)
    tokenizer.save(str(copy / "tokenizer.json"))
    (copy / "tokenizer_config.json").unlink()
    feeds = ClipEncoder(copy)._words.feeds(["red"])
    assert feeds["input_ids"].shape == (1, 11)
    assert feeds["input_ids"][0, -1] == 2
