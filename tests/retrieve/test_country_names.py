"""Countries in questions, and what is spelt like one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from graphmemix.retrieve.country_names import code_of, named_countries


def codes(text: str) -> list[str]:
    return [name.name for name in named_countries(text)]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("photos from Portugal", ["PT"]),
        ("the evening before my talk in Japan", ["JP"]),
        ("Fotos aus Italien", ["IT"]),
        ("Bilder aus der Schweiz", ["CH"]),
        ("Fotos aus den Niederlanden", ["NL"]),
        ("Urlaub Kroatien 2023", ["HR"]),
        ("photos d'Espagne", ["ES"]),
        ("photos aux États-Unis", ["US"]),
        ("¿Qué hicimos en Perú?", ["PE"]),
        ("bilder från Norge", ["NO"]),
        ("イタリアの写真", ["IT"]),
        ("IMG_1 イタリア", ["IT"]),
        ("صور من الأردن", ["JO"]),
        ("이탈리아 사진", ["IT"]),
        ("φωτογραφίες Ελλάδα", ["GR"]),
        ("photos from italy", ["IT"]),
        ("where did we eat in south korea", ["KR"]),
        ("Italy", ["IT"]),
        ("From Malaysia to Papua New Guinea", ["MY", "PG"]),
        ("photos from Northern Italy", ["IT"]),
        ("Where did I eat in the US?", ["US"]),
        ("photos from the usa", ["US"]),
        ("photos de La Réunion", ["RE"]),
        ("fotos de Chile", ["CL"]),
        ("Wie war die Reise nach China?", ["CN"]),
        ("photos from turkey", ["TR"]),
        ("our Jordan trip", ["JO"]),
        ("Fotos aus Island", ["IS"]),
        ("un été à Cuba", ["CU"]),
    ],
)
def test_a_country_is_found(question: str, found: list[str]) -> None:
    assert codes(question) == found


@pytest.mark.parametrize(
    "question",
    [
        "What did Jordan write?",
        "photos from Jordan Smith",
        "photos with Chad",
        "Who is Georgia?",
        "fotos de Georgia",
        "Georgia's birthday",
        "Mali says hi",
        "Mr Oman",
        "Maurice a écrit quoi ?",
        "What did Tom Holland send?",
        "how long do we roast the turkey",
        "a Turkey sandwich",
        "Which china plates did we buy?",
        "our china plates",
        "recipe with chile",
        "the Guinea pig",
        "guinea pigs in the garden",
        "the river Niger",
        "photos from the island",
        "photos from the Island",
        "photos de la réunion",
        "the Family Reunion",
        "a quien gana",
        "his jersey",
        "What did they tell us?",
        "WHAT DID THEY TELL US",
        "photos from New Mexico",
        "photos from New England",
        "our South America trip",
        "our Hotel Italy",
        "Bilder vom Strand",
        "",
    ],
)
def test_a_person_or_a_word_is_no_country(question: str) -> None:
    assert codes(question) == []


def test_it_says_where_the_country_stands() -> None:
    text = "Fotos aus Südkorea und der Côte d'Ivoire"
    assert [text[n.first : n.last] for n in named_countries(text)] == ["Südkorea", "Côte d'Ivoire"]


def test_a_name_has_a_code() -> None:
    assert [code_of("España"), code_of("Nerja"), code_of("")] == ["ES", "", ""]


def test_nothing_is_read_before_it_is_needed() -> None:
    program = """
import graphmemix.archive, graphmemix.text.countries as countries
from graphmemix.retrieve.country_names import named_countries
assert named_countries("Which hotel did we have in May?") == []
assert not countries._read.cache_info().currsize
assert named_countries("photos from Portugal")
assert countries._read.cache_info().currsize == 1  # the names, and no towns
"""
    subprocess.run([sys.executable, "-c", program], check=True)
