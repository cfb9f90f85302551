"""Keys of days, places, numbers and people: the same however an archive came about."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.memory import Description, Media, Memory, Place, Reference
from graphmemix.relate.person_keys import PREFIXES, person_keys
from graphmemix.retrieve.facets import ABOUT, ALBUM, CELL, NAME, NUMBER, facet_keys
from graphmemix.retrieve.reach import HitLink, Reach
from graphmemix.retrieve.relations import stays_away
from graphmemix.settings import ReachSettings
from tests.archives import opened, require_rebuilt, scene
from tests.store.conftest import Postgres, postgres  # noqa: F401  # a fixture

NOON = datetime(2023, 7, 14, 12, tzinfo=UTC)
SORTS = (ABOUT, ALBUM, CELL, NAME, NUMBER, *PREFIXES)
IDS = [f"m{i}" for i in range(6)]
TEXTS = (
    "",
    "Your stay\n\nfrom 10 to 12 July 2023, booking PT-88213",
    "Re: stay\n\nFine, see you tomorrow.\n\nOn Mon, 10 July 2023, Ben wrote:\n> PT-88213\n",
    "My sister Lena called about order PT-88213.",
    "The party is on 20 July 2023.",
)
MEMORIES = st.builds(
    Memory,
    st.sampled_from(IDS),
    st.sampled_from(["message", "email", "photo", "event", "contact", "note"]),
    st.sampled_from(TEXTS),
    source_id=st.sampled_from(["", "<x>"]),
    speaker=st.sampled_from([None, "Olga Weber <olga@example.org>", "Ben"]),
    timestamp=st.sampled_from([None, 0, 1, 40]).map(
        lambda days: None if days is None else NOON + timedelta(days=days)
    ),
    place=st.sampled_from([None, Place("Bled", 46.36, 14.09), Place("", 46.4, 14.1)]),
    media=st.sampled_from(
        [
            (),
            (Media("image", description=Description(ocr="VALID 14.07.2023")),),
            (Media("image", name="Fotos/IMG_2034.HEIC"),),
        ]
    ),
    references=st.sampled_from([(), (Reference("reply_to", "<x>"),)]),
    metadata=st.sampled_from([{}, {"to": "Ben Adler <ben@example.org>"}, {"album": "2023/Bled"}]),
)
CHANGES = st.lists(
    st.one_of(
        st.lists(MEMORIES, min_size=1, max_size=3, unique_by=lambda memory: memory.id),
        st.lists(st.sampled_from(IDS), max_size=2),
    ),
    max_size=6,
)


def change(archive: Archive, changes: list[list[Memory] | list[str]]) -> None:
    for each in changes:
        archive.erase([part for part in each if isinstance(part, str)])
        added = [part for part in each if isinstance(part, Memory)]
        known = archive.store.get_many(memory.id for memory in added)
        archive.add([memory for memory in added if memory.id not in known])
        for memory in added:
            if memory.id in known:
                archive.update(memory)


def require_own_keys(archive: Archive) -> None:
    """Every memory has the keys that it says, and nobody has others."""
    everybody = list(archive.store.find())
    kept = archive.store.keys([memory.id for memory in everybody])
    for memory in everybody:
        found = {key for key in kept.get(memory.id, set()) if key.startswith(SORTS)}
        assert found == {*facet_keys(memory), *person_keys(memory)}
    named = {f"{sort}{name}" for sort in SORTS for name in archive.store.key_names(sort)}
    assert named == {key for keys in kept.values() for key in keys if key.startswith(SORTS)}


def followed(archive: Archive) -> set[HitLink]:
    """What every memory leads to: the relations that are worked out for a question."""
    ids = [memory.id for memory in archive.store.find()]
    every = ReachSettings(stating_hits=len(ids), nearby_hits=len(ids), fetched=100)
    stays = stays_away(archive.store.key_days(CELL))
    return set(Reach(archive.store, every, None).around(ids, stays=stays))


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],  # explaining takes minutes
)
@given(changes=CHANGES)
def test_keys_are_the_same_after_any_changes_and_gone_after_an_erasure(
    changes: list[list[Memory] | list[str]],
) -> None:
    with (
        TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder,
        opened(Path(folder) / "a") as archive,
    ):
        change(archive, changes)
        require_own_keys(archive)
        links = followed(archive)
        require_rebuilt(archive)
        assert followed(archive) == links
        archive.erase([memory.id for memory in archive.store.find()])
        assert list(archive.store.key_names("")) == []
        assert archive.store.key_days("") == []
        assert archive.store.years() == range(0)


def test_an_update_leaves_no_key_of_what_was_there(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as archive:
        archive.add([Memory("m", "note", TEXTS[1], timestamp=NOON)])
        assert list(archive.store.key_names(NUMBER)) == ["PT88213"]
        archive.update(Memory("m", "note", TEXTS[4], timestamp=NOON))
        assert list(archive.store.key_names(NUMBER)) == []
        assert list(archive.store.key_names(ABOUT)) == ["2023-07-20"]


SECRETS = ("1987-11-23", "Zanzibar", "Quorlimbo", "QX-77120", "QX77120", "Weddingalbum", "zx_8081")


def secret(archive: Archive) -> Memory:
    """A memory whose every facet is told by nothing else."""
    shown = archive.media.put(scene("red", seed=3)).sha256
    return Memory(
        "secret",
        "email",
        "Claim QX-77120\n\nMy sister Quorlimbo stays from 23 November 1987 on.",
        timestamp=NOON,
        speaker="Quorlimbo Weber <quorlimbo@example.org>",
        place=Place("Zanzibar", -6.16, 39.19),
        media=(Media("image", sha256=shown, name="ZX_8081.jpg"),),
        metadata={"album": "Weddingalbum", "subject": "Claim QX-77120"},
    )


def kept_texts(folder: Path) -> str:
    files = (path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return b"\n".join(files).decode("latin-1").casefold()


def test_no_file_holds_a_time_place_alias_or_number_of_what_was_erased(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as archive:
        archive.add([Memory("other", "note", "The key is with Olga.", timestamp=NOON)])
        archive.add([secret(archive)])
        archive.recall("Who stays?", save=False)
        before = kept_texts(tmp_path / "a")
        assert [each for each in SECRETS if each.casefold() not in before] == []
        archive.erase(["secret"])
    after = kept_texts(tmp_path / "a")
    assert [each for each in SECRETS if each.casefold() in after] == []


def test_no_table_holds_a_time_place_alias_or_number_of_what_was_erased(
    postgres: Postgres,  # noqa: F811  # the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # of media
    server = postgres.new_database()

    def rows() -> str:
        named = "SELECT tablename FROM pg_tables WHERE schemaname NOT LIKE 'pg_%'"
        tables = [name for (name,) in server.execute(named) if not name.startswith("sql_")]
        return repr(
            [server.execute(f'SELECT t::text FROM "{name}" t') for name in tables]
        ).casefold()

    with Archive.open(f"{server.url}#a", encoder=HashingEncoder()) as archive:
        archive.add([secret(archive)])
        before = rows()
        assert [each for each in SECRETS if each.casefold() not in before] == []
        archive.erase(["secret"])
        after = rows()
    assert [each for each in SECRETS if each.casefold() in after] == []


def test_an_archive_of_an_earlier_version_gets_its_keys_when_it_is_encoded_again(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a") as archive:
        archive.add([Memory("m", "note", TEXTS[1], timestamp=NOON, metadata={"album": "Bled"})])
        kept = archive.store.keys(["m"])
    with sqlite3.connect(tmp_path / "a" / "archive.db") as database:
        for sort in (ABOUT, ALBUM, NUMBER):
            database.execute("DELETE FROM relation_keys WHERE name LIKE ?", (f"{sort}%",))
    database.close()
    with opened(tmp_path / "a", HashingEncoder(64)) as archive:
        assert archive.store.key_names(ABOUT) == []
        archive.reencode()
        assert archive.store.keys(["m"]) == kept
