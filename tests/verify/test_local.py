from __future__ import annotations

import json
from dataclasses import replace
from math import exp, isnan, log
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from graphmemix.archive import Archive
from graphmemix.encode.packaged import MiniLmEncoder, MultilingualEncoder
from graphmemix.encode.protocol import scores_alike
from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.evidence import Candidate, CandidateGraph, Edge, Question, UnknownName
from graphmemix.llm import run_sync
from graphmemix.memory import Memory
from graphmemix.optimize.select import forest_of, terms_of
from graphmemix.settings import Settings
from graphmemix.verify import local
from graphmemix.verify.feature_names import ANSWERABLE, NODE, OWN, PAIR, RELATED, SECOND, WHOLE
from graphmemix.verify.features import Features
from graphmemix.verify.local import LocalModel, LocalVerifier, load_model, shipped_model
from graphmemix.verify.logistic import log_odds
from graphmemix.verify.protocol import Case, Verdict, make_case
from graphmemix.verify.regressions import Regressions
from graphmemix.verify.signals import Signals
from graphmemix.verify.unheld import most_chance
from tests.answering import HOUSEHOLD
from tests.verify.local_cases import (
    CANDIDATES,
    MEMORIES,
    empty_case,
    hand_case,
    hand_model,
    nothing_named,
    plain_model,
    regressions_of,
    settings_with,
)

SIGMOID_2 = 1 / (1 + exp(-2))
SIGMOID_MINUS_1 = 1 / (1 + exp(1))
SIGMOID_HALF = 1 / (1 + exp(-0.5))
CHANCES = (SIGMOID_2, 0.5, 1 / (1 + exp(1.2)), 1 - SIGMOID_2)
SURENESS = -sum(log(1 - chance) for chance in (CHANCES[0], CHANCES[2], CHANCES[3]))  # a1 is half q1


def judge(case: Case | None = None, **overrides: object) -> Verdict:
    settings = settings_with(retrieval__lexical_weight=0.2, **overrides)
    return LocalVerifier(hand_model(), settings).judge(case or hand_case())


def gain(verdict: Verdict, memory_id: str, settings: Settings | None = None) -> float:
    """What a link is worth to the optimiser: kappa + lambda ln w."""
    chosen = settings or Settings()
    (found,) = [each for each in verdict.increments if each.memory_id == memory_id]
    return chosen.local.opening_cost + chosen.forest.edge_cost_weight * log(found.weight)


def test_scores_are_chances_and_the_lesser_half_of_an_exchange_counts_for_a_share() -> None:
    verdict = judge()
    assert [support.memory_id for support in verdict.supports] == ["q1", "a1", "q2", "p"]
    assert [support.score for support in verdict.supports] == pytest.approx(
        [5 * chance for chance in CHANCES]
    )
    utilities = [support.utility for support in verdict.supports]
    assert utilities == pytest.approx([CHANCES[0], 0.5 * 0.5, CHANCES[2], CHANCES[3]])
    whole = judge(local__half_share=1.0)
    assert [support.utility for support in whole.supports] == pytest.approx(CHANCES)


def test_a_link_is_worth_the_probability_that_its_anchor_adds() -> None:
    verdict = judge(local__edge_share=0.15)
    u_q1, u_a1, u_q2 = CHANCES[0], 0.25, CHANCES[2]
    share = 0.15 * SURENESS
    assert gain(verdict, "a1") == pytest.approx(share * u_q1 * (SIGMOID_2 - u_a1))
    assert gain(verdict, "q2") == pytest.approx(share * u_a1 * (SIGMOID_MINUS_1 - u_q2))
    more = judge(local__edge_share=0.2)
    assert gain(more, "a1") == pytest.approx(0.2 * SURENESS * u_q1 * (SIGMOID_2 - u_a1))


