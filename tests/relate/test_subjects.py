from __future__ import annotations

import pytest

from graphmemix.relate.subjects import normal_subject
from tests.growth.doubling import assert_linear


@pytest.mark.parametrize(
    "subject",
    [
        "Summer trip",
        "Re: Summer trip",
        "RE:Summer trip",
        "Fwd: Re: summer  trip",
        "FW: FW: Summer trip",
        "AW: WG: Summer trip",
        "SV: VS: Summer trip",
        "Antw: Summer trip",
        "TR: RE : Summer trip",
        "RV: Summer trip",
        "RES: ENC: Summer trip",
        "R: I: Summer trip",
        "RE[2]: Summer trip",
        "Re (3): Summer trip",
        "Re^2: Summer trip",
        "[family] Summer trip",
        "Re: [family] AW: [x] Summer\ttrip ",
        "回复: Summer trip",
        "回复：转发：Summer trip",
        "答复: Summer trip",
        "返信: 転送: Summer trip",
    ],
)
def test_what_mail_programs_add_is_taken_off(subject: str) -> None:
    assert normal_subject(subject) == "summer trip"


@pytest.mark.parametrize(
    "subject",
    ["", "  ", "Re:", "[list]", "Hello", "hi!", "Re: Hi", "(no subject)", "Thank you", "AW: Hallo",
     "Kein Betreff", "Bonjour", "¡Hola!", "回复: 你好", "无主题", "...", "?", "x"],
)  # fmt: skip
def test_a_subject_that_anybody_may_write_says_nothing(subject: str) -> None:
    assert normal_subject(subject) == ""


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Report: Re-entry", "report: re-entry"),
        ("Regards from Rome", "regards from rome"),
        ("Ire: a study", "ire: a study"),
        ("Résumé", "resume"),
        ("旅行计划", "旅行计划"),
        ("Zug nach Köln [alt]", "zug nach koln [alt]"),
    ],
)
def test_words_of_the_subject_itself_stay(subject: str, expected: str) -> None:
    assert normal_subject(subject) == expected


@pytest.mark.parametrize("unit", ["Re: ", "[", "[a]", " ", "re", "回复"])
def test_long_subjects_take_linear_time(unit: str) -> None:
    assert_linear(normal_subject, lambda size: unit * size, most=1 << 17)
