"""Profile `paper` finds what it always found: candidates of version ddfa09f, frozen, bit by bit.

``PYTHONPATH=EARLIER/src:. python tests/retrieve/test_paper.py`` wrote `paper_candidates.json` with
the sources of that version, for these memories and questions.
"""

from __future__ import annotations

import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.memory import Description, Media, Memory, Place
from graphmemix.settings import Settings

FROZEN = Path(__file__).with_name("paper_candidates.json")
START = datetime(2023, 7, 1, 9, tzinfo=UTC)
THINGS = ("boiler", "bicycle", "passport", "key", "cake", "tent", "piano")
PEOPLE = ("Olga", "Benedikt", "Chiara")
TOWNS = (("Bled", 46.36, 14.09), ("Rome", 41.9, 12.5))
QUESTIONS = (
    "What happened on 10 July 2023?",
    "Photos from Bled",
    "Who has the key of the boiler?",
    "What did Olga write in July 2023?",
    "Where was the passport when Chiara lost the tent?",
    "Order AB-00004",
    "Which cake did Benedikt bring to the piano?",
)


def memories() -> list[Memory]:
    return [memory(number, random.Random(number)) for number in range(120)]


def memory(number: int, chance: random.Random) -> Memory:
    kind = chance.choice(("email", "message", "photo", "event", "note"))
    who, what, other = chance.choice(PEOPLE), chance.choice(THINGS), chance.choice(THINGS)
    when = START + timedelta(hours=5 * number)
    town = Place(*chance.choice(TOWNS))
    due = when + timedelta(days=3)
    quoted = f"On Mon, Ben wrote:\n> {other}"
    text = {
        "email": f"The {what}\n\nDear {who}, order AB-{number // 6:05} of the {other} is due on "
        f"{due:%d %B %Y}.\n\nBest wishes\nBen\n\n{quoted}",
        "message": f"{who} saw the {what} beside the {other}",
        "photo": "",
        "event": f"{what.title()} with {who}",
        "note": f"The {what} is behind the {other}",
    }[kind]
    caption = f"a {what}" if number % 2 else ""
    media = (Media("image", description=Description(caption=caption)),) if kind == "photo" else ()
    return Memory(
        f"m{number:03}",
        kind,  # type: ignore[arg-type]
        text,
        timestamp=when,
        speaker=who if kind in {"email", "message"} else None,
        session=f"s{number // 20}" if kind == "message" else None,
        sequence=number if kind == "message" else None,
        place=town if kind in {"photo", "event"} else None,
        media=media,
        metadata={"subject": f"The {what}"} if kind == "email" else {},
    )


def candidates(folder: Path) -> dict[str, list[list[object]]]:
    """Return the candidates of each question: id, score to the last bit, rank, relations."""
    paper = Settings.for_profile("paper")
    with Archive.open(folder, encoder=HashingEncoder(), settings=paper) as archive:
        archive.add(memories())
        return {
            question: [
                [
                    each.memory_id,
                    each.score.hex(),
                    each.seed_rank,
                    [way.relation for way in each.via],
                ]
                for each in archive.candidates(question).candidates
            ]
            for question in QUESTIONS
        }


def test_the_candidates_are_those_of_the_earlier_version(tmp_path: Path) -> None:
    frozen = json.loads(FROZEN.read_text("utf-8"))
    assert candidates(tmp_path / "archive") == frozen


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        written = json.dumps(candidates(Path(made) / "archive"), indent=None)
    FROZEN.write_text(written.replace("]], [[", "]],\n[[") + "\n", "utf-8")
    sys.exit()
