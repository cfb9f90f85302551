from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphmemix.errors import InvalidDataError
from graphmemix.settings import Settings
from graphmemix_bench.datasets import CATALOGUE
from graphmemix_bench.fitting.training_cases import (
    AskedCase,
    fingerprint,
    fit_all,
    refit_without,
    strangers,
    was_fitted_on,
)
from graphmemix_bench.runs.context import collect
from tests.bench.talks import ENCODER, asked, written
from tests.verify.local_cases import regressions_of


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[AskedCase]:
    return asked(tmp_path_factory.mktemp("talks"))


def test_a_lesson_has_a_label_for_each_candidate(cases: list[AskedCase]) -> None:
    first = cases[0]
    assert first.question.gold == {"D1:1", "D1:2"}
    labels = {
        candidate.memory_id: label
        for candidate, label in zip(first.case.candidates, first.lesson.labels, strict=True)
    }
    assert {memory_id for memory_id, label in labels.items() if label} == first.question.gold
    assert len(labels) == 12
    assert first.lesson.group == "locomo/talk-0"
    assert first.lesson.answerable


def test_a_question_that_the_archive_cannot_answer_is_a_lesson_too(cases: list[AskedCase]) -> None:
    refused = [each for each in cases if not each.question.gold]
    assert len(refused) == 8
    assert not any(each.lesson.answerable or each.lesson.labels.any() for each in refused)


def test_coefficients_name_what_they_come_from(cases: list[AskedCase]) -> None:
    model = fit_all(cases, ENCODER.identity)
    assert model.encoder == "hashing/128"
    assert model.origin.contexts == {"locomo": ("talk-0", "talk-1", "talk-2", "talk-3")}
    assert len(model.origin.fingerprints) == 4
    assert model.origin.questions == len(cases) == 32
    assert regressions_of(model).answerable is not None


def test_strangers_ask_what_the_archive_cannot_know(tmp_path: Path) -> None:
    contexts = list(CATALOGUE["locomo"].load(written(tmp_path, 3)))
    found = strangers(contexts, 2)
    assert [each.question for each in found] == [
        contexts[0].questions[0].question,
        contexts[0].questions[6].question,
    ]
    made = collect("locomo", contexts[2], ENCODER, Settings(), found)
    assert [each.stranger for each in made] == [*[False] * 8, True, True]
    for each in made[-2:]:
        assert not each.lesson.answerable
        assert not each.lesson.labels.any()
        assert each.lesson.group == "locomo/talk-2"
    assert strangers(contexts[:1], 0) == []


def test_strangers_teach_what_no_answer_looks_like(cases: list[AskedCase], tmp_path: Path) -> None:
    contexts = list(CATALOGUE["locomo"].load(written(tmp_path)))
    foreign = [
        each
        for place, context in enumerate(contexts)
        for each in collect("locomo", context, ENCODER, Settings(), strangers(contexts, place))
        if each.stranger
    ]
    alone, both = fit_all(cases, "e"), fit_all([*cases, *foreign], "e")
    assert both.origin.questions == alone.origin.questions == 32
    ours, theirs = regressions_of(alone), regressions_of(both)
    assert theirs.node == ours.node  # of evidence they teach nothing
    assert theirs.answerable == ours.answerable  # nor of near misses
    assert alone.related is None
    assert both.related is not None


def test_a_context_is_recognised_by_name_and_by_content(
    cases: list[AskedCase], tmp_path: Path
) -> None:
    model = fit_all(cases, "e")
    content = cases[0].fingerprint
    assert was_fitted_on(model, "locomo", "talk-0", "changed since")
    assert was_fitted_on(model, "my-data", "another name", content)
    assert not was_fitted_on(model, "my-data", "talk-0", "other content")
    contexts = list(CATALOGUE["locomo"].load(written(tmp_path, 2)))
    assert fingerprint(contexts[0]) == content
    assert fingerprint(contexts[1]) != content


def test_a_context_that_is_left_out_teaches_nothing(cases: list[AskedCase]) -> None:
    def poisoned(each: AskedCase) -> AskedCase:
        if each.context != "talk-2":
            return each
        wrong = frozenset(c.memory_id for c in each.case.candidates) - each.question.gold
        return replace(each, question=replace(each.question, gold=wrong))

    clean = refit_without(cases, "locomo/talk-2", "e")
    assert refit_without([poisoned(each) for each in cases], "locomo/talk-2", "e") == clean
    assert refit_without(cases, "locomo/talk-1", "e") != clean
    wrong, right = fit_all([poisoned(each) for each in cases], "e"), fit_all(cases, "e")
    assert regressions_of(wrong).node != regressions_of(right).node


def test_where_a_refit_starts_has_no_influence(cases: list[AskedCase]) -> None:
    near = fit_all(cases, "e")
    one = refit_without(cases, "locomo/talk-0", "e")
    other = refit_without(cases, "locomo/talk-0", "e", start=near)
    ours, theirs = (regressions_of(each).node.weights for each in (one, other))
    for name, weight in ours.items():
        assert theirs[name].weight == pytest.approx(weight.weight, abs=1e-5)


def test_of_two_contexts_none_can_be_left_out(cases: list[AskedCase]) -> None:
    two = [each for each in cases if each.context in {"talk-0", "talk-1"}]
    with pytest.raises(InvalidDataError, match="at least two contexts"):
        refit_without(two, "locomo/talk-0", "e")
