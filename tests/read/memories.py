"""A small household, as a forest would bring it."""

from __future__ import annotations

from datetime import UTC, datetime

from graphmemix.memory import Description, Media, Memory, Place

BOOKING = Memory(
    "m-booking",
    "email",
    "Your booking\nDear Anna,\nthank you for your booking. You stay at Hotel Miramar from 2 June to"
    " 5 June 2025.\nThe price is 420 EUR in total.\nBest regards",
    speaker="Hotel Miramar",
    source_id="<1@hotel.example>",
    timestamp=datetime(2025, 5, 2, 9, 30, tzinfo=UTC),
)
ASKED = Memory(
    "m-asked",
    "message",
    "Which hotel did we take?",
    speaker="Ben",
    timestamp=datetime(2025, 6, 1, 20, 0, tzinfo=UTC),
)
TOOTH = Memory(
    "m-tooth",
    "message",
    "Mia lost her first tooth at breakfast!",
    speaker="Anna",
    timestamp=datetime(2025, 6, 3, 8, 12, tzinfo=UTC),
)
LAKE = Memory(
    "m-lake",
    "photo",
    timestamp=datetime(2025, 6, 3, 18, 0, tzinfo=UTC),
    place=Place("Malcesine"),
    media=(Media("image", "a" * 64, "image/jpeg", "IMG_1.jpg", width=400, height=300),),
)
MENU = Memory(
    "m-menu",
    "photo",
    media=(
        Media(
            "image",
            "b" * 64,
            "image/jpeg",
            "IMG_2.jpg",
            width=400,
            height=300,
            description=Description(
                "A menu on a table.", ocr="Da Gino\nMargherita 8.50 EUR\nMarinara 7.00 EUR"
            ),
        ),
    ),
)
HOUSEHOLD = (BOOKING, ASKED, LAKE, TOOTH, MENU)