def test_a_mail_that_many_got_owes_nothing_to_what_lies_around_it() -> None:
    case = hand_case()
    assert case.signals is not None
    bulk = replace(case, signals=replace(case.signals, bulk=np.array([0.0, 1.0, 0.0, 0.0])))
    by_itself = 1 / (1 + exp(1))  # sigmoid(2 * 0.5 - 2)
    for shown, second in ((case, CHANCES[1]), (bulk, by_itself)):
        verifier = LocalVerifier(hand_model(own=2.0), Settings())
        assert verifier.chances(shown) == pytest.approx([CHANCES[0], second, *CHANCES[2:]])
        assert [each.chance for each in verifier.judge(shown).supports][1] == pytest.approx(second)
    # Nor does being bulk raise what is less likely beside the others.
    assert LocalVerifier(hand_model(own=9.0), Settings()).chances(bulk) == pytest.approx(CHANCES)


def test_a_candidate_that_nobody_wants_to_see_has_no_link() -> None:
    linked = {each.memory_id for each in judge(local__keep_above=0.6).increments}
    assert linked == {"q1", "a1"}  # q2 has a chance of 0.23
    assert "q2" in {each.memory_id for each in judge(local__keep_above=0.4).increments}


def test_the_optimiser_gains_just_that_by_the_link() -> None:
    settings = settings_with(retrieval__lexical_weight=0.2, forest__budget=2)
    verdict = judge()
    forest = forest_of(verdict.supports, verdict.increments, terms_of(settings, "chance"))
    assert forest is not None
    assert forest.links == (("q1", "a1"),)
    alone = forest_of(verdict.supports, (), terms_of(settings, "chance"))
    assert alone is not None
    assert alone.proposal == forest.proposal
    assert forest.objective_after - alone.objective_after == pytest.approx(gain(verdict, "a1"))


def test_an_anchor_that_adds_nothing_gives_no_link() -> None:
    first = judge().increments[0]  # beside the lesser half, q1 is no likelier than alone
    assert (first.memory_id, first.anchor_id, first.weight) == ("q1", None, 0)
    assert first.role == "irrelevant"


def test_no_link_is_worth_more_than_a_component() -> None:
    settings = settings_with(retrieval__lexical_weight=0.2, local__edge_share=1.0)
    verdict = judge(local__edge_share=1.0)
    increment = verdict.increments[1]
    assert increment.weight == settings.edges.schema_weight == 0.99
    assert increment.score == 5
    assert gain(verdict, "a1", settings) < settings.local.opening_cost


def test_each_candidate_has_the_anchor_that_adds_most() -> None:
    case = hand_case()
    more = replace(
        case.graph, edges=(*case.graph.edges, Edge("q1", "q2", "consecutive_turn", 0.99))
    )
    increments = judge(replace(case, graph=more)).increments
    assert [(each.memory_id, each.anchor_id) for each in increments] == [
        ("q1", None),
        ("a1", "q1"),
        ("q2", "q1"),
    ]
    assert increments[1].relations == ("consecutive_turn", "same_round")


def test_what_says_the_same_again_is_shown_as_redundant_and_not_linked() -> None:
    increment = judge(local__redundant_likeness=0.5).increments[1]
    assert (increment.memory_id, increment.role) == ("a1", "redundant")
    assert (increment.anchor_id, increment.weight, increment.score) == ("q1", 0, 0)


def test_links_that_cost_nothing_have_the_ceiling() -> None:
    assert judge(forest__edge_cost_weight=0).increments[1].weight == 0.99


def test_without_links_in_the_archive_there_are_no_increments() -> None:
    assert judge(hand_case(graph=CandidateGraph(CANDIDATES))).increments == ()


