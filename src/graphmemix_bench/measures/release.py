"""Answer metrics as the releases themselves score, beside ours (METHOD section 8, reading).

They differ from ours where the releases normalise less, or take more for an answer:

=========================  ==========================================  =======================
metric                     what                                        where ours differs
=========================  ==========================================  =======================
`release_exact_match`      Mem-Gallery's normal form, also MemEye's    "twenty-one" is not "21",
                                                                       "IMG_003" not "IMG_3"
`release_choice_match`     MemEye: first sign of an option             "I think B" names B
`release_recall`           H2HMem: words that are not stop words       "7,800" is not "7800"
`release_list_overlap`     ATM-Bench: Jaccard of items or ids          items also end at "/"
=========================  ==========================================  =======================

`release_atm`, in a file of its own, has ATM-Bench's match of answers.

Words of H2HMem are split by our own rules, which follow those of its tokenizer for plain English.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from graphmemix_bench.datasets.base import GoldQuestion

_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\s+(?=\w)")
_DECIMAL_POINT: Final = re.compile(r"(?<=\d)\.(?=\d)")
_KEPT: Final = {".": "\ue000", "_": "\ue001"}  # private characters stand for what is kept
_ANSWER: Final = r"(?:answer|choice)\s*(?:is|:)\s*"
_WORD: Final = re.compile(r"\d++(?:[,.]\d++)*+|[^\W_]++(?:-[^\W_]++)*+|'[a-z]{1,2}\b")
_SEPARATORS: Final = re.compile(r"[,;/\n]|\band\b", re.IGNORECASE)
_ID: Final = re.compile(r"\b\d{8}_\d{6}\b|\bemail\d+\b", re.IGNORECASE)
_STOP_TEXT: Final = """
    a about above after again against ain all am an and any are aren as at be because been before
    being below between both but by can couldn d did didn do does doesn doing don down during each
    few for from further had hadn has hasn have haven having he her here hers herself him himself
    his how i if in into is isn it its itself just ll m ma me mightn more most mustn my myself
    needn no nor not now o of off on once only or other our ours ourselves out over own re s same
    shan she should shouldn so some such t than that the their theirs them themselves then there
    these they this those through to too under until up ve very was wasn we were weren what when
    where which while who whom why will with won wouldn y you your yours yourself yourselves
"""
_STOP: Final = frozenset(_STOP_TEXT.split())


def release_normal(text: str) -> str:
    """Return Mem-Gallery's normal form: lower case, no articles, no punctuation.

    Decimal points and underscores stay; number words, ordinals and leading zeros stay as they are.
    """
    plain = _DECIMAL_POINT.sub(_KEPT["."], text.lower()).replace("_", _KEPT["_"])
    plain = _ARTICLE.sub(" ", plain)
    plain = "".join(" " if sign in string.punctuation else sign for sign in plain)
    return " ".join(plain.replace(_KEPT["."], ".").replace(_KEPT["_"], "_").split())


def release_exact_match(prediction: str, reference: str) -> float:
    """Return 100 if both are equal in the release's normal form and not empty."""
    said = release_normal(prediction)
    return 100.0 * (bool(said) and said == release_normal(reference))


def release_chosen(prediction: str, ids: frozenset[str]) -> str | None:
    """Return the option that MemEye reads in a prediction; None if it reads none.

    The whole prediction, its beginning, "answer is B", or the first letter that stands alone.
    """
    said = prediction.strip().upper()
    if said in ids:
        return said
    letters = "|".join(map(re.escape, sorted(ids)))
    patterns = (rf"({letters})[.):\s,]", rf"(?i:{_ANSWER})({letters})\b", rf"\b({letters})\b")
    for place, pattern in enumerate(patterns):
        find = re.match if place == 0 else re.search
        found = find(pattern, said)
        if found is not None:
            return found[1]
    return None


def release_choice_match(prediction: str, question: GoldQuestion) -> float:
    """Return 100 if MemEye would read the right option in a prediction."""
    ids = frozenset(choice.choice_id.upper() for choice in question.choices)
    return 100.0 * (release_chosen(prediction, ids) == question.answer.upper())


def release_recall(prediction: str, reference: str) -> float:
    """Return the share of the reference's distinct words that were said; 0 if it has none."""
    wanted = _words(reference)
    return 100.0 * len(wanted & _words(prediction)) / len(wanted) if wanted else 0.0


def release_list_overlap(prediction: str, reference: str) -> float:
    """Return common items / all items; ids of memories in a prediction are its items."""
    theirs = _items(reference)
    named = {found.lower() for found in _ID.findall(prediction)}
    ours = named or _items(prediction)
    if not ours and not theirs:
        return 100.0
    return 100.0 * len(ours & theirs) / len(ours | theirs)


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _STOP}


def _items(text: str) -> set[str]:
    return {item for part in _SEPARATORS.split(text) if (item := " ".join(part.lower().split()))}
