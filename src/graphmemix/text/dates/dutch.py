"""Dutch words for dates."""

from __future__ import annotations

import re

from graphmemix.text.dates.lexicon import Vocabulary
from graphmemix.text.dates.sorts import Sort

_WEEKDAYS = ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"]
_PARTS = ["morgen", "ochtend", "middag", "namiddag", "avond", "nacht"]  # vrijdagavond
_DECADES = {
    1950: "vijftig",
    1960: "zestig",
    1970: "zeventig",
    1980: "tachtig",
    1990: "negentig",
    2000: "nul",
}

DUTCH = Vocabulary(
    words={
        Sort.LAST: (  # with "de" they still count from today; "de laatste week" does not
            "vorige, vorig, afgelopen, voorbije, verleden, laatste, de vorige, het vorige, "
            "de afgelopen, het afgelopen, de voorbije, het voorbije"
        ),
        Sort.THIS: "deze, dit",
        Sort.NEXT: (
            "volgende, volgend, komende, komend, aanstaande, eerstvolgende, de komende, het komende"
        ),
        Sort.AGO: "geleden, terug",
        Sort.BEFORE: "voor, vóór, voorafgaand aan",
        Sort.AFTER: "na",
        Sort.SINCE: "sinds, sedert, vanaf",
        Sort.UNTIL: "tot, tot aan, tot en met, t/m, t.e.m.",
        Sort.BY: "uiterlijk",
        Sort.BETWEEN: "tussen",
        Sort.NOW: "nu, heden",
        Sort.ONWARDS: "af aan",
        Sort.AND: "en",
        Sort.OR: "of",
        Sort.ON: "op, met, met de",  # met de Kerst
        Sort.THE: "de, het",
        Sort.OWNER: "mijn, jouw, zijn, haar, ons, onze, hun",
        Sort.EVERY: "elke, elk, iedere, ieder, alle, welke, welk, die, dat, hoeveel",
        Sort.HALF: "helft",
        Sort.WEEK_NUMBER: "weeknummer, week nummer",
        Sort.COUNTED: "euro, mensen, personen, uur, procent, km, kg, meter, keer, oud, bladzijden",
        Sort.NUMBERED: "kamer, nummer, nr, pagina, bladzijde, factuur, bestelling, vlucht",
        Sort.OTHER: (
            "goede morgen, goedemorgen, goede avond, tweede kamer, eerste kamer, van sinterklaas, "
            "naar huis"
        ),
    },
    named={
        Sort.FROM: {"of": "van"},
        Sort.IN: {
            "strong": "in, tijdens, tijdens de, tijdens het, gedurende, rond, rond de, rondom, "
            "omstreeks, over, in de loop van, in de maand"
        },
        Sort.UNIT: {
            "minute": "minuut, minuten",
            "hour": "uur, uren",
            "day": "dag, dagen*",
            "week": "week, weken*",
            "weekend": "weekend, weekeinde, weekends*, weekenden*",
            "month": "maand, maanden*",
            "quarter": "kwartaal, kwartalen*",
            "year": "jaar, jaren*",
            "decade": "decennium, decennia*",
        },
        Sort.DAY_PART: {
            "morning": "ochtend, voormiddag, 's ochtends, 's morgens",
            "noon": "lunchtijd",
            "afternoon": "middag, namiddag, 's middags",
            "evening": "avond, 's avonds",
            "night": "nacht, 's nachts",
        },
        Sort.THIRD: {
            "early": "begin",
            "mid": "half, midden, medio, halverwege",
            "late": "eind, einde",
        },
        Sort.HOLIDAY: {
            "christmas": "kerst, kerstmis, kerstdagen, kerstweekend",
            "christmas eve": "kerstavond",
            "christmas day": "eerste kerstdag",
            "boxing day": "tweede kerstdag",
            "christmas holidays": "kerstvakantie",
            "new year": "oud en nieuw, jaarwisseling, nieuwjaar",
            "new year's eve": "oudejaarsavond, oudjaar, oudejaar",
            "new year's day": "nieuwjaarsdag",
            "epiphany": "driekoningen",
            "valentine's day": "valentijnsdag, valentijn",
            "carnival": "carnaval",
            "ash wednesday": "aswoensdag",
            "palm sunday": "palmzondag",
            "good friday": "goede vrijdag",
            "easter": "pasen, paasweekend",
            "easter sunday": "eerste paasdag",
            "easter monday": "tweede paasdag, paasmaandag",
            "ascension": "hemelvaart, hemelvaartsdag",
            "pentecost": "pinksteren, pinksterweekend",
            "mother's day": "moederdag",
            "father's day": "vaderdag",
            "all saints' day": "allerheiligen",
            "halloween": "halloween",
            "king's day": "koningsdag, koninginnedag",
            "st nicholas' eve": "sinterklaas, sinterklaasavond, pakjesavond",
            "eid al-fitr": "suikerfeest",
            "eid al-adha": "offerfeest",
            "lunar new year": "chinees nieuwjaar, chinese nieuwjaar",
            "mid-autumn festival": "maanfestival",
            "passover": "pesach, joods pasen",
            "rosh hashanah": "joods nieuwjaar",
            "nowruz": "perzisch nieuwjaar",
            "orthodox easter": "orthodox pasen, grieks pasen",
            "midsummer": "midsommar",
        },
    },
    numbered={
        Sort.MONTH: {
            1: "januari, jan",
            2: "februari, feb",
            3: "maart, mrt",
            4: "april, apr",
            5: "mei",
            6: "juni, jun",
            7: "juli, jul",
            8: "augustus, aug",
            9: "september, sept, sep",
            10: "oktober, okt",
            11: "november, nov",
            12: "december, dec",
        },
        Sort.WEEKDAY: {
            number: ", ".join([name, f"{name}en*", f"{name}s*", *(name + part for part in _PARTS)])
            for number, name in enumerate(_WEEKDAYS)
        },
        Sort.SEASON: {
            1: "lente, voorjaar, lentes*",
            2: "zomer, zomers*",
            3: "herfst, najaar",
            4: "winter, winters*",
        },
        Sort.DAY: {
            0: "vandaag",
            -1: "gisteren, gister",
            -2: "eergisteren, eergister",
            1: "morgen",
            2: "overmorgen",
        },
        Sort.NUMBER: {
            1: "een, één",
            2: "twee",
            3: "drie",
            4: "vier",
            5: "vijf",
            6: "zes",
            7: "zeven",
            8: "acht",
            9: "negen",
            10: "tien",
            11: "elf",
            12: "twaalf",
            20: "twintig",
            30: "dertig",
        },
        Sort.ORDINAL: {
            1: "eerste",
            2: "tweede",
            3: "derde",
            4: "vierde",
        },
        Sort.DECADE: {
            year: f"jaren {word}, jaren '{year % 100:02}, jaren {year % 100:02}"
            for year, word in _DECADES.items()
        },
    },
    vague={
        (2, 3): "een paar",
        (2, 5): "enkele, enige",
        (3, 7): "verschillende, meerdere",
    },
    spells={
        (6, "month"): "een half jaar, half jaar",
        (18, "month"): "anderhalf jaar",
        (6, "week"): "anderhalve maand",
        (2, "week"): "veertien dagen",
        (30, "minute"): "een half uur, half uur",
    },
    day_words={
        (-1, "evening"): "gisteravond, gisterenavond",
        (-1, "morning"): "gisterochtend, gistermorgen",
        (-1, "afternoon"): "gistermiddag",
        (-1, "night"): "vannacht, gisternacht",  # of what was, the night that ends today
        (0, "morning"): "vanmorgen, vanochtend",
        (0, "afternoon"): "vanmiddag",
        (0, "evening"): "vanavond",
        (1, "morning"): "morgenochtend",
        (1, "afternoon"): "morgenmiddag",
        (1, "evening"): "morgenavond",
    },
    weak="",
    ordinal=re.compile(r"(?:[12]?[0-9]|3[01])(?:ste|de|e)"),
    decade=re.compile(r"(?!)"),
    common=(
        "de het een ik we wij wat waar wanneer wie hoe was waren heb hebben had heeft deed deden "
        "en met van op is zijn ons mijn mij niet naar bij foto foto's als dat die voor uit zit "
        "toon laat zien welke reis berichten gingen schreef"
    ),
)
