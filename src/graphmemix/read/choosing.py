"""Chooses and orders the sentences that an answer quotes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import regex

from graphmemix.read.cues import asks_for_words, needs_value, tells_change, tells_total
from graphmemix.read.scoring import HELPERS, Window
from graphmemix.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from graphmemix.read.parts import Part
    from graphmemix.read.scoring import Evidence

__all__ = ["Choice", "choose"]

_MOST: Final = 4  # sentences in an answer to one question
_MOST_OF_PART: Final = 2  # to each part, if there are several
_MOST_OF_LIST: Final = 8
_MOST_OF_DAY: Final = 10
_MOST_PER_MEMORY: Final = 2
_MOST_ITEMS_PER_MEMORY: Final = 4
_CLOSE: Final = 0.72  # a further sentence needs at least this share of the best score
_CLOSE_LAST: Final = 0.8  # the same for the last one that there is room for
_CLOSE_ITEM: Final = 0.65  # the same for an item of a list
_CLOSE_PICTURE: Final = 0.3  # and for one of several photos, which have few words
_PLURAL: Final = ("s", "er", "en")  # photos, Bilder, Aufnahmen
_CONSIDERED: Final = 64  # sentences considered for the second and third place
_FAR: Final = 0.4  # as _CLOSE, for a sentence that covers new words of the question
_OPEN: Final = 0.25  # the share of the question's words that such a sentence must add
_NEW: Final = 0.25  # a further sentence needs at least this share of new words
_IS_VALUE: Final = 0.7  # a cue from here on is a value of the sort that is asked for
_RELEVANT: Final = 0.5  # of the best memory's share of the question's words
_LIKELIEST: Final = 2  # memories that need not share the question's words
_EVENT: Final = 0.4  # of the words of an event must be in what tells of it
_MEANS: Final = 0.45  # or it is so similar, perhaps in another language
_SUBJECT: Final = 0.6  # of the words of a question are in both of two statements on one subject
_MARKED: Final = regex.compile(r"^People: (.*)", regex.MULTILINE)
_SAID: Final = frozenset({"message", "email", "note"})
_FIRST: Final = 3  # sentences of which one can stand for a memory


@dataclass(frozen=True)
class Choice:
    """A sentence to quote.

    Attributes:
        index: Which one.
        superseded_by: The index of a newer statement on the same subject; None if there is none.
    """

    index: int
    superseded_by: int | None = None


def choose(evidence: Evidence) -> list[Choice]:
    """Return the sentences that answer the question together, in order, each once."""
    found: list[Choice] = []
    for part in evidence.asked.parts:
        found += _of_part(evidence, part)
    once = {choice.index: choice for choice in reversed(found)}
    return [once[index] for index in dict.fromkeys(choice.index for choice in found)]


def _of_part(evidence: Evidence, part: Part) -> list[Choice]:
    if part.form == "timeline":
        timeline = _timeline(evidence)
        if timeline:
            return [Choice(index) for index in timeline]
    event = _event(evidence, part)
    window = None
    if event is not None:
        day = evidence.made(event)
        window = Window(day, day, part.shift) if day else None
        part = replace(part, event="")  # its words are quoted; what else has them answers nothing
    scores = evidence.scores(part, window)
    if window is not None:
        scores = evidence.corroborated(part, scores, window)
    if part.form == "media":
        shown = _media(evidence, part, scores)
        if shown:
            return [Choice(index) for index in shown]
    chosen = _best(evidence, part, scores, event)
    marked = _superseded(evidence, part, scores, chosen)
    if part.form == "story":
        marked.sort(key=lambda choice: _date_of(evidence, choice.index))
    return marked if event is None else [Choice(event), *marked]


def _event(evidence: Evidence, part: Part) -> int | None:
    """Return the sentence that tells of the event that gives a part its time."""
    if not part.event:
        return None
    event = type(part)(part.event)
    scores = evidence.scores(event)
    best = max(range(len(scores)), key=lambda index: (scores[index], -index), default=None)
    if best is None:
        return None
    told = evidence.coverage(event, evidence.words[best]) >= _EVENT
    return best if told or evidence.meaning(event, best) >= _MEANS else None


def _best(
    evidence: Evidence, part: Part, scores: Sequence[float], event: int | None = None
) -> list[int]:
    """Return the best sentence, and more that add something.

    They score nearly as well, or one covers words of the question that the first does not. What
    tells of the event that gives the time is not among them: it is quoted beside them.
    """
    is_list = part.form == "list"
    most = _MOST_OF_PART if part.context else _MOST
    most = _MOST_OF_LIST if is_list else most
    per_memory = _MOST_ITEMS_PER_MEMORY if is_list else _MOST_PER_MEMORY
    ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    ranked = [index for index in ranked if index != event]
    ranked = [index for index in ranked if not evidence.is_meta(index)] or ranked
    if asks_for_words(part.text):
        ranked = [index for index in ranked if _is_said(evidence, index)]
    if not ranked:
        return []
    holders = _with_values(evidence, part, ranked)
    first = (holders or ranked)[0]
    others = [index for index in (holders if holders and is_list else ranked) if index != first]
    chosen, left = [first], set(others[:_CONSIDERED])
    while left and len(chosen) < most:
        known = frozenset().union(*(evidence.words[other] for other in chosen))
        gains = {index: evidence.share(part, evidence.words[index] - known) for index in left}
        best = max(left, key=lambda index: (scores[index] + gains[index], -index))
        left.remove(best)
        block = evidence.sentences[best].block
        fellows = sum(evidence.sentences[other].block == block for other in chosen)
        close = _CLOSE_LAST if len(chosen) + 1 == _MOST else _CLOSE
        is_close = scores[best] >= (_CLOSE_ITEM if is_list else close) * scores[first]
        answers = is_close and (is_list or not holders or best in holders)
        if event is not None and not is_list:  # what else is of that time may contradict
            answers = answers and evidence.are_joined(evidence.sentences[first].block, block)
        if (
            (answers or (not is_list and _completes(evidence, scores, gains, first, best)))
            and fellows < per_memory
            and not evidence.is_meta(best)
            and (is_list or not evidence.is_title(best) or not fellows)
            and _adds(evidence.words[best], known, is_list=is_list)
        ):
            chosen.append(best)
    return chosen


def _completes(
    evidence: Evidence,
    scores: Sequence[float],
    gains: Mapping[int, float],
    first: int,
    index: int,
) -> bool:
    """Return whether a sentence adds words of the question about the same thing as the first one.

    The order says what is in the parcel, the shipment has its number: they share the order's. A
    sentence that shares only words of the question with the first may be about anything.
    """
    ours, theirs = (evidence.sentences[each].block for each in (first, index))
    return (
        gains[index] >= _OPEN
        and scores[index] >= _FAR * scores[first]
        and evidence.are_joined(ours, theirs)
    )


def _with_values(evidence: Evidence, part: Part, ranked: Sequence[int]) -> list[int]:
    """Return the sentences that hold such a value as only can answer, if the part asks for one.

    In memories about whom the part names, if there are any, and that have about as many words of
    the question as any: a price is everywhere. The likeliest memories may say it in other words.
    """
    if not needs_value(part.text):
        return []
    shares = [evidence.share(part, words) for words in evidence.block_words]
    least = _RELEVANT * max(shares)
    names = evidence.names(part)
    about = {block for block, words in enumerate(evidence.block_words) if names <= words}
    found = [
        index
        for index in ranked
        if (
            evidence.sentences[index].block < _LIKELIEST
            or (
                shares[evidence.sentences[index].block] >= least
                and (not about or evidence.sentences[index].block in about)
            )
        )
        and evidence.cue(part, index) >= _IS_VALUE
    ]
    totals = {evidence.sentences[i].block for i in found if tells_total(evidence.sentences[i].text)}
    # Of a bill the total counts, and items that the question names.
    return [
        index
        for index in found
        if evidence.sentences[index].block not in totals
        or tells_total(evidence.sentences[index].text)
        or evidence.words[index] & evidence.weights(part).keys()
    ]


def _adds(words: frozenset[str], known: frozenset[str], *, is_list: bool) -> bool:
    """Return whether enough words are new; stop words do not count."""
    content_words = words - HELPERS
    least = 1.0 if is_list else max(1.0, _NEW * len(content_words))
    return len(content_words - known) >= least


def _superseded(
    evidence: Evidence, part: Part, scores: Sequence[float], chosen: Sequence[int]
) -> list[Choice]:
    """Put the newer of two statements on one subject before the older, which is marked."""
    near = sorted(range(len(scores)), key=lambda index: -scores[index])[:_CONSIDERED]
    newer_of = {
        old: _newer(evidence, part, old, (*chosen, *near))
        if (cancels := evidence.cancelled.get(evidence.sentences[old].block)) is None
        else cancels
        for old in chosen
    }
    found: list[Choice] = []
    for index in chosen:
        newer = newer_of[index]
        if newer is not None and all(choice.index != newer for choice in found):
            found.append(Choice(newer))
        if all(choice.index != index for choice in found):
            found.append(Choice(index, newer))
    return found


def _newer(evidence: Evidence, part: Part, old: int, among: Iterable[int]) -> int | None:
    """Return a later statement that says that what a sentence says has changed."""
    made = _stated(evidence, old)
    subject = _subject(evidence, part, old)
    if made is None or not subject:
        return None
    for index in among:
        later = _stated(evidence, index)
        if (
            later is not None
            and later > made
            and tells_change(evidence.sentences[index].text)
            and not evidence.is_title(index)
            and not evidence.sentences[index].is_question
            and not evidence.is_too_late(evidence.sentences[index].block)
            and len(subject & _subject(evidence, part, index)) > 1
        ):
            return index
    return None


def _stated(evidence: Evidence, index: int) -> date | None:
    """Return the day on which something was said; an event or a file has another day."""
    block = evidence.blocks[evidence.sentences[index].block]
    return evidence.made(index) if block.kind in _SAID else None


def _subject(evidence: Evidence, part: Part, index: int) -> frozenset[str]:
    """Return the words of a part that a sentence is about; empty if it is about too few of them.

    Names do not count: much can be said of somebody without contradiction.
    """
    words = frozenset(tokens(evidence.sentences[index].text))
    if evidence.share(part, words) < _SUBJECT:
        return frozenset()
    return (words & evidence.weights(part).keys()) - evidence.names(part)


def _media(evidence: Evidence, part: Part, scores: Sequence[float]) -> list[int]:
    """Return a sentence of each photo or video that a part asks for, the best first.

    If the question names nothing else, all of them, in order of time.
    """
    named = evidence.asked.named
    kinds = {kind for medium in named.media if medium.text in part.text for kind in medium.kinds}
    heads = [
        max(members, key=lambda index: (not evidence.is_meta(index), scores[index], -index))
        for block, members in _members(evidence).items()
        if evidence.blocks[block].kind in kinds
    ]
    if not heads:
        return []
    heads = _showing(evidence, part, heads)
    if named.alone and not part.context:
        return sorted(heads, key=lambda index: _date_of(evidence, index))[:_MOST_OF_DAY]
    heads.sort(key=lambda index: (-scores[index], index))
    several = any(medium.text.endswith(_PLURAL) for medium in named.media)
    least = scores[heads[0]] * (_CLOSE_PICTURE if several else _CLOSE_ITEM)
    return [index for index in heads if scores[index] >= least][
        : _MOST_OF_LIST if several else _MOST
    ]


def _is_said(evidence: Evidence, index: int) -> bool:
    """Return whether somebody wrote or said it; what a picture shows, nobody did."""
    sentence = evidence.sentences[index]
    return bool(sentence.text) and sentence.origin in {"own", "transcript"}


def _showing(evidence: Evidence, part: Part, heads: Sequence[int]) -> list[int]:
    """Return the photos on which somebody of the part is marked; all if there is none."""
    names = evidence.names(part)
    texts = {head: evidence.blocks[evidence.sentences[head].block].text for head in heads}
    marked = {
        head: frozenset(tokens(" ".join(_MARKED.findall(text)))) for head, text in texts.items()
    }
    return [head for head in heads if names & marked[head]] or [*heads]


def _timeline(evidence: Evidence) -> list[int]:
    """Return a sentence of each memory of the time that the question names, in order of time.

    First those that are only about it, such as a booking made before.
    """
    written = bool(evidence.asked.named.people)
    in_words = any(asks_for_words(part.text) for part in evidence.asked.parts)
    heads = [
        _head(evidence, members, body=written)
        for block, members in _members(evidence).items()
        if evidence.in_time(block) and (_is_said(evidence, members[0]) or not in_words)
    ]
    heads.sort(key=lambda index: (evidence.is_made_then(index), *_date_of(evidence, index)))
    return heads[:_MOST_OF_DAY]


def _head(evidence: Evidence, members: Sequence[int], *, body: bool) -> int:
    """Return the sentence that stands for a memory: its title, or the longest of the first ones."""
    is_event = evidence.blocks[evidence.sentences[members[0]].block].kind == "event"
    if is_event or (not body and evidence.is_title(members[0])):
        return members[0]
    first = [
        index for index in members if not evidence.is_title(index) and not evidence.is_meta(index)
    ][:_FIRST]
    pieces = evidence.sentences
    return max(
        first,
        key=lambda index: (not pieces[index].is_question, len(pieces[index].text), -index),
        default=members[0],
    )


def _members(evidence: Evidence) -> dict[int, list[int]]:
    """Return the sentences of each block."""
    found: dict[int, list[int]] = {}
    for index, sentence in enumerate(evidence.sentences):
        found.setdefault(sentence.block, []).append(index)
    return found


def _date_of(evidence: Evidence, index: int) -> tuple[bool, str, int]:
    date = evidence.blocks[evidence.sentences[index].block].date
    return not date, date, index
