from __future__ import annotations

import dataclasses
import inspect
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix import InvalidDataError, Media, Memory, Place, Question, evidence, memory
from graphmemix.evidence import Edge
from graphmemix.memory import Description, Reference
from graphmemix.record import Record

RECORDS = [
    cls
    for module in (memory, evidence)
    for _, cls in inspect.getmembers(module, inspect.isclass)
    if issubclass(cls, Record) and cls is not Record and cls.__module__ == module.__name__
]

MOMENT = datetime(2023, 7, 14, 18, 30, 5, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))


def a_memory() -> Memory:
    picture = Media(
        "image", "0" * 64, "image/jpeg", "a\nb.jpg", description=Description(ocr="EXIT")
    )
    return Memory(
        id="m1",
        kind="message",
        text="Zażółć 🦷 \u0000",
        timestamp=MOMENT,
        place=Place("Nice", 43.7, 7.25),
        media=(picture,),
        references=(Reference("reply_to", "<1@x>"),),
        metadata={"a": [1, 2.5, None, {"b": True}]},
    )


moments = st.datetimes(
    max_value=datetime(9999, 12, 31),  # noqa: DTZ001  # later ones do not exist in UTC
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=-3, minutes=-30))]),
)
st.register_type_strategy(datetime, moments)
st.register_type_strategy(
    Place,
    st.builds(Place, st.text(), st.floats(-90, 90), st.floats(-180, 180))
    | st.builds(Place, st.text()),
)
texts = st.text(max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
sha256s = st.text("0123456789abcdef", min_size=64, max_size=64)
media = st.builds(
    Media,
    modality=st.sampled_from(["text", "image", "video", "audio"]),
    sha256=st.none() | sha256s,
    duration=st.none() | st.floats(0, 1e6),
)
memories = st.builds(
    Memory,
    id=st.text(min_size=1, max_size=20),
    text=texts,
    media=st.lists(media, max_size=2).map(tuple),
    references=st.lists(st.builds(Reference), max_size=2).map(tuple),
    metadata=st.dictionaries(texts, json_values, max_size=3),
)


@given(memories)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_memory_is_the_same_after_json_and_back(original: Memory) -> None:
    assert Memory.from_json(original.to_json()) == original


@given(st.binary(), texts.filter(str.strip))
def test_bytes_go_through_json(data: bytes, text: str) -> None:
    question = Question(text, (evidence.QuestionImage(data),))
    assert Question.from_json(question.to_json()) == question


def test_a_whole_trace_is_the_same_after_json_and_back() -> None:
    node = evidence.EvidenceNode("a", 0.8)
    child = evidence.EvidenceNode("b", 0.2, "a", "new_fact", 0.79)
    block = evidence.Block(1, "a", "<1@x>", ("text", "image"), "words", media=a_memory().media)
    trace = evidence.Trace(
        question=Question("when?", asked_at=MOMENT, history=(evidence.Turn("user", "hi"),)),
        profile="default",
        candidates=(
            evidence.Candidate("a", 0.7, 0),
            evidence.Candidate("b", 0.1, via=(evidence.Provenance("a", "same_round", 0.99),)),
        ),
        anchors=("a",),
        supports=(evidence.Support("a", 4.0, 0.8),),
        increments=(evidence.Increment("b", "a", 4.0, "new_fact", 0.79, ("same_round",)),),
        forest=evidence.Forest(
            (evidence.EvidenceTree((node, child)),), ("a", "b"), 0.7, "exact", True
        ),
        packet=evidence.Packet((block,), dropped_media=(("b", "x.jpg"),)),
        answer=evidence.Answer("then", (evidence.Citation("a", "words"),), answerable=0.9),
        costs=(evidence.StageCost("retrieve", 0.01),),
        repairs={"unknown_id": 2},
    )
    assert evidence.Trace.from_json(trace.to_json()) == trace
    assert trace.forest is not None
    assert trace.forest.memory_ids == ("a", "b")
    assert trace.forest.trees[0].root == node


def test_the_time_zone_survives() -> None:
    read = Memory.from_json(a_memory().to_json())
    assert read.timestamp is not None
    assert read.timestamp.utcoffset() == timedelta(hours=5, minutes=30)


@pytest.mark.parametrize("cls", RECORDS)
def test_every_record_is_frozen_and_documented(cls: type[Record]) -> None:
    assert vars(cls)["__dataclass_params__"].frozen
    assert cls.__doc__ is not None
    assert not cls.__doc__.startswith(f"{cls.__name__}(")
    fields = vars(cls)["__dataclass_fields__"]
    undocumented = [
        name for name in fields if "Attributes:" in cls.__doc__ and name not in cls.__doc__
    ]
    assert not undocumented


def test_assignment_is_refused() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        a_memory().text = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"surprise": 1}, "surprise"),
        ({"kind": "dream"}, "kind"),
        ({"sequence": "3"}, "sequence"),
        ({"sequence": 1.5}, "sequence"),
        ({"timestamp": "2023-07-14T18:30:05"}, "time zone"),
        ({"timestamp": "yesterday"}, "timestamp"),
        ({"id": ""}, "id"),
        ({"place": {"name": "x", "latitude": 91.0, "longitude": 0.0}}, "latitude"),
        ({"place": {"name": "x", "latitude": 1.0, "longitude": None}}, "or neither"),
        ({"media": [{"modality": "image", "sha256": "../../etc/passwd"}]}, "sha256"),
        ({"media": "x"}, "media"),
    ],
)
def test_json_that_is_not_the_record_is_refused_by_field(
    change: dict[str, object], named: str
) -> None:
    data = json.loads(a_memory().to_json()) | change
    with pytest.raises(InvalidDataError, match=named):
        Memory.from_json(json.dumps(data))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\ud800", b"\xff"])
def test_what_is_not_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidDataError, match="not a Memory"):
        Memory.from_json(text)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidDataError, match="kind"):
        Memory.from_json('{"id": "x"}')


@pytest.mark.parametrize("longitude", [-180.0, 180.0])
def test_the_date_line_is_a_place(longitude: float) -> None:
    assert Place("", 0.0, longitude).longitude == longitude


def test_a_question_needs_words_or_a_picture() -> None:
    with pytest.raises(InvalidDataError, match="text or an image"):
        Question("  ")
    assert Question(images=(evidence.QuestionImage(b"x"),)).text == ""


def test_a_question_needs_time_zones() -> None:
    naive = datetime(2023, 1, 1)  # noqa: DTZ001
    with pytest.raises(InvalidDataError, match="as_of"):
        Question("x", as_of=naive)


def test_an_edge_has_its_lower_id_first() -> None:
    with pytest.raises(InvalidDataError, match="lower than"):
        Edge("b", "a", "semantic", 0.5)
    with pytest.raises(InvalidDataError, match="to itself"):
        Edge("a", "a", "semantic", 0.5)


def test_modalities_come_text_first_without_repeats() -> None:
    pictures = (Media("image"), Media("video"), Media("image"))
    assert Memory("m", "message", "x", media=pictures).modalities == ("text", "image", "video")
    assert Memory("m", "photo", media=pictures[:1]).modalities == ("image",)
