"""The data sets' own answer metrics (METHOD section 8), in percent for one question each.

======================  ==========================================  ===========================
metric                  what                                        data sets
======================  ==========================================  ===========================
`exact_match`           equal in normal form                        ATM-Bench, Mem-Gallery
`choice_match`          the right option, over balanced rotations   MemEye
`lexical_recall`        words of the reference that were said       H2HMem
`qs_value`              by type: exact match, Jaccard, judge        ATM-Bench
======================  ==========================================  ===========================
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidInputError
from graphmemix_bench.measures.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix_bench.datasets.base import Choice, GoldQuestion

_STOPWORDS_TEXT = """
    a about after again all also am an and any are as at be because been before being between both
    but by can could did do does doing down during each few for from further had has have having he
    her here hers him his how i if in into is it its just me more most my no nor not of off on once
    only or other our out over own same she should so some such than that the their them then there
    these they this those through to too under until up very was we were what when where which while
    who whom why will with would you your
"""
_STOPWORDS = frozenset(_STOPWORDS_TEXT.split())
_LETTER = re.compile(
    r"""\A\W*+(?:(?:the\s+)?(?:correct\s+|right\s+|best\s+)?(?:answer|option|choice)\s*+(?:(?:is|:)\s*+)?)?
        (?:option\s+|choice\s+)?[(\[*]*([a-h])[)\]*]*(?:[.:,)\s]|\Z)""",
    re.IGNORECASE | re.VERBOSE,
)
# Of more spaces the rest belongs to the part before, which is stripped.
_SEPARATORS = re.compile(r"[,;\n]|\s{1,8}and\s+", re.IGNORECASE)


def exact_match(prediction: str, reference: str) -> float:
    """Return 100 if both are equal in normal form, else 0."""
    ours, theirs = normalise(prediction), normalise(reference)
    if not theirs:  # a reference of punctuation alone
        return 100.0 * (prediction.strip() == reference.strip())
    return 100.0 * (ours == theirs)


def chosen(prediction: str, choices: Sequence[Choice]) -> str | None:
    """Return the id of the option that a prediction names, by letter or by its text; else None.

    A letter that starts the prediction counts ("B", "(B)", "B. a cat", "The answer is B"), unless
    the words after it are another option's. A prediction that names two options names none.
    """
    ids = {choice.choice_id.casefold(): choice for choice in choices}
    said = normalise(prediction)
    by_text = [each.choice_id for each in choices if said and said == normalise(each.text)]
    if by_text:
        return by_text[0] if len(by_text) == 1 else None
    found = _LETTER.match(prediction)
    if found is None or found[1].casefold() not in ids:
        return None
    rest = prediction[found.end() :].strip()
    named = ids[found[1].casefold()]
    if not rest or normalise(rest) == normalise(named.text):
        return named.choice_id
    others = [each for each in choices if each is not named]
    # "A cat sat there" starts with an article, not with a letter; "A and B" names two.
    bare = found[0].strip().casefold() == "a"
    more = re.match(r"(?:or|and|,|/|&)\s*[a-h]\b", rest, re.IGNORECASE)
    clash = any(normalise(each.text) in normalise(rest) for each in others if normalise(each.text))
    return None if bare or more or clash else named.choice_id


def choice_match(prediction: str, question: GoldQuestion) -> float:
    """Return 100 if a prediction names the right option of this row, else 0.

    Rows of one question are averaged over its rotations by `metrics.summarise`.

    Raises:
        InvalidInputError: The question has no options.
    """
    if not question.choices:
        raise InvalidInputError(f"question {question.id!r} has no options")
    return 100.0 * (chosen(prediction, question.choices) == question.answer)


def lexical_recall(prediction: str, reference: str) -> float:
    """Return the share of the reference's words that the prediction says, in percent.

    Each word counts once, and stop words do not, unless there is no other.
    """
    wanted = set(normalise(reference).split())
    wanted = (wanted - _STOPWORDS) or wanted
    if not wanted:
        return 100.0 * (prediction.strip() == reference.strip())
    return 100.0 * len(wanted & set(normalise(prediction).split())) / len(wanted)


def jaccard(prediction: str, reference: str) -> float:
    """Return common items / all items of two lists, in percent; order and repeats do not count.

    Items are separated by commas, semicolons, line ends or "and".
    """
    ours, theirs = _items(prediction), _items(reference)
    if not ours and not theirs:
        return 100.0
    return 100.0 * len(ours & theirs) / len(ours | theirs)


def qs_value(question: GoldQuestion, prediction: str, *, judged: bool | None = None) -> float:
    """Return ATM-Bench's question-type score: number by EM, list by Jaccard, open by the judge.

    Raises:
        InvalidInputError: An open question without a judgment.
    """
    if question.response_type == "number":
        return exact_match(prediction, question.reference)
    if question.response_type == "list":
        return jaccard(prediction, question.reference)
    if judged is None:
        raise InvalidInputError(f"question {question.id!r} is open: QS needs its judgment")
    return 100.0 * judged


def _items(text: str) -> set[str]:
    parts = (
        re.sub(r"^\s*(?:[-*•]|\d+[.)](?=\s))\s*", "", part) for part in _SEPARATORS.split(text)
    )
    return {item for part in parts if (item := normalise(part))}
