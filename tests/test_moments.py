"""Moments at both ends of the calendar, with every offset, wherever they come in."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import MAXYEAR, UTC, datetime, timedelta, timezone
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from graphmemix import Archive, Memory, Question
from graphmemix.errors import GraphMemixError, InvalidDataError
from graphmemix.evidence import Trace
from graphmemix.ingest.jsonl import JsonLines
from graphmemix.integrations.tools import OpenArchiveAccess, call_tool
from graphmemix.record import require_moment
from graphmemix.retrieve.constraints import Constraints, find_constraints
from graphmemix.retrieve.facets import stated_days
from graphmemix.retrieve.question import described
from graphmemix.store import import_archive
from graphmemix.store.records import Filter
from graphmemix.text.dates.about import About
from tests.cli.commands import make_family, quiet_home, run
from tests.ingest.reading import met as met_by_walker
from tests.ingest.reading import read_anyway, written
from tests.serve.servers import fill, serving

MINUTES = st.integers(-24 * 60 + 1, 24 * 60 - 1)
NAIVE = st.datetimes() | st.one_of(
    st.datetimes(max_value=datetime(1, 1, 9)),  # noqa: DTZ001
    st.datetimes(min_value=datetime(9999, 12, 23)),  # noqa: DTZ001
    st.sampled_from([datetime.min, datetime.max]),  # noqa: DTZ901
)
MOMENTS = st.builds(
    lambda naive, minutes: naive.replace(tzinfo=timezone(timedelta(minutes=minutes))),
    NAIVE,
    MINUTES,
)
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
TOO_EARLY = datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))
TOO_LATE = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-12)))
WORDS = st.sampled_from(
    (
        "on 31.12.9999|before 1.1.0001|since 9999-12-31|in the year 9999|next 9999 years|"
        "in 9999 days|"
        "9999 years ago|1000000000 years ago|yesterday|next week|last summer|this decade|tonight|"
        "the week of 12/31/9999|between 1.1.0001 and 31.12.9999|two weeks after 31.12.9999|in May|"
        "am 31.12.9999|vor 9999 Jahren|seit 1.1.0001|nächste Woche|letzten Winter|zu Weihnachten|"
        "le 31/12/9999|il y a 9999 ans|la semaine prochaine|l'été dernier|avant le 01/01/0001|"
        "el 31/12/9999|hace 9999 años|la semana que viene|el verano pasado|antes del 1/1/0001|"
        "0000-00-00|week 53 of 9999|the 9990s|" + "9" * 5000
    ).split("|")
)
ANY = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
FEW = settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
"""Where each example goes through a whole archive, command or server."""


def exists_in_utc(moment: datetime) -> bool:
    with suppress(OverflowError):
        return bool(moment.astimezone(UTC))
    return False


@ANY
@given(MOMENTS)
@example(TOO_EARLY)
@example(TOO_LATE)
@example(FIRST)
@example(LAST)
def test_a_moment_is_taken_if_it_exists_in_utc(moment: datetime) -> None:
    if exists_in_utc(moment):
        require_moment("it", moment)
        memory = Memory.new("note", "x", timestamp=moment)
        assert Memory.from_json(memory.to_json()) == memory
        assert Filter(since=moment, until=moment, as_of=moment).since == moment
        assert Question("x", as_of=moment).as_of == moment
    else:
        for make in (
            lambda: require_moment("it", moment),
            lambda: Memory("id", "note", timestamp=moment),
            lambda: Memory.new("note", timestamp=moment),
            lambda: Filter(since=moment),
            lambda: Filter(until=moment),
            lambda: Filter(as_of=moment),
            lambda: Question("x", as_of=moment),
        ):
            with pytest.raises(InvalidDataError, match="outside the years 1 to 9999 in UTC"):
                make()


@pytest.mark.parametrize("moment", [datetime(2024, 1, 1), datetime.max])  # noqa: DTZ001, DTZ901
def test_a_moment_needs_a_zone(moment: datetime) -> None:
    with pytest.raises(InvalidDataError, match=r"^it: .* has no time zone$"):
        require_moment("it", moment)


@ANY
@given(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), st.none() | MOMENTS)
def test_any_question_is_read_at_any_time(text: str, asked_at: datetime | None) -> None:
    found = find_constraints(text, asked_at)
    described(found)
    assert Constraints.from_json(found.to_json()) == found
    for moment in (FIRST, LAST):
        share = found.match(Memory("m", "note", timestamp=moment)).time
        assert share is None or 0 <= share <= 1


@pytest.mark.parametrize(
    "text", ["on 31.12.9999", "am 31.12.9999", "le 31/12/9999", "el 31/12/9999", "on 12/31/9999"]
)
def test_a_day_without_an_end_is_no_date(text: str) -> None:
    assert find_constraints(text, datetime(2024, 5, 17, tzinfo=UTC)).times == ()


def test_the_day_before_the_last_is_a_date() -> None:
    [time] = find_constraints("on 30.12.9999", None).times
    assert (time.start.year, time.end.day) == (MAXYEAR, 31)


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """An archive with the first and the last moment that there is."""
    with Archive.open(tmp_path_factory.mktemp("edges") / "a", encoder="hashing") as archive:
        archive.add(
            [
                Memory("first", "event", "The world begins at Easter.", timestamp=FIRST),
                Memory(
                    "now",
                    "note",
                    "The key is with Olga.",
                    timestamp=datetime(2024, 5, 17, tzinfo=UTC),
                ),
                Memory("last", "event", "The contract ends 1 January.", timestamp=LAST),
            ]
        )
        yield archive


@FEW
@given(text=WORDS, asked_at=MOMENTS, filtered=MOMENTS)
def test_any_question_has_a_typed_outcome(
    edges: Archive, text: str, asked_at: datetime, filtered: datetime
) -> None:
    asked = Question(f"Where is the key {text}?", asked_at=asked_at)
    if exists_in_utc(asked_at):
        trace = edges.recall(asked)
        assert edges.trace(trace.id) == Trace.from_json(trace.to_json())
    else:
        with pytest.raises(InvalidDataError, match=r"question\.asked_at"):
            edges.recall(asked)
    with suppress(InvalidDataError):
        edges.recall(Question(f"What ends {text}?", asked_at=asked_at, as_of=filtered))
    with suppress(InvalidDataError):
        edges.recall("What ends?", filter=Filter(since=filtered))


@FEW
@given(moment=MOMENTS)
def test_filters_agree_with_the_calendar(edges: Archive, moment: datetime) -> None:
    if exists_in_utc(moment):
        since = [memory.id for memory in edges.find(Filter(since=moment))]
        until = [memory.id for memory in edges.find(Filter(until=moment))]
        assert [*until, *since] == ["first", "now", "last"]


def test_what_has_the_last_moments_is_listed_exported_and_erased(
    edges: Archive, tmp_path: Path
) -> None:
    assert [memory.id for memory in edges.find()] == ["first", "now", "last"]
    stats = edges.store.stats()
    assert (stats.first, stats.last) == (FIRST, LAST)
    with quiet_home(tmp_path):
        folder = tmp_path / "copy"
        edges.store.backup(folder)
        listed = run("list", folder)
        assert (listed.code, listed.out.count("\n")) == (0, 4)
        assert run("export", folder, tmp_path / "exported").code == 0
        with Archive.open(tmp_path / "other", encoder="hashing") as other:
            assert import_archive(tmp_path / "exported", other.store) == 3
            assert [memory.id for memory in other.find()] == ["first", "now", "last"]
        assert run("rebuild", folder).code == 0
        assert run("erase", folder, "first", "last", "--yes").code == 0
        assert run("stats", folder).code == 0


@FEW
@given(moment=MOMENTS, named=st.booleans())
@example(moment=TOO_LATE, named=False)
@example(moment=TOO_EARLY, named=True)
def test_a_line_with_an_impossible_time_costs_only_itself(
    tmp_path: Path, moment: datetime, *, named: bool
) -> None:
    odd = {"kind": "note", "text": "odd", "timestamp": moment.isoformat()}
    rows = [{"kind": "note", "text": "a"}, odd | ({"id": "odd"} if named else {}), {"kind": "note"}]
    text = "\n".join(map(json.dumps, rows))
    memories, skipped = read_anyway(JsonLines(), met_by_walker(written(tmp_path, "x.jsonl", text)))
    if exists_in_utc(moment):
        assert [memory.timestamp for memory in memories] == [None, moment, None]
    else:
        assert len(memories) == 2
        assert [each.name for each in skipped] == ["x.jsonl line 2"]
        assert "years 1 to 9999" in skipped[0].reason


TEXTS = [
    "0001-01-01",
    "9999-12-31",
    TOO_EARLY.isoformat(),
    TOO_LATE.isoformat(),
    FIRST.isoformat(),
    LAST.isoformat(),
]
COMMANDS = [
    ("list", "--since"),
    ("list", "--until"),
    ("recall", "the key last week", "--asked-at"),
    ("recall", "the key", "--as-of"),
    ("ask", "the key on 31.12.9999", "--asked-at"),
    ("candidates", "the key yesterday", "--asked-at"),
    ("update", "key", "--when"),
]


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_family(tmp_path_factory.mktemp("family") / "family")


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Anchorage"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_take_or_refuse_any_moment_by_name(
    family: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...],
    zone: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        with quiet_home(tmp_path):
            for text in TEXTS:
                ran = run(command[0], family, *command[1:], text)
                assert ran.code in {0, 2}, ran.err
                assert ran.code == 0 or f"{command[-1]}: " in ran.err
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_refused_option_says_why(family: Path, tmp_path: Path) -> None:
    with quiet_home(tmp_path):
        ran = run("list", family, "--since", TOO_EARLY.isoformat())
        assert ran.err == (
            "graphmemix: --since: 0001-01-01T00:00:00+14:00 is outside the years 1 to 9999 in UTC\n"
        )
        assert (
            "--asked-at: 0001-01-01" in run("recall", family, "x", "--asked-at", "0001-01-01").err
        )


@FEW
@given(moment=MOMENTS, option=st.sampled_from(COMMANDS))
def test_commands_take_any_moment_with_an_offset(
    family: Path, tmp_path: Path, moment: datetime, option: tuple[str, ...]
) -> None:
    with quiet_home(tmp_path):
        ran = run(option[0], family, *option[1:], moment.isoformat())
    assert (ran.code == 0) == exists_in_utc(moment), ran.err


@FEW
@given(moment=MOMENTS, text=WORDS)
def test_tools_have_a_typed_outcome(edges: Archive, moment: datetime, text: str) -> None:
    access = OpenArchiveAccess(edges)
    calls = [
        ("recall", {"question": text, "since": moment.isoformat()}),
        ("ask", {"question": text, "until": moment.isoformat()}),
    ]
    for name, arguments in calls:
        with suppress(GraphMemixError):
            asyncio.run(call_tool(name, arguments, access))


def test_a_tool_adds_nothing_at_an_impossible_time(edges: Archive) -> None:
    before = edges.store.count()
    with pytest.raises(InvalidDataError, match="years 1 to 9999"):
        asyncio.run(
            call_tool(
                "add_memory", {"text": "x", "when": TOO_LATE.isoformat()}, OpenArchiveAccess(edges)
            )
        )
    assert edges.store.count() == before


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("serve")
    fill(folder / "home", "quokka")
    with serving(folder) as live, live.client() as found:
        yield found


@FEW
@given(moment=MOMENTS, text=WORDS)
@example(moment=TOO_LATE, text="on 31.12.9999")
@example(moment=TOO_EARLY, text="yesterday")
def test_the_server_never_fails_at_a_moment(
    client: httpx.Client, moment: datetime, text: str
) -> None:
    at, base = moment.isoformat(), "/v1/archives/home"
    refused = 422 if not exists_in_utc(moment) else 200
    for name in ("since", "until", "as_of"):
        assert client.get(f"{base}/memories", params={name: at}).status_code == refused
        body = {"text": "tooth", "filter": {name: at}}
        assert client.post(f"{base}/search", json=body).status_code == refused
    asked = {"question": {"text": text, "asked_at": at}}
    assert client.post(f"{base}/recall", json=asked).status_code == refused
    asked = {"question": {"text": text, "as_of": at}}
    assert client.post(f"{base}/recall", json=asked).status_code == refused


@pytest.mark.parametrize("moment", [TOO_EARLY, TOO_LATE])
@pytest.mark.parametrize("named", [{}, {"id": "odd"}], ids=["new", "named"])
def test_the_server_refuses_a_memory_by_its_time(
    client: httpx.Client, moment: datetime, named: dict[str, str]
) -> None:
    memory = {"kind": "note", "text": "x", "timestamp": moment.isoformat(), **named}
    for reply in (
        client.post("/v1/archives/home/memories", json={"memories": [memory]}),
        client.put("/v1/archives/home/memories/odd", json=memory),
    ):
        assert reply.status_code == 422
        assert "memory.timestamp" in reply.json()["detail"]


@pytest.mark.parametrize("end", ["0001-01-01T00:00:00+00:00", "0001-01-01", "9999-12-31T23:59:59"])
def test_the_days_of_an_event_at_the_ends_of_the_calendar(end: str) -> None:
    event = Memory("e", "event", "Always", timestamp=FIRST, metadata={"end": end})
    days = stated_days(event)
    assert days == (() if end.startswith("9999") else (About(FIRST.date(), FIRST.date()),))
