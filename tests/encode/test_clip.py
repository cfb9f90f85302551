from __future__ import annotations

import json
import shutil
import struct
import sys
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import huggingface_hub
import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnxruntime.quantization import quantize_dynamic
from PIL import Image

from graphmemix.encode.clip import ClipEncoder
from graphmemix.encode.pictures import decode_picture
from graphmemix.encode.protocol import Encoder, Matrix
from graphmemix.errors import EncoderError, InvalidDataError, InvalidInputError, MissingExtraError
from tests.encode import tiny_clip
from tests.encode.tiny_clip import COLOURS, encoded, halves, picture

LAYOUTS = get_args(tiny_clip.Layout)
ORIENTATION = 0x0112


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_clip.build(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> ClipEncoder:
    return ClipEncoder(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A model that a test may damage."""
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def change_json(path: Path, **values: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def same(a: Matrix, b: Matrix, within: float = 1e-6) -> bool:
    return bool(np.allclose(a, b, atol=within))


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


# Pictures


def test_resized_copies_are_nearly_the_same(encoder: ClipEncoder) -> None:
    original = halves("red", "blue", (640, 480))
    copies = [original.resize(size) for size in ((320, 240), (80, 60), (1280, 960))]
    files = [encoded(original), *(encoded(each, "JPEG", quality=70) for each in copies)]
    rows = encoder.images(files)
    assert (rows @ rows[0]).min() > 0.99


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_exif_orientation_is_applied(
    encoder: ClipEncoder, orientation: int, file_format: str
) -> None:
    upright = halves("red", "blue")
    upright.paste("white", (0, 0, 32, 32))  # no symmetry
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = upright.transpose(undo[orientation]) if orientation in undo else upright
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    options: dict[str, dict[str, Any]] = {
        "JPEG": {"quality": 100, "subsampling": 0},
        "WEBP": {"lossless": True},
    }
    file = encoded(stored, file_format, exif=exif, **options.get(file_format, {}))
    assert same(encoder.images([file]), encoder.images([encoded(upright)]), within=0.01)


def test_turned_pictures_differ(encoder: ClipEncoder) -> None:
    rows = encoder.images(
        [encoded(halves("red", "blue")), encoded(halves("red", "blue").rotate(90))]
    )
    assert rows[0] @ rows[1] < 0.9


def test_damaged_exif_leaves_the_pixels(encoder: ClipEncoder) -> None:
    file = picture(
        "red", file_format="JPEG", quality=95, exif=b"Exif\0\0II*\0\x08\0\0\0\xff\xff\x12\x01"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow says what it found
        assert same(encoder.images([file]), encoder.images([picture("red")]), within=0.01)


def sixteen_bits(value: int) -> Image.Image:
    return Image.fromarray(np.full((40, 48), value, dtype=np.uint16))


def clear(colour: str, alpha: int) -> Image.Image:
    image = Image.new("RGB", (48, 40), colour).convert("RGBA")
    image.putalpha(alpha)
    return image


def transparent_palette() -> bytes:
    image = Image.new("P", (48, 40), 0)
    image.putpalette([0, 0, 255, 255, 0, 0])
    return encoded(image, "GIF", transparency=0)


def animation(file_format: str) -> bytes:
    first, second = Image.new("RGB", (48, 40), "red"), Image.new("RGB", (48, 40), "blue")
    options = {"lossless": True} if file_format == "WEBP" else {}
    return encoded(first, file_format, save_all=True, append_images=[second], **options)


MODES: dict[str, tuple[Callable[[], bytes], tuple[int, int, int]]] = {
    "1": (lambda: encoded(Image.new("1", (48, 40), 1)), (255, 255, 255)),
    "L": (lambda: encoded(Image.new("L", (48, 40), 64)), (64, 64, 64)),
    "L with one clear grey": (
        lambda: encoded(Image.new("L", (48, 40), 64), transparency=64),
        (255, 255, 255),
    ),
    "LA": (lambda: encoded(Image.new("LA", (48, 40), (0, 128))), (127, 127, 127)),
    "P": (lambda: encoded(Image.new("RGB", (48, 40), "red").convert("P")), (255, 0, 0)),
    "P with a clear entry": (transparent_palette, (255, 255, 255)),
    "RGBA clear": (lambda: encoded(clear("red", 0)), (255, 255, 255)),
    "RGBA half": (lambda: encoded(clear("red", 127)), (255, 128, 128)),
    "RGBA full": (lambda: encoded(clear("red", 255), "WEBP", lossless=True), (255, 0, 0)),
    "CMYK": (lambda: encoded(Image.new("CMYK", (48, 40), (0, 255, 255, 0)), "TIFF"), (255, 0, 0)),
    "CMYK JPEG": (
        lambda: encoded(Image.new("CMYK", (48, 40), (255, 0, 255, 0)), "JPEG"),
        (0, 255, 0),
    ),
    "YCbCr": (lambda: encoded(Image.new("YCbCr", (48, 40), (76, 85, 255)), "TIFF"), (254, 0, 0)),
    "LAB": (lambda: encoded(Image.new("LAB", (48, 40), (255, 128, 128)), "TIFF"), (255, 255, 255)),
    "16 bits, white": (lambda: encoded(sixteen_bits(65535)), (255, 255, 255)),
    "16 bits, dark": (lambda: encoded(sixteen_bits(64 * 257), "TIFF"), (64, 64, 64)),
    "32 bits": (lambda: encoded(Image.new("I", (48, 40), 200), "TIFF"), (200, 200, 200)),
    "float of 0 … 1": (lambda: encoded(Image.new("F", (48, 40), 0.5), "TIFF"), (128, 128, 128)),
    "float of 0 … 255": (lambda: encoded(Image.new("F", (48, 40), 99.0), "TIFF"), (99, 99, 99)),
    "float, all black": (lambda: encoded(Image.new("F", (48, 40), -1.0), "TIFF"), (0, 0, 0)),
    "BMP": (lambda: picture("lime", file_format="BMP"), (0, 255, 0)),
    "animated GIF": (lambda: animation("GIF"), (255, 0, 0)),
    "animated PNG": (lambda: animation("PNG"), (255, 0, 0)),
    "animated WebP": (lambda: animation("WEBP"), (255, 0, 0)),
    "many pages": (lambda: animation("TIFF"), (255, 0, 0)),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_becomes_what_people_see(encoder: ClipEncoder, mode: str) -> None:
    file, colour = MODES[mode][0](), MODES[mode][1]
    seen = decode_picture(file, "it")
    assert seen.mode == "RGB"
    assert np.asarray(seen)[20, 24].tolist() == pytest.approx(colour, abs=2)
    assert same(encoder.images([file]), encoder.images([picture(colour)]), within=0.03)


@pytest.mark.parametrize(
    "settings",
    [
        {"size": 32, "crop_size": 32},  # the oldest form
        {"size": {"shortest_edge": 40}, "crop_size": {"height": 32, "width": 32}},
        {"size": {"shortest_edge": 20}, "crop_size": 32},  # black around it
        {"size": {"height": 32, "width": 32}, "do_center_crop": False, "resample": 2},
        {"do_rescale": False, "rescale_factor": 9.0, "image_std": [127.5, 127.5, 127.5]},
        {"do_normalize": False},
    ],
)
def test_preprocessing_follows_its_file(copy: Path, settings: dict[str, Any]) -> None:
    change_json(copy / "preprocessor_config.json", **settings)
    pixels = ClipEncoder(copy)._preprocessing.pixels(halves("red", "blue", (64, 48)))
    assert pixels.shape == (3, 32, 32)
    left = pixels[:, 16, 8].tolist()
    if "do_normalize" in settings:
        assert left == pytest.approx([1, 0, 0])
    elif "do_rescale" in settings:
        assert left == pytest.approx([1.996078, -0.003922, -0.003922], abs=1e-5)
    else:
        assert left == pytest.approx([1, -1, -1], abs=0.01)
    corner = pixels[:, 0, 0].tolist()
    assert (corner == [-1, -1, -1]) == (settings.get("size") == {"shortest_edge": 20})


def test_clip_crops_and_siglip_squeezes(tmp_path: Path) -> None:
    wide = Image.new("RGB", (96, 32), "blue")
    wide.paste("red", (32, 0, 64, 32))
    red = picture("red")
    clip = ClipEncoder(tiny_clip.build(tmp_path / "clip")).images([encoded(wide), red])
    siglip = ClipEncoder(tiny_clip.build(tmp_path / "siglip", layout="siglip"))
    squeezed = siglip.images([encoded(wide), red])
    assert clip[0] @ clip[1] > 0.99
    assert squeezed[0] @ squeezed[1] < 0.5


def test_processor_config_of_newer_exports(copy: Path, encoder: ClipEncoder) -> None:
    old = copy / "preprocessor_config.json"
    nested = {"image_processor": json.loads(old.read_text()), "processor_class": "CLIPProcessor"}
    (copy / "processor_config.json").write_text(json.dumps(nested))
    old.unlink()
    assert ClipEncoder(copy).identity == encoder.identity


def test_strips_do_not_grow(encoder: ClipEncoder) -> None:
    # Without a cut, 32 x 1,600,000 pixels.
    strip = Image.new("RGB", (50_000, 1), "blue")
    strip.paste("red", (24_000, 0, 26_000, 1))
    rows = encoder.images([encoded(strip), encoded(strip.rotate(90, expand=True)), picture("red")])
    assert (rows @ rows[2]).min() > 0.99
    assert encoder._preprocessing._resized_to_shortest(strip).size == (128, 32)


@pytest.mark.parametrize("fault", ["empty", "text", "cut PNG", "cut JPEG", "flipped bits", "EPS"])
def test_a_corrupt_picture_is_named(encoder: ClipEncoder, fault: str) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 255, (50, 50, 3), dtype=np.uint8))
    png, jpeg = encoded(noise), encoded(noise, "JPEG")
    corrupt = {
        "empty": b"",
        "text": b"this is not a picture",
        "cut PNG": png[: len(png) // 2],
        "cut JPEG": jpeg[: len(jpeg) // 2],
        "flipped bits": png[:60] + bytes(255 - byte for byte in png[60:90]) + png[90:],
        "EPS": encoded(Image.new("RGB", (9, 9)), "EPS"),
    }[fault]
    with pytest.raises(InvalidDataError, match=r"images\[17\]"):
        encoder.images([picture("red")] * 17 + [corrupt, picture("red")])


def png_header(width: int, height: int) -> bytes:
    """A picture of a few bytes that claims to be huge."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("side", [10_000, 100_000])
@pytest.mark.parametrize("warned", [True, False])
def test_decompression_bombs_are_refused(encoder: ClipEncoder, side: int, *, warned: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if warned else "error")
        with pytest.raises(InvalidDataError, match=r"images\[1\].*pixels"):
            encoder.images([picture("red"), png_header(side, side)])


# Identity


def test_identity_is_the_same_in_any_folder(encoder: ClipEncoder, copy: Path) -> None:
    assert encoder.identity.startswith("clip:clip:")
    assert ClipEncoder(copy).identity == encoder.identity
    assert ClipEncoder(copy, batch=3, threads=1).identity == encoder.identity


def test_identity_tells_the_name_of_the_original(copy: Path) -> None:
    change_json(copy / "config.json", _name_or_path="openai/clip-vit-base-patch32")
    assert ClipEncoder(copy).identity.startswith("clip:openai/clip-vit-base-patch32:")
    change_json(copy / "config.json", _name_or_path="/home/someone/clip")
    assert ClipEncoder(copy).identity.startswith("clip:clip:")


def change_a_weight(folder: Path, name: str) -> None:
    path = folder / "onnx" / name
    model = onnx.load(path)
    weight = next(w for w in model.graph.initializer if w.name.endswith("_matrix"))
    array = numpy_helper.to_array(weight).copy()
    array[0, 0] += 1e-3
    weight.CopyFrom(numpy_helper.from_array(array, weight.name))
    onnx.save(model, path)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: change_a_weight(folder, "text_model.onnx"),
        lambda folder: change_a_weight(folder, "vision_model.onnx"),
        lambda folder: (folder / "onnx/vision_model.onnx_data").write_bytes(b"large weights"),
        lambda folder: change_json(folder / "preprocessor_config.json", resample=2),
        lambda folder: change_json(folder / "tokenizer_config.json", model_max_length=70),
        lambda folder: change_json(folder / "config.json", model_type="siglip"),
        lambda folder: tiny_clip.tokenizer(siglip=True).save(str(folder / "tokenizer.json")),
    ],
)
def test_identity_changes_with_all_that_makes_vectors(
    encoder: ClipEncoder, copy: Path, change: Callable[[Path], None]
) -> None:
    change(copy)
    assert ClipEncoder(copy).identity != encoder.identity


