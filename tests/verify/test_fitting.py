from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphmemix.errors import InvalidDataError
from graphmemix.verify.feature_names import NODE, SECOND, speaks_against
from graphmemix.verify.fitting import TrainingCase, fit, is_conversation
from graphmemix.verify.local import LocalModel, ModelOrigin
from graphmemix.verify.logistic import Logistic, Weight
from tests.verify.local_cases import Watched, lessons, regressions_of


def weights(model: LocalModel) -> list[float]:
    found = regressions_of(model)
    assert found.answerable is not None
    parts = (found.node, found.second, found.pair, found.answerable)
    return [
        number
        for part in parts
        for number in (part.intercept, *(weight.weight for weight in part.weights.values()))
    ]


def shown_to_links(taught: list[TrainingCase], group: str) -> np.ndarray:
    """The probabilities that a group's links were judged with while fitting."""
    found = []
    for lesson in taught:
        if lesson.group == group and lesson.annotated:
            assert isinstance(lesson.features, Watched)
            (probability,) = lesson.features.seen
            found.append(probability)
    return np.concatenate(found)


def poisoned(taught: list[TrainingCase], group: str) -> list[TrainingCase]:
    """The same lessons, with the labels of one group turned round."""
    return [
        replace(lesson, labels=1 - lesson.labels)
        if lesson.group == group and lesson.annotated
        else lesson
        for lesson in taught
    ]


def test_what_is_gold_gets_higher_chances() -> None:
    taught = lessons()
    model = regressions_of(fit(taught, "e"))
    gold, rest = [], []
    for lesson in taught:
        chances = model.node.probability(lesson.features.nodes)
        gold += chances[lesson.labels == 1].tolist()
        rest += chances[lesson.labels == 0].tolist()
    assert np.mean(gold) > np.mean(rest) + 0.3


def test_no_group_sees_itself_while_fitting() -> None:
    clean, wrong = lessons(), poisoned(lessons(), "B")
    fit(clean, "e")
    fit(wrong, "e")
    # Of B's own labels, B's links know nothing ...
    assert shown_to_links(wrong, "B") == pytest.approx(shown_to_links(clean, "B"), abs=1e-5)
    # ... while all others learned from them.
    for other in "ACD":
        gap = np.abs(shown_to_links(wrong, other) - shown_to_links(clean, other)).max()
        assert gap > 0.05, other


def test_the_fifth_group_is_left_out_together_with_the_first() -> None:
    clean, wrong = lessons("ABCDE"), poisoned(lessons("ABCDE"), "E")
    fit(clean, "e")
    fit(wrong, "e")
    for apart in "AE":
        assert shown_to_links(wrong, apart) == pytest.approx(shown_to_links(clean, apart), abs=1e-5)
    assert np.abs(shown_to_links(wrong, "B") - shown_to_links(clean, "B")).max() > 0.05


def test_of_two_groups_each_is_judged_by_the_other() -> None:
    taught = lessons("AB")
    fit(taught, "e")
    alone = [lesson for lesson in taught if lesson.group == "A" and lesson.annotated]
    labels = np.concatenate([lesson.labels for lesson in alone])
    rows = np.concatenate([lesson.features.nodes for lesson in alone])
    first = Logistic.fit([*NODE], rows, labels)

    def looked_at(lesson: TrainingCase) -> np.ndarray:
        return lesson.features.second_look(first.probability(lesson.features.nodes))

    second = Logistic.fit([*SECOND], np.concatenate([looked_at(each) for each in alone]), labels)
    judged = [each for each in taught if each.group == "B" and each.annotated]
    expected = np.concatenate([second.probability(looked_at(lesson)) for lesson in judged])
    again = lessons("AB")
    fit(again, "e")
    assert shown_to_links(again, "B") == pytest.approx(expected, abs=1e-5)


def test_fitting_is_deterministic_and_the_start_has_no_influence() -> None:
    first = fit(lessons(), "e")
    assert fit(lessons(), "e") == first
    near = regressions_of(first)
    turned = {k: Weight(-30.0, v.mean, v.scale) for k, v in near.node.weights.items()}
    far = replace(first, talk=replace(near, node=Logistic(9.0, turned)))
    for start in (first, far):
        assert weights(fit(lessons(), "e", start=start)) == pytest.approx(weights(first), abs=1e-4)


