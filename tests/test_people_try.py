"""What people try in Python, in a notebook, with pandas and with agents: each works, or says why.

A table of ordinary things, one test each, named by what is tried. The command line has its own in
`tests/cli/test_people_try.py`.
"""

from __future__ import annotations

import asyncio
import copy
import csv
import dataclasses
import io
import json
import pickle
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from graphmemix import (
    Answer,
    Archive,
    ArchiveClosedError,
    Filter,
    Forest,
    GraphMemixError,
    HashingEncoder,
    InvalidDataError,
    InvalidInputError,
    Memory,
    MemoryNotFoundError,
    Place,
    Question,
    ScriptedChat,
    Settings,
    Trace,
    TraceNotFoundError,
)
from graphmemix.evidence import EvidenceRow
from graphmemix.integrations.openai_tools import call, definitions
from graphmemix.text.dates.given import period_of
from tests.answering import KEY as HOUSEHOLD_KEY
from tests.answering import household

KEY = "Who has our spare key?"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """An empty archive whose zone is that of Vienna."""
    settings = Settings.load(environment={}, overrides={"ingest.zone": "Europe/Vienna"})
    with Archive.open(tmp_path / "family", encoder=HashingEncoder(), settings=settings) as opened:
        yield opened


@pytest.fixture
def family(archive: Archive) -> Archive:
    """The same with a few memories."""
    archive.add(
        [
            {
                "id": "key",
                "kind": "message",
                "text": "I gave your spare key to Olga",
                "speaker": "Ruth Berger",
                "timestamp": "2023-08-12T11:00",
                "session": "family",
                "sequence": 1,
            },
            {
                "id": "good",
                "kind": "message",
                "text": "Good idea, she is next door <b>anyway</b>",
                "speaker": "Lena",
                "timestamp": "2023-08-12T11:01",
                "session": "family",
                "sequence": 2,
            },
            {
                "id": "photo",
                "kind": "photo",
                "timestamp": "2022-05-03T09:00",
                "place": {"name": "Malcesine", "latitude": 45.76, "longitude": 10.81},
                "media": [{"modality": "image", "name": "hook.jpg",
                           "description": {"caption": "A spare key on a hook"}}],
            },
            {"id": "tooth", "text": "Mia lost her first tooth."},
        ]
    )  # fmt: skip
    return archive


def found(trace: Trace) -> set[str]:
    return {row.memory for row in trace.evidence}


# The archive as a collection


def test_typing_its_name_shows_where_it_is_and_how_much_it_holds(family: Archive) -> None:
    assert repr(family) == f"<Archive {family.name}, 4 memories>"
    assert family.name.endswith("/family")


def test_len(family: Archive, archive: Archive) -> None:
    assert len(family) == 4
    assert len(archive) == 4


def test_an_empty_archive_is_true(archive: Archive) -> None:
    assert len(archive) == 0
    assert archive


