"""What a question asks for: its parts, the event that gives a time, and the form of the answer.

"Which cake was it, and what did it cost?" is two questions. "Which hotel … when Mia lost her
tooth?" is an event and a question about its time. English, German, French, Spanish, and the plain
forms of Swedish, Italian, Portuguese and Dutch, and of Japanese and Chinese where a question mark
ends a part; any other question is one part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import regex

from graphmemix.read.cues import words_pattern
from graphmemix.retrieve.constraints import Constraints, find_constraints
from graphmemix.retrieve.countries import any_country
from graphmemix.retrieve.question import split_clause
from graphmemix.text.language import is_function_word
from graphmemix.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.evidence import Block, Question

__all__ = ["Asked", "Form", "Part", "asked_for"]

Form: TypeAlias = Literal["value", "list", "timeline", "media", "story"]
"""Quotes by how well they answer; one line for each item; what there is of a time, in order of
time; photos and videos; quotes in order of time."""

_MOST_CHARACTERS: Final = 1_000  # of a question; what is longer was pasted
_MOST_PARTS: Final = 3
_ASKING: Final = (
    "who|whom|whose|what|when|where|which|why|how|was|is|are|were|did|do|does|can|"
    "wer|wem|wen|was|wann|wo|wohin|welche[rsnm]?|wie|warum|war|ist|hat|"
    "qui|que|quand|où|quel(?:le)?s?|combien|comment|pourquoi|"
    "quién|qué|cuándo|dónde|cuál(?:es)?|cuánt[oa]s?|cómo|"
    "vem|vad|när|vilke[nt]|vilka|hur|"
    "chi|che|cosa|quando|dove|quant[oaie]|qual[ei]?|perch[eé]|"
    r"quem|o\sque|onde|quantos|quantas|quais|por\sque|"
    "wie|wat|wanneer|waar|waarom|welke?|hoe|hoeveel"
)
_NEXT_PART: Final = regex.compile(
    rf"[,;]?\s(?:and|und|et|y|och|e|en)\s(?=(?:{_ASKING})\s)|\?\s+(?=\S)|？\s*(?=\S)",
    regex.IGNORECASE,
)
_LIST: Final = words_pattern(
    "all every everything list both together altogether what_else",
    "alle alles liste beide beiden zusammen",
    "tous toutes liste ensemble quels quelles",
    "todos todas lista juntos cu[aá]les",
    "alla allt lista tillsammans vilka",
    "tutt[ieo] elenco insieme quali tudo quais alles lijst allemaal",
    r"welke\s\p{Ll}{2,20}en(?!\s(?:is|was|heeft|had)\b)",
    r"(?:which|what)\s(?!was\b|is\b|does\b)\p{Ll}{2,20}(?<!s)s(?!\s(?:is|was|has|does)\b)",
    r"(?:what)\s(?:did|have|do)\s(?:we|i|they|you)\s"
    r"(?:buy|bought|order|ordered|pack|packed|visit|visited|see|seen|cook|plant)",
    r"welchen?\s\p{Lu}\p{L}{1,30}en",
    r"was\s(?:haben|hatten)\s(?:wir|sie)\s\p{L}{0,20}\s?(?:gekauft|bestellt|gepackt|besucht)",
    r"qué\s\p{Ll}{2,20}(?<!s)s",
)
_STORY: Final = words_pattern(
    "what_happened what_became how_did_it_go was_ist_passiert was_passierte was_geschah",
    "que_s'est-il_pass[eé] que_s’est-il_pass[eé] qu[eé]_pas[oó] vad_h[aä]nde",
    "cosa_è_successo cos'è_successo cos’è_successo com'è_andat[ao] com’è_andat[ao] o_que_aconteceu",
    "wat_is_er_gebeurd wat_gebeurde_er hoe_is_het_afgelopen",
)
# No space shows where words of these begin.
_LIST_UNSPACED: Final = regex.compile("全部|すべて|全て|一覧|リスト|所有|清单|清單|一共|列出")
_STORY_UNSPACED: Final = regex.compile(
    "何があった|何が起き|何が起こ|どうなった|发生了什么|發生了什麼|怎么了|怎麼了"
)
_SHOWN: Final = frozenset({"photo", "video"})


@dataclass(frozen=True)
class Part:
    """One thing that a question asks.

    Attributes:
        text: Its words.
        context: The words of the other parts, which "it" and "there" refer to.
        event: What happened at the time that is asked about; empty if nothing is named.
        shift: -1 if it is about the time before the event, 1 after it, 0 at the same time.
        form: How its answer is laid out.
    """

    text: str
    context: str = ""
    event: str = ""
    shift: int = 0
    form: Form = "value"


@dataclass(frozen=True)
class Asked:
    """A question, taken apart.

    Attributes:
        parts: At least one.
        named: Times, places, people and media that it names.
    """

    parts: tuple[Part, ...]
    named: Constraints


def asked_for(question: Question, blocks: Sequence[Block]) -> Asked:
    """Return what a question asks for. Any text will do.

    Args:
        question: The question.
        blocks: The evidence; its names are those that the question can mean.
    """
    text = question.text[:_MOST_CHARACTERS]
    people = {block.speaker for block in blocks if block.speaker}
    places = {block.place for block in blocks if block.place}
    named = find_constraints(
        text, question.asked_at, people=people, places=places, countries=any_country
    )
    texts = _split(text)
    parts = []
    for index, each in enumerate(texts):
        context = " ".join([*texts[:index], *texts[index + 1 :]])
        clause = split_clause(each)
        part = Part(each, context) if clause is None else Part(clause.asked, context, clause.event)
        shift = 0 if clause is None else clause.shift
        parts.append(replace(part, shift=shift, form=_form(each, named, alone=len(texts) == 1)))
    return Asked(tuple(parts), named)


def _split(text: str) -> list[str]:
    """Split where a further question begins, if both sides say something."""
    found: list[str] = []
    start = 0
    for mark in _NEXT_PART.finditer(text):
        if len(found) + 1 == _MOST_PARTS:
            break
        if _says_something(text[start : mark.start()]) and _says_something(text[mark.end() :]):
            found.append(text[start : mark.start()].strip())
            start = mark.end()
    return [*found, text[start:].strip()]


def _says_something(text: str) -> bool:
    return any(len(word) > 1 and not is_function_word(word) for word in tokens(text))


def _form(text: str, named: Constraints, *, alone: bool) -> Form:
    if any(medium.text in text and _SHOWN & {*medium.kinds} for medium in named.media):
        return "media"
    if alone and named.alone and named.times:
        return "timeline"
    if _STORY.search(text) or _STORY_UNSPACED.search(text):
        return "story"
    return "list" if _LIST.search(text) or _LIST_UNSPACED.search(text) else "value"
