"""Words for days relative to the day of writing, in eight languages, as `plain` text in lower case.

English, German, French and Spanish come from the vocabularies for questions; of Italian, Dutch,
Swedish and Portuguese only days such as "yesterday" do, and the other basics are here. One table
serves all: a word that means different things in two languages is either left out or settled by
the words around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.text.dates.dutch import DUTCH
from graphmemix.text.dates.english import ENGLISH
from graphmemix.text.dates.french import FRENCH
from graphmemix.text.dates.german import GERMAN
from graphmemix.text.dates.italian import ITALIAN
from graphmemix.text.dates.portuguese import PORTUGUESE
from graphmemix.text.dates.sorts import Sort
from graphmemix.text.dates.spanish import SPANISH
from graphmemix.text.dates.swedish import SWEDISH
from graphmemix.text.folding import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.text.dates.lexicon import Vocabulary


def word_set(listed: str) -> frozenset[str]:
    """Return words that are separated by spaces."""
    return frozenset(listed.split())


_VOCABULARIES = (ENGLISH, GERMAN, FRENCH, SPANISH)
_ALL = (*_VOCABULARIES, ITALIAN, DUTCH, SWEDISH, PORTUGUESE)


def _single_words(listed: str) -> Iterator[str]:
    for phrase in plain(listed).lower().split(","):
        if (word := phrase.strip()).isalpha():
            yield word


def _numbered(
    sort: Sort, vocabularies: tuple[Vocabulary, ...] = _VOCABULARIES
) -> Iterator[tuple[str, int]]:
    for vocabulary in vocabularies:
        for number, listed in vocabulary.numbered[sort].items():
            for word in _single_words(listed):
                yield word, number


def _listed(sort: Sort, others: str) -> frozenset[str]:
    known = (word for each in _VOCABULARIES for word in _single_words(each.words.get(sort, "")))
    return frozenset([*known, *others.split()])


_OTHER_WEEKDAYS = """
lunedi maandag mandag segunda-feira
martedi dinsdag tisdag terca-feira
mercoledi woensdag onsdag quarta-feira
giovedi donderdag torsdag quinta-feira
venerdi vrijdag fredag sexta-feira
sabato zaterdag lordag
domenica zondag sondag
"""
_OTHERS = {
    word.removesuffix("-feira"): number
    for number, line in enumerate(_OTHER_WEEKDAYS.strip().splitlines())
    for word in line.split()
}
WEEKDAYS: Final = {
    **{word: number for word, number in _numbered(Sort.WEEKDAY) if len(word) > 4},
    **_OTHERS,
}
"""Full names. Portuguese ones are ordinals as well: see `WITH_FEIRA`."""

WITH_FEIRA: Final = frozenset({"segunda", "terca", "quarta", "quinta", "sexta"})
"""Weekdays only before "-feira"."""

SWEDISH_PAST: Final = {f"{word}s": number for word, number in _OTHERS.items() if word[-2:] == "ag"}
"""Behind "i": "i fredags" is last Friday."""

_ABBREVIATIONS = """
mon mo lun seg
tue tues mar tis ter
wed mi mer mie ons qua
thu thur thurs jeu jue gio tor qui
fri fr ven vie fre sex
sat sa sam sab lor
sun dim dom son
"""
ABBREVIATED: Final = {
    word: number
    for number, line in enumerate(_ABBREVIATIONS.strip().splitlines())
    for word in line.split()
}
"""Weekdays beside a date. Two-letter ones that are frequent words (so, do, di, ma) are left out."""

ENGLISH_ABBREVIATED: Final = word_set("mon tue tues wed thu thur fri sat sun")
GERMAN_ABBREVIATED: Final = {"mo": 0, "di": 1, "mi": 2, "do": 3, "fr": 4, "sa": 5, "so": 6}
"""Weekdays only with a capital behind one of `GERMAN_BEHIND`."""

DAYS: Final = {
    **dict(_numbered(Sort.DAY, _ALL)), "tonight": 0, "anoche": -1, "stasera": 0, "stamattina": 0,
    "vanavond": 0, "vanmorgen": 0, "vanmiddag": 0, "ikvall": 0,
}  # fmt: skip
"""Words for a day, by its distance. "Hier" means yesterday in French only."""

_PHRASES = {
    2: "day after tomorrow; apres demain; pasado manana; dopo domani; depois de amanha; "
    "i overmorgon",
    1: "i morgon",
    0: "aujourd hui; cet apres midi; i dag; i kvall; i eftermiddag",
    -1: "i gar",
    -2: "day before yesterday; avant hier; antes de ayer; altro ieri; i forrgar",
}
PHRASES: Final = {
    tuple(phrase.split()): days
    for days, listed in _PHRASES.items()
    for phrase in listed.split("; ")
}
"""Several words for a day; found at their last word."""
PHRASE_ENDS: Final = frozenset(phrase[-1] for phrase in PHRASES)

NOT_TOMORROW: Final = {
    "manana": frozenset({"la", "una", "cada", "media"}),  # morning: "por la mañana"
    "morgen": word_set(
        "guten guter schonen am jeden der den dem einen fruhen heute gestern de elke goeden"
    ),
}
"""Words before "mañana" and "morgen" with which these mean the morning."""

DAY_PARTS: Final = word_set(
    "morning afternoon evening night nacht matin soir nuit noche manana tarde sera mattina notte "
    "noite avond ochtend natt abend nachmittag"
)
"""With "this" a part of today, with "last" one of yesterday: "last night", "ce soir"."""

UNITS: Final = {
    "day": ("day", "en"), "days": ("day", "en"), "night": ("day", "en"), "nights": ("day", "en"),
    "week": ("week", "en"), "weeks": ("week", "en"), "month": ("month", "en"),
    "months": ("month", "en"), "fortnight": ("week", "en"), "weekend": ("weekend", "en"),
    "tag": ("day", "de"), "tage": ("day", "de"), "tagen": ("day", "de"), "woche": ("week", "de"),
    "wochen": ("week", "de"), "monat": ("month", "de"), "monate": ("month", "de"),
    "monaten": ("month", "de"), "wochenende": ("weekend", "de"),
    "jour": ("day", "fr"), "jours": ("day", "fr"), "semaine": ("week", "fr"),
    "semaines": ("week", "fr"), "mois": ("month", "fr"),
    "dia": ("day", "es"), "dias": ("day", "es"), "semana": ("week", "es"),
    "semanas": ("week", "es"), "mes": ("month", "es"), "meses": ("month", "es"),
    "giorno": ("day", "it"), "giorni": ("day", "it"), "settimana": ("week", "it"),
    "settimane": ("week", "it"), "mese": ("month", "it"), "mesi": ("month", "it"),
    "dagen": ("day", "nl"), "weken": ("week", "nl"), "maand": ("month", "nl"),
    "maanden": ("month", "nl"),
    "dag": ("day", "sv"), "dagar": ("day", "sv"), "vecka": ("week", "sv"),
    "veckan": ("week", "sv"), "veckor": ("week", "sv"), "manad": ("month", "sv"),
    "manaden": ("month", "sv"), "manader": ("month", "sv"), "helg": ("weekend", "sv"),
    "helgen": ("weekend", "sv"),
}  # fmt: skip
"""What is counted and pointed at, with a language."""

AHEAD: Final = frozenset({
    ("in", "en"), ("in", "de"), ("dans", "fr"), ("en", "es"), ("tra", "it"), ("fra", "it"),
    ("over", "nl"), ("om", "sv"), ("em", "es"),
})  # fmt: skip
"""Before a number of units that lie ahead, by the language of the unit."""
AHEAD_OF_TWO: Final = frozenset({("de", "dentro"), ("a", "daqui")})
"""The same in two words, the last one first."""
BEFORE_AGO: Final = frozenset({"vor", "hace", "ha"})
AGO: Final = frozenset({"ago", "back", "geleden", "fa", "sedan", "atras"})

NUMBERS: Final = {
    **dict(_numbered(Sort.NUMBER)),
    "une": 1, "un": 1, "una": 1, "uno": 1, "een": 1, "en": 1, "ett": 1, "uma": 1, "um": 1,
    "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "twee": 2, "drie": 3, "vier": 4, "vijf": 5,
    "tva": 2, "fyra": 4, "fem": 5, "sex": 6, "dois": 2, "duas": 2, "quatro": 4, "cinco": 5,
}  # fmt: skip

LAST: Final = _listed(
    Sort.LAST, "past scorso scorsa passato passata afgelopen vorige forra passado passada"
)
THIS: Final = _listed(Sort.THIS, "questo questa deze dit denna neste nesta")
NEXT: Final = _listed(Sort.NEXT, "prossimo prossima volgende komende nasta kommande")
BEHIND: Final = word_set(
    "dernier derniere passe passee prochain prochaine pasado pasada proximo proxima scorso scorsa "
    "prossimo prossima passado passada que"
)
"""Those that follow their noun; "que" with "viene" or "vem"."""

EVERY: Final = _listed(
    Sort.EVERY,
    "ogni elke iedere varje toda tutti zweiten other always immer toujours siempre never nie los "
    "les le il di a an ein einem einen un una uno een en ett um uma first second third fourth "
    "ersten dritten premier primer",
)
"""Before a weekday that comes again and again; French "le lundi" and Italian "il lunedì" too."""
NAMED_DAYS: Final = word_set(
    "good black ash palm easter cyber bloody shrove pancake holy lundi mardi"
)
"""Before a weekday that is part of another name: Good Friday."""
NAMED_BEHIND: Final = word_set("gras school times saint santo feiras")

AHEAD_OF_DAY: Final = word_set("on by until till til am bis pa op")
SINCE: Final = word_set("since seit depuis desde sedan sinds")
ABBREVIATED_BEHIND: Final = word_set("on this next last by until till til from for before since")
GERMAN_BEHIND: Final = word_set("am bis ab vom zum nachsten diesen letzten")
BEFORE_MONTHS: Final = word_set(
    "in im en em i during throughout this next last early mid late anfang mitte ende debut fin"
)
"""Before a month without a year."""
TOO_SHORT: Final = word_set("mar set out ago gen mag dic ene")
"""Months only beside a day or a year."""
BEFORE_WEEKEND: Final = frozenset({"the", "am", "i", "het", "nel", "no", "el", "al"})
BEFORE_THE_DAY: Final = word_set("on by until till til from before for since to after")
GERMAN_BEFORE_DAY: Final = frozenset({"am", "bis", "zum", "vom", "ab"})

ENGLISH_ONLY: Final = word_set("the and is are you your we will with for this from our have")
DAY_FIRST: Final = word_set(
    "der die das und ist nicht ich wir le les est et vous nous pour avec el los las que con para "
    "il che per non sono het een niet voor och att det som med um uma nao com os"
)
"""Frequent words of languages that write the day before the month."""
