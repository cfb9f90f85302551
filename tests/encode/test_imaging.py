from __future__ import annotations

import json
import struct
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from graphmemix.encode.clip import ClipEncoder
from graphmemix.errors import InvalidDataError
from graphmemix.imaging import decode_picture
from tests.encode import tiny_clip
from tests.encode.tiny_clip import change_json, encoded, halves, picture, same

ORIENTATION = 0x0112


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


@pytest.mark.parametrize("fault", ["empty", "text", "head of a PNG", "head of a JPEG", "EPS"])
def test_a_corrupt_picture_is_named(encoder: ClipEncoder, fault: str) -> None:
    corrupt = {
        "empty": b"",
        "text": b"this is not a picture",
        "head of a PNG": encoded(Image.new("RGB", (9, 9)))[:20],
        "head of a JPEG": encoded(Image.new("RGB", (9, 9)), "JPEG")[:20],
        "EPS": encoded(Image.new("RGB", (9, 9)), "EPS"),
    }[fault]
    with pytest.raises(InvalidDataError, match=r"images\[17\]"):
        encoder.images([picture("red")] * 17 + [corrupt, picture("red")])


@pytest.mark.parametrize("file_format", ["PNG", "JPEG"])
def test_a_cut_off_picture_is_encoded_as_far_as_it_goes(
    encoder: ClipEncoder, file_format: str
) -> None:
    whole = encoded(Image.new("RGB", (64, 64), "red"), file_format)
    rows = encoder.images([whole, whole[:-20]])
    assert float(rows[0] @ rows[1]) > 0.5


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
