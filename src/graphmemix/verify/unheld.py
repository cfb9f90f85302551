"""Questions that the archive cannot answer, by what they name: a bound on the chance of an answer.

No data set asks about somebody of whom an archive holds no trace, so that nothing can be learned
from any; and a detail that is known of others only is the near miss that likeness hides best. Both
are rules on words, and narrow: where they say nothing, the fitted chance stands.

- "What did Zoltan write in July?", and nothing here holds that name. Only a name that stands where
  somebody acts, is met or owns something counts: a country need not be named by what happened
  there. In English, German, French, Spanish, Italian, Portuguese, Dutch and Swedish.
- "What is Noah allergic to?", and allergies are written of in memories about others alone. Words
  that languages share are told by letters that hardly differ: allergy, Allergie, alergia.
- "Which hotel did we stay in in Lisbon?", and Lisbon is the place of an invitation (`presumed`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.encode.views import all_words
from graphmemix.retrieve.constraints_files import is_calendar_word
from graphmemix.retrieve.constraints_words import is_title
from graphmemix.text.folding import plain
from graphmemix.text.kinship import KIN
from graphmemix.text.language import content_words, language_of
from graphmemix.verify.presumed import only_possible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from graphmemix.evidence import CandidateGraph
    from graphmemix.verify.protocol import Case

    Floats = NDArray[np.float64]

__all__ = ["most_chance", "of_others_only"]

_PERSON: Final = "person: "
_NOBODY: Final = 0.1  # as for a time that nothing is from
_PARTLY: Final = 0.75  # the name is one of several, or only says whose photos are meant
_OF_OTHERS: Final = 0.3
_POSSIBLE: Final = 0.3
_MOST_CHARACTERS: Final = 500
_MOST_WORDS: Final = 2  # beside the name; a longer question says it in other words too easily
_SHORTEST: Final = 5  # letters that two forms of a word share
_ENDING: Final = 3
_DOUBLED: Final = re.compile(r"([a-z])\1")

# Folded, right before a name: what somebody does, or what is done to somebody.
_ACTS: Final = """
did does do has have had is was were will would can could should met meet meets told tell asked ask
gave give called call
hat hatte haben schrieb schreibt sagte sagt schickte schickt sandte bekam kam ging traf treffen
ecrit dit envoye achete mange avait
escribio dijo envio mando hizo compro ha habia
skrev sade skickade har hade
hanno aveva disse detto scrisse scritto mandato inviato regalato comprato fatto
escreveu disse mandou enviou comprou fez deu recebeu perguntou contou tem teve tinha conhecemos
schreef schrijft zei zegt stuurde gaf kocht kreeg vroeg vertelde deed deden heeft ontmoetten
"""
_BEFORE: Final = frozenset(_ACTS.split())
# They may name a firm or a language too.
_TOGETHER: Final = frozenset({"by", "with", "avec", "con", "and", "und", "et", "y", "och"})
_BEHIND: Final = re.compile(
    r"['\u2019]s\b|\sa-t-|\s(?:a|avait|ha|escribio|dijo|wrote|said|scrisse|escreveu|disse|heeft|"
    r"schreef|zei)\b"
)
# What only a person has, before "of": "Quando è il compleanno di Zoltan?"
_OWNS: Final = re.compile(
    r"\b(?:geburtstag|anniversaire|cumpleanos|compleanno|aniversario|verjaardag) "
    r"(?:von|de|di|da|do|van|d['\u2019]) ?$"
)
_OWNED: Final = re.compile(r"s\s\w")  # "Zoltans Geburtstag"
# Besides `is_title`.
_TITLES: Final = frozenset({"signor", "signora", "senhor", "senhora", "dona", "meneer", "mevrouw"})
_IS_OR_WAS: Final = frozenset({"ist", "war", "sind", "waren", "ar", "var", "is", "was"})
# In these languages alone: articles before names; what means "with" and "and".
_ARTICLES: Final = {"pt": frozenset({"o", "a"}), "it": frozenset({"il", "la"})}
_AND_WITH: Final = {
    "it": frozenset({"e", "ed"}),
    "pt": frozenset({"e", "com"}),
    "nl": frozenset({"en", "met"}),
}
# Of what has a price or took place: "Was hat Strom gekostet?"
_NOBODY_ACTS: Final = re.compile(r"\b(?:gekostet|kostete?|passiert|stattgefunden|gegeben)\b")
_WORD: Final = re.compile(r"[^\W_]+")
# Without accents: "What is Noah allergic to?", "Wogegen ist Noah allergisch?", "A quoi Noah est-il
# allergique ?", "A que es alergico Noah?", "A cosa e allergico Noah?", "A que e alergico o Noah?",
# "Waar is Noah allergisch voor?", "Vad ar Noah allergisk mot?"
_NAME: Final = r"(?P<name>[A-Z][a-z]{2,20}?)"
_ASKING: Final = re.compile(r"wo(?:gegen|rauf|ran|fur)$|names?$|called$|namen$|wanneer$|quando$")
_ATTRIBUTES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?i:^\W{{0,3}}(?:what|when|where|how)(?:['\u2019]s|\s(?:is|was|are|were))\s){_NAME}\b",
        rf"(?i:^\W{{0,3}}(?:was|wann|wo|wie|wo(?:gegen|rauf|ran|fur))\s(?:ist|war)\s){_NAME}s?\b",
        rf"^\W{{0,3}}(?:(?i:a|de|en|pour)\s)?(?i:quoi|quand)\s{_NAME}\sest-(?:il|elle)\b",
        rf"(?i:^\W{{0,3}}(?:(?:a|de|en)\s)?(?:que|cuando)\s(?:es|era)\s[a-z]{{3,20}}\s){_NAME}\b",
        (
            r"(?i:^\W{0,3}(?:(?:a|di|da|con)\s)?(?:che(?:\scosa)?|cosa|quando)\s(?:e|era)\s"
            rf"[a-z]{{3,20}}\s){_NAME}\b"
        ),
        (
            r"(?i:^\W{0,3}(?:(?:a|de|em)\s)?(?:o\s)?(?:que|quando)\s(?:e|era)\s(?:que\s)?"
            rf"[a-z]{{3,20}}\s(?:[oa]\s)?){_NAME}\b"
        ),
        rf"(?i:^\W{{0,3}}(?:waar|wat|wanneer|hoe)\s(?:is|was)\s){_NAME}s?\b",
        rf"(?i:^\W{{0,3}}(?:vad|nar|var|hur)\s(?:ar|var)\s){_NAME}s?\b",
    )
)


def most_chance(case: Case, chances: Floats) -> float:
    """Return the greatest chance that an answer to this question can have; mostly 1.

    Args:
        case: The question with its candidates.
        chances: Of each candidate, that it is evidence.
    """
    text = case.question.text[:_MOST_CHARACTERS]
    bound = _of_strangers(text, case.graph)
    if bound < 1:
        return bound
    memories = [case.memories[each.memory_id] for each in case.candidates]
    if not memories:
        return 1.0
    if of_others_only(text, map(all_words, memories)):
        return _OF_OTHERS
    likeliest = memories[int(np.argmax(chances))].id
    bulk = () if case.signals is None else np.flatnonzero(case.signals.bulk).tolist()
    is_bulk = {memories[place].id for place in bulk}
    return _POSSIBLE if only_possible(text, memories, likeliest, is_bulk) else 1.0


def _of_strangers(text: str, graph: CandidateGraph) -> float:
    names = [each.name for each in graph.unknown]
    roles = [_role(text, name) for name in names]
    if not any(roles):
        return 1.0
    own = {plain(word).lower() for name in names for word in name.split()}
    others = {*_names(text)} - own - {f"{word}s" for word in own}
    others = {name for name in others if not is_calendar_word(name) and not is_title(name)}
    if language_of(text) == "de":
        others = set()  # every noun has a capital
    known = any(each.meant for each in graph.unknown)
    known = known or any(note.startswith(_PERSON) for note in graph.notes)
    alone = not others and not known
    return _NOBODY if alone and "acts" in roles else _PARTLY


def _role(text: str, name: str) -> str:
    """Return how a question means a name: somebody "acts", is "with" others, or not at all."""
    start = text.find(name)
    folded = name.lower() != name and not name.isupper() and plain(name).lower().split()
    if start < 0 or not folded or KIN.keys() & {*folded}:
        return ""
    words = _WORD.findall(plain(text[:start]).lower())
    language = language_of(text)
    articles = _ARTICLES.get(language, frozenset())
    left_out = articles | _TITLES
    before = [word for word in words if not is_title(word) and word not in left_out][-1:]
    behind = plain(text[start + len(name) :])
    german = language == "de"
    if before and before[0] in _AND_WITH.get(language, ()):
        return "with"
    if german and _NOBODY_ACTS.search(behind.lower()):
        return ""
    owns = bool(before) and before[0] in _IS_OR_WAS and _OWNED.match(behind)
    owns = owns or _OWNS.search(plain(text[:start]).lower())
    if owns or (before and before[0] in _BEFORE) or (not german and _BEHIND.match(behind.lower())):
        return "acts"
    return "with" if before and before[0] in _TOGETHER else ""


def _names(text: str) -> list[str]:
    """Return the words of a question that have a capital in its midst, folded."""
    words = [(match[0], match.start()) for match in _WORD.finditer(text)]
    first = words[0][1] if words else 0
    return [
        plain(word).lower()
        for word, start in words
        if start > first and word[0].isupper() and len(word) > 1
    ]


def of_others_only(question: str, texts: Iterable[str]) -> bool:
    """Return whether a question asks for an attribute that only memories about others speak of.

    Args:
        question: Its text: "What is Noah allergic to?"
        texts: The words of its candidates, with who wrote them.
    """
    folded = plain(question)
    asked = next((found for form in _ATTRIBUTES if (found := form.search(folded))), None)
    if asked is None:
        return False
    name = asked["name"].lower()
    spelt = _shared(name)
    words = {
        _stem(_shared(word))
        for word in _WORD.findall(content_words(folded).lower())
        if len(word) >= _SHORTEST and not word.startswith(name) and not _ASKING.match(word)
    }
    if name in KIN or not 0 < len(words) <= _MOST_WORDS:
        return False
    held = [frozenset(_WORD.findall(_shared(plain(text).lower()))) for text in texts]
    about = [text for text in held if _has(text, spelt)]
    others = [text for text in held if not _has(text, spelt)]
    return bool(about) and all(
        not any(_has(text, word) for text in about) and any(_has(text, word) for text in others)
        for word in words
    )


def _shared(text: str) -> str:
    """Return folded words as the languages would spell them if they spelt alike."""
    for theirs, ours in (("ph", "f"), ("th", "t"), ("qu", "c"), ("k", "c"), ("y", "i")):
        text = text.replace(theirs, ours)
    return _DOUBLED.sub(r"\1", text)


def _stem(word: str) -> str:
    return word[: max(_SHORTEST, len(word) - _ENDING)]


def _has(words: Collection[str], stem: str) -> bool:
    return any(word.startswith(stem) for word in words)