def test_identity_ignores_what_makes_no_vectors(encoder: ClipEncoder, copy: Path) -> None:
    (copy / "README.md").write_text("about")
    (copy / "onnx/text_model_fp16.onnx").write_bytes(b"another variant")
    change_json(copy / "config.json", transformers_version="9")
    assert ClipEncoder(copy).identity == encoder.identity


# Damaged and missing files


FILES = (
    "config.json",
    "preprocessor_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "onnx/text_model.onnx",
    "onnx/vision_model.onnx",
)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        (name, damage)
        for name in FILES
        for damage in ("missing", "empty", "cut", "noise")
        if (name, damage) != ("tokenizer_config.json", "missing")  # the one that may be missing
    ],
)
def test_a_bad_file_is_named(copy: Path, name: str, damage: str) -> None:
    path = copy / name
    if damage == "missing":
        path.unlink()
    else:
        good = path.read_bytes()
        path.write_bytes(
            {"empty": b"", "cut": good[: len(good) // 2], "noise": b"\xff\0no"}[damage]
        )
    with pytest.raises(EncoderError, match=Path(name).name):
        ClipEncoder(copy).images([picture("red")])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": {"shortest_edge": 32}, "do_center_crop": False}, "one size"),
        ({"do_resize": False}, "one size"),
        ({"size": {"longest_edge": 32}, "do_center_crop": False}, "one size"),
        ({"size": {"height": 40, "width": 40}}, "not supported"),
        ({"size": -3}, "size"),
        ({"image_std": [1.0, 0.0, 1.0]}, "image_std"),
        ({"image_mean": [1.0]}, "image_mean"),
        ({"resample": 17}, "resample"),
    ],
)
def test_impossible_preprocessing_is_refused(
    copy: Path, settings: dict[str, Any], message: str
) -> None:
    change_json(copy / "preprocessor_config.json", **settings)
    with pytest.raises(EncoderError, match=rf"preprocessor_config\.json.*{message}"):
        ClipEncoder(copy)


