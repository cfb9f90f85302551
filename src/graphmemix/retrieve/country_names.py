"""Countries that a question names, told from people and words of the same spelling.

A country is written with a capital, or stands in a text without any: "photos from italy". A name
that is also a person's ("Jordan") or a word of some language ("turkey"; "Island", which is Iceland)
has to follow a word that leads to a place, "in Jordan", or stand before one for a journey, "our
Jordan trip". One behind another name belongs to that: "New Mexico", "Tom Holland".
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from graphmemix.retrieve.constraints_files import is_calendar_word
from graphmemix.retrieve.constraints_words import NameFound, Phrases, folded, words_of
from graphmemix.text.countries import country_names
from graphmemix.text.language import is_function_word, language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.retrieve.constraints_words import Word

__all__ = ["code_of", "named_countries", "stands_in"]


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# All folded. Names of countries that are first names, and such that are words of some language.
_PERSONS: Final = _listed("""
america chad dania georgia holland india israel jordan kenya kuba malte maurice montserrat
""")
_WORDS: Final = _listed("""
bermuda chile chili china chine cile cina curacao emirates figi gales galles gana gine grenada
guinea inde indie island jersey kina mali man niger oman palau panama peru polen reunion samoa sili
somali swiss togo turkey turki viro
""")
# Longer names that hold that of a country and mean none, or another one.
_OTHERS: Final = """
guinea pig, guinea pigs, guinea fowl, new mexico, new england, new south wales, new jersey,
south america, north america, central america, latin america, bank of america, captain america,
gulf of mexico, golf von mexiko, amerique du sud, amerique du nord, amerique latine,
amerique centrale, america del sur, america del norte, america latina, america central,
nueva inglaterra, nouvelle angleterre, neu england, air france, air china, tour de france,
ile de france, china town, panama hat, bermuda shorts
"""
# Right before a place. "de" and the like may lead to a person, too: "fotos de Jordan".
_LEADING: Final = _listed("""
in from to into through across around via towards visit visited visiting left
aus nach durch uber auf en au aux desde hasta hacia em nel uit naar i pa fran fra till til genom
w z v
""")
_IN: Final = _listed("in en nach i till til")
_LEADING_TO_WORDS: Final = _listed("de d du del da dal dalla dall della von van av")
_TO: Final = "a"  # also an article, "a turkey"
_WITH_TO: Final = frozenset({"es", "fr", "it", "pt"})
_ARTICLES: Final = _listed("la l")
# Behind the name of a country.
_JOURNEYS: Final = _listed("""
trip trips holiday holidays vacation tour journey photos pictures videos album reise urlaub resa
""")
_DIRECTIONS: Final = _listed("""
north northern south southern east eastern west western central upper rural
""")
_ALL_CAPITALS: Final = frozenset({"us", "u s"})  # "us" is a word
_CAPITAL: Final = frozenset({"la reunion", "reunion"})  # "photos de la réunion" are of a meeting
_FEW_LETTERS: Final = 3
_LONGEST_BEFORE: Final = 12  # characters that are looked at for a word before a name


def named_countries(text: str) -> list[NameFound]:
    """Return the countries in a text, in order, each with its code as the name.

    Linear in the text. The names are read when a text first has a word that could be one.
    """
    reading = _Reading(text)
    if not any(map(reading.may_be_name, reading.words)):
        return []
    words = reading.words
    found: list[NameFound] = []
    behind = 0
    for phrase in _index().find(text, words):
        if phrase.first < behind:
            continue
        behind = phrase.end
        if phrase.value and reading.is_country(phrase.first, phrase.end):
            first, last = words[phrase.first].start, words[phrase.end - 1].end
            found.append(NameFound(first, last, phrase.end - phrase.first, phrase.value))
    return found


def code_of(name: str) -> str:
    """Return the code of the country that this is a name of; empty if it is of none."""
    return country_names().get(" ".join(folded(name)), "")


def stands_in(text: str, first: int) -> bool:
    """Return whether "in" or the like is right before, behind which no person stands."""
    before = words_of(text[max(0, first - _LONGEST_BEFORE) : first])
    return bool(before) and before[-1].folded in _IN


@cache
def _index() -> Phrases[str]:
    """Return all names with their codes; empty for what is no country."""
    phrases: Phrases[str] = Phrases()
    for name, code in country_names().items():
        phrases[tuple(name.split())] = code
    for name in _OTHERS.split(","):
        phrases[tuple(name.split())] = ""
    return phrases


class _Reading:
    """A text, to tell the countries in it from other words of the same spelling."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.words: Sequence[Word] = words_of(text)
        self._is_lower = text == text.lower()
        self._is_upper = text.isupper()

    @cached_property
    def _language(self) -> str:
        return language_of(self._text)

    def may_be_name(self, word: Word) -> bool:
        """Return whether a word is written as a name is."""
        shown = self._text[word.start : word.end]
        if shown.isupper() and shown != "I":
            return True
        is_name = word.titled or self._is_lower or _is_caseless(shown)
        return is_name and not is_function_word(word.folded) and not is_calendar_word(word.folded)

    def is_country(self, first: int, end: int) -> bool:
        """Return whether the words of a country's name mean the country."""
        name = " ".join(word.folded for word in self.words[first:end])
        shown = self._text[self.words[first].start : self.words[end - 1].end]
        if _is_caseless(shown):
            return True
        if not self._has_capitals(name, shown, self.words[end - 1]):
            return False
        if name in _PERSONS or name in _WORDS:
            is_led_to = self._is_led_to(first, is_person=name in _PERSONS)
            return (is_led_to and not self._opens_name(end)) or self._opens_journey(first, end)
        return not self._continues_name(first)

    def _has_capitals(self, name: str, shown: str, last: Word) -> bool:
        """Return whether a name is written as one, as far as the text has capitals."""
        if name in _ALL_CAPITALS:
            return shown.isupper() and not self._is_upper
        if len(name) <= _FEW_LETTERS and not self._is_lower:
            return shown.isupper()
        return last.titled or (self._is_lower and name not in _CAPITAL)

    def _continues_name(self, first: int) -> bool:
        """Return whether another name stands right before; German nouns all look like one."""
        if first == 0 or not self._is_joined(first):
            return False
        before = self.words[first - 1]
        is_name = before.titled and not before.opening and not is_function_word(before.folded)
        is_other = before.folded in _DIRECTIONS or is_calendar_word(before.folded)
        return is_name and not is_other and self._language != "de"

    def _opens_name(self, end: int) -> bool:
        """Return whether another name follows: "from Jordan Smith"."""
        if end == len(self.words) or not self._is_joined(end):
            return False
        after = self.words[end]
        return after.titled and after.folded not in _JOURNEYS and not is_calendar_word(after.folded)

    def _is_joined(self, index: int) -> bool:
        """Return whether a space and nothing else stands between a word and the one before."""
        return self._text[self.words[index - 1].end : self.words[index].start] == " "

    def _is_led_to(self, first: int, *, is_person: bool) -> bool:
        """Return whether a word before leads to a place; an article between needs a capital."""
        before = [word.folded for word in self.words[max(0, first - 2) : first]]
        if before and before[-1] in _ARTICLES and self.words[first].titled:
            before.pop()
        leading = before[-1] if before else ""
        if leading == _TO:
            return self._language in _WITH_TO
        return leading in _LEADING or (leading in _LEADING_TO_WORDS and not is_person)

    def _opens_journey(self, first: int, end: int) -> bool:
        is_titled = self.words[first].titled and not self.words[first].opening
        return is_titled and end < len(self.words) and self.words[end].folded in _JOURNEYS


def _is_caseless(word: str) -> bool:
    return word.upper() == word.lower()
