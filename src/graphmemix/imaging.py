"""From an encoded picture to pixels as people see them."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import cache
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.errors import InvalidDataError, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from PIL import Image

__all__ = ["allowing_truncated", "decode_picture", "quiet_decoders", "register_heif"]

# Pillow hands these to other programs (EPS to Ghostscript) or to the operating system.
_REFUSED_FORMATS: Final = frozenset({"EPS", "WMF"})


def decode_picture(data: bytes, name: str) -> Image.Image:
    """Return a picture as people see it: its first frame, upright, RGB, transparency on white.

    Of a truncated one, what is there.

    Args:
        data: The encoded file.
        name: What to call it in an error.

    Raises:
        InvalidDataError: It is no picture, is damaged, or has more pixels than Pillow's limit
            (``PIL.Image.MAX_IMAGE_PIXELS``).
    """
    from PIL import Image, UnidentifiedImageError

    bombs = (Image.DecompressionBombError, Image.DecompressionBombWarning)
    try:
        try:
            return _decoded(data, name)
        except (InvalidDataError, UnidentifiedImageError, MemoryError, *bombs):
            raise
        except Exception:  # noqa: BLE001  # decoders raise anything on damaged input
            with allowing_truncated():
                return _decoded(data, name)
    except InvalidDataError:
        raise
    except bombs as error:
        raise InvalidDataError(f"{name}: too many pixels: {error}") from error
    except UnidentifiedImageError as error:
        raise InvalidDataError(f"{name}: not a picture in a known format") from error
    except Exception as error:  # decoders raise anything on damaged input
        raise InvalidDataError(f"{name}: a damaged picture: {reason_of(error)}") from error


def _decoded(data: bytes, name: str) -> Image.Image:
    from PIL import Image

    Image.init()
    register_heif()
    formats = [known for known in Image.OPEN if known not in _REFUSED_FORMATS]
    with Image.open(BytesIO(data), formats=formats) as image:
        _require_few_pixels(image, name)
        with quiet_decoders(image.format or ""):
            image.load()
        _turn_upright(image)
        return _as_rgb(image)


_FLAG = Lock()
_STDERR = Lock()


@contextmanager
def allowing_truncated() -> Iterator[None]:
    """Let Pillow fill what is missing of a picture. Its flag is one for the whole process."""
    from PIL import ImageFile

    with _FLAG:
        before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, True
        try:
            yield
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = before


@contextmanager
def quiet_decoders(format_name: str) -> Iterator[None]:
    """Keep libtiff from writing about damage to standard error, over what is shown there."""
    if format_name != "TIFF":
        yield
        return
    with _STDERR:
        try:
            kept = os.dup(2)
        except OSError:  # there is none
            kept = None
        if kept is None:
            yield
            return
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 2)
            os.close(nowhere)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@cache
def register_heif() -> bool:
    """Let Pillow read HEIC; return whether it can, which takes the extra ``heic``."""
    try:
        import pillow_heif
    except ImportError:
        return False
    pillow_heif.register_heif_opener(thumbnails=False)
    return True


def _require_few_pixels(image: Image.Image, name: str) -> None:
    from PIL.Image import MAX_IMAGE_PIXELS as LIMIT

    # Pillow itself only warns up to twice its limit.
    if LIMIT is not None and image.width * image.height > LIMIT:
        raise InvalidDataError(
            f"{name}: {image.width} x {image.height} pixels, and Pillow's limit is {LIMIT}"
        )


def _turn_upright(image: Image.Image) -> None:
    from PIL import ImageOps

    with suppress(Exception):  # with damaged EXIF the pixels are fine as they are
        ImageOps.exif_transpose(image, in_place=True)


def _as_rgb(image: Image.Image) -> Image.Image:
    from PIL import Image, ImageCms

    if image.mode.startswith("I") or image.mode == "F":
        image = Image.fromarray(_eight_bits(np.asarray(image, dtype=np.float64), image.mode))
    if image.has_transparency_data:
        seen = image.convert("RGBA")
        paper = Image.new("RGB", seen.size, "white")
        paper.paste(seen, mask=seen.getchannel("A"))
        return paper
    if image.mode == "LAB":
        screen = ImageCms.createProfile("sRGB")
        lab = ImageCms.createProfile("LAB")
        converted = ImageCms.profileToProfile(image, lab, screen, outputMode="RGB")
        return converted or image.convert("RGB")
    return image.convert("RGB")


def _eight_bits(values: NDArray[np.float64], mode: str) -> NDArray[np.uint8]:
    """Scale grey values of 16 bits and more, and floats, to 0 … 255; Pillow would cut them."""
    values = np.nan_to_num(values, posinf=0.0, neginf=0.0).clip(min=0.0)
    top = float(values.max())
    whites = [65535.0] if mode.startswith("I;16") else [1.0, 255.0, 65535.0]
    if mode == "I":
        whites = whites[1:]
    white = next((white for white in whites if top <= white), top)
    return np.rint(values * (255.0 / white)).astype(np.uint8)