def rename_value(path: Path, old: str, new: str) -> None:
    model = onnx.load(path)
    for value in (*model.graph.input, *model.graph.output):
        value.name = new if value.name == old else value.name
    for node in model.graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        node.output[:] = [new if name == old else name for name in node.output]
    onnx.save(model, path)


def test_a_graph_without_known_outputs_is_refused(copy: Path) -> None:
    rename_value(copy / "onnx/text_model.onnx", "text_embeds", "last_hidden_state")
    with pytest.raises(EncoderError, match=r"text_model\.onnx.*text_embeds, pooler_output"):
        ClipEncoder(copy)


def test_a_graph_with_unknown_inputs_is_refused(copy: Path) -> None:
    rename_value(copy / "onnx/vision_model.onnx", "pixel_values", "patches")
    with pytest.raises(EncoderError, match=r"vision_model\.onnx.*patches"):
        ClipEncoder(copy).images([picture("red")])


def test_towers_of_different_spaces_are_refused(copy: Path) -> None:
    path = copy / "onnx/vision_model.onnx"
    model = onnx.load(path)
    for weight in model.graph.initializer:
        if weight.name in {"image_matrix", "image_bias"}:
            array = numpy_helper.to_array(weight)[..., :7]
            weight.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), weight.name))
    for known in (True, False):
        axis = model.graph.output[0].type.tensor_type.shape.dim[1]
        axis.Clear()
        if known:
            axis.dim_value = 7
        else:
            axis.dim_param = "width"
        onnx.save(model, path)
        with pytest.raises(EncoderError, match=r"vision_model\.onnx.*7.*projection"):
            ClipEncoder(copy).images([picture("red")])