def test_the_model_says_whose_cosines_and_where_from() -> None:
    origin = ModelOrigin({"d": ("A",)}, ("f",), 3)
    model = fit(lessons(), "e", origin)
    assert (model.encoder, model.origin) == ("e", origin)


def test_without_a_question_that_has_no_answer_the_chance_is_not_learned() -> None:
    taught = [lesson for lesson in lessons() if lesson.answerable]
    assert regressions_of(fit(taught, "e")).answerable is None


def test_one_context_is_not_enough() -> None:
    with pytest.raises(InvalidDataError, match="at least two contexts"):
        fit(lessons("A"), "e")


def test_without_evidence_there_is_nothing_to_learn() -> None:
    none = [replace(lesson, labels=0 * lesson.labels) for lesson in lessons("AB")]
    with pytest.raises(InvalidDataError, match="no question has evidence"):
        fit(none, "e")


def test_what_cannot_be_learned_from_is_told() -> None:
    with pytest.raises(InvalidDataError) as caught:
        fit(lessons("A"), "x")
    assert str(caught.value) == "fit: needs questions of at least two contexts"
    without = [replace(each, labels=np.zeros(8)) for each in lessons("AB")]
    with pytest.raises(InvalidDataError) as caught:
        fit(without, "x")
    assert str(caught.value) == "fit: no question has evidence among its candidates"


def in_data_set(name: str, taught: list[TrainingCase]) -> list[TrainingCase]:
    return [replace(lesson, group=f"{name}/{lesson.group}") for lesson in taught]


def test_a_data_set_counts_as_much_as_any_other_however_large() -> None:
    small, large = in_data_set("a", lessons()), in_data_set("b", poisoned(lessons(), "B"))
    rows = np.concatenate([lesson.features.nodes for lesson in small])

    def chances(*taught: TrainingCase) -> np.ndarray:
        return regressions_of(fit(taught, "e")).node.probability(rows)

    even = chances(*small, *small, *large, *large)
    assert chances(*small, *large, *large, *large) == pytest.approx(even, abs=1e-6)
    # As one data set, what is there three times counts three times.
    flat = [replace(lesson, group=lesson.group.replace("b/", "a/b")) for lesson in large]
    assert np.abs(chances(*small, *flat, *flat, *flat) - even).max() > 0.05


def in_talk(taught: list[TrainingCase], talk: float) -> list[TrainingCase]:
    for lesson in taught:
        lesson.features.talk = talk
    return taught


def test_conversations_and_archives_of_many_kinds_are_fitted_apart() -> None:
    talk = in_data_set("a", lessons())
    mixed = in_data_set("c", in_talk(poisoned(lessons("EFGH"), "F"), 0.2))
    both = fit([*talk, *mixed], "e")
    assert both.talk is not None
    assert both.mixed is not None
    for apart, together in ((fit(talk, "e"), both.talk), (fit(mixed, "e"), both.mixed)):
        alone = regressions_of(apart)
        assert replace(together, answerable=None) == replace(alone, answerable=None)
        # Of what has no answer there is little to learn from: there, the others count a little.
        assert together.answerable != alone.answerable
    assert both.mixed.node != both.talk.node


def test_a_context_is_a_conversation_by_the_mean_of_its_questions() -> None:
    taught = lessons("AB")
    for lesson, talk in zip(taught, [1.0, 0.7] * 8, strict=True):
        lesson.features.talk = talk
    assert is_conversation(taught)
    assert not is_conversation(in_talk(taught, 0.5))


def test_a_single_archive_beside_conversations_is_named() -> None:
    taught = [*in_data_set("a", lessons()), *in_data_set("c", in_talk(lessons("E"), 0.0))]
    with pytest.raises(InvalidDataError) as caught:
        fit(taught, "e")
    assert str(caught.value) == (
        "fit: c/E is the only archive of many kinds; they are fitted apart, and two are needed"
    )


def test_likeness_never_speaks_against_an_answer() -> None:
    """Even if near misses are more like what the archive holds than questions with an answer."""
    taught = lessons()
    for each in taught:
        if not each.answerable:
            each.features._dense += 0.3  # of near misses
    model = regressions_of(fit(taught, "e")).answerable
    assert model is not None
    assert any(each.weight for each in model.weights.values())
    assert [
        name for name, each in model.weights.items() if each.weight * speaks_against(name) > 0
    ] == []
    assert model.weights["best_cosine"].weight == 0
