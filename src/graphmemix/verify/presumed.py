"""Places that a question presumes somebody was at, and that are only spoken of as a possibility.

"Which hotel did we stay in in Lisbon?" presumes a stay. If all that names Lisbon is an invitation,
a wish or an advertisement, nothing says that there was one, however many hotels it names. A memory
speaks for a stay if it was made there, is an event or a document, states days, or tells what was.
A country need not be named by what happened there, so the likeliest evidence has to name it.
In English, German, French, Spanish and Swedish.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from graphmemix.encode.views import all_words
from graphmemix.retrieve.constraints_files import is_calendar_word
from graphmemix.retrieve.facets import stated_days
from graphmemix.text.folding import plain
from graphmemix.text.language import is_function_word, language_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from graphmemix.memory import Memory

__all__ = ["only_possible", "presumed_places"]

_MOST_CHARACTERS: Final = 4_000  # of a memory
_WORD: Final = re.compile(r"[^\W_]+")
# Folded, in lower case: that the question asks what was.
_PAST: Final = re.compile(
    r"\b(?:did|was|were|had|hat|hatten?|hatte|haben|habe|war|waren|wart|sind|avons|avez|etions|"
    r"etait|etaient|sommes|estuvimos|fuimos|estuvo|fue|hicimos|comimos|alojamos|quedamos|dormimos|"
    r"bodde|var|hade|gjorde|at|sov)\b"
)
_NAME: Final = r"\s((?:[A-Z][\w'-]{2,30}\s?){1,3})"
_GERMANIC: Final = re.compile(r"\b(?:in|at|to|near|im|nach|auf|bei)" + _NAME)
_OTHER: Final = re.compile(r"\b(?:a|au|en|i|till|pa)" + _NAME)  # "a" is an article in English
# That something may be, in a mail or a message; folded.
_MAY_BE: Final = re.compile(
    r"\b(?:would|could|should|might|maybe|perhaps|why not|come to|come and|let us|let's|some ?day|"
    r"one day|next year|if you|if we|invit\w{1,8}|hope to|want to|wish|plan to|planning|"
    r"wurden?|konnten?|sollten?|vielleicht|warum nicht|kommt|komm|nachstes jahr|einlad\w{1,6}|"
    r"wollen|mochten?|irgendwann|"
    r"pourriez|pourrait|pourrions|voudr\w{2,5}|aimer\w{2,5}|peut-etre|pourquoi pas|venez|viens|"
    r"podriamos|podriais|quiza|quizas|tal vez|por que no|ojala|venid|gustaria|"
    r"skulle|kanske|varfor inte|kom till|vill)\b"
)
# That somebody was or is there.
_TELLS: Final = re.compile(
    r"\b(?:we|i|they|he|she)\s(?:\w{2,12}\s)?(?:was|were|went|stayed|arrived|had|got|spent|saw|"
    r"visited|slept|ate|met|took|bought|left|landed|are in|am in)\b|\b(?:we're|i'm)\sin\b|"
    r"\b(?:waren|sind|haben|hatten)\swir\b|\bwir\s(?:waren|sind|haben|hatten)\b|"
    r"\bich\s(?:war|bin|habe|hatte)\b|\bnous\s(?:avons|etions|sommes)\b|\bj'(?:ai|etais)\b|"
    r"\b(?:estuvimos|fuimos|estamos|llegamos)\b|\bvi\s(?:var|ar|hade|akte|bodde)\b"
)


def presumed_places(question: str) -> list[str]:
    """Return the places that a question about the past names as where something was, folded."""
    shown = plain(question)
    if not _PAST.search(shown.lower()):
        return []
    form = _GERMANIC if language_of(question) in {"en", "de"} else _OTHER
    found = (match[1].lower().removesuffix("'s") for match in form.finditer(shown))
    names = (" ".join(_WORD.findall(name)) for name in found)
    return [
        name
        for name in names
        if name
        and not any(is_calendar_word(word) or is_function_word(word) for word in name.split())
    ]


def only_possible(
    question: str, memories: Sequence[Memory], likeliest: str, bulk: Collection[str] = ()
) -> bool:
    """Return whether a question presumes a place that is named as a possibility at most.

    Args:
        question: Its text.
        memories: Its candidates.
        likeliest: The id of the likeliest one.
        bulk: The ids of mails that many got.
    """
    for place in presumed_places(question):
        mentions = [each for each in memories if f" {place} " in _words_of(each)]
        if any(each.id == likeliest for each in mentions) and all(
            each.id in bulk or _may_be_at_most(each) for each in mentions
        ):
            return True
    return False


def _words_of(memory: Memory) -> str:
    where = memory.place.name if memory.place is not None else ""
    words = _WORD.findall(plain(f"{all_words(memory)} {where}").lower())
    return f" {' '.join(words)} "


def _may_be_at_most(memory: Memory) -> bool:
    if memory.kind not in {"email", "message"} or memory.media or stated_days(memory):
        return False
    words = plain(memory.text[:_MOST_CHARACTERS]).lower()
    return bool(_MAY_BE.search(words)) and not _TELLS.search(words)
