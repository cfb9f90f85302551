"""Quotes as passages: a chosen sentence with the short ones beside it.

"He is here!" says little without "4:17, 3420 g" behind it. Only what was written as running text
is joined: lines of a bill, of a form or of a picture stand alone. A photo that is quoted for what
it shows has the few words beside it that are to be read on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.read.sentences import is_finished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.read.choosing import Choice
    from graphmemix.read.scoring import Evidence
    from graphmemix.read.sentences import Origin

__all__ = ["Passage", "passages"]

_LONGEST: Final = 200  # characters; what is longer already stands alone
_SHOWN: Final = frozenset({"photo", "video"})
_GREETINGS: Final = 4  # lines that are looked at below a title


class Passage(NamedTuple):
    """Sentences of one memory that follow one another, to be quoted together.

    Attributes:
        first: The index of the first.
        last: The index of the last.
        choice: What was chosen among them.
    """

    first: int
    last: int
    choice: Choice

    def origin(self, evidence: Evidence) -> Origin:
        """Return where its words come from; those of a photo as a whole are its own."""
        origins = {evidence.sentences[i].origin for i in range(self.first, self.last + 1)}
        return origins.pop() if len(origins) == 1 else "own"

    def text(self, evidence: Evidence) -> str:
        """Return the words; a stroke stands between a subject and what is written under it."""
        pieces = [
            evidence.sentences[index].text
            for index in range(self.first, self.last + 1)
            if index == self.first or not evidence.is_meta(index)
        ]
        if _is_shown(evidence, self.first):
            return " / ".join(pieces)
        title = self.first - evidence.sentences[self.first].position
        if title < self.first and _is_contact(evidence, title):  # a number says nothing without
            pieces.insert(0, evidence.sentences[title].text)
        headed = self.first == title or _is_contact(evidence, title)
        if len(pieces) > 1 and headed and evidence.is_title(title):
            pieces[0] += " /"
        return " ".join(pieces)


def _is_shown(evidence: Evidence, index: int) -> bool:
    return evidence.blocks[evidence.sentences[index].block].kind in _SHOWN


def _is_contact(evidence: Evidence, index: int) -> bool:
    return evidence.blocks[evidence.sentences[index].block].kind == "contact"


def passages(evidence: Evidence, choices: Sequence[Choice]) -> list[Passage]:
    """Return what to quote for each choice, in their order; what is quoted already is left out."""
    chosen = {choice.index for choice in choices}
    found: list[Passage] = []
    for choice in choices:
        if not any(each.first <= choice.index <= each.last for each in found):
            taken = {i for each in found for i in range(each.first, each.last + 1)}
            found.append(_around(evidence, choice, taken | _marked(choices), chosen))
    return found


def _marked(choices: Sequence[Choice]) -> set[int]:
    """Return what is marked as superseded, or supersedes: each is a line of its own."""
    pairs = ((each.index, each.superseded_by) for each in choices if each.superseded_by is not None)
    return {index for pair in pairs for index in pair}


def _around(evidence: Evidence, choice: Choice, taken: set[int], chosen: set[int]) -> Passage:
    """Return the longest passage around a sentence: what follows comes first, then what leads."""
    first = last = choice.index
    if choice.index in taken:
        return Passage(first, last, choice)
    if _is_shown(evidence, choice.index) and evidence.sentences[choice.index].origin != "ocr":
        return _whole(evidence, choice, taken)
    room = _LONGEST - len(evidence.sentences[choice.index].text)
    if evidence.is_title(choice.index):  # which says little without what is under it
        last = _below(evidence, choice.index, taken, room)
        room -= sum(len(evidence.sentences[each].text) for each in range(first + 1, last + 1))
    while True:
        after, before = last + 1, first - 1
        # Another chosen sentence joins even where there is no room: it is quoted anyway.
        if (
            _continues(evidence, last, after)
            and after not in taken
            and (after in chosen or room >= len(evidence.sentences[after].text))
        ):
            last = after
            room -= len(evidence.sentences[after].text) + 1
        elif _leads(evidence, before, first, taken) and (
            before in chosen or room >= len(evidence.sentences[before].text)
        ):
            first = before
            room -= len(evidence.sentences[before].text) + 1
        else:
            return Passage(first, last, choice)


def _whole(evidence: Evidence, choice: Choice, taken: set[int]) -> Passage:
    """Return all words of a photo, if they are few; people who are marked on it are no words."""
    first = last = choice.index
    block = evidence.sentences[choice.index].block
    pieces = evidence.sentences

    def belongs(index: int) -> bool:
        inside = 0 <= index < len(pieces) and pieces[index].block == block
        return inside and index not in taken and not evidence.is_meta(index)

    while belongs(first - 1):
        first -= 1
    while belongs(last + 1):
        last += 1
    if sum(len(pieces[index].text) for index in range(first, last + 1)) > _LONGEST:
        return Passage(choice.index, choice.index, choice)
    return Passage(first, last, choice)


def _below(evidence: Evidence, title: int, taken: set[int], room: int) -> int:
    """Return the first sentence under a title that is no greeting; the title if none fits."""
    block = evidence.sentences[title].block
    for index in range(title + 1, min(title + _GREETINGS, len(evidence.sentences))):
        sentence = evidence.sentences[index]
        if sentence.block != block or index in taken or sentence.is_reply_quote:
            break
        if not evidence.is_meta(index):
            return index if len(sentence.text) <= room else title
    return title


def _continues(evidence: Evidence, before: int, after: int) -> bool:
    """Return whether one sentence goes on in the other, as running text of the same memory."""
    if before < 0 or after >= len(evidence.sentences):
        return False
    one, other = evidence.sentences[before], evidence.sentences[after]
    return (
        one.block == other.block
        and one.origin == other.origin == "own"
        and one.is_reply_quote == other.is_reply_quote
        and is_finished(one.text)
        # Without a full stop the last line of a mail is a name, that of a message need not be.
        and (is_finished(other.text) or evidence.blocks[one.block].kind == "message")
        and not any(evidence.is_title(each) or evidence.is_meta(each) for each in (before, after))
    )


def _leads(evidence: Evidence, before: int, after: int, taken: set[int]) -> bool:
    """Return whether a sentence leads to the next; "thank you for your order." does not."""
    if not _continues(evidence, before, after) or before in taken:
        return False
    sentence = evidence.sentences[before]
    is_mail = evidence.blocks[sentence.block].kind == "email"
    return not (is_mail and sentence.text[:1].islower())
