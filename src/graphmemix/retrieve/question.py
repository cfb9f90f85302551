"""A question as the store can be asked: vectors, words and constraints.

"Which hotel did we have when Mia lost her tooth?" is two questions: what is asked, and the event
that says when. Each is searched on its own, and the days of what the event finds bound the search
for the rest (`Reach`). Such questions are split in English, German, French, Spanish, and in the
plain forms of Italian, Dutch, Portuguese and Swedish.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmemix.encode.protocol import joint, question_vectors
from graphmemix.errors import InvalidDataError
from graphmemix.retrieve.constraints import (
    Constraints,
    PlaceConstraint,
    TimeConstraint,
    find_constraints,
)
from graphmemix.retrieve.country_names import code_of
from graphmemix.text.folding import plain
from graphmemix.text.language import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from graphmemix.encode.protocol import Encoder, Matrix
    from graphmemix.evidence import Question
    from graphmemix.relate.people import People
    from graphmemix.retrieve.countries import CountryFound


@dataclass(frozen=True)
class EncodedQuestion:
    """What retrieval needs to know of a question.

    Attributes:
        vectors: One row per part: the text, each picture (or its caption), or the text with each
            picture. A memory's score is the best over the parts (METHOD section 1, reading).
        words: Its words, for BM25, without those that only ask and connect.
        constraints: Dates, places, people and media that it names.
        clause: Its two parts, if it gives its time by an event.
    """

    vectors: Matrix
    words: str
    constraints: Constraints
    clause: EncodedClause | None = None


@dataclass(frozen=True)
class EncodedClause:
    """The two parts of a question that gives its time by an event (`split_clause`)."""

    asked: EncodedQuestion
    event: EncodedQuestion
    shift: int


def encode_question(
    question: Question,
    encoder: Encoder,
    *,
    people: Collection[str] = (),
    places: Collection[str] = (),
    albums: Collection[str] = (),
    who: People | None = None,
    years: range = range(0),
    countries: Callable[[str], list[CountryFound]] | None = None,
) -> EncodedQuestion:
    """Return a question's vectors, words and constraints.

    Pictures are encoded as pixels if they have any and the encoder sees images, together with the
    text if it can read both as one (`JointEncoder`), and by their captions otherwise.

    In a conversation, the question together with the one before it is one more part.

    Raises:
        InvalidDataError: Nothing in the question can be encoded: pictures alone, without captions,
            for an encoder that does not see them.
    """
    captions = [image.caption for image in question.images if image.caption.strip()]
    seen = [image for image in question.images if image.data and encoder.sees_images]
    unseen = [image.caption for image in question.images if image not in seen]
    # Words with words: the text and what unseen pictures show make one text.
    text = " ".join(filter(str.strip, [question.text, *unseen]))
    if not text and not seen:
        raise InvalidDataError(
            f"question: {encoder.identity} does not see images, and they have no captions; "
            "set an image encoder, or ask in words"
            if any(image.data for image in question.images)
            else "question: its pictures have neither data nor captions; give one, or ask in words"
        )
    vectors = _vectors(text, [image.data for image in seen], encoder)
    before = _before(question)
    if before:  # "And what did it cost?" means little without what was asked before
        together = question_vectors(encoder, [" ".join(filter(None, [before, text]))])
        vectors = np.concatenate([vectors, together])
    return EncodedQuestion(
        vectors=vectors,
        words=content_words(" ".join([before, question.text, *captions]).strip()),
        constraints=find_constraints(
            question.text,
            question.asked_at,
            people=people,
            places=places,
            albums=albums,
            who=who,
            years=years,
            countries=countries,
        ),
        clause=_clause(question.text, encoder) if not seen else None,
    )


def _clause(text: str, encoder: Encoder) -> EncodedClause | None:
    parts = split_clause(text)
    if parts is None:
        return None
    vectors = question_vectors(encoder, [parts.asked, parts.event])
    asked, event = (
        EncodedQuestion(vectors[i : i + 1], content_words(part), Constraints())
        for i, part in enumerate((parts.asked, parts.event))
    )
    return EncodedClause(asked, event, parts.shift)


def _before(question: Question) -> str:
    """Return what the person asked last, if this question continues a conversation."""
    asked = [turn.text.strip() for turn in question.history if turn.role == "user"]
    return next((text for text in reversed(asked) if text), "")


def _vectors(text: str, images: list[bytes], encoder: Encoder) -> Matrix:
    """Return the text with each picture, where the encoder reads them as one; else each part."""
    both = joint(encoder)
    if both is not None and text and images:
        return both.together([text] * len(images), images)
    parts = [question_vectors(encoder, [text])] if text else []
    if images:
        parts.append(encoder.images(images))
    return np.concatenate(parts)


def described(constraints: Constraints) -> tuple[str, ...]:
    """Return in words what was understood of a question."""
    notes = list(_times(constraints))
    notes += [_described_place(place) for place in constraints.places]
    names: dict[str, list[str]] = {}
    for person in constraints.people:
        names.setdefault(person.text, []).append(person.name)
    notes += [f"person: {', '.join(known[:3])}" for known in names.values()]
    notes += [f"media: {medium.text}" for medium in constraints.media]
    notes += [f"album: {album.name}" for album in constraints.albums if album.name]
    notes += [f"file: {file.text}" for file in constraints.files]
    notes += [f"apart from: {', '.join(constraints.apart)}"] if constraints.apart else []
    return tuple(notes)


def _described_place(place: PlaceConstraint) -> str:
    """Return a place in words: a country with a few of the places there."""
    shown = ", ".join([name for name in place.inside if not code_of(name)][:_FEW_PLACES])
    return f"place: {place.name} ({shown})" if shown else f"place: {place.name}"


def _times(constraints: Constraints) -> Iterator[str]:
    readings: dict[str, list[TimeConstraint]] = {}
    for time in constraints.times:
        readings.setdefault(time.text, []).append(time)
    for text, times in readings.items():
        if len(times) > _FEW_READINGS:
            yield f"time: {text} (of any year, {times[-1].start.year} to {times[0].start.year})"
        else:
            yield from (f"time: {text} ({t.start:%Y-%m-%d} to {t.end:%Y-%m-%d})" for t in times)


_FEW_READINGS: Final = 2
_FEW_PLACES: Final = 3
_LEAST_WORDS: Final = 2
_MOST_CHARACTERS: Final = 600

_DAYS: Final = (
    "day|evening|night|morning|afternoon|weekend|week|month|summer|winter|autumn|spring|time|year|"
    "date|same day"
)
_TAGE: Final = (
    "tag|tage|abend|nacht|morgen|vormittag|nachmittag|wochenende|woche|monat|sommer|winter|herbst|"
    "fruhling|fruhjahr|zeit|jahr"
)
_JOURS: Final = "jour|soir|soiree|nuit|matin|apres-midi|week-end|semaine|mois|ete|hiver|annee|fois"
_DIAS: Final = "dia|noche|tarde|manana|fin de semana|semana|mes|verano|invierno|ano|vez"

# Each names the event behind it; `shift` says on which side of it the rest happened. More specific
# ones come first: of two that match, the earlier one in this table counts.
_MARKS: Final = tuple(
    (shift, re.compile(rf"(?:^|[\s,;(])(?:{words})[\s,:]+(?=\S)"))
    for shift, words in (
        (-1, r"(?:on |in )?the (?:day|evening|night|morning|week|weekend) before"),
        (1, r"(?:on |in )?the (?:day|evening|night|morning|week|weekend) after"),
        (-1, r"am (?:tag|abend|morgen|wochenende) (?:vor|bevor)|in der (?:nacht|woche) vor"),
        (1, r"am (?:tag|abend|morgen|wochenende) nach|in der (?:nacht|woche) nach"),
        (-1, r"(?:la veille|le jour avant|le soir avant|la semaine avant)(?: de)?"),
        (1, r"(?:le lendemain|le jour apres|la semaine apres)(?: de)?"),
        (-1, r"el dia (?:antes de|anterior a)|la vispera de"),
        (1, r"el dia (?:despues de|siguiente a)"),
        (0, rf"(?:on |in |at |during )?the (?:same )?(?:{_DAYS})s? (?:when|that|where)"),
        (0, (rf"(?:an |in |zu )?(?:dem|der|jenem|jener|den) (?:{_TAGE})(?: ?,)? "
            r"(?:als|an dem|in der|wo)")),
        (0, rf"(?:le|la|les|l') ?(?:{_JOURS}) (?:ou|que|quand)"),
        (0, rf"(?:el|la|los|las) (?:{_DIAS}) (?:en )?(?:que|cuando)"),
        (0, (r"(?:on|during|from|for) (?:the|our|my|that) (?:[\w-]+ ){0,2}(?:trip|visit|holiday|"
            r"vacation|journey|stay|outing|excursion|weekend|tour|flight) (?:to|in|at|with)")),
        (0, (r"(?:auf|bei|wahrend|von) (?:der|dem|unserer|unserem|meiner|meinem) (?:[\w-]+ ){0,2}"
            r"(?:reise|fahrt|ausflug|urlaub|besuch|aufenthalt|tour|flug) (?:nach|in|bei|mit|zu)")),
        (0, (r"(?:pendant|lors de|durant) (?:le|la|notre|mon|ma) (?:[\w-]+ ){0,2}(?:voyage|visite|"
            r"sejour|vacances|week-end|excursion) (?:a|en|au|aux|chez|avec|de)")),
        (0, (r"(?:en|durante) (?:el|la|nuestro|nuestra|mi) (?:[\w-]+ ){0,2}(?:viaje|visita|"
            r"estancia|excursion|vacaciones) (?:a|en|con|de)")),
        (-1, (r"(?:right |just |shortly )?before|bevor|kurz vor|avant (?:de|que|le|la)|"
            r"antes de(?: que)?")),
        (1, (r"(?:right |just |shortly )?after|nachdem|kurz nach|apres (?:que|le|la)|"
            r"despues de(?: que)?")),
        (0, (r"when|while|during|als|wahrend|quand|lorsque|pendant(?: que)?|cuando|mientras|"
            r"durante|quando|mentre|toen|terwijl|enquanto|nar|medan")),
        (0, rf"(?:on |in |at )?the (?:{_DAYS})"),
    )
)  # fmt: skip
_ASKING: Final = re.compile(
    r"^(?:when|quand|wann|cuando|quando|wanneer|nar|als)\b|^(?:since|until|from|by) when\b"
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class Clause(NamedTuple):
    """A question in two parts.

    Attributes:
        asked: What is asked, without the event.
        event: What happened then.
        shift: -1 if what is asked came before the event, 1 if after it, 0 if at the same time.
    """

    asked: str
    event: str
    shift: int


def split_clause(text: str) -> Clause | None:
    """Return the two parts of a question whose time is given by an event; None for any other.

    Examples:
        >>> split_clause("Which hotel did we have when Mia lost her tooth?")
        Clause(asked='Which hotel did we have', event='Mia lost her tooth', shift=0)
        >>> split_clause("When did Mia lose her tooth?") is None
        True
    """
    if len(text) > _MOST_CHARACTERS:
        return None
    folded = plain(text).lower()
    if len(folded) != len(text):  # places in one would not be places in the other
        return None
    for shift, mark in _MARKS:
        for match in mark.finditer(folded):
            if _ASKING.match(folded[match.start() :].lstrip(" ,;(")) and match.start() == 0:
                continue
            clause = _parts(text, match.start(), match.end(), shift)
            if clause is not None:
                return clause
    return None


def _parts(text: str, first: int, last: int, shift: int) -> Clause | None:
    before, event = text[:first].strip(" ,;("), text[last:].strip(" ?!.)")
    if not before:  # "On the trip to Porto, where did we eat?"
        event, comma, before = event.partition(",")
        if not comma:
            return None
        before, event = before.strip(" ?!."), event.strip()
    if len(_WORD.findall(before)) < _LEAST_WORDS or not _WORD.search(event):
        return None
    return Clause(before, event, shift)
