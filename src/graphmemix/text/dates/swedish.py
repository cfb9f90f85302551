"""Swedish words for dates."""

from __future__ import annotations

import re

from graphmemix.text.dates.lexicon import Vocabulary
from graphmemix.text.dates.sorts import Sort

_WEEKDAYS = ["måndag", "tisdag", "onsdag", "torsdag", "fredag", "lördag", "söndag"]
_DECADES = {
    1950: "femtiotalet",
    1960: "sextiotalet",
    1970: "sjuttiotalet",
    1980: "åttiotalet",
    1990: "nittiotalet",
    2010: "tiotalet",
}
_FIRST = frozenset({1, 2, 21, 22, 31})  # 1:a, not 1:e


def _weekday(name: str) -> str:
    """Return a weekday, its evening and its plural: fredag, fredagen, fredagskväll, fredagar."""
    parts = [f"{name}{s}{part}" for s in ("", "s") for part in ("morgon", "kväll", "natt")]
    definite = [f"{part}en" for part in parts if not part.endswith("morgon")]
    several = [f"{name}ar*", f"{name}arna*"]
    return ", ".join([name, f"{name}en", *parts, *definite, f"{name}seftermiddag", *several])


SWEDISH = Vocabulary(
    words={
        Sort.LAST: "förra, föregående, sista, den förra, det förra",
        Sort.PAST: "senaste, gångna",
        Sort.THIS: "denna, detta, den här, det här, de här",
        Sort.NEXT: "nästa, kommande",
        Sort.AGO: "tillbaka",
        Sort.BEFORE: "före, innan",
        Sort.AFTER: "efter",
        Sort.UNTIL: "fram till, till och med, t.o.m., tills, ända till",
        Sort.BY: "senast",
        Sort.BETWEEN: "mellan, emellan",
        Sort.FROM: "från",
        Sort.NOW: "nu",
        Sort.ONWARDS: "och framåt, framåt, och framöver",
        Sort.AND: "och",
        Sort.OR: "eller",
        Sort.ON: "på, vid",
        Sort.OF: "av",
        Sort.THE: "den, det, de",
        Sort.OWNER: "min, mitt, mina, din, ditt, dina, sin, hans, hennes, deras",
        Sort.EVERY: "varje, varenda, alla, vilken, vilket, vilka, den där, det där, hur många",
        Sort.HALF: "halvan, hälften, halvåret",
        Sort.WEEK_NUMBER: "vecka nummer",
        Sort.COUNTED: "kronor, kr, euro, personer, procent, km, kg, meter, gånger, gammal, sidor",
        Sort.NUMBERED: "rum, nummer, nr, sida, sidan, faktura, beställning, flyg",
        Sort.OTHER: "god morgon, godmorgon, god natt, fredagsmys, i vår",  # "in our" as well
    },
    named={
        Sort.SINCE: {"ago": "sedan, sen", "since": "alltsedan, ända sedan, från och med, fr.o.m."},
        Sort.TO: {"for": "till"},
        Sort.IN: {"strong": "i, under, över, runt, kring, omkring, för, inför"},
        Sort.UNIT: {
            "minute": "minut, minuten, minuter",
            "hour": "timme, timmen, timmar, timmarna",
            "day": "dag, dagen, dagar*, dagarna*",
            "week": "vecka, veckan, veckor*, veckorna*",
            "weekend": "helg, helgen, veckoslut, veckoslutet, helger*, helgerna*",
            "month": "månad, månaden, månader*, månaderna*",
            "quarter": "kvartal, kvartalet",
            "year": "år, året, åren*",
            "decade": "årtionde, årtiondet, decennium, decenniet",
        },
        Sort.DAY_PART: {
            "morning": "morgon, morgonen, morse, förmiddag, förmiddagen, på morgonen",
            "noon": "lunchtid, vid lunchtid",
            "afternoon": "eftermiddag, eftermiddagen, på eftermiddagen",
            "evening": "kväll, kvällen, på kvällen",
            "night": "natt, natten, på natten",
        },
        Sort.THIRD: {
            "early": "början, början på, tidigt, tidigt i",
            "mid": "mitten, mitten på",
            "late": "slutet, slutet på, sent, sent i",
        },
        Sort.HOLIDAY: {
            "christmas": "jul, julen, julhelgen",
            "christmas eve": "julafton, julaftonen",
            "christmas day": "juldagen",
            "boxing day": "annandag jul, annandagen",
            "christmas holidays": "jullovet",
            "new year": "nyår, nyåret, nyårshelgen",
            "new year's eve": "nyårsafton, nyårsaftonen",
            "new year's day": "nyårsdagen",
            "epiphany": "trettondagen, trettondag jul",
            "valentine's day": "alla hjärtans dag",
            "ash wednesday": "askonsdagen",
            "palm sunday": "palmsöndagen",
            "holy week": "stilla veckan, påskveckan",
            "good friday": "långfredagen, långfredag",
            "easter": "påsk, påsken, påskhelgen",
            "easter eve": "påskafton",
            "easter sunday": "påskdagen",
            "easter monday": "annandag påsk",
            "ascension": "kristi himmelsfärdsdag, kristi himmelsfärd",
            "pentecost": "pingst, pingsten",
            "halloween": "halloween",
            "walpurgis night": "valborg, valborgsmässoafton",
            "national day of sweden": "nationaldagen, sveriges nationaldag",
            "midsummer": (
                "midsommar, midsommaren, midsommarafton, midsommardagen, midsommarhelgen"
            ),
            "lucia": "lucia",
            "lucia day": "luciadagen, luciatåg, luciatåget",
            "eid al-fitr": "eid",
            "eid al-adha": "offerfesten, offerhögtiden",
            "lunar new year": "kinesiskt nyår, kinesiska nyåret",
            "passover": "judisk påsk, judiska påsken",
            "rosh hashanah": "judiskt nyår, judiska nyåret",
            "nowruz": "persiskt nyår, persiska nyåret",
            "orthodox easter": "ortodox påsk, ortodoxa påsken, grekisk påsk",
        },
    },
    numbered={
        Sort.MONTH: {
            1: "januari, jan",
            2: "februari, feb, febr",
            3: "mars",
            4: "april, apr",
            5: "maj",
            6: "juni, jun",
            7: "juli",  # "jul" is Christmas
            8: "augusti, aug",
            9: "september, sept, sep",
            10: "oktober, okt",
            11: "november, nov",
            12: "december, dec",
        },
        Sort.WEEKDAY: {number: _weekday(name) for number, name in enumerate(_WEEKDAYS)},
        Sort.SEASON: {  # "vår" is "our", and without its ring it is "where"
            1: "våren",
            2: "sommar, sommaren, somrar*",
            3: "höst, hösten, höstar*",
            4: "vinter, vintern, vintrar*",
        },
        Sort.DAY: {
            0: "i dag, idag",
            -1: "i går, igår",
            -2: "i förrgår, förrgår, iförrgår, i förrgårs",
            1: "i morgon, imorgon",
            2: "i övermorgon, övermorgon",
        },
        Sort.NUMBER: {
            1: "en, ett",
            2: "två",
            3: "tre",
            4: "fyra",
            5: "fem",
            6: "sex",
            7: "sju",
            8: "åtta",
            9: "nio",
            10: "tio",
            11: "elva",
            12: "tolv",
            20: "tjugo",
            30: "trettio",
        },
        Sort.ORDINAL: {
            **{number: f"{number}:{'a' if number in _FIRST else 'e'}" for number in range(5, 32)},
            1: "första, 1:a",
            2: "andra, 2:a",
            3: "tredje, 3:e",
            4: "fjärde, 4:e",
        },
        Sort.DECADE: {
            year: f"{word}, {year % 100:02}-talet, {year}-talet" for year, word in _DECADES.items()
        },
    },
    vague={(2, 3): "ett par", (2, 5): "några, några få", (3, 7): "flera"},
    spells={
        (6, "month"): "ett halvår, ett halvt år, halvår",
        (18, "month"): "ett och ett halvt år, ett och halvt år, ett och ett halvår",
        (2, "week"): "fjorton dagar",
        (30, "minute"): "en halvtimme",
    },
    day_words={
        (-1, "night"): "i natt, inatt",  # of what was, the night that ends today
        (0, "morning"): "i morse, imorse, i förmiddag, i förmiddags",
        (0, "afternoon"): "i eftermiddag, i eftermiddags",
        (0, "evening"): "i kväll, ikväll",
        (1, "morning"): "i morgon bitti, imorgon bitti",
    },
    pointed={
        **{
            (Sort.LAST, Sort.WEEKDAY, number): f"i {name}s" for number, name in enumerate(_WEEKDAYS)
        },
        **{
            (Sort.NEXT, Sort.WEEKDAY, number): f"på {name}" for number, name in enumerate(_WEEKDAYS)
        },
        (Sort.LAST, Sort.SEASON, 1): "i våras",
        (Sort.LAST, Sort.SEASON, 2): "i somras",
        (Sort.LAST, Sort.SEASON, 3): "i höstas",
        (Sort.LAST, Sort.SEASON, 4): "i vintras",
        (Sort.THIS, Sort.SEASON, 2): "i sommar",
        (Sort.THIS, Sort.SEASON, 3): "i höst",
        (Sort.THIS, Sort.SEASON, 4): "i vinter",
        (Sort.NEXT, Sort.SEASON, 1): "nästa vår",
        (Sort.LAST, Sort.HOLIDAY, "christmas"): "i julas",
        (Sort.THIS, Sort.HOLIDAY, "christmas"): "i jul",
        (Sort.LAST, Sort.HOLIDAY, "easter"): "i påskas",
        (Sort.THIS, Sort.HOLIDAY, "easter"): "i påsk",
        (Sort.THIS, Sort.UNIT, "year"): "i år",
        (Sort.LAST, Sort.UNIT, "year"): "i fjol",
    },
    weak="",
    ordinal=re.compile(r"(?!)"),
    decade=re.compile(r"(?!)"),
    common=(
        "vad vem vi jag var nar hur vilken min mitt mina och att det den som pa i av med om for "
        "fran till ar har hade gjorde var at skrev foto foton fotona bild bilder bilderna mejl "
        "resa resan vid vilka visa hitta inte oss mig du"
    ),
)