def test_the_forest_takes_what_belongs_together_where_the_same_gains_pointwise_do_not() -> None:
    """Two doubtful halves are worth more together than a likelier memory and one of them."""
    settings = settings_with(
        retrieval__lexical_weight=0.2, forest__budget=2, local__half_share=1.0, local__edge_share=1
    )
    verdict = LocalVerifier(hand_model(), settings).judge(hand_case())
    supports = tuple(
        replace(support, utility=utility)
        for support, utility in zip(verdict.supports, (0.3, 0.2, 0.1, 0.35), strict=True)
    )
    (link,) = [each for each in verdict.increments if each.memory_id == "a1"]
    forest = forest_of(supports, (link,), terms_of(settings, "chance"))
    assert forest is not None
    assert set(forest.proposal) == {"q1", "a1"}
    worth = {support.memory_id: support.utility for support in supports}
    worth["a1"] += gain(verdict, "a1", settings)
    assert sorted(worth, key=lambda each: -worth[each])[:2] == ["a1", "p"]  # without its anchor


def test_the_chance_of_an_answer_is_told_with_and_without_the_verdict() -> None:
    case = hand_case()
    verifier = LocalVerifier(hand_model(), Settings())
    expected = 1 / (1 + exp(-0.5))
    assert verifier.judge(case).answerable == pytest.approx(expected)
    assert verifier.chance(case) == pytest.approx(expected)
    unknowing = LocalVerifier(hand_model(answerable=False), Settings())
    assert unknowing.judge(case).answerable is None
    assert unknowing.chance(case) is None
    assert verifier.chance(replace(case, signals=None)) is None


def test_the_chance_has_the_bound_of_what_nothing_holds() -> None:
    asked = Question("What did Zoltan write?")
    known = hand_case(question=asked)
    stranger = replace(known, graph=replace(known.graph, unknown=(UnknownName("Zoltan"),)))
    verifier = LocalVerifier(hand_model(), Settings())
    for chance in (verifier.chance, lambda case: verifier.judge(case).answerable):
        assert chance(known) == pytest.approx(1 / (1 + exp(-0.5)))
        assert chance(stranger) == most_chance(stranger, verifier.chances(stranger)) <= 0.1


@pytest.mark.parametrize(
    ("words", "cosine", "names_time", "is_bounded"),
    [
        ("xyzzy", 0.1, False, True),
        ("xyzzy", 0.3, False, False),  # in other words, or in another language
        ("hotel xyzzy", 0.1, False, False),
        ("xyzzy", 0.1, True, False),  # which is reached by the time
    ],
)
def test_what_is_like_nothing_here_in_unknown_words_has_little_chance(
    words: str, cosine: float, names_time: bool, is_bounded: bool
) -> None:
    candidates = tuple(replace(each, dense=cosine) for each in CANDIDATES)
    case = hand_case(question=Question(words))
    assert case.signals is not None
    matches = case.signals.matches.copy()
    matches[:, 0] = 1.0 if names_time else np.nan
    case = replace(
        case,
        graph=replace(case.graph, candidates=candidates),
        signals=replace(case.signals, question_words=words, matches=matches),
    )
    chance = LocalVerifier(hand_model(), Settings()).chance(case)
    assert chance == pytest.approx(0.1 if is_bounded else SIGMOID_HALF)


@pytest.mark.parametrize(
    ("place", "medium", "names_all", "is_shown"),
    [
        (1.0, 1.0, True, True),
        (0.4, 1.0, True, False),
        (1.0, 0.0, True, False),
        (1.0, np.nan, True, False),  # no kind is named
        (np.nan, 1.0, True, False),  # nothing but a kind is
        (1.0, 1.0, False, False),  # more is asked than that
    ],
)
def test_pictures_that_are_asked_for_by_what_they_agree_with_are_the_answer(
    place: float, medium: float, names_all: bool, is_shown: bool
) -> None:
    case = hand_case()
    assert case.signals is not None
    matches = np.full((4, 4), np.nan)
    matches[:, 1] = np.array([0.0, 0.0, 0.0, place]) if not isnan(place) else np.nan
    matches[:, 3] = np.array([0.0, 0.0, 0.0, medium]) if not isnan(medium) else np.nan
    signals = replace(case.signals, matches=matches, names_all=names_all)
    chance = LocalVerifier(hand_model(), Settings()).chance(replace(case, signals=signals))
    assert chance == pytest.approx(0.85 if is_shown else SIGMOID_HALF)