def test_a_loop_over_it_yields_memories_by_time(
    family: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmemix.archive.archive._PAGE", 2)  # several pages
    assert [memory.id for memory in family] == ["photo", "key", "good", "tooth"]


def test_in_with_an_id_a_memory_or_anything(family: Archive) -> None:
    assert "key" in family
    assert family["key"] in family
    assert "nobody" not in family
    assert 5 not in family


def test_square_brackets(family: Archive) -> None:
    assert family["key"].speaker == "Ruth Berger"
    with pytest.raises(KeyError, match="there is no memory 'nobody'"):
        _ = family["nobody"]


def test_stats(family: Archive) -> None:
    assert family.stats().kinds == {"message": 2, "note": 1, "photo": 1}


# Adding


def test_adding_one_memory_without_a_list(archive: Archive) -> None:
    memory = Memory.new("note", "The spare key is with Olga.")
    assert archive.add(memory).new == (memory.id,)
    assert archive.add([memory]).known == (memory.id,)


def test_adding_plain_words_twice_is_one_note(archive: Archive) -> None:
    archive.add("Remember the milk")
    archive.add("Remember the milk")
    [note] = archive
    assert (note.kind, note.text, note.timestamp) == ("note", "Remember the milk", None)


def test_adding_several_words_and_a_generator(archive: Archive) -> None:
    assert len(archive.add(["one", "two"]).new) == 2
    assert len(archive.add(f"note {i}" for i in range(3)).new) == 3


def test_adding_a_dict_or_several(archive: Archive) -> None:
    archive.add({"kind": "message", "text": "Hello", "speaker": "Mia"})
    archive.add([{"text": "a note"}, {"id": "mine", "text": "with its own id"}])
    assert {memory.kind for memory in archive} == {"message", "note"}
    assert archive["mine"].text == "with its own id"


def test_rows_of_a_csv_file_can_be_added_as_they_are(archive: Archive) -> None:
    table = "kind,text,timestamp\nnote,Keys are with Olga,2023-05-01\nnote,Boiler,2023-06-01\n"
    archive.add(csv.DictReader(io.StringIO(table)))
    assert len(archive) == 2


def test_dates_as_people_write_them_when_adding(archive: Archive) -> None:
    vienna = timezone(timedelta(hours=2))
    for given, meant in (
        ("2023-05-01", datetime(2023, 5, 1, tzinfo=vienna)),
        ("2023-05-01T10:30", datetime(2023, 5, 1, 10, 30, tzinfo=vienna)),
        ("2023-05-01T10:30Z", datetime(2023, 5, 1, 10, 30, tzinfo=UTC)),
        (date(2023, 5, 1), datetime(2023, 5, 1, tzinfo=vienna)),
        (datetime(2023, 5, 1, 10, 30), datetime(2023, 5, 1, 10, 30, tzinfo=vienna)),  # noqa: DTZ001
        (datetime(2023, 5, 1, 10, 30, tzinfo=UTC), datetime(2023, 5, 1, 10, 30, tzinfo=UTC)),
    ):
        [new] = archive.add({"text": f"given as {given!r}", "timestamp": given}).new
        assert archive[new].timestamp == meant


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (5, "add: needs a Memory, the words of a note, a mapping"),
        (None, "not NoneType"),
        ([5], "not int"),
        ("  ", "the words are empty"),
        ({"text": "x", "when": "2023"}, "there is no field 'when'; fields are id, kind, text"),
        ({"text": "x", "kind": "dream"}, "kind: "),
        ({"text": 5}, "text: "),
        ({"text": "x", "timestamp": "soon"}, "memory.timestamp: 'soon' is not an ISO date"),
    ],
)
def test_adding_something_else_says_what_is_expected(
    archive: Archive, given: Any, words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words):
        archive.add(given)
    assert len(archive) == 0


def test_of_several_none_is_added_if_one_is_wrong(archive: Archive) -> None:
    with pytest.raises(InvalidDataError):
        archive.add(["good", {"text": "x", "kind": "dream"}])
    assert len(archive) == 0


# Memory.new


def test_words_in_the_place_of_the_kind() -> None:
    with pytest.raises(
        InvalidDataError, match=r"the kind comes before the words, as in Memory\.new"
    ):
        Memory.new("The spare key is with Olga.")  # type: ignore[arg-type]


def test_an_unknown_kind() -> None:
    with pytest.raises(InvalidDataError, match="'dream' is not one of message, email, photo"):
        Memory.new("dream", "I flew.")  # type: ignore[arg-type]


def test_a_memory_with_a_date_as_text_a_zone_and_a_place_by_name() -> None:
    memory = Memory.new(
        "note", "x", timestamp="2023-05-01T10:00", zone="Europe/Vienna", place="Como"
    )
    assert memory.timestamp == datetime(2023, 5, 1, 8, tzinfo=UTC)
    assert memory.place == Place("Como")
    assert Memory.from_json(memory.to_json()) == memory


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": 5}, "memory.text: must be a text, not int"),
        ({"speaker": 5}, "memory.speaker: must be a text or None, not int"),
        ({"timestamp": 5}, "memory.timestamp: must be a datetime, a date or an ISO text"),
        ({"timestamp": "May"}, "memory.timestamp: 'May' is not an ISO date"),
        ({"place": 5}, "memory.place: must be a Place or None, not int"),
        ({"media": "photo.jpg"}, "memory.media: must be several Media, not str"),
        ({"media": 5}, "memory.media: must be several Media, not int"),
        ({"timestamp": "2023-05-01", "zone": "Mars"}, "there is no time zone 'Mars'"),
    ],
)
def test_a_memory_with_a_wrong_field_names_it(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidDataError, match=words):
        Memory.new("note", **fields)


