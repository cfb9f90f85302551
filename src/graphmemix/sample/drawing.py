"""Pictures for the sample archive, drawn with Pillow: the same bytes from the same seed."""

from __future__ import annotations

import random
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from graphmemix.sample.photos import Scene, Shot

_SIZE: Final = (640, 480)
_SKIES: Final[dict[str, tuple[str, str]]] = {
    "lake": ("#7db7e8", "#2d6f97"),
    "hill": ("#a9d2f0", "#6d9b58"),
    "snow": ("#cfdbe6", "#f4f7fa"),
    "street": ("#d9cbb0", "#8c7a66"),
    "room": ("#efe2cf", "#b58e68"),
    "garden": ("#bfe0f2", "#5f8f3e"),
    "night": ("#141b33", "#3b2a45"),
    "paper": ("#fbfaf6", "#f1efe6"),
}

_THINGS: Final[dict[str, tuple[str, ...]]] = {
    "lake": ("#3f6b4f", "#5a7d66", "#7a8b8a", "#e9e4d4", "#c96f4a"),
    "hill": ("#4d7a3a", "#6f9a4b", "#8a8f86", "#b8c2a0", "#5b5148"),
    "snow": ("#ffffff", "#dfe8f0", "#7f93a8", "#39566e", "#b33a3a"),
    "street": ("#b5563c", "#d8b26e", "#6d5a4e", "#8fa3ad", "#e8dcc4"),
    "room": ("#8c5a3c", "#d9a566", "#6f8f8a", "#c7b8a3", "#a8443d"),
    "garden": ("#3f7a34", "#6fae4a", "#c9d36a", "#d46a6a", "#8a5a3a"),
    "night": ("#ff9a2e", "#ffd45e", "#e8673c", "#5a4a78", "#2a3358"),
}

# EXIF tags by number: Pillow's own names for them need an import each.
_MAKE, _MODEL, _DATE, _SOFTWARE = 0x010F, 0x0110, 0x0132, 0x0131
_EXIF, _GPS = 0x8769, 0x8825
_ORIGINAL, _OFFSET = 0x9003, 0x9011


def draw(seed: str, scene: Scene, lines: tuple[str, ...] = ()) -> Image.Image:
    """Return a picture of a scene, with lines of text on a sign if there are any."""
    chance = random.Random(seed)  # noqa: S311  # for variety, not for secrets
    top, bottom = _SKIES[scene]
    image = Image.linear_gradient("L").resize(_SIZE)
    image = Image.composite(Image.new("RGB", _SIZE, bottom), Image.new("RGB", _SIZE, top), image)
    pen = ImageDraw.Draw(image)
    if scene != "paper":
        _shapes(pen, chance, scene)
    if lines:
        _sign(pen, lines, plain=scene == "paper")
    return image


def _shapes(pen: ImageDraw.ImageDraw, chance: random.Random, scene: Scene) -> None:
    """Put a few things into the scene, so that no two pictures look alike."""
    width, height = _SIZE
    for _ in range(chance.randint(4, 9)):
        x, y = chance.randint(-40, width), chance.randint(height // 4, height)
        size = chance.randint(30, 160)
        tint = chance.choice(_THINGS[scene])
        if scene in {"hill", "snow", "lake"}:
            pen.polygon([(x, height), (x + size, y), (x + 2 * size, height)], fill=tint)
        elif scene in {"street", "room"}:
            pen.rectangle([x, y - size, x + size, y + size], fill=tint)
        else:
            pen.ellipse([x, y - size, x + size, y], fill=tint)
    if scene not in {"room", "street"}:
        sun = chance.randint(40, width - 120)
        pen.ellipse([sun, 30, sun + 70, 100], fill="#fff3b0")


def _sign(pen: ImageDraw.ImageDraw, lines: tuple[str, ...], *, plain: bool) -> None:
    width, height = _SIZE
    font = ImageFont.load_default(44 if max(map(len, lines)) < 18 else 36)
    step = 62
    top = (height - step * len(lines)) // 2
    if not plain:
        box = [60, top - 24, width - 60, top + step * len(lines) + 14]
        pen.rectangle(box, fill="#ffffff", outline="#20301f", width=6)
    for i, line in enumerate(lines):
        pen.text((width / 2, top + step * i + 20), line, fill="#101010", font=font, anchor="mm")


def photo_bytes(shot: Shot) -> bytes:
    """Return a shot as the file that a phone would have written."""
    image = draw(shot.name, shot.scene, shot.lines)
    out = BytesIO()
    if shot.name.endswith(".png"):
        image.save(out, "PNG", optimize=True)
    else:
        image.save(out, "JPEG", quality=80, exif=_exif(shot))
    return out.getvalue()


def _exif(shot: Shot) -> Image.Exif:
    exif = Image.Exif()
    if shot.is_toms:
        exif[_MAKE], exif[_MODEL] = "Pome", "Handset 12"
    else:
        exif[_MAKE], exif[_MODEL] = "Lumo", "L7"
    written = f"{shot.when:%Y:%m:%d %H:%M:%S}"
    exif[_DATE] = written
    own: dict[int, Any] = exif.get_ifd(_EXIF)
    own[_ORIGINAL] = written
    # Lena's phone writes no offset, except into what it uploads.
    if shot.is_toms or shot.note:
        own[_OFFSET] = f"{shot.when:%z}"[:3] + ":" + f"{shot.when:%z}"[3:]
    if shot.spot is not None:
        exif.get_ifd(_GPS).update(_gps(shot))
    return exif


def _gps(shot: Shot) -> dict[int, Any]:
    assert shot.spot is not None  # noqa: S101  # the caller checked
    _, latitude, longitude = shot.spot
    tags: dict[int, Any] = {1: "N", 2: _dms(latitude), 3: "E", 4: _dms(longitude)}
    if not shot.is_toms and not shot.note:
        utc = shot.when - (shot.when.utcoffset() or shot.when - shot.when)
        tags |= {7: (float(utc.hour), float(utc.minute), float(utc.second)), 29: f"{utc:%Y:%m:%d}"}
    return tags


def _dms(degrees: float) -> tuple[float, float, float]:
    whole = int(degrees)
    minutes = int((degrees - whole) * 60)
    return float(whole), float(minutes), round(((degrees - whole) * 60 - minutes) * 60, 3)