def test_nothing_holds_no_answer() -> None:
    verdict = judge(empty_case())
    assert (verdict.supports, verdict.increments, verdict.answerable) == ((), (), 0.0)
    assert LocalVerifier(hand_model(), Settings()).chance(empty_case()) == 0.0


def test_it_names_its_coefficients_and_calls_no_model() -> None:
    verdict = judge()
    assert verdict.verifier == f"local:{hand_model().digest}"
    assert [(cost.stage, cost.calls) for cost in verdict.costs] == [("verify", 0)]
    assert verdict.repairs == {}


def test_to_verify_is_to_judge() -> None:
    verifier = LocalVerifier(hand_model(), settings_with(retrieval__lexical_weight=0.2))
    verdict = run_sync(verifier.verify(hand_case()))
    assert (verdict.supports, verdict.increments) == (judge().supports, judge().increments)


def test_a_case_without_signals_is_refused() -> None:
    with pytest.raises(InvalidDataError, match="signals"):
        judge(hand_case(signals=None))


def test_the_case_by_hand_is_what_its_table_says() -> None:
    assert [memory.id for memory in MEMORIES] == [each.memory_id for each in CANDIDATES]


def test_of_anchors_that_add_the_same_the_first_retrieved_is_taken() -> None:
    memories = [Memory(name, "message", f"about {name}", session="s") for name in "xyc"]
    candidates = tuple(Candidate(m.id, 0.5, rank) for rank, m in enumerate(memories))
    edges = (Edge("c", "x", "same_record", 0.99), Edge("c", "y", "same_record", 0.99))
    same, eye = np.full(3, 0.5), np.eye(3, dtype=np.float32)
    known = Signals(
        same, same, same, same, np.array([5.0, 5.0, 1.0]), eye, eye, "key", *nothing_named(3)
    )
    graph, by_id = CandidateGraph(candidates, edges), {m.id: m for m in memories}
    case = make_case(Question("key"), graph, by_id, 3, known)
    increments = LocalVerifier(hand_model(), settings_with()).judge(case).increments
    assert [each.anchor_id for each in increments if each.memory_id == "c"] == ["x"]


def test_a_link_that_adds_nothing_has_no_score() -> None:
    first = LocalVerifier(hand_model(), settings_with()).judge(hand_case()).increments[0]
    assert (first.anchor_id, first.score) == (None, 0.0)


def asking(question: str, text: str) -> float:
    """Return the chance of an answer to a question whose best candidate says this."""
    memories = {m.id: replace(m, text=text if m.id == "q1" else "") for m in MEMORIES}
    case = hand_case(question=Question(question), memories=memories)
    found = LocalVerifier(hand_model(), Settings()).chance(case)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("Olga's birthday", 0.85, 1.0),  # all words of the question beside what it asks for
        ("Ruth's birthday", 0.0, 0.3),  # a birthday, but of somebody else
    ],
)
def test_a_detail_is_held_of_whom_it_is_asked_or_hardly_at_all(
    text: str, least: float, most: float
) -> None:
    assert least <= asking("When is Olga's birthday?", text) <= most


def test_a_verdict_on_nothing_names_its_verifier_and_cost_nothing() -> None:
    verifier = LocalVerifier(hand_model(), Settings())
    verdict = verifier.judge(empty_case())
    assert verdict.verifier == verifier.identity
    assert (verdict.costs, verdict.repairs) == ((), {})


