"""German words for dates."""

from __future__ import annotations

import re

from graphmemix.text.dates.lexicon import Vocabulary
from graphmemix.text.dates.sorts import Sort

_WEEKDAYS = [
    ["montag"],
    ["dienstag"],
    ["mittwoch"],
    ["donnerstag"],
    ["freitag"],
    ["samstag", "sonnabend"],
    ["sonntag"],
]
_PARTS = ["morgen", "vormittag", "mittag", "nachmittag", "abend", "nacht"]  # Freitagabend


def _new_year(adjective: str) -> str:
    """Return "chinesisches Neujahr" with any ending."""
    endings = ("", "s", "n", "m")
    return ", ".join(f"{adjective}{end} neujahr{fest}" for end in endings for fest in ("", "sfest"))


GERMAN = Vocabulary(
    words={
        Sort.LAST: (
            "letzte, letzten, letztes, letzter, letztem, vorige, vorigen, voriges, voriger, "
            "vergangene, vergangenen, vergangenes, vergangener"
        ),
        Sort.THIS: "dieser, diese, dieses, diesen, diesem",
        Sort.NEXT: "nächste, nächsten, nächstes, nächster, kommende, kommenden, kommendes",
        Sort.AFTER: "nach",
        Sort.SINCE: "seit, seit dem, ab, ab dem",
        Sort.UNTIL: "bis, bis zum, bis zu, bis einschließlich",
        Sort.BETWEEN: "zwischen",
        Sort.FROM: "von, vom",
        Sort.NOW: "jetzt",
        Sort.AND: "und",
        Sort.OR: "oder",
        Sort.ON: "am, an, zum, beim",
        Sort.OF: "des, der",
        Sort.OWNER: "mein, meine, meinem, meiner, sein, ihr, unser",
        Sort.EVERY: "jeden, jede, jedes, jeder, alle, welche, welcher, welchen, welchem",
        Sort.HALF: "hälfte",
        Sort.WEEK_NUMBER: "kw, kalenderwoche",
        Sort.COUNTED: "euro, leute, menschen, personen, uhr, prozent, km, kg, meter, alt, seiten",
        Sort.NUMBERED: "zimmer, nummer, nr, seite, raum, rechnung, bestellung, flug",
        Sort.OTHER: "guten morgen, guten abend, gute nacht, nach hause, der zweite",
    },
    named={
        Sort.IN: {
            "strong": "im, in, um, während, über, zu, in den, in der, in dem, für, aus dem, "
            "während des, während der"
        },
        Sort.AGO_FIRST: {"before": "vor"},
        Sort.UNIT: {
            "minute": "minute, minuten",
            "hour": "stunde, stunden",
            "day": "tag, tage, tagen, tages",
            "week": "woche, wochen",
            "weekend": "wochenende, wochenendes",
            "month": "monat, monate, monaten, monats",
            "quarter": "quartal, quartals",
            "year": "jahr, jahre, jahren, jahres",
            "decade": "jahrzehnt, jahrzehnts",
        },
        Sort.DAY_PART: {
            "morning": "vormittag, früh",
            "noon": "mittag",
            "afternoon": "nachmittag",
            "evening": "abend",
            "night": "nacht",
        },
        Sort.THIRD: {"early": "anfang", "mid": "mitte", "late": "ende"},
        Sort.HOLIDAY: {
            "christmas": "weihnachten",
            "christmas eve": "heiligabend, heiliger abend",
            "new year": "jahreswechsel",
            "new year's eve": "silvester, sylvester",
            "new year's day": "neujahr, neujahrstag",
            "good friday": "karfreitag",
            "easter": "ostern, osterwochenende",
            "easter sunday": "ostersonntag",
            "easter monday": "ostermontag",
            "ascension": "christi himmelfahrt, himmelfahrt",
            "pentecost": "pfingsten",
            "valentine's day": "valentinstag",
            "mother's day": "muttertag",
            "halloween": "halloween",
            "diwali": "diwali-fest, diwalifest",
            "holi": "holi-fest, holifest",
            "ramadan": "ramadans, fastenmonat ramadan",
            "eid al-fitr": "zuckerfest, zuckerfestes, ramadanfest, fest des fastenbrechens",
            "eid al-adha": "opferfest, opferfestes",
            "lunar new year": f"{_new_year('chinesische')}, mondneujahr",
            "mid-autumn festival": "mondfest, mittherbstfest",
            "passover": "pessachfest",
            "rosh hashanah": _new_year("jüdische"),
            "hanukkah": "chanukkafest",
            "nowruz": _new_year("persische"),
            "orthodox easter": (
                "orthodoxe ostern, orthodoxen ostern, orthodoxes ostern, orthodoxes osterfest, "
                "orthodoxen osterfest, griechische ostern, griechischen ostern"
            ),
            "midsummer": "mittsommer, mittsommerfest, midsommar",
            "lucia day": "luciatag, luciafest, lucia-fest",
        },
    },
    numbered={
        Sort.MONTH: {
            1: "januar, jänner, jan",
            2: "februar, feb",
            3: "märz, maerz",
            4: "april, apr",
            5: "mai",
            6: "juni, jun",
            7: "juli, jul",
            8: "august, aug",
            9: "september, sept, sep",
            10: "oktober, okt",
            11: "november, nov",
            12: "dezember, dez",
        },
        Sort.WEEKDAY: {
            number: ", ".join([name, *(name + part for part in _PARTS), *more])
            for number, (name, *more) in enumerate(_WEEKDAYS)
        },
        Sort.SEASON: {1: "frühling, frühjahr", 2: "sommer", 3: "herbst", 4: "winter"},
        Sort.DAY: {0: "heute", -1: "gestern", -2: "vorgestern", 1: "morgen", 2: "übermorgen"},
        Sort.NUMBER: {
            1: "ein, eine, einem, einer, einen",
            2: "zwei",
            3: "drei",
            4: "vier",
            5: "fünf",
            6: "sechs",
            7: "sieben",
            8: "acht",
            9: "neun",
            10: "zehn",
            11: "elf",
            12: "zwölf",
            20: "zwanzig",
        },
        Sort.ORDINAL: {
            1: "erste, ersten",
            2: "zweite, zweiten",
            3: "dritte, dritten",
            4: "vierten",
        },
    },
    vague={(2, 3): "ein paar", (2, 5): "einige, einigen, wenigen", (3, 7): "mehrere, mehreren"},
    spells={
        (6, "month"): "einem halben jahr",
        (18, "month"): "eineinhalb jahren, anderthalb jahren",
    },
    day_words={
        (0, "morning"): "heute morgen",
        (-1, "morning"): "gestern morgen",
        (1, "morning"): "morgen früh",
    },
    weak="",
    ordinal=re.compile(r"(?!)"),
    decade=re.compile(r"(?:[0-9]|1[89][0-9]|20[0-9])0ern?"),
    common=(
        "der die das ich wir war waren habe haben hat was wo wann wer wie und mit von vom ist "
        "sind ein eine mir mich mein meine uns auf es nicht zu aus bei als fotos bilder"
    ),
)
