from __future__ import annotations

import pytest

from graphmemix.evidence import Block, Question, UnknownName
from graphmemix.read.missing import what_is_missing

NOTHING = "Nothing here seems to answer this; the nearest memories follow."


def block(text: str, speaker: str = "", place: str = "") -> Block:
    return Block(1, "m", "m", ("text",), text, place=place, kind="message", speaker=speaker)


OLGA = (block("I watered everything twice.", "Olga Petrenko"), block("Ruth's birthday, cake"))
TANAKA = (block("トマトに水をやりました", "田中太郎"), block("花子の誕生日、ケーキ"))
NOAH = (block("Noah and his pear tree\nPeople: Noah, Ruth"), block("Mia: allergy test"))


@pytest.mark.parametrize(
    ("question", "blocks", "said"),
    [
        (
            "When is Olga's birthday?",
            OLGA,
            "Olga is known here; Olga's birthday is not.",
        ),
        ("What is Olga's phone number?", OLGA, "Olga is known here; Olga's phone number is not."),
        ("What is Olga's size in shoes?", OLGA, "Olga is known here; Olga's size is not."),
        (
            "What is Noah allergic to?",
            NOAH,
            "Noah is known here; nothing about Noah and “allergic” was found.",
        ),
        (
            "Wann hat Olga Geburtstag?",
            OLGA,
            "Olga ist hier bekannt; zu Olga und „Geburtstag“ wurde nichts gefunden.",
        ),
        (
            "Quand est l'anniversaire de Olga ?",
            OLGA,
            "Olga figure ici ; rien n'a été trouvé sur Olga et « anniversaire ».",
        ),
        (
            "¿Cuándo es el cumpleaños de Olga?",
            OLGA,
            "Olga figura aquí; no se encontró nada sobre Olga y «cumpleaños».",
        ),
        (
            "När har Olga födelsedag?",
            OLGA,
            "Olga finns här; inget om Olga och ”födelsedag” hittades.",
        ),
        (
            "Quando è il compleanno di Olga?",
            OLGA,
            "Olga compare qui; nulla è stato trovato su Olga e «compleanno».",
        ),
        (
            "Quando é o aniversário da Olga?",
            OLGA,
            "Olga aparece aqui; nada foi encontrado sobre Olga e «aniversário».",
        ),
        (
            "Wanneer is Olga jarig?",
            OLGA,
            "Olga komt hier voor; over Olga en “jarig” is niets gevonden.",
        ),
        (
            "Olgaの誕生日はいつですか?",
            OLGA,
            "Olgaの記録はありますが、Olgaと「誕生日」についての記録は見つかりませんでした。",
        ),
        (
            "田中さんの誕生日はいつですか?",
            TANAKA,
            "田中の記録はありますが、田中と「誕生日」についての記録は見つかりませんでした。",
        ),
        (
            "誰が直しましたか?",
            OLGA,
            "これに答える記録はなさそうです。近いものを次に示します。",
        ),
        (
            "Vem lagade ugnen?",
            OLGA,
            "Inget här verkar besvara detta; det som ligger närmast följer.",
        ),
        ("What did Zebulon cook?", OLGA, "Nothing that was found names Zebulon."),
        ("What is Mia allergic to?", NOAH, NOTHING),
        (
            "Welches Hotel hatten wir?",
            OLGA,
            "Nichts hier scheint das zu beantworten; was am nächsten liegt, folgt.",
        ),
        ("?!", (), NOTHING),
        ("Hvor er nøkkelen?", OLGA, NOTHING),
    ],
)  # fmt: skip
def test_it_names_what_no_sentence_joins_with_a_known_name(
    question: str, blocks: tuple[Block, ...], said: str
) -> None:
    assert what_is_missing(Question(question), blocks) == said


def test_a_time_that_nothing_is_from_comes_first() -> None:
    notes = ("time: 3 March 2019", "nothing here is from 3 March 2019")
    assert (
        what_is_missing(Question("What did Olga do on 3 March 2019?"), OLGA, notes)
        == "Nothing here is from 3 March 2019."
    )


def test_a_name_that_nothing_holds_is_said_before_what_is_not_joined() -> None:
    asked = Question("When is Zoltan's birthday?")
    said = what_is_missing(asked, OLGA, (), (UnknownName("Zoltan", "Zoltána"),))
    assert said == "Nothing here mentions Zoltan."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Vad skrev Zoltan i juli?", "Inget här nämner Zoltan."),
        ("Cosa ha scritto Zoltan a luglio?", "Nulla qui menziona Zoltan."),
        ("O que escreveu o Zoltan em julho?", "Nada aqui menciona Zoltan."),
        ("Wat schreef Zoltan in juli?", "Niets hier noemt Zoltan."),
        ("Zoltanは何を書きましたか?", "Zoltanについての記録はありません。"),
    ],
)
def test_an_unknown_name_is_said_in_the_language_of_the_question(question: str, said: str) -> None:
    assert what_is_missing(Question(question), OLGA, (), (UnknownName("Zoltan"),)) == said


def test_a_person_is_known_under_all_names_of_the_notes() -> None:
    blocks = (block("The tomatoes are ripe.", "Mama"),)
    said = what_is_missing(Question("When does Ruth fly?"), blocks, ("person: Ruth Brandt, Mama",))
    assert said == "Ruth is known here; nothing about Ruth and “fly” was found."


def test_what_is_named_and_found_is_not_missing() -> None:
    blocks = (block("", place="Arezzo"),)
    asked = Question("photos in Arezzo")
    assert what_is_missing(asked, blocks, ("place: Arezzo", "media: photos")) == ""
    said = what_is_missing(
        Question("Which photos in Arezzo show a dog?"), blocks, ("media: photos",)
    )
    assert said == "Arezzo is known here; nothing about Arezzo and “dog” was found."


def test_a_country_need_not_be_named_by_what_is_from_there() -> None:
    porto = (block("A bridge in the fog", place="Porto"),)
    asked = Question("What did the boat in Portugal cost?")
    assert what_is_missing(asked, porto) == "Nothing that was found names Portugal."
    assert what_is_missing(asked, porto, ["place: Portugal (Porto)"]) == NOTHING