def test_a_verdict_tells_the_seconds_that_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter((100.0, 102.5))
    monkeypatch.setattr(local, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    (cost,) = LocalVerifier(hand_model(), Settings()).judge(hand_case()).costs
    assert cost.seconds == 2.5


def test_a_link_has_the_role_that_the_rules_give_it() -> None:
    increments = LocalVerifier(hand_model(), Settings()).judge(hand_case()).increments
    assert [each.role for each in increments] == ["irrelevant", "clarification", "new_fact"]


PACKAGED = [MultilingualEncoder.identity, MiniLmEncoder.identity]


@pytest.mark.parametrize("encoder", PACKAGED)
def test_there_are_packaged_coefficients_for_each_packaged_encoder(encoder: str) -> None:
    model = shipped_model(encoder)
    assert scores_alike(model.encoder, encoder)
    for each in (model.mixed, model.talk):
        assert each is not None
        assert list(each.node.weights) == list(NODE)
        assert list(each.pair.weights) == list(PAIR)
        assert each.answerable is not None
        assert list(each.answerable.weights) == list(ANSWERABLE)


@pytest.mark.parametrize("encoder", PACKAGED)
def test_packaged_coefficients_name_their_origin(encoder: str) -> None:
    origin = shipped_model(encoder).origin
    assert set(origin.contexts) >= {"mem-gallery", "locomo"}
    contexts = [name for names in origin.contexts.values() for name in names]
    assert len(origin.fingerprints) == len(contexts) > 10
    assert origin.questions > 1000
    assert (
        origin.validation["mem-gallery.forest.all_at_10"]
        > (origin.validation["mem-gallery.top_k.all_at_10"])
    )


def test_a_question_about_nothing_in_the_archive_has_little_chance(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", settings=Settings()) as archive:
        archive.add(HOUSEHOLD)
        chances = [
            archive.recall(question).answerable or 0.0
            for question in ("Where is the tent?", "What is the capital of Peru?", "xyzzy")
        ]
    assert chances[0] > 0.6
    assert max(chances[1:]) < 0.3


def test_another_encoder_falls_back_to_them() -> None:
    fallback = shipped_model("someone-elses/1")
    assert fallback == shipped_model(MultilingualEncoder.identity)
    assert fallback.encoder != "someone-elses/1"  # so that a caller can tell


def test_a_file_says_what_was_saved_and_people_can_read_it(tmp_path: Path) -> None:
    hand_model().save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json") == hand_model()
    text = (tmp_path / "m.json").read_text()
    assert text.count("\n") > 100
    assert json.loads(text)["mixed"]["node"]["weights"]["word_share"]["weight"] == 4.0


def test_the_digest_names_the_coefficients(tmp_path: Path) -> None:
    model = hand_model()
    model.save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").digest == model.digest == hand_model().digest
    assert model.digest != hand_model(answerable=False).digest
    assert len(model.digest) == 12


def test_being_about_the_archive_counts_only_where_it_is_in_doubt() -> None:
    row = np.zeros((1, len(WHOLE)))
    row[0, list(WHOLE).index("best_cosine")] = 1.0
    held = plain_model([*ANSWERABLE], log(3))  # 0.75
    assert hand_model(answerable=True).chance_of_answer(row, 0.0) == pytest.approx(SIGMOID_HALF)
    plain = hand_model(answerable=True)
    plain = replace(plain, mixed=replace(regressions_of(plain), answerable=held))
    assert plain.chance_of_answer(row, 0.0) == pytest.approx(0.75)
    for odds, about in ((log(9), 0.9999), (0.0, 0.9375), (-log(9), 0.3439)):
        both = replace(plain, related=plain_model([*RELATED], best_cosine=odds))
        assert both.chance_of_answer(row, 0.0) == pytest.approx(0.75 * about)
    assert hand_model(answerable=False).chance_of_answer(row, 0.0) is None


def test_the_second_look_decides() -> None:
    made = Features(hand_case(), 0.2)
    flat = hand_model(second=plain_model([*SECOND], -1.0))
    assert flat.chances(made) == pytest.approx([SIGMOID_MINUS_1] * 4)
    assert hand_model().chances(made) == pytest.approx(
        regressions_of(hand_model()).node.probability(made.nodes), abs=1e-6
    )


@pytest.mark.parametrize("name", ["own", "node", "second", "pair", "answerable"])
def test_coefficients_of_other_features_are_refused(name: str) -> None:
    models = {
        "own": plain_model([*OWN]),
        "node": plain_model([*NODE]),
        "second": plain_model([*SECOND]),
        "pair": plain_model([*PAIR]),
        "answerable": plain_model([*ANSWERABLE]),
    }
    models[name] = plain_model(["other"])
    with pytest.raises(InvalidDataError, match=f"{name}: was fitted with other features"):
        Regressions(**models)


def test_features_in_another_order_are_other_features() -> None:
    with pytest.raises(InvalidDataError, match="other features"):
        Regressions(
            plain_model([*OWN]),
            plain_model([*reversed(NODE)]),
            plain_model([*SECOND]),
            plain_model([*PAIR]),
        )


def test_what_tells_strangers_apart_has_its_own_features() -> None:
    with pytest.raises(InvalidDataError, match="related: was fitted with other features"):
        replace(hand_model(), related=plain_model(["other"]))


def test_coefficients_of_no_archive_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="needs coefficients"):
        LocalModel("x")


@pytest.mark.parametrize("talk", [0.0, 0.25, 1.0])
def test_between_a_conversation_and_other_archives_log_odds_are_mixed(talk: float) -> None:
    here = regressions_of(hand_model())
    there = replace(
        regressions_of(hand_model(own=2.0)),
        second=plain_model([*SECOND], 1.0),
        pair=plain_model([*PAIR], 2.0),
        answerable=plain_model([*ANSWERABLE], -1.5),
    )
    both = LocalModel("by hand", here, there)
    made = Features(hand_case(), 0.2)
    made.talk = talk
    found, ours, theirs = (each.chances_of(made) for each in (both, here, there))
    for side in ("alone", "beside"):
        mean = (1 - talk) * log_odds(getattr(ours, side)) + talk * log_odds(getattr(theirs, side))
        assert log_odds(getattr(found, side)) == pytest.approx(mean)
    row = np.zeros((1, len(WHOLE)))
    chance = both.chance_of_answer(row, talk)
    assert log_odds(np.array(chance)) == pytest.approx((1 - talk) * 0.5 + talk * -1.5)
    _, rows = made.pairs(found.beside)
    by_hand = (1 - talk) * (3 * rows[:, [*PAIR].index("same_exchange")] - 1) + talk * 2
    assert both.pair_odds(rows, talk) == pytest.approx(by_hand)


def test_coefficients_of_one_sort_serve_for_all() -> None:
    made = Features(hand_case(), 0.2)
    made.talk = 0.6
    alone = regressions_of(hand_model())
    for model in (LocalModel("x", mixed=alone), LocalModel("x", talk=alone)):
        assert model.chances(made) == pytest.approx(alone.chances_of(made).beside)


@pytest.mark.parametrize("content", [b"{}", b"\xff", b'{"encoder": 1}'])
def test_a_file_that_is_no_model_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"m\.json: "):
        load_model(tmp_path / "m.json")


def test_a_file_of_an_older_version_is_named_too(tmp_path: Path) -> None:
    told = json.loads(hand_model().to_json())
    del told["mixed"]["node"]["weights"]["seed"]
    (tmp_path / "m.json").write_text(json.dumps(told))
    with pytest.raises(InvalidInputError, match=r"m\.json: .*fit it again"):
        load_model(tmp_path / "m.json")


def test_a_file_of_the_version_with_one_set_of_coefficients_is_named_too(tmp_path: Path) -> None:
    told = json.loads(hand_model().to_json())
    told |= told.pop("mixed")
    del told["talk"]
    (tmp_path / "m.json").write_text(json.dumps(told))
    with pytest.raises(InvalidInputError, match=r"m\.json: was fitted by an earlier version"):
        load_model(tmp_path / "m.json")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"none\.json: No such file"):
        load_model(tmp_path / "none.json")


def test_a_model_that_cannot_be_saved_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        hand_model().save(tmp_path / "no" / "m.json")
    assert str(caught.value) == f"{tmp_path / 'no' / 'm.json'}: No such file or directory"
