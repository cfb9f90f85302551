"""What sort of value a question asks for, where a text holds one, and how well candidates cover it.

"When …" wants a day or an hour, "how much …" an amount: a memory without any cannot answer, however
much it is like the question. Read from the question's words, in English, German, French, Spanish,
Italian, Portuguese, Dutch, Swedish, Japanese and Chinese (`asked_words`, `asked_details`); where
they do not say, nothing is said. What values look like: `asked_values`.

A near miss has the right person and the wrong attribute: much of the question is covered, but not
beside a value that could be the answer.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from graphmemix.retrieve.constraints_words import UNSPACED
from graphmemix.text.folding import plain
from graphmemix.text.language import content_words
from graphmemix.text.words import tokens
from graphmemix.verify.asked_details import DETAIL_FORMS, MEANS_ELSE, OTHERS_ASK, Detail
from graphmemix.verify.asked_values import LOOKS, NAMED, TIMES
from graphmemix.verify.asked_words import SORT_WORDS, Plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence


__all__ = [
    "COVERING", "DETAILS", "AnswerType", "asked_first", "asked_type", "covering", "holds",
    "holds_names", "names_in", "places_of",
]  # fmt: skip

AnswerType: TypeAlias = Literal[Detail, Plain]

DETAILS: Final = frozenset(DETAIL_FORMS)
"""Details that few memories hold, and that no other sort of value can stand in for."""

_MOST_CHARACTERS: Final = 20_000
_MOST_OF_QUESTION: Final = 500
_ASKING: Final[tuple[tuple[AnswerType, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(rf"\b(?:{words.whole})\b|{words.anywhere}"))
    for name, words in SORT_WORDS.items()
)
_DETAILS: Final = tuple((name, re.compile(form)) for name, form in DETAIL_FORMS.items())
_MEANS_ELSE: Final = re.compile(MEANS_ELSE)
_OTHERS_ASK: Final = re.compile(OTHERS_ASK)
# A name in the midst of a sentence, where a capital means something.
_NAME: Final = r"(?<=[a-z,;] )[A-Z][a-z]{2,20}\b|(?<=\n)[A-Z][a-z]{2,20} [A-Z][a-z]{2,20}\b"
_VALUES: Final = {
    **{name: (re.compile(looks),) for name, looks in LOOKS.items()},
    **{name: (re.compile(f"{_NAME}|{looks}"),) for name, looks in NAMED.items()},
    "time": tuple(re.compile(looks) for looks in TIMES),
}


def asked_type(question: str) -> AnswerType | None:
    """Return what sort of value a question asks for; None if its words do not say."""
    return _type_of(question[:_MOST_OF_QUESTION])


@lru_cache(maxsize=64)  # every feature that knows it asks again, and a reader for every sentence
def _type_of(question: str) -> AnswerType | None:
    return next((name for name, _ in _asked(question)), None)


def asked_first(question: str) -> AnswerType | None:
    """Return the sort whose words come first: "How many came when it rained?" wants a number.

    For readers; coefficients were fitted to `asked_type`.
    """
    return min(_asked(question), key=lambda each: each[1], default=(None, 0))[0]


def _asked(question: str) -> Iterator[tuple[AnswerType, int]]:
    """Yield the sorts whose words a question has, each with where they begin; details first."""
    # The accent tells "où", where, from "ou", or; German has a word of the same length.
    asked = question[:_MOST_OF_QUESTION].replace("où", "wo").replace("Où", "Wo")
    folded = plain(asked).lower()
    # As many characters, so that places stay the same.
    clear = _MEANS_ELSE.sub(lambda found: "," * len(found[0]), folded)
    for detail, form in _DETAILS:
        match = form.search(clear)
        if match and not _other_is_asked(clear, match.start()):
            yield detail, match.start()
    for sort, pattern in _ASKING:
        if match := pattern.search(folded):
            yield sort, match.start()


def _other_is_asked(question: str, start: int) -> bool:
    """Return whether what stands before a detail asks for something else: "Who has the code?"."""
    if _OTHERS_ASK.match(question, start):
        return False  # it asks by itself: "When we were in Rome, which seat did I have?"
    *_, last = (None, *_OTHERS_ASK.finditer(question, 0, start))
    return last is not None and not last["what"]


def places_of(text: str, wanted: AnswerType, most: int = 40) -> list[int]:
    """Return where a text holds values of this sort, the first ones."""
    folded = _for_values(text, wanted)
    found = (islice(looks.finditer(folded), most) for looks in _VALUES[wanted])
    return sorted(match.start() for each in found for match in each)[:most]


def _for_values(text: str, wanted: AnswerType) -> str:
    """Return a text as the patterns of values of this sort expect it."""
    folded = plain(text[:_MOST_CHARACTERS])
    return folded if wanted in NAMED else folded.lower()


def names_in(question: str) -> frozenset[str]:
    """Return the beginnings of the names in a question: words with a capital, but not its first."""
    shown = _SPACED_WORD.findall(content_words(question))
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
    folded = _for_values(text, wanted)
    return any(looks.search(folded) for looks in _VALUES[wanted])


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
    r"^\W{0,3}(?:was|wann|wer|wie)\s(?:ist|war|sind|waren|lautet|hei(?:ss|ß)t|hie(?:ss|ß))\b|"
    r"^\W{0,3}(?:quel(?:le)?s?|qui|quand)\s(?:est|etait|sont|etaient)\b|"
    r"^\W{0,3}(?:cual(?:es)?|que|quien|cuando)\s(?:es|era|fue|son|eran)\b|"
    r"^\W{0,3}(?:(?:che\s)?cosa|qual[ei]?|chi|quando|come)\s(?:e|era|erano|sono|si\schiam\w{1,5})\b|"
    r"^\W{0,3}(?:cos|chi|quand|com|qual)['\u2019](?:e|era)\b|"
    r"^\W{0,3}(?:o\sque|qual|quais|quem|quando|como)\s(?:e|era|foi|sao|eram|foram|se\scham\w{1,4})\b|"
    r"^\W{0,3}(?:wat|wanneer|wie|hoe)\s(?:is|was|zijn|waren|heet|heette|luidt)\b|"
    r"^\W{0,3}(?:vad|vem|nar|vilke[nt])\s(?:ar|var|heter|hette)\b|"
    r"は(?:何|なん|いつ|誰|だれ)(?:です|でした|だ|か|という|[?。]|$)|(?:是|叫)(?:什么|什麼|谁|誰|哪天|多少)"
)
_NEAR: Final = 160  # characters; about two lines
_SPACED_WORD: Final = re.compile(rf"[^\W_{UNSPACED}]+")
_UNSPACED_RUN: Final = re.compile(rf"[{UNSPACED}]+")
# What connects or asks: hiragana, and the most frequent characters of Chinese.
_CONNECTS: Final = re.compile(
    "[\u3041-\u309f何誰幾的了是在吗嗎呢吧什么麼谁几哪怎样樣多少我你您他她它们們和跟与與就都也还還有没沒不这這那个個"
    "时候為为把被从從到对對给給去来來说說要会會很过過]"
)
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
    stems = _stems(content_words(question))
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


def _stems(text: str) -> set[str]:
    """Return what is looked for in candidates: beginnings of words, or pairs of characters.

    Nothing shows where words of Japanese, Chinese or Thai end, so their pairs are taken, as for the
    search, without those that connect or ask.
    """
    pairs = (pair for run in _UNSPACED_RUN.findall(text) for pair in tokens(run))
    return {_stem(word) for word in _SPACED_WORD.findall(text)} | {
        _stem(pair) for pair in pairs if not _CONNECTS.search(pair)
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
    """Return where words begin with this, the first fifty; anywhere if no space parts words."""
    found: list[int] = []
    start = 0
    anywhere = _UNSPACED_RUN.match(stem) is not None
    while len(found) < 50 and (start := text.find(stem, start)) >= 0:
        if anywhere or start == 0 or not text[start - 1].isalnum():
            found.append(start)
        start += 1
    return found
