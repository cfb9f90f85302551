"""The basics in German, French and Spanish."""

from __future__ import annotations

import pytest

from tests.text.dates.dated import ASKED, FIRST, LAST, found

# Asked on Wednesday 13 March 2024, 10:30.
GERMAN = [
    ("Was habe ich im Mai 2023 gekauft?", "Mai 2023", "2023-05-01 2023-06-01"),
    ("Wo waren wir am 5. Mai 2023?", "5. Mai 2023", "2023-05-05 2023-05-06"),
    ("Wo waren wir am 05.06.2023?", "05.06.2023", "2023-06-05 2023-06-06"),
    ("Wo waren wir im März?", "März", "2024-03-01 2024-04-01"),
    ("Wo waren wir im Jahr 2020?", "Jahr 2020", "2020-01-01 2021-01-01"),
    ("Wo waren wir im Sommer 2022?", "Sommer 2022", "2022-06-01 2022-09-01"),
    ("Fotos vom letzten Sommer", "letzten Sommer", "2023-06-01 2023-09-01"),
    ("Was war letzte Woche?", "letzte Woche", "2024-03-04 2024-03-11"),
    ("Was war letztes Jahr im Mai?", "letztes Jahr im Mai", "2023-05-01 2023-06-01"),
    ("Was war vor drei Wochen?", "vor drei Wochen", "2024-02-19 2024-02-26"),
    ("Was war vor einem Jahr?", "vor einem Jahr", "2023-01-01 2024-01-01"),
    ("Was war gestern Abend?", "gestern Abend", "2024-03-12T17 2024-03-13"),
    ("Was war vorgestern?", "vorgestern", "2024-03-11 2024-03-12"),
    ("Was war am Freitagabend?", "Freitagabend", "2024-03-08 2024-03-09"),
    ("Wo wohnte ich Anfang der 90er?", "Anfang der 90er", "1990-01-01 1994-01-01"),
    ("Was war am Freitag?", "Freitag", "2024-03-08 2024-03-09"),
    ("Was war am letzten Wochenende?", "letzten Wochenende", "2024-03-09 2024-03-11"),
    ("Was bekam ich zu Weihnachten 2022?", "Weihnachten 2022", "2022-12-24 2022-12-27"),
    ("Wo waren wir an Silvester?", "Silvester", "2023-12-31 2024-01-01"),
    ("Was war Mitte Mai?", "Mitte Mai", "2023-05-11 2023-05-21"),
    ("Was war Ende 2022?", "Ende 2022", "2022-09-01 2023-01-01"),
    ("zwischen März und Juni 2023", "zwischen März und Juni 2023", "2023-03-01 2023-07-01"),
    ("die Reise vom 3. bis 7. Mai 2023", "vom 3. bis 7. Mai 2023", "2023-05-03 2023-05-08"),
    ("Was las ich vor Mai 2023?", "vor Mai 2023", f"{FIRST} 2023-05-01"),
    ("Was las ich nach 2021?", "nach 2021", f"2022-01-01 {LAST}"),
    ("Was las ich seit Mai?", "seit Mai", "2023-05-01 2024-03-14"),
    ("Was las ich in den letzten drei Monaten?", "letzten drei Monaten", "2023-12-13 2024-03-14"),
    ("Wo wohnte ich in den 90ern?", "90ern", "1990-01-01 2000-01-01"),
    ("Was war in KW 23 2023?", "KW 23 2023", "2023-06-05 2023-06-12"),
]
FRENCH = [
    ("Qu'est-ce que j'ai fait en mai 2023 ?", "mai 2023", "2023-05-01 2023-06-01"),
    ("Où étions-nous le 5 mai 2023 ?", "5 mai 2023", "2023-05-05 2023-05-06"),
    ("Où étions-nous le 1er mai ?", "1er mai", "2023-05-01 2023-05-02"),
    ("Où étions-nous le 05/06/2023 ?", "05/06/2023", "2023-06-05 2023-06-06"),
    ("les photos de l'été dernier", "été dernier", "2023-06-01 2023-09-01"),
    ("les photos de l’été 2022", "été 2022", "2022-06-01 2022-09-01"),
    ("Qui a écrit la semaine dernière ?", "semaine dernière", "2024-03-04 2024-03-11"),
    ("Qui a écrit l'année dernière ?", "année dernière", "2023-01-01 2024-01-01"),
    ("Qui a écrit vendredi dernier ?", "vendredi dernier", "2024-03-08 2024-03-09"),
    ("Qui a écrit il y a trois semaines ?", "il y a trois semaines", "2024-02-19 2024-02-26"),
    ("Qui a écrit hier soir ?", "hier soir", "2024-03-12T17 2024-03-13"),
    ("Qui a écrit avant-hier ?", "avant-hier", "2024-03-11 2024-03-12"),
    ("Qui a écrit ce matin ?", "ce matin", "2024-03-13T05 2024-03-13T12"),
    ("Qui a écrit aujourd'hui ?", "aujourd'hui", "2024-03-13 2024-03-14"),
    ("Qui était là à Noël ?", "Noël", "2023-12-24 2023-12-27"),
    ("Qui était là à Pâques 2022 ?", "Pâques 2022", "2022-04-15 2022-04-19"),
    ("Qui était là début juin ?", "début juin", "2023-06-01 2023-06-11"),
    ("Qui était là fin 2022 ?", "fin 2022", "2022-09-01 2023-01-01"),
    ("entre mars et juin 2023", "entre mars et juin 2023", "2023-03-01 2023-07-01"),
    ("le voyage du 3 au 7 mai 2023", "du 3 au 7 mai 2023", "2023-05-03 2023-05-08"),
    ("ce que j'ai lu avant mai 2023", "avant mai 2023", f"{FIRST} 2023-05-01"),
    ("ce que j'ai lu depuis 2019", "depuis 2019", "2019-01-01 2024-03-14"),
    ("ce que j'ai lu les trois derniers mois", "trois derniers mois", "2023-12-13 2024-03-14"),
    ("Où habitais-je dans les années 90 ?", "années 90", "1990-01-01 2000-01-01"),
]
SPANISH = [
    ("¿Qué hice en mayo de 2023?", "mayo de 2023", "2023-05-01 2023-06-01"),
    ("¿Dónde estuvimos el 5 de mayo de 2023?", "5 de mayo de 2023", "2023-05-05 2023-05-06"),
    ("¿Dónde estuvimos el 05/06/2023?", "05/06/2023", "2023-06-05 2023-06-06"),
    ("las fotos del verano pasado", "verano pasado", "2023-06-01 2023-09-01"),
    ("las fotos del verano de 2022", "verano de 2022", "2022-06-01 2022-09-01"),
    ("¿Quién escribió la semana pasada?", "semana pasada", "2024-03-04 2024-03-11"),
    ("¿Quién escribió el año pasado?", "año pasado", "2023-01-01 2024-01-01"),
    ("¿Quién escribió el viernes pasado?", "viernes pasado", "2024-03-08 2024-03-09"),
    ("¿Quién escribió hace tres semanas?", "hace tres semanas", "2024-02-19 2024-02-26"),
    ("¿Quién escribió ayer por la tarde?", "ayer por la tarde", "2024-03-12T12 2024-03-12T18"),
    ("¿Quién escribió anoche?", "anoche", "2024-03-12T18 2024-03-13T06"),
    ("¿Quién escribió anteayer?", "anteayer", "2024-03-11 2024-03-12"),
    ("¿Quién escribió hoy?", "hoy", "2024-03-13 2024-03-14"),
    ("¿Quién vino en Navidad?", "Navidad", "2023-12-24 2023-12-27"),
    ("¿Quién vino en Nochevieja?", "Nochevieja", "2023-12-31 2024-01-01"),
    ("¿Quién vino a mediados de mayo?", "mediados de mayo", "2023-05-11 2023-05-21"),
    ("¿Quién vino a finales de 2022?", "finales de 2022", "2022-09-01 2023-01-01"),
    ("entre marzo y junio de 2023", "entre marzo y junio de 2023", "2023-03-01 2023-07-01"),
    ("el viaje del 3 al 7 de mayo de 2023", "del 3 al 7 de mayo de 2023", "2023-05-03 2023-05-08"),
    ("lo que leí antes de mayo de 2023", "antes de mayo de 2023", f"{FIRST} 2023-05-01"),
    ("lo que leí desde 2019", "desde 2019", "2019-01-01 2024-03-14"),
    ("lo que leí en los últimos tres meses", "últimos tres meses", "2023-12-13 2024-03-14"),
    ("¿Dónde vivía en los años 90?", "años 90", "1990-01-01 2000-01-01"),
]


@pytest.mark.parametrize(("question", "text", "span"), [*GERMAN, *FRENCH, *SPANISH])
def test_other_languages(question: str, text: str, span: str) -> None:
    assert found(question, ASKED) == [(text, span)]


@pytest.mark.parametrize(
    "question",
    [
        "Was ist hier los?",  # "hier" is yesterday in French only
        "Wann war ich in Rom?",
        "Wie lange waren wir dort?",
        "Was steht in der letzten Nachricht?",
        "Guten Morgen, wer hat geschrieben?",
        "Quand suis-je allé à Rome ?",
        "Il y a trois chats sur la photo ?",
        "Le livre a été lu par Anna",
        "Qui a fait la dernière photo ?",
        "¿Cuándo estuve en Roma?",
        "¿Qué hace Anna?",
        "¿Cuántos años tiene Anna?",
        "la salsa mayo en la foto",
    ],
)
def test_no_date_in_other_languages(question: str) -> None:
    assert found(question, ASKED) == []
