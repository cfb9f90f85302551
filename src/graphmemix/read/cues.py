"""The kind of answer that a question asks for, and how much a sentence looks like one.

Which value is asked for is told in the languages of `asked`; the words of sentences are English,
German, French, Spanish, Italian and Dutch. For other languages the other signals decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import regex

from graphmemix.verify.asked import DETAILS, asked_first, asked_type, holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmemix.verify.asked import AnswerType as Sort

__all__ = [
    "AnswerType",
    "MemoryContext",
    "answer_type",
    "asks_for_words",
    "cue",
    "needs_value",
    "tells_cancelled",
    "tells_change",
    "tells_total",
    "words_pattern",
]

_KEPT: Final = 64  # questions; each is looked at for every sentence

AnswerType: TypeAlias = Literal["when", "where", "amount", "who", "yes_no", "open"]


@dataclass(frozen=True)
class MemoryContext:
    """Date, place and speaker of a memory; empty if unknown."""

    date: str = ""
    place: str = ""
    speaker: str = ""


def words_pattern(*lists: str, start: str = r"\b") -> regex.Pattern[str]:
    """Return a pattern for any of these words; ``_`` is a space within a phrase."""
    each = "|".join(word.replace("_", r"\s") for words in lists for word in words.split())
    return regex.compile(rf"{start}(?:{each})\b", regex.IGNORECASE)


# What a sort of value (`asked`) is for a reader; the other sorts are details.
_SORTS: Final[dict[Sort, AnswerType]] = {
    "time": "when",
    "birthday": "when",
    "amount": "amount",
    "number": "amount",
    "person": "who",
    "place": "where",
    "address": "where",
}
# What the vocabulary of `asked` lacks, since coefficients are fitted to it: words that say little
# of whether there is an answer. The first match counts.
_FURTHER: Final[tuple[tuple[AnswerType, regex.Pattern[str]], ...]] = (
    (
        "amount",
        words_pattern(
            "how_often how_expensive wie_oft wie_teuer hoe_vaak hoe_duur the_number_of the_total"
        ),
    ),
    ("when", words_pattern("what_weekday which_weekday")),
    ("where", words_pattern("which_street what_country what_address")),
    (
        "yes_no",
        words_pattern(
            "is are was were am do does did have has had can could will would should may hast",
            "habe haben habt hat bin bist ist sind war waren kann wird est-ce as-tu avez",
            start=r"^\W*",
        ),
    ),
)
_MONTHS: Final = (
    "jan(?:uary|uar|vier)? feb(?:ruary|ruar|rero|braio)? février mar(?:ch|s|zo)? märz "
    "apr(?:il|ile)? avril abril may mai mayo maggio june? juni[o]? juin giugno july? juli[o]? "
    "juillet luglio aug(?:ust)? août agosto sept?(?:ember|embre)? oct(?:ober|obre)? oktober "
    "nov(?:ember|embre)? dec(?:ember|embre)? dezember enero gennaio"
)
_MONTH: Final = "(?:" + "|".join(_MONTHS.split()) + ")"
_DATE: Final = regex.compile(
    r"\b\d{4}-\d\d?-\d\d?\b"
    r"|\b\d{1,2}[./]\d{1,2}[./](?:\d{2,4}\b)?"
    r"|\b(?:19|20)\d\d\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?{_MONTH}\b"
    rf"|\b{_MONTH}\.?\s\d{{1,2}}\b"
    r"|\d\s?[年月日]",
    regex.IGNORECASE,
)
_CLOCK: Final = regex.compile(
    r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?(?:am|pm|a\.m\.|p\.m\.|o'clock|uhr|h)(?!\p{L})|\d[時时点點]",
    regex.IGNORECASE,
)
_DAY: Final = words_pattern(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag",
    "freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche yesterday today",
    "tomorrow tonight noon midnight last_night last_week last_month last_year gestern heute",
)
_MONEY: Final = regex.compile(
    r"\p{Sc}\s?\d|\d[.,]*\s?(?:\p{Sc}"  # the last digit of a number is enough
    r"|(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|francs?|yen|jpy|cents?)\b|[千万]?[円元])",
    regex.IGNORECASE,
)
_NUMBER_WORD: Final = words_pattern(
    "one two three four five six seven eight nine ten eleven twelve dozen twenty thirty hundred",
    "thousand million once twice both none zwei drei vier fünf sechs sieben acht neun zehn deux",
    "trois quatre cinq sept huit neuf dix dos tres cuatro cinco due tre quattro cinque",
)
_DIGIT: Final = regex.compile(r"\d")
_ABOUT_MONEY: Final = words_pattern(
    "how_much cost costs price pay paid expensive fee bill teuer kostet kostete combien cu[aá]nto",
    "quanto spend spent hoeveel precio prezzo preço prijs preis prix",
)
# A name after a preposition of place; months and weekdays are not places.
_NO_PLACE: Final = (
    "January February March April May June July August September October November December Monday "
    "Tuesday Wednesday Thursday Friday Saturday Sunday I"
)
_NAMED_PLACE: Final = regex.compile(
    r"\b(?:at|in|near|to|from|into|by|im|am|nach|aus|bei|à|en|a|de|da|di)\s"
    r"(?:(?:the|der|dem|la|le|el|il)\s)?"
    rf"(?!(?:{'|'.join(_NO_PLACE.split())})\b)\p{{Lu}}\p{{L}}+"
)
_PLACE_WORD: Final = words_pattern(
    r"street road avenue hotel square station airport museum restaurant \p{L}+straße \p{L}+platz",
)
_NAME: Final = regex.compile(
    r"(?<=[\p{Ll},:]\s)\p{Lu}\p{Ll}+|^\p{Lu}\p{Ll}+\s(?:and\s)?\p{Lu}\p{Ll}+"
)
_SAID: Final = words_pattern(
    "said say says told tell wrote write sent send suggest suggested recommend recommended asked",
    "ask mentioned mention promised invited took schrieb sagte schickte",
)
# Not "say": a sign on a photo says something, too.
_IN_WORDS: Final = words_pattern(
    "write wrote written writes schrieb schreibt geschrieben écrit écrivait escribió escrito skrev",
    "skrivit",
)
_AGREES: Final = words_pattern(
    "yes yeah yep no nope sure of_course never ja nein doch oui non s[ií] klar", start=r"^\W*"
)


_TOTAL: Final = words_pattern(
    "total totals in_all altogether sum gesamt gesamtbetrag summe insgesamt en_tout montant importe"
    " totale totaal summa totalt"
)
_CHANGE: Final = words_pattern(
    "moves_to moved moving_to new_date new_time new_room new_address new_number postponed gave",
    "rescheduled brought_forward changes? changed instead correction corrected replaces replaced",
    "cancelled canceled no_longer not_anymore handed_over passed_on given_to",
    "verschoben verschiebt verlegt neuer_termin neue_adresse neue_nummer statt geändert korrigiert",
    "storniert abgesagt nicht_mehr übergeben gegeben",
    "déplacée? reportée? nouvelle_date nouvelle_adresse nouveau_numéro changée? annulée? au_lieu",
    "ne_plus corrigée?",
    "nueva_fecha nueva_direcci[oó]n nuevo_n[uú]mero cambiad[oa] aplazad[oa] pospuest[oa]",
    "cancelad[oa] en_lugar ya_no corregid[oa]",
    "flyttad flyttat flyttas ändrad ändrat inställd inställt nytt_datum ny_adress",
)


_CANCELLED: Final = words_pattern(
    "cancelled canceled cancellation storniert stornierung abgesagt annulée? annulation",
    "cancelad[oa] cancelación anulad[oa] avbokad avbokat inställd inställt annullat[oa]",
    "geannuleerd",
)


def tells_cancelled(text: str) -> bool:
    """Return whether a text says that something was cancelled."""
    return bool(_CANCELLED.search(text))


def tells_change(sentence: str) -> bool:
    """Return whether a sentence says that something is no longer as it was."""
    return bool(_CHANGE.search(sentence))


def tells_total(sentence: str) -> bool:
    """Return whether a sentence sums up a bill."""
    return bool(_TOTAL.search(sentence))


def asks_for_words(question: str) -> bool:
    """Return whether a question asks what somebody wrote: what a photo shows, nobody did."""
    return bool(_IN_WORDS.search(question))


@lru_cache(_KEPT)
def answer_type(question: str) -> AnswerType:
    """Return the kind of answer that a question asks for."""
    sort = asked_first(question)
    if sort in _SORTS:
        return _SORTS[sort]
    return next((kind for kind, pattern in _FURTHER if pattern.search(question)), "open")


@lru_cache(_KEPT)
def _detail(question: str) -> Sort | None:
    """Return which of the details a question asks for that nothing else can stand in for."""
    wanted = asked_type(question)
    return wanted if wanted in DETAILS else None


def needs_value(question: str) -> bool:
    """Return whether only a value can answer: an amount, a seat, a number to call."""
    return answer_type(question) == "amount" or _detail(question) is not None


def cue(kind: AnswerType, question: str, sentence: str, context: MemoryContext) -> float:
    """Return how much a sentence looks like the answer to such a question, from 0 to 1.

    The memory's context counts too: its date answers "when" even if its text does not.
    """
    detail = _detail(question)
    if detail is not None:
        return float(holds(sentence, detail))
    score = _SCORES.get(kind)
    return score(question, sentence, context) if score else 0.0


def _when(question: str, sentence: str, context: MemoryContext) -> float:
    del question
    if _DATE.search(sentence):
        return 1.0
    if _CLOCK.search(sentence) or _DAY.search(sentence):
        return 0.7
    return 0.4 if context.date else 0.0


def _where(question: str, sentence: str, context: MemoryContext) -> float:
    del question
    if _NAMED_PLACE.search(sentence) or _PLACE_WORD.search(sentence):
        return 0.8
    return 0.6 if context.place else 0.0


def _amount(question: str, sentence: str, context: MemoryContext) -> float:
    del context
    if _ABOUT_MONEY.search(question) or asked_type(question) == "amount":
        if _MONEY.search(sentence) or holds(sentence, "amount"):
            return 1.0 if tells_total(sentence) else 0.8
        return 0.4 if _DIGIT.search(sentence) else 0.0
    return 0.7 if _DIGIT.search(sentence) or _NUMBER_WORD.search(sentence) else 0.0


def _who(question: str, sentence: str, context: MemoryContext) -> float:
    if context.speaker and _SAID.search(question):
        return 0.7
    return 0.6 if _NAME.search(sentence) else 0.0


def _yes_no(question: str, sentence: str, context: MemoryContext) -> float:
    del question, context
    return 0.5 if _AGREES.search(sentence) else 0.0


_SCORES: Final[dict[AnswerType, Callable[[str, str, MemoryContext], float]]] = {
    "when": _when,
    "where": _where,
    "amount": _amount,
    "who": _who,
    "yes_no": _yes_no,
}
