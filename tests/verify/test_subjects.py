from __future__ import annotations

import math

import numpy as np
import pytest

from graphmemix.encode.views import all_words
from graphmemix.memory import Memory
from graphmemix.verify.asked import names_in
from graphmemix.verify.subjects import SUBJECTS, subjects


def said(who: str, words: str) -> Memory:
    return Memory.new("message", words, speaker=who, session="s")


MEL = said("Melanie", "After my charity race I knew how much I need time for myself.")
CAROLINE = said("Caroline", "That is great! Your race raised so much money.")
ELSEWHERE = said("Caroline", "I painted my kitchen on Sunday.")


def features(
    question: str, memories: list[Memory], chances: list[float], talk: float = 1.0
) -> dict[str, float]:
    texts = [all_words(memory) for memory in memories]
    return subjects(memories, texts, names_in(question), np.array(chances), talk)


def test_what_another_said_of_herself_is_not_about_whom_the_question_names() -> None:
    memories, chances = [MEL, CAROLINE, ELSEWHERE], [0.8, 0.3, 0.02]
    right = features("What did we hear of Melanie's race?", memories, chances)
    wrong = features("What did we hear of Caroline's race?", memories, chances)
    assert right["mass_about_named"] > 0.7 > 0.4 > wrong["mass_about_named"]
    assert right["mass_by_named"] > 0.6 > 0.4 > wrong["mass_by_named"]
    assert right["named_author_below_best"] == 0.0
    assert wrong["named_author_below_best"] < -1.0


def test_you_means_the_one_who_is_spoken_to() -> None:
    alone = [CAROLINE, said("Melanie", "ok")]
    of_melanie = features("And what of Melanie's race?", alone, [0.9, 0.0])
    of_caroline = features("And what of Caroline's race?", alone, [0.9, 0.0])
    assert of_melanie["mass_about_named"] > of_caroline["mass_about_named"]


@pytest.mark.parametrize(
    ("mine", "yours"),
    [
        ("Ich habe mein Rad verkauft.", "Hast du dein Rad verkauft?"),
        ("J'ai vendu mon vélo.", "Tu as vendu ton vélo ?"),
        ("Yo vendí mi bicicleta.", "Vendes tu bicicleta, te lo pregunto."),
    ],
)
def test_pronouns_of_other_languages_count(mine: str, yours: str) -> None:
    other = said("Olga", "ok")
    told = features("Was hat Ruth verkauft?", [said("Ruth", mine), other], [0.9, 0.0])
    asked = features("Was hat Ruth verkauft?", [said("Ruth", yours), other], [0.9, 0.0])
    assert told["mass_about_named"] > asked["mass_about_named"]


@pytest.mark.parametrize(
    ("mine", "yours"),
    [
        ("La nostra casa: noi l'abbiamo venduta.", "La vostra casa: voi l'avete venduta."),
        ("Vendemos a nossa casa, o meu carro.", "Vendeste a tua casa, o teu carro."),
        ("Ik heb mijn huis verkocht.", "Jij hebt jouw huis verkocht."),
        ("Jag har mitt hus.", "Du har ditt hus."),
        ("私は私の家を売りました。", "あなたはあなたの家を。"),
        ("我卖了我的房子。", "你卖了你的房子。"),
    ],
)
def test_pronouns_of_other_languages_say_whom_it_is_about(mine: str, yours: str) -> None:
    other = said("Otto", "…")
    told = features("About Ruth", [said("Ruth", mine), other], [0.9, 0.0])
    asked = features("About Ruth", [said("Ruth", yours), other], [0.9, 0.0])
    assert told["mass_about_named"] > asked["mass_about_named"]


def test_among_mails_and_photos_only_the_author_counts() -> None:
    found = features("What did we hear of Melanie's race?", [MEL, CAROLINE], [0.2, 0.6], talk=0.2)
    assert found["named_author_below_best"] < 0
    assert math.isnan(found["mass_by_named"])
    assert math.isnan(found["mass_about_named"])


@pytest.mark.parametrize("question", ["Who won the race?", "Where did Ruth win the race?"])
def test_without_a_named_author_nothing_is_known(question: str) -> None:
    found = features(question, [MEL, CAROLINE], [0.5, 0.5])
    assert list(found) == list(SUBJECTS)
    assert all(math.isnan(value) for value in found.values())
