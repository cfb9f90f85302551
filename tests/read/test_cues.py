from __future__ import annotations

import pytest

from graphmemix.read.cues import AnswerType, MemoryContext, answer_type, cue


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did we leave?", "when"),
        ("What time is the train?", "when"),
        ("Wann fahren wir?", "when"),
        ("Quand partons-nous ?", "when"),
        ("¿Cuándo salimos?", "when"),
        ("Where is the key?", "where"),
        ("Wo ist der Schlüssel?", "where"),
        ("Où est la clé ?", "where"),
        ("How many people came when it rained?", "amount"),
        ("How much did it cost?", "amount"),
        ("Wie viele Gäste kamen?", "amount"),
        ("Combien coûte le billet ?", "amount"),
        ("Quando partiamo?", "when"),
        ("Wanneer vertrekken we?", "when"),
        ("いつ出発しますか?", "when"),
        ("Dov'è la chiave?", "where"),
        ("Waar is de sleutel?", "where"),
        ("Quanto è costato?", "amount"),
        ("Hoeveel gasten kwamen er?", "amount"),
        ("Hoe vaak kwam Olga?", "amount"),
        ("いくらでしたか?", "amount"),
        ("Chi ha la chiave?", "who"),
        ("Wie heeft de sleutel?", "who"),
        ("Wie war das Wetter?", "open"),
        ("Who has the key?", "who"),
        ("Wer hat den Schlüssel?", "who"),
        ("Did Mia come?", "yes_no"),
        ("Is there a garden?", "yes_no"),
        ("Tell me about the garden.", "open"),
        ("What did she give me?", "open"),
        ("Show the whole house", "open"),
        ("", "open"),
    ],
)
def test_the_kind_of_answer_shows_in_the_question(question: str, kind: AnswerType) -> None:
    assert answer_type(question) == kind


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        ("When?", "We leave on 2 June.", "We leave soon."),
        ("When?", "See you on 2025-06-02", "See you at 5 pm"),
        ("When?", "See you on Friday", "See you"),
        ("Where?", "We met in Lisbon.", "We met in June."),
        ("Where?", "It lies in Hafenstraße 3", "It lies there"),
        ("How much did it cost?", "It was 420 EUR.", "We were 4."),
        ("How much did it cost?", "It was €420.", "It was dear."),
        ("冷蔵庫はいくらでしたか?", "30万円でした。", "4人でした。"),
        ("How many?", "There were seven.", "There were some."),
        ("Who?", "The key is with Olga.", "The key is here."),
        ("Did he come?", "Yes, he did.", "He is tall."),
    ],
)
def test_a_sentence_that_looks_like_the_answer_counts_more(
    question: str, better: str, worse: str
) -> None:
    kind = answer_type(question)
    nothing = MemoryContext()
    assert cue(kind, question, better, nothing) > cue(kind, question, worse, nothing)


def test_what_is_known_of_the_memory_counts_too() -> None:
    words = "Mia lost a tooth"
    assert cue("when", "When?", words, MemoryContext(date="2025-06-02")) > 0
    assert cue("where", "Where?", words, MemoryContext(place="Malcesine")) > 0
    assert cue("who", "Who told us?", words, MemoryContext(speaker="Anna")) > 0
    for kind in ("when", "where", "who"):
        assert cue(kind, "Who told us?", words, MemoryContext()) == 0
