"""What sort of value a question asks for, where a text holds one, and how well candidates cover it.

"When …" wants a day or an hour, "how much …" an amount: a memory without any cannot answer, however
much it is like the question. Read from the question's words, in English, German, French, Spanish
and Swedish; where they do not say, nothing is said.

A near miss has the right person and the wrong attribute: much of the question is covered, but not
beside a value that could be the answer.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from graphmemix.text.folding import plain
from graphmemix.text.language import content_words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


__all__ = [
    "COVERING", "DETAILS", "AnswerType", "asked_first", "asked_type", "covering", "holds",
    "holds_names", "names_in", "places_of",
]  # fmt: skip

AnswerType: TypeAlias = Literal[
    "birthday", "contact", "seat", "room", "address", "secret",
    "time", "amount", "number", "person", "place",
]  # fmt: skip

DETAILS: Final = frozenset({"birthday", "contact", "seat", "room", "address", "secret"})
"""Details that few memories hold, and that no other sort of value can stand in for."""

_MOST_CHARACTERS: Final = 20_000
_CLOCK = r"(?<![0-9])(?:[01]?[0-9]|2[0-4])(?:[:.][0-5][0-9](?![0-9])|\s?(?:am|pm|uhr|h)\b)"
_NUMERIC_DATE = r"(?<![0-9])(?:[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_MONTH = (
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|juin|juil|avr|fev|dez|okt|mrz|ene|"
    r"abr|ago|dic)[a-z]{0,7}\b"
)
_WEEKDAY = (
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:mon|diens|donners|frei|sams|sonn)tag\b|"
    r"\bmittwoch\b|\b(?:lun|mar|mercre|jeu|vendre|same|diman)(?:di|che)\b|\b(?:lunes|martes|"
    r"miercoles|jueves|viernes|sabado|domingo)\b"
)
_NEAR_DAY = (
    r"\b(?:today|tomorrow|tonight|yesterday|heute|morgen|gestern|demain|hier|manana|ayer|idag|"
    r"imorgon|igar)\b"
)
_CURRENCY = (
    r"eur|euros?|usd|gbp|chf|dollars?|pounds?|kr|kronor|sek|inr|kes|ksh|etb|birr|vnd|dong|naira|"
    r"rupees?|yen|francs?|shillings?"
)
# Of a bill or a menu: behind words, at the end of a line.
_PRICE = r"(?<=[a-z:] )[0-9]{1,5}[.,][0-9]{2}(?=\s{0,3}(?:\n|$))"

# Of each sort: how a question asks for it, and what such a value looks like; both without accents,
# the question in lower case. The first sort that a question asks for counts.
_SORTS: Final[tuple[tuple[AnswerType, str, str], ...]] = (
    (
        "contact",
        (
            r"phone numbers?|telephone(?: number)?|mobile(?: number)?|e-?mail address|"
            r"telefonnummer|handynummer|mailadresse|numero de telephone|adresse e-?mail|"
            r"numero de telefono|correo electronico|telefonnumret"
        ),
        r"(?<!\w)\+?\(?[0-9][0-9 ()/.-]{6,18}[0-9](?!\w)|[\w.+-]{1,40}@[\w-]{1,40}\.",
    ),
    (
        "birthday",
        r"birthday|date of birth|geburtstag|geburtsdatum|anniversaire|cumpleanos|fodelsedag",
        r"bday|birthday|geburtstag|geboren|anniversaire|cumplean|fodelsedag|\bborn\b",
    ),
    (
        "seat",
        r"seats?|sitzplatze?|sitz|plaetze|asientos?|sieges?",
        r"\b[0-9]{1,2} ?[a-k]\b|\bseats?\b|\bsitz|\bsiege|\basiento",
    ),
    (
        "room",
        r"room number|which room|zimmernummer|numero de chambre|numero de habitacion",
        r"\b(?:room|zimmer|chambre|habitacion|rum)\b.{0,12}[0-9]",
    ),
    (
        "address",
        (
            r"(?:which|what|on what) street|street and number|(?:postal |home |street |"
            r"new )address|strasse|hausnummer|adresse|direccion|gatuadress"
        ),
        (
            r"\b[0-9]{1,4}[a-z]? [a-z]{4}|[a-z]{3}(?:strasse|str\.|gatan|vagen|gasse|weg)\b|"
            r"\b(?:street|road|avenue|lane|rue|calle|adr)\b"
        ),
    ),
    (
        "secret",
        r"password|passwort|kennwort|mot de passe|contrasena|losenord|pin|wi-?fi|door code|code",
        r"[a-z][^\s0-9]{0,30}[0-9]|\b[0-9]{4,8}\b",
    ),
    (
        "time",
        (
            r"when|whens|what time|what (?:day|date|days|dates|month|year)|which (?:day|date|"
            r"days|month|year|weekend)|on which|how long ago|wann|wie spat|um wie viel uhr|"
            r"wieviel uhr|an welchem tag|welcher tag|welches datum|quand|quelle heure|"
            r"quel jour|quelle date|quels jours|cuando|que hora|que dia|que fecha|nar|"
            r"vilken dag|vilket datum"
        ),
        f"{_CLOCK}|{_NUMERIC_DATE}|{_MONTH}|{_WEEKDAY}|{_NEAR_DAY}",
    ),
    (
        "amount",
        (
            r"how much|what (?:price|amount|fee|rent)|price|costs?|charged?|pay|paid|owed?|"
            r"refund|refunded|money|cheap|expensive|was kostet|kostete?|gekostet|kosten|preis|"
            r"miete|kaution|bezahlt|gezahlt|verlangt|combien|prix|paye|cuanto|precio|"
            r"vad kostade|hur mycket"
        ),
        r"[€$£¥₹₦₫]\s?[0-9]|[0-9]\s?(?:[€$£¥₹₦₫]|(?:" + _CURRENCY + r")\b)|"
        r"\b(?:rs|" + _CURRENCY + r")\.?\s?[0-9]|" + _PRICE,
    ),
    (
        "number",
        (
            r"how many|how long|how old|how far|how tall|how big|how fast|how heavy|how high|"
            r"what (?:number|size|percentage|share|score)|percent|number|size|points|"
            r"wie ?viele?|wie lange?|wie alt|wie weit|wie hoch|wie gross|wie schwer|prozent|nummer|"
            r"grosse|punkte|numero|taille|cuantos|cuantas|hur manga|hur lange"
        ),
        r"[0-9]",
    ),
    (
        "person",
        (
            r"who|whom|whose|wer|wem|wen|wessen|qui|quien|quienes|vem|vems|name|named|called|"
            r"heisst|heissen|comment s.appelle|como se llama|heter"
        ),
        r"",
    ),
    (
        "place",
        (
            r"where|wo|wohin|woher|ou|donde|adonde|var|which (?:city|town|hotel|country|"
            r"restaurant|village|place|airport|station|hospital)|what (?:city|town|hotel|"
            r"restaurant|place)|welche[sr]? (?:stadt|hotel|ort|land|restaurant)|"
            r"welchem (?:hotel|ort|land|restaurant)|welcher stadt|quel (?:hotel|restaurant|"
            r"pays)|quelle ville|que (?:hotel|ciudad)"
        ),
        r"",
    ),
)
_ASKING: Final = tuple((name, re.compile(rf"\b(?:{asks})\b")) for name, asks, _ in _SORTS)
_VALUES: Final = {name: re.compile(looks, re.IGNORECASE) for name, _, looks in _SORTS if looks}
# A name in the midst of a sentence, where a capital means something.
_NAME: Final = re.compile(
    r"(?<=[a-z,;] )[A-Z][a-z]{2,20}\b|(?<=\n)[A-Z][a-z]{2,20} [A-Z][a-z]{2,20}\b"
)


def asked_type(question: str) -> AnswerType | None:
    """Return what sort of value a question asks for; None if its words do not say."""
    folded = plain(question[:500]).lower()
    return next((name for name, pattern in _ASKING if pattern.search(folded)), None)


def asked_first(question: str) -> AnswerType | None:
    """Return the sort whose words come first: "How many came when it rained?" wants a number.

    For readers; coefficients were fitted to `asked_type`.
    """
    folded = plain(question[:500]).lower()
    found = [
        (match.start(), name) for name, pattern in _ASKING if (match := pattern.search(folded))
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def places_of(text: str, wanted: AnswerType, most: int = 40) -> list[int]:
    """Return where a text holds values of this sort, the first ones."""
    found = _VALUES.get(wanted, _NAME).finditer(plain(text[:_MOST_CHARACTERS]))
    return [match.start() for match in islice(found, most)]


def names_in(question: str) -> frozenset[str]:
    """Return the beginnings of the names in a question: words with a capital, but not its first."""
    shown = _WORD.findall(content_words(question))
    named = (word for word in shown if len(word) > 1 and word[0].isupper())
    return frozenset(_stem(word) for word in named if not question.startswith(word))


def holds_names(text: str, names: Collection[str]) -> float:
    """Return the share of these names that a text holds."""
    folded = _folded(text)
    return sum(name in folded for name in names) / max(1, len(names))


def holds(text: str, wanted: AnswerType) -> bool:
    """Return whether a text holds a value of this sort; questions meet the same texts often."""
    return _holds(text[:_MOST_CHARACTERS], wanted)


@lru_cache(maxsize=4096)
def _holds(text: str, wanted: AnswerType) -> bool:
    return bool(places_of(text, wanted, 1))


COVERING: dict[str, str] = {
    "words_unknown": "share of the question's words that no candidate holds",
    "unknown_words": "how many words that is",
    "names_unknown": "share of the question's names that no candidate holds",
    "unknown_names": "how many names that is",
    "known_names": "how many of its names candidates hold",
    "words_unseen": "share of the question's words that no candidate of the best ten holds",
    "covered_with_value": "greatest share in one that also holds a value of the sort asked for",
    "covered_near_value": "greatest share near such a value",
    "names_near_value": "greatest share of the question's names near such a value",
    "asks_detail": "1 if it asks for a detail, such as a phone number or a birthday",
    "asks_named_detail": "1 if it asks for such a detail of somebody or something that it names",
    "asks_amount": "1 if it asks for an amount of money",
    "asks_number": "1 if it asks for another number",
    "asks_person": "1 if it asks for a person or a name",
    "asks_openly": "1 if its words do not say what sort of value it asks for",
    "asks_attribute": "1 if it asks what, when or who something is",
}
"""Features of a question with its best candidates."""

# "What is Priya's major?" asks for an attribute; "What did we do?" does not.
_ATTRIBUTE: Final = re.compile(
    r"^\W{0,3}(?:what|when|who)(?:['\u2019]?s|\s(?:is|was|are|were))\b|"
    r"^\W{0,3}(?:was|wann|wer|wie)\s(?:ist|war|sind|waren|hei(?:ss|ß)t|hie(?:ss|ß))\b|"
    r"^\W{0,3}(?:quel(?:le)?s?|qui|quand)\s(?:est|etait|sont|etaient)\b|"
    r"^\W{0,3}(?:cual(?:es)?|que|quien|cuando)\s(?:es|era|fue|son|eran)\b"
)
_NEAR: Final = 160  # characters; about two lines
_WORD: Final = re.compile(r"[^\W_]+")
_SHORTEST: Final = 4  # letters of a word's beginning that count, whatever its ending


def covering(question: str, best: Sequence[str], all_texts: Sequence[str]) -> dict[str, float]:
    """Return the features named in `COVERING`; NaN for what does not apply.

    Args:
        question: Its text.
        best: The words of the best candidates, with who wrote them.
        all_texts: The same of all candidates: words that most of them hold count little.
    """
    wanted = asked_type(question)
    names = names_in(question)
    stems = {_stem(word) for word in _WORD.findall(content_words(question))}
    often = _often(stems, all_texts)
    rarity = _rarity(often, len(all_texts))
    unknown = {stem for stem, count in often.items() if not count}
    at = [{stem: _places(text, stem) for stem in rarity} for text in map(_folded, best)]
    values = [places_of(text, wanted) if wanted else [] for text in best]
    held = [sum(rarity[stem] for stem in found if found[stem]) for found in at]
    near = [
        {stem for stem in found if any(abs(p - v) <= _NEAR for p in found[stem])}
        for found, there in zip(at, values, strict=True)
        for v in there
    ]
    seen = {stem for found in at for stem in found if found[stem]}
    return {
        "words_unknown": len(unknown) / max(1, len(stems)),
        "unknown_words": float(len(unknown)),
        "names_unknown": len(unknown & names) / len(names) if names else math.nan,
        "unknown_names": float(len(unknown & names)),
        "known_names": float(len(names - unknown)),
        "words_unseen": sum(rarity[stem] for stem in rarity.keys() - seen),
        "covered_with_value": math.nan
        if wanted is None
        else max((h for h, there in zip(held, values, strict=True) if there), default=0.0),
        "covered_near_value": math.nan
        if wanted is None
        else max((sum(rarity[s] for s in stems) for stems in near), default=0.0),
        "names_near_value": math.nan
        if wanted is None or not names
        else max((len(stems & names) / len(names) for stems in near), default=0.0),
        "asks_detail": float(wanted in DETAILS),
        "asks_named_detail": float(wanted in DETAILS and bool(names)),
        "asks_amount": float(wanted == "amount"),
        "asks_number": float(wanted == "number"),
        "asks_person": float(wanted == "person"),
        "asks_openly": float(wanted is None),
        "asks_attribute": float(bool(_ATTRIBUTE.search(plain(question).lower()))),
    }


def _stem(word: str) -> str:
    """Return the part of a word that its endings leave alone."""
    folded = plain(word).lower()
    return folded[: max(_SHORTEST, len(folded) - 2)]


@lru_cache(maxsize=1 << 10)
def _folded(text: str) -> str:
    return plain(text).lower()


def _often(stems: Collection[str], texts: Sequence[str]) -> Mapping[str, int]:
    """Return in how many texts each word stands."""
    folded = [_folded(text) for text in texts]
    return {stem: sum(stem in text for text in folded) for stem in stems}


def _rarity(often: Mapping[str, int], texts: int) -> Mapping[str, float]:
    """Return how much each word counts; they sum to 1."""
    weights = {stem: math.log1p(texts / (1 + count)) for stem, count in often.items()}
    total = sum(weights.values()) or 1.0
    return {stem: weight / total for stem, weight in sorted(weights.items())}


def _places(text: str, stem: str) -> list[int]:
    """Return where words begin with this, the first fifty."""
    found: list[int] = []
    start = 0
    while len(found) < 50 and (start := text.find(stem, start)) >= 0:
        if start == 0 or not text[start - 1].isalnum():
            found.append(start)
        start += 1
    return found