def test_the_dimension_is_measured_if_the_graph_does_not_tell(copy: Path) -> None:
    path = copy / "onnx/text_model.onnx"
    model = onnx.load(path)
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_param = "width"
    onnx.save(model, path)
    assert ClipEncoder(copy).dimension == tiny_clip.DIMENSION


def test_a_model_that_computes_nonsense_is_refused(copy: Path) -> None:
    path = copy / "onnx/text_model.onnx"
    model = onnx.load(path)
    table = next(weight for weight in model.graph.initializer if weight.name == "table")
    array = numpy_helper.to_array(table).copy()
    array[tiny_clip.vocabulary(siglip=False)["blue"]] = np.nan
    table.CopyFrom(numpy_helper.from_array(array, "table"))
    onnx.save(model, path)
    with pytest.raises(EncoderError, match=r"texts\[1\].*not finite"):
        ClipEncoder(copy).texts(["red", "blue"])


def test_pictures_of_another_size_than_the_graph_wants(copy: Path) -> None:
    change_json(copy / "preprocessor_config.json", size=30, crop_size=30)
    with pytest.raises(EncoderError, match=r"vision_model\.onnx: the model failed"):
        ClipEncoder(copy).images([picture("red")])


def test_half_precision_graphs_get_half_precision(copy: Path) -> None:
    path = copy / "onnx/vision_model.onnx"
    model = onnx.load(path)
    graph = model.graph
    graph.input[0].name = "pixel_values"
    graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    cast = onnx.helper.make_node("Cast", ["pixel_values"], ["wide"], to=onnx.TensorProto.FLOAT)
    graph.node[0].input[0] = "wide"
    graph.node.insert(0, cast)
    onnx.save(model, copy / "onnx/vision_model_fp16.onnx")
    shutil.copy(copy / "onnx/text_model.onnx", copy / "onnx/text_model_fp16.onnx")
    encoder = ClipEncoder(copy, variant="fp16")
    assert (encoder.texts(["red"]) @ encoder.images([picture("red")]).T)[0, 0] > 0.99


