"""One lookup serves all languages: a word of one must not stand for another thing in another."""

from __future__ import annotations

import pytest

from graphmemix.text.topics import topics_asked, topics_told
from graphmemix.text.words import terms


@pytest.mark.parametrize(
    ("topic", "text", "other"),
    [
        ("lodging", "The camera on the shelf", "Italian camera, a room"),
        ("food", "A pane of glass, and a burro", "Italian pane, bread; burro, butter"),
        ("papers", "A patent on a zip", "Italian patente, licence"),
        ("car", "The revision of chapter two", "Italian revisione, inspection"),
        ("money", "Noch eine Tasse Tee", "Italian tasse, taxes"),
        ("home", "The canon of plays", "Italian canone, rent"),
        ("moved", "A much anticipated film", "Italian anticipato, brought forward"),
        ("lost", "Voici mon adresse perso", "Italian perso, lost"),
        ("contact", "Come via Lyon; a vial of ink", "Italian via, viale, street"),
        ("repair", "A romp in the garden", "Italian rompe, breaks"),
        ("school", "A software license and a scholar", "Italian liceo"),
        ("cost", "I due fratelli di Olga", "English due"),
        ("lessons", "A coral reef, and the cursor blinks", "Portuguese coral, curso"),
        ("car", "La oficina abre en todas las estaciones", "Portuguese oficina, estacionar"),
        ("contact", "Una falda morada", "Portuguese morada, address"),
        ("travel", "Una mala idea", "Portuguese mala, suitcase"),
        ("contest", "With sympathy and empathy", "Portuguese empatar, to draw"),
        ("lost", "Further down, and furtive", "Portuguese furtar, to steal"),
        ("gift", "Una prenda de lana", "Portuguese prenda, gift"),
        ("health", "Thanks for your hospitality", "Portuguese hospital"),
        ("health", "Arts and crafts on Friday", "Dutch arts, doctor"),
        ("lessons", "Les enfants et les parents", "Dutch les, lesson"),
        ("work", "The rooster crows; the loon too", "Dutch rooster, loon"),
        ("insurance", "Wie schade! Und die Police rief an", "Dutch schade, damage"),
        ("insurance", "Polis i centrum, the police came", "Dutch polis, policy"),
        ("repair", "Storing apples in the store", "Dutch storing, fault"),
        ("pets", "Kat says hello, and a hundred others", "Dutch kat, cat"),
        ("pets", "I pies and mi pies duelen", "Polish pies, dog"),
        ("flight", "A lot of people, a whole lot", "Polish lot, flight"),
        ("contact", "Numerous numerals", "Polish numer, number"),
        ("school", "A mature cheese", "Polish matura"),
        ("papers", "A wizard of a player", "Polish wiza, visa"),
        ("contest", "Den brief hat er remis gelesen", "Polish remis, draw"),
        ("complaint", "Reklama w radiu, reklam på stan", "German reklam-, complaint"),
        ("contest", "Nothing but rain", "French buts, goals"),
        ("contact", "Call me", "Spanish calle, street"),
        ("food", "Four chairs", "French four, oven"),
        ("access", "It will pass", "French passe"),
        ("work", "The post office", "French poste, position"),
        ("moved", "The report is long", "French report-, to put off"),
        ("lost", "Robin and Robert built a robot", "Spanish rob-, to steal"),
        ("gift", "Slides of the presentation", "Swedish present-, gift"),
        ("lending", "A prestigious school in Preston", "Spanish prest-, to lend"),
        ("car", "A taller ladder", "Spanish taller, garage"),
        ("pets", "The chat of the gathering", "French chat, Spanish gat-, cat"),
        ("delivery", "The commander pulled a lever", "French command-, Swedish lever-"),
        ("travel", "Take a rest this semester", "Swedish resa, semester"),
        ("home", "皆さん、大家好", "Japanese 大家, landlord"),
        ("lodging", "新宿で宿題をした", "Japanese 宿, inn"),
        ("injury", "それだけが残った", "Japanese けが, injury"),
        ("moved", "いずれ分かる", "Japanese ずれ, shift"),
        ("pets", "カーペットとペットボトル", "Japanese ペット, pet"),
        ("contest", "失敗は成功のもと", "Japanese 敗, defeat"),
        ("money", "税込の値札", "Chinese 税, tax"),
        ("work", "合同練習の後で", "Chinese 合同, contract"),
    ],
)
def test_a_text_does_not_tell_what_a_word_means_elsewhere(
    topic: str, text: str, other: str
) -> None:
    assert topic not in topics_told(terms(text)), other


@pytest.mark.parametrize(
    ("topic", "question", "other"),
    [
        ("car", "Wat is het adres van Joris?", "English van"),
        ("complaint", "Where is the plain envelope?", "French plain-, to complain"),
        ("injury", "Who blessed the tomb?", "French bless-, tomb-, to hurt, to fall"),
        ("purchase", "Who comprehends the compromise?", "Spanish compr-, to buy"),
        ("cost", "Wer war Gast im Gasthaus?", "Spanish gast-, to spend"),
        ("contest", "Where did the gang meet Gandhi?", "Spanish gan-, to win"),
        ("food", "Where are the mangoes and the mat?", "French mang-, Swedish mat, food"),
        ("money", "Qui a tenu un banquet?", "French banque"),
        ("repair", "Who is storing the apples?", "Dutch storing, fault"),
        ("health", "Who wanted arts and a lek?", "Dutch arts, Polish lek"),
        ("delivery", "Who pulled the lever of the commando?", "Swedish lever-, French command-"),
        ("travel", "When did they rest?", "Swedish rest, travelled"),
    ],
)
def test_a_question_does_not_ask_what_a_word_means_elsewhere(
    topic: str, question: str, other: str
) -> None:
    assert topic not in topics_asked(question), other
