"""Names of feasts that people write alike in many languages; the rest is in each vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


def _eid(*names: str) -> str:
    """Return how Arabic names are spelt: eid al-fitr, eid ul fitr, Aïd el-Fitr."""
    return ", ".join(
        f"{eid}{gap}{article}{hyphen}{name}"
        for name in names
        for eid in ("eid", "aid", "id")
        for article in ("al", "ul", "el")
        for gap, hyphen in ((" ", "-"), (" ", " "), ("-", "-"))
    )


FEAST_NAMES: Final[Mapping[str, str]] = {
    "diwali": "diwali, deepavali, deepawali, divali, dipavali, dipawali",
    "holi": "holi",
    "ramadan": "ramadan, ramadhan, ramzan, ramazan",
    "eid al-fitr": f"eid, {_eid('fitr')}",
    "eid al-adha": f"{_eid('adha', 'kebir', 'kabir')}, bakrid, bakra eid, kurban bayramı, tabaski",
    "lunar new year": "tết, tết nguyên đán, seollal",
    "passover": "pesach, pessach, pesah, pessah, pésaj",
    "rosh hashanah": (
        "rosh hashanah, rosh hashana, rosch haschana, rosch ha-schana, roch hachana, "
        "roch hachanah, rosh ha-shanah"
    ),
    "yom kippur": "yom kippur, yom kipur, yom kippour, jom kippur",
    "hanukkah": (
        "hanukkah, hanukah, hanukka, chanukah, chanukkah, chanukka, hanoucca, hanouka, hanoukka, "
        "janucá, januká"
    ),
    "nowruz": "nowruz, nowrouz, noruz, norouz, norooz, nouruz, newroz, nevruz, navroz",
    "thanksgiving": "thanksgiving",
}
"""As in `Vocabulary`: phrases separated by commas."""

PERSONAL: Final = frozenset({"eid", "lucia"})
"""Those that are names of people as well, as folded."""
