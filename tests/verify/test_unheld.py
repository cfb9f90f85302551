"""Bounds on the chance of an answer, by what a question names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.evidence import Candidate, CandidateGraph, Question, UnknownName
from graphmemix.memory import Memory
from graphmemix.verify.protocol import Case, make_case
from graphmemix.verify.unheld import most_chance, of_others_only

MEMORIES = (
    Memory("fall", "message", "Noah fell off the slide", speaker="Lena"),
    Memory("test", "event", "Mia: allergy test (Allergietest, allergie, alergia)"),
)
ALLERGIC = (
    "What is Noah allergic to?",
    "Wogegen ist Noah allergisch?",
    "À quoi Noah est-il allergique ?",
    "¿A qué es alérgico Noah?",
    "A cosa è allergico Noah?",
    "A que é alérgico o Noah?",
    "Waar is Noah allergisch voor?",
    "Vad är Noah allergisk mot?",
)


def case(
    question: str,
    *unknown: str,
    meant: str = "",
    notes: tuple[str, ...] = (),
    memories: tuple[Memory, ...] = MEMORIES,
) -> Case:
    candidates = tuple(Candidate(memory.id, 0.5) for memory in memories)
    names = tuple(UnknownName(name, meant) for name in unknown)
    graph = CandidateGraph(candidates, (), (), notes, names)
    return make_case(Question(question), graph, {each.id: each for each in memories}, 8)


def bound(asked: Case, *chances: float) -> float:
    """Return the bound of a case whose candidates have these chances; by default equal ones."""
    return most_chance(asked, np.array(chances or [0.5] * len(asked.candidates)))


@pytest.mark.parametrize(
    "question",
    [
        "What did Zoltan write in July 2023?",
        "When is Zoltan's birthday?",
        "When did we meet Zoltan?",
        "Was schrieb Zoltan im Juli 2023?",
        "Was sagte Herr Zoltan dazu?",
        "What did Mr Zoltan say?",
        "Was hat Zoltan im Juli geschrieben?",
        "Wann ist Zoltans Geburtstag?",
        "Qu'a écrit Zoltan en juillet ?",
        "Quand Zoltan a-t-il écrit ?",
        "¿Qué escribió Zoltan en julio?",
        "Vad skrev Zoltan i juli?",
        "Cosa ha scritto Zoltan a luglio?",
        "Quando Zoltan ha scritto?",
        "Cosa ha detto il signor Zoltan?",
        "Quando è il compleanno di Zoltan?",
        "O que escreveu o Zoltan em julho?",
        "O que disse a senhora Zoltan?",
        "Quando é o aniversário do Zoltan?",
        "Wat schreef Zoltan in juli?",
        "Wat heeft Zoltan in juli geschreven?",
        "Wanneer is Zoltans verjaardag?",
        "Wanneer is de verjaardag van Zoltan?",
        "Quand est l'anniversaire de Zoltan ?",
        "¿Cuándo es el cumpleaños de Zoltan?",
    ],
)
def test_of_somebody_without_a_trace_nothing_is_held(question: str) -> None:
    assert bound(case(question, "Zoltan")) <= 0.1
    assert bound(case(question)) == 1  # the same, of somebody who is known


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("What did we bring home from Lebanon?", "Lebanon"),  # Beirut may be named instead
        ("Photos from Samarkand", "Samarkand"),
        ("What did Maria see on the trip to France?", "France"),
        ("Which European countries did we visit?", "European"),
        ("Answer in the format YYYY", "YYYY"),
        ("What did Mum write?", "Mum"),
        ("Zeig mir die Fotos vom Ausflug", "Ausflug"),
        ("Wie heißt er mit Vornamen?", "Vornamen"),
        ("Was hat Strom im Mai gekostet?", "Strom"),
        ("Foto di Samarcanda", "Samarcanda"),
        ("Quanto è costato il viaggio a Samarcanda?", "Samarcanda"),
        ("O que comemos em Samarcanda?", "Samarcanda"),
        ("Hoeveel kostte de reis naar Samarkand?", "Samarkand"),
    ],
)
def test_a_name_that_nobody_has_to_bear_bounds_nothing(question: str, unknown: str) -> None:
    assert bound(case(question, unknown)) == 1


@pytest.mark.parametrize(
    "asked",
    [
        case("What did Ruth and Zoltan do?", "Zoltan", notes=("person: Ruth Brandt",)),
        case("What did Zoltan do?", "Zoltan", notes=("person: Ruth Brandt",)),
        case("Would Noah like the song by Vivaldi?", "Vivaldi"),
        case("Cosa hanno fatto Ruth e Zoltan?", "Zoltan"),
        case("Wat hebben we met Zoltan gedaan?", "Zoltan"),
        case("O que fizemos com Zoltan?", "Zoltan"),
        case("What did Tomaz write?", "Tomaz", meant="Tomás"),
    ],
)
def test_a_name_among_others_leaves_it_open(asked: Case) -> None:
    assert 0.6 <= bound(asked) < 0.85


@pytest.mark.parametrize("question", ALLERGIC)
def test_what_is_known_of_others_only_is_no_answer(question: str) -> None:
    assert bound(case(question)) <= 0.3
    of_both = (*MEMORIES, Memory("both", "note", "Allergy, Allergie, alergia: Noah has none"))
    assert bound(case(question, memories=of_both)) == 1
    assert bound(case(question, memories=MEMORIES[:1])) == 1  # the word is nowhere
    assert bound(case(question, memories=MEMORIES[1:])) == 1  # he is nowhere


@pytest.mark.parametrize("question", ALLERGIC)
def test_a_word_that_languages_share_is_found_in_another_one(question: str) -> None:
    memories = (MEMORIES[0], Memory("test", "event", "Mia: allergy test"))
    assert bound(case(question, memories=memories)) <= 0.3


def test_a_place_of_an_invitation_is_no_place_of_a_stay() -> None:
    asked = "Which hotel did we stay in in Lisbon?"
    mail = Memory("come", "email", "Come to Lisbon!\n\nWhy not at Easter? There are two hotels.")
    assert bound(case(asked, memories=(mail, *MEMORIES)), 0.9, 0.2, 0.1) <= 0.3
    assert bound(case(asked, memories=(mail, *MEMORIES)), 0.1, 0.9, 0.1) == 1
    assert bound(case("Which hotel is in Lisbon?", memories=(mail,))) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Who is Noah, and not the allergy doctor?",
        "What did Noah say of the allergy?",
        "What is Papa allergic to?",
        "What is Noah called?",
        "What is the allergy test?",
    ],
)
def test_other_forms_of_questions_are_left_alone(question: str) -> None:
    texts = ["Noah and Papa fell", "Mia: allergy test, said the doctor who is called Weiss"]
    assert not of_others_only(question, texts)


@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=4))
def test_any_text_has_a_bound(question: str, texts: list[str]) -> None:
    memories = tuple(Memory(f"m{i}", "note", text) for i, text in enumerate(texts))
    unknown = question.split()[:3]
    # A question of white space alone is refused before anything is judged.
    asked = question if question.strip() else "?"
    assert 0 < bound(case(asked, *unknown, memories=memories)) <= 1
