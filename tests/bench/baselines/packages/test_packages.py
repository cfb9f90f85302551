"""Packages of other projects as baselines.

How they are run is tested with a small package of our own; the real ones by `make test-slow`, each
in an environment of its own.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from importlib.util import find_spec

import pytest

from graphmemix.errors import InvalidInputError, MissingExtraError, SettingsError
from graphmemix.evidence import Question
from graphmemix.llm import Message, Options, ScriptedChat
from graphmemix_bench.baselines import Found, MemoryJournal
from graphmemix_bench.baselines.catalogue import BaselineParts, names_of, open_baseline
from graphmemix_bench.baselines.packages import PACKAGES
from graphmemix_bench.baselines.packages.bridge import Bridge
from graphmemix_bench.baselines.packages.frame import PackageNames, PackageSystem
from tests.bench.baselines.archive import memories, parts


class Shelf:
    """A package that finds texts by the words they share with a question, each twice."""

    def __init__(self, folder: str, bridge: Bridge, parts: BaselineParts) -> None:
        self.bridge = bridge
        self.texts: dict[str, str] = {}

    async def store(self, slots: Sequence[str], texts: Sequence[str]) -> None:
        assert not self.bridge.asking
        self.texts = dict(zip(slots, texts, strict=True))

    async def search(self, text: str, count: int) -> Sequence[tuple[str, float, str]]:
        assert self.bridge.asking
        words = set(text.lower().split())
        scores = {slot: len(words & set(said.lower().split())) for slot, said in self.texts.items()}
        ranked = sorted(scores, key=lambda slot: -scores[slot])
        return [(slot, float(scores[slot]), self.texts[slot]) for slot in ranked for _ in "12"][
            :count
        ]


NAMES = PackageNames("shelf", "Shelf", "pytest", "made for a test", needs_model=False)


def asked(question: Question, budget: int = 3) -> Found:
    """What the small package finds in the small archive."""

    async def run() -> Found:
        built = await PackageSystem(NAMES, parts(), Shelf).build(memories(), MemoryJournal())
        return await built.find(question, budget)

    return asyncio.run(run())


def test_results_are_memories_each_once_within_the_budget() -> None:
    found = asked(Question("when does the ferry to hvar leave"))
    assert found.picks[0] == "m0"
    assert len(found.picks) == len(set(found.picks)) == 3
    assert "ferry to Hvar" in found.words["m0"]


def test_a_memory_from_after_the_question_is_not_found() -> None:
    until = datetime(2024, 5, 2, tzinfo=UTC)
    found = asked(Question("the vet near the harbour", as_of=until), 10)
    assert "m3" not in found.picks
    assert "m0" in found.picks


def test_a_silent_memory_is_not_stored() -> None:
    assert "p1" not in asked(Question("photo"), 10).picks


def test_the_cost_of_a_build_is_kept_once() -> None:
    journal = MemoryJournal()
    system = PackageSystem(NAMES, parts(), Shelf)
    asyncio.run(system.build(memories(), journal))
    first = journal.rows["build"]
    asyncio.run(system.build(memories(), journal))
    assert journal.rows["build"] is first
    assert [cost.stage for cost in first.costs] == ["write"]


def test_an_empty_archive_finds_nothing() -> None:
    async def run() -> Found:
        built = await PackageSystem(NAMES, parts(), Shelf).build((), MemoryJournal())
        return await built.find(Question("anything"), 3)

    assert asyncio.run(run()).picks == ()


def test_a_report_names_the_version() -> None:
    head = PackageSystem(NAMES, parts(), Shelf).head
    assert head.title == f"Shelf, package {metadata.version('pytest')}"
    assert head.differs == "the package itself; made for a test."


def test_a_package_that_is_not_installed_names_its_extra() -> None:
    missing = PackageNames("shelf", "Shelf", "no-such-distribution", "")
    with pytest.raises(MissingExtraError, match="baselines-shelf"):
        PackageSystem(missing, parts(), Shelf)


def test_a_package_that_needs_a_model_says_so() -> None:
    needy = PackageNames("shelf", "Shelf", "pytest", "")
    with pytest.raises(SettingsError, match="needs a model"):
        PackageSystem(needy, parts(), Shelf)


def test_packages_are_meant_only_by_name() -> None:
    assert not set(PACKAGES) & set(names_of(["all"], model=True))
    assert names_of(["mempalace"], model=False) == ("mempalace",)
    with pytest.raises(InvalidInputError, match="mempalace"):
        names_of(["nobody"], model=False)


def facts(messages: Sequence[Message], options: Options) -> str:
    """Say what the packages ask for: one fact of mem0, entities of LightRAG, keywords."""
    text = messages[-1].text
    if options.format is not None and "memory" in json.dumps([m.text for m in messages]):
        said = text.splitlines()[-1][:200]
        return json.dumps({"facts": [said], "memory": [{"id": "0", "text": said, "event": "ADD"}]})
    if "keywords" in text and "{" in text:
        words = re.findall(r"[A-Z][a-z]+", text)[-3:]
        return json.dumps({"high_level_keywords": words, "low_level_keywords": words})
    return ""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # theirs
@pytest.mark.parametrize("name", [name for name in PACKAGES if find_spec(name)])
def test_an_installed_package_stores_and_finds(name: str) -> None:
    async def run() -> tuple[Found, int]:
        system = open_baseline(name, parts(ScriptedChat(facts)))
        journal = MemoryJournal()
        built = await system.build(memories(), journal)
        found = await built.find(Question("When does the ferry to Hvar leave?"), 5)
        return found, sum(cost.calls for cost in journal.rows["build"].costs)

    found, calls = asyncio.run(run())
    assert found.error == ""
    assert "m0" in found.picks
    assert len(found.picks) == len(set(found.picks)) <= 5
    assert (calls == 0) is (name == "mempalace")