# Opening and closing


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"encoder": 5}, "encoder: must be an encoder, or the name of one .*, not int"),
        ({"encoder": HashingEncoder}, "encoder: .*, not the class HashingEncoder"),
        ({"encoder": "word2vec"}, "encoders: there is no 'word2vec'; installed: "),
        ({"chat": "gpt-4o"}, "chat: must be a chat model with complete"),
        ({"settings": {"forest.budget": 8}}, "settings: must be Settings, such as Settings.load"),
        ({"mode": "w"}, "mode: must be one of 'write', 'shared', 'read', not 'w'"),
    ],
)
def test_opening_with_a_wrong_part(tmp_path: Path, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        Archive.open(tmp_path / "a", **arguments)
    assert not (tmp_path / "a").exists()  # nothing was opened


def test_opening_a_number() -> None:
    with pytest.raises(InvalidInputError, match="location: must be a folder"):
        Archive.open(5)  # type: ignore[arg-type]


def test_opening_with_real_parts_works(tmp_path: Path) -> None:
    chat = ScriptedChat(["Olga has it [1]."])
    Archive.open(str(tmp_path / "a"), encoder="hashing", chat=chat).close()


def test_using_it_after_it_was_closed(family: Archive) -> None:
    family.close()
    assert repr(family).endswith("family, closed>")
    for use in (
        lambda: len(family),
        lambda: family.ask(KEY),
        lambda: family.add("x"),
        lambda: family.get("key"),
        lambda: list(family),
        lambda: family.ingest("."),
        lambda: asyncio.run(family.arecall(KEY)),
    ):
        with pytest.raises(ArchiveClosedError, match="is closed; open it again"):
            use()
    family.close()  # twice is harmless


# Questions


@pytest.mark.parametrize("question", [5, None, ["Who?"], {"question": "Who?"}])
def test_a_question_of_a_wrong_type(family: Archive, question: Any) -> None:
    with pytest.raises(InvalidInputError, match="question: must be a text or a Question, not "):
        family.ask(question)


def test_printing_the_answer(family: Archive) -> None:
    answer = family.ask(KEY).answer
    line = "“I gave your spare key to Olga” [1: message from Ruth Berger, 12 August 2023, 11:00]"
    assert str(answer).splitlines()[0] == line


def test_a_trace_and_its_parts_are_short_in_a_console(family: Archive) -> None:
    trace = family.ask(KEY)
    for value in (trace, trace.forest, trace.answer, family["key"]):
        assert len(repr(value)) < 200
        assert "\n" not in repr(value)
    assert repr(trace).startswith("<Trace of “Who has our spare key?”: “")
    assert repr(trace).endswith("(3 memories, 2 trees, 1 link)>")
    assert repr(family["key"]) == (
        "<Memory key: message, 2023-08-12, Ruth Berger: “I gave your spare key to Olga”>"
    )


class Reader(HTMLParser):
    """Reads HTML strictly enough: every tag that opens closes, and only known ones occur."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"div", "table", "thead", "tbody", "tr", "th", "td"}
        assert {name for name, _ in attrs} <= {"style"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_notebook_shows_them_as_small_html_without_script(family: Archive) -> None:
    trace = family.ask(KEY)
    for value in (trace, trace.forest, trace.answer, family["good"]):
        reader = Reader()
        reader.feed(value._repr_html_())  # type: ignore[union-attr]
        assert reader.open == []
        assert len(value._repr_html_()) < 20_000  # type: ignore[union-attr]
    reader = Reader()
    reader.feed(trace._repr_html_())
    assert "I gave your spare key to Olga" in reader.words
    assert "<b>anyway</b>" in reader.words  # as text


def test_evidence_is_a_table_of_rows(family: Archive) -> None:
    rows = family.ask(KEY).evidence
    assert [row.rank for row in rows] == [*range(1, len(rows) + 1)]
    first = next(row for row in rows if row.memory == "key")
    assert first.quote == "I gave your spare key to Olga"
    assert (first.kind, first.date, first.speaker) == ("message", "2023-08-12 11:00", "Ruth Berger")
    assert 0 <= first.chance <= 1
    for row in rows:
        assert (row.role is None) == (row.parent is None)
        assert row.quote


def test_a_linked_row_names_its_parent_by_rank(tmp_path: Path) -> None:
    with household(tmp_path / "a") as archive:
        trace = archive.recall(HOUSEHOLD_KEY)
    assert trace.forest is not None
    ranks = {memory_id: rank for rank, memory_id in enumerate(trace.forest.memory_ids, start=1)}
    parents = {
        node.memory_id: ranks[node.parent_id]
        for tree in trace.forest.trees
        for node in tree.nodes
        if node.parent_id is not None
    }
    assert parents
    assert {row.memory: row.parent for row in trace.evidence if row.role} == parents


def test_evidence_becomes_a_data_frame_as_it_is(family: Archive) -> None:
    # pandas and polars take lists of dataclasses: names of columns from the fields of the first.
    rows = family.recall(KEY).evidence
    assert all(dataclasses.is_dataclass(row) for row in rows)
    columns = [field.name for field in dataclasses.fields(rows[0])]
    assert columns[:6] == ["rank", "memory", "role", "parent", "chance", "quote"]
    plain = (str, int, float, type(None))
    values = [value for row in rows for value in dataclasses.astuple(row)]
    assert values
    assert all(isinstance(value, plain) for value in values)
    written = io.StringIO()
    table = csv.DictWriter(written, columns)
    table.writeheader()
    table.writerows(row.to_dict() for row in rows)
    assert len(written.getvalue().splitlines()) == len(rows) + 1


def test_evidence_of_nothing_is_an_empty_table(archive: Archive) -> None:
    trace = archive.ask(KEY)
    assert trace.evidence == []
    assert "no evidence" in repr(trace) or "0 memories" in repr(trace)
    assert trace._repr_html_()


def test_everything_survives_json_dicts_pickle_and_copies(family: Archive) -> None:
    trace = family.ask(KEY)
    assert trace.forest is not None
    assert trace.answer is not None
    values = [trace, trace.forest, trace.answer, family["photo"], *trace.evidence]
    for value in (*values, family.stats(), family.add("new"), Filter(kinds=("note",))):
        cls: Any = type(value)
        assert cls.from_json(value.to_json()) == value
        assert cls.from_dict(value.to_dict()) == value
        assert json.loads(json.dumps(value.to_dict())) == value.to_dict()
        assert copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(trace)) == trace


@pytest.mark.parametrize("cls", [Trace, Forest, Answer, Memory, EvidenceRow, Question])
def test_what_is_no_record_is_refused_with_the_reason(cls: Any) -> None:
    for broken in ("{", "[]", '{"nothing": 1}', 5):
        with pytest.raises(InvalidDataError, match=f"not a {cls.__name__}"):
            cls.from_json(broken)
    with pytest.raises(InvalidDataError, match=f"not a {cls.__name__}"):
        cls.from_dict({"id": object()})


def test_an_unknown_trace_is_no_unknown_memory(family: Archive) -> None:
    with pytest.raises(TraceNotFoundError, match="there is no trace 'x'"):
        family.trace("x")
    with pytest.raises(MemoryNotFoundError, match="there is no memory 'x'"):
        family.get("x")


# Filters by keyword


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ({"since": "2023"}, {"key", "good"}),
        ({"since": "2022", "until": "2023"}, {"photo"}),
        ({"since": "May 2022", "until": date(2022, 6, 1)}, {"photo"}),
        ({"until": datetime(2023, 1, 1)}, {"photo"}),  # noqa: DTZ001
        ({"since": datetime(2023, 8, 12, 9, 1, tzinfo=UTC)}, {"good"}),
        ({"since": "2023-08-12T11:01"}, {"good"}),  # by the archive's clock
        ({"kinds": "photo"}, {"photo"}),
        ({"kinds": ["photo", "note"]}, {"photo", "tooth"}),
        ({"people": "Ruth Berger"}, {"key"}),
        ({"people": "ruth"}, {"key"}),
        ({"people": ["Ruth", "Lena"]}, {"key", "good"}),
        ({"near": "Malcesine"}, {"photo"}),
        ({"near": "malcesine"}, {"photo"}),
        ({"near": (45.7, 10.8)}, {"photo"}),
        ({"near": "45.7,10.8,20"}, {"photo"}),
        ({"near": (48.2, 16.4)}, set()),
        ({"near": Place("", 45.76, 10.8)}, {"photo"}),
        ({"sessions": "family"}, {"key", "good"}),
        ({"sessions": ["family"], "people": "Lena"}, {"good"}),
        ({"filter": Filter(kinds=("message",)), "people": "Lena"}, {"good"}),
    ],
)
def test_filters_by_keyword_mean_the_same_everywhere(
    family: Archive, wanted: dict[str, Any], ids: set[str]
) -> None:
    assert {memory.id for memory in family.find(**wanted)} == ids
    assert found(family.recall("spare key or tooth", **wanted)) <= ids
    assert found(family.ask("spare key or tooth", **wanted)) <= ids
    assert found(asyncio.run(family.arecall("spare key or tooth", **wanted))) <= ids
    assert found(asyncio.run(family.aask("spare key or tooth", **wanted))) <= ids
    *_, streamed = family.stream("spare key or tooth", **wanted)
    assert isinstance(streamed, Trace)
    assert found(streamed) <= ids
    if ids:
        assert found(family.recall("spare key or tooth", **wanted))


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"since": "the other day"}, "since: 'the other day' is not a date"),
        ({"since": "05/06/2023"}, "since: .* can be read in several ways"),
        ({"until": 2023}, "until: must be a date, a datetime or a text such as .*, not int"),
        ({"kinds": "photos"}, "kinds: 'photos' is not one of message, email"),
        ({"kinds": 5}, "kinds: must be a text or several texts"),
        ({"people": "Nobody"}, "people: nothing here was written, said or taken by 'Nobody'; auth"),
        ({"near": "Atlantis"}, "near: no memory is from a place called 'Atlantis'"),
        ({"near": (95.0, 10.0)}, "near: latitude must be between"),
        ({"near": 5}, "near: must be the name of a place"),
        ({"kinds": "photo", "filter": Filter(kinds=("note",))}, "kinds: is set both in the filter"),
        ({"filter": "photo"}, "filter: must be a Filter|finds by time"),
    ],
)
def test_a_wrong_filter_says_what_is_wrong(
    family: Archive, wanted: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words):
        family.find(**wanted)
    with pytest.raises(InvalidInputError, match=words):
        family.ask(KEY, **wanted)


def test_finding_by_words_is_recall(family: Archive) -> None:
    with pytest.raises(InvalidInputError, match="use recall for words"):
        family.find("key")  # type: ignore[arg-type]


def test_yesterday_counts_from_when_the_question_is_asked(family: Archive) -> None:
    asked = datetime(2023, 8, 13, 9, tzinfo=timezone(timedelta(hours=2)))
    trace = family.recall(Question("spare key", asked_at=asked), since="yesterday", until="today")
    assert found(trace) == {"key", "good"}


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ("yesterday", "2026-11-17"),
        ("gestern", "2026-11-17"),
        ("last May", "2026-05-01"),
        ("2023", "2023-01-01"),
        ("2023-05", "2023-05-01"),
        ("May 2023", "2023-05-01"),
        ("last summer", "2026-06-01"),
        ("three weeks ago", "2026-10-26"),
    ],
)
def test_dates_in_words(words: str, start: str) -> None:
    zone = timezone(timedelta(hours=1))
    period = period_of("since", words, zone, now=datetime(2026, 11, 18, 12, tzinfo=zone))
    assert period.start.date().isoformat() == start
    assert period.start < period.end


def test_at_most_so_many_memories(family: Archive) -> None:
    assert len(family.recall(KEY, limit=1).evidence) == 1
    assert len(family.ask(KEY, limit=2).evidence) <= 2
    for limit in (0, -1, True, "3"):
        with pytest.raises(InvalidInputError, match="limit: must be a whole number of at least 1"):
            family.recall(KEY, limit=limit)  # type: ignore[arg-type]


# Changing


def test_erasing_one_by_its_id_or_as_a_memory(family: Archive) -> None:
    assert family.erase("tooth").memories == 1
    assert family.erase(family["photo"]).memories == 1
    assert len(family) == 2
    with pytest.raises(InvalidInputError, match="must be an id or several"):
        family.erase(5)  # type: ignore[arg-type]


def test_ingesting_one_path_as_a_text(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "keys.md").write_text("The spare key is with Olga.\n", "utf-8")
    assert archive.ingest(str(tmp_path / "keys.md")).new == 1
    with pytest.raises(InvalidInputError, match="there is no file or folder '/nowhere/at/all'"):
        archive.ingest("/nowhere/at/all")


def test_updating_with_something_else(family: Archive) -> None:
    with pytest.raises(InvalidInputError, match="update: needs a Memory, not str"):
        family.update("new words")  # type: ignore[arg-type]


# Agents and other frameworks


def test_langchain_respects_k_and_has_scores_and_citations(family: Archive) -> None:
    pytest.importorskip("langchain_core", reason="needs the extra langchain")
    from graphmemix.integrations.langchain import GraphMemixRetriever

    [one] = GraphMemixRetriever(archive=family, k=1).invoke(KEY)
    assert one.page_content == "Ruth Berger: I gave your spare key to Olga"
    assert one.metadata["citation"] == "message from Ruth Berger, 12 August 2023, 11:00"
    assert 0 < one.metadata["score"] <= 1
    assert one.metadata["timestamp"] == "2023-08-12T11:00:00+02:00"
    everything = GraphMemixRetriever(archive=family)
    assert len(everything.invoke(KEY, k=2)) == 2
    assert [each.id for each in everything.invoke(KEY, kinds="photo")] == ["photo"]
    assert [each.id for each in asyncio.run(everything.ainvoke(KEY, kinds="photo"))] == ["photo"]
    with pytest.raises(ValueError, match="top_k"):
        GraphMemixRetriever(archive=family, top_k=3)


def test_llamaindex_respects_similarity_top_k(family: Archive) -> None:
    pytest.importorskip("llama_index.core", reason="needs the extra llamaindex")
    from graphmemix.integrations.llamaindex import GraphMemixRetriever

    [one] = GraphMemixRetriever(family, similarity_top_k=1).retrieve(KEY)
    assert one.metadata["citation"] == "message from Ruth Berger, 12 August 2023, 11:00"
    assert one.score is not None


def test_a_model_calls_a_tool_with_dates_as_it_likes(family: Archive) -> None:
    names = [each["function"]["name"] for each in definitions(writes=False)]
    assert names == ["search", "ask", "get", "timeline"]
    result = call(family, "search", {"question": KEY, "since": "2023-01-01", "people": ["Ruth"]})
    assert result.data is not None
    [one] = result.data["memories"]
    assert one["citation"] == "message from Ruth Berger, 12 August 2023, 11:00"
    assert "> Ruth Berger: I gave your spare key to Olga" in result.text


def test_a_model_that_asks_for_nonsense_reads_what_is_wrong(family: Archive) -> None:
    assert call(family, "search", {"question": KEY, "kinds": ["dream"]}).text.startswith("error: ")
    assert "unknown tool" in call(family, "delete_everything", {}).text


def test_every_error_of_the_table_is_one_of_ours(family: Archive) -> None:
    for attempt in (
        lambda: family.ask(5),  # type: ignore[arg-type]
        lambda: family.find(since="never"),
        lambda: family["nobody"],
        lambda: Memory.new("dream"),  # type: ignore[arg-type]
        lambda: Trace.from_json("{"),
    ):
        with pytest.raises(GraphMemixError):
            attempt()