def test_impossible_arguments(folder: Path) -> None:
    with pytest.raises(InvalidInputError, match="batch"):
        ClipEncoder(folder, batch=0)
    with pytest.raises(InvalidInputError, match="variant"):
        ClipEncoder(folder, variant="../x")
    with pytest.raises(EncoderError, match=r"text_model_q4\.onnx.*text_model\.onnx"):
        ClipEncoder(folder, variant="q4")
    for gone in ("no such folder", "a/b/c", Path("owner/name"), "./owner/name"):
        with pytest.raises(EncoderError, match="no such folder"):
            ClipEncoder(gone)


# The hub


class Hub:
    """Stands in for the hub's client: knows one model, downloads into a cache."""

    def __init__(self, model: Path, cache: Path) -> None:
        self.model, self.cache = model, cache
        self.downloads: list[list[str]] = []
        self.asked: list[bool] = []

    def __call__(
        self, name: str, *, revision: str | None, allow_patterns: list[str], local_files_only: bool
    ) -> str:
        self.asked.append(local_files_only)
        if local_files_only and not self.cache.is_dir():
            raise FileNotFoundError("not cached")
        if name != "someone/tiny-clip":
            raise OSError(f"404 for {name} at {revision}")
        if not local_files_only:
            self.downloads.append(allow_patterns)
            for path in self.model.rglob("*"):
                inside = path.relative_to(self.model)
                if path.is_file() and any(Path(inside).match(rule) for rule in allow_patterns):
                    (self.cache / inside).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, self.cache / inside)
        return str(self.cache)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_hub_name_is_fetched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: tiny_clip.Layout
) -> None:
    model = tiny_clip.build(tmp_path / "model", layout=layout)
    for extra in ("model.safetensors", "onnx/text_model_fp16.onnx"):
        (model / extra).parent.mkdir(exist_ok=True)
        (model / extra).write_bytes(b"large")
    hub = Hub(model, tmp_path / "cache")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub)
    encoder = ClipEncoder("someone/tiny-clip", revision="main")
    assert encoder.identity == ClipEncoder(model).identity
    assert not list((tmp_path / "cache").rglob("*fp16*"))
    assert not list((tmp_path / "cache").rglob("*.safetensors"))
    fetched = len(hub.downloads)
    ClipEncoder("someone/tiny-clip")
    assert len(hub.downloads) == fetched


def test_a_hub_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub = Hub(tmp_path, tmp_path / "cache")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub)
    with pytest.raises(EncoderError, match=r"someone/else.*cannot be fetched.*404"):
        ClipEncoder("someone/else")
    assert hub.asked == [True, False]


def test_the_hub_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"graphmemix\[hub\]"):
        ClipEncoder("someone/tiny-clip")


def test_no_name_is_looked_up_if_the_folder_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*args: object, **options: object) -> str:
        raise AssertionError

    monkeypatch.setattr(huggingface_hub, "snapshot_download", no_network)
    monkeypatch.chdir(folder.parent.parent)
    ClipEncoder(f"{folder.parent.name}/{folder.name}")
