"""A question as the store can be asked: vectors, words and constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.encode.protocol import joint
from graphmemix.errors import InvalidDataError
from graphmemix.retrieve.constraints import Constraints, find_constraints

if TYPE_CHECKING:
    from collections.abc import Collection

    from graphmemix.encode.protocol import Encoder, Matrix
    from graphmemix.evidence import Question


@dataclass(frozen=True)
class EncodedQuestion:
    """What retrieval needs to know of a question.

    Attributes:
        vectors: One row per part: the text, each picture (or its caption), or the text with each
            picture. A memory's score is the best over the parts (METHOD section 1, reading).
        words: All its words, for BM25.
        constraints: Dates, places, people and media that it names.
    """

    vectors: Matrix
    words: str
    constraints: Constraints


def encode_question(
    question: Question,
    encoder: Encoder,
    *,
    people: Collection[str] = (),
    places: Collection[str] = (),
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
    told = [image.caption for image in question.images if image not in seen]
    # Words with words: the text and what unseen pictures show make one text.
    text = " ".join(filter(str.strip, [question.text, *told]))
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
        together = encoder.texts([" ".join(filter(None, [before, text]))])
        vectors = np.concatenate([vectors, together])
    return EncodedQuestion(
        vectors=vectors,
        words=" ".join([before, question.text, *captions]).strip(),
        constraints=find_constraints(
            question.text, question.asked_at, people=people, places=places
        ),
    )


def _before(question: Question) -> str:
    """Return what the person asked last, if this question continues a conversation."""
    asked = [turn.text.strip() for turn in question.history if turn.role == "user"]
    return next((text for text in reversed(asked) if text), "")


def _vectors(text: str, images: list[bytes], encoder: Encoder) -> Matrix:
    """Return the text with each picture, where the encoder reads them as one; else each part."""
    both = joint(encoder)
    if both is not None and text and images:
        return both.together([text] * len(images), images)
    parts = [encoder.texts([text])] if text else []
    if images:
        parts.append(encoder.images(images))
    return np.concatenate(parts)


def described(constraints: Constraints) -> tuple[str, ...]:
    """Return in words what was understood of a question."""
    notes = [f"time: {t.text} ({t.start:%Y-%m-%d} to {t.end:%Y-%m-%d})" for t in constraints.times]
    notes += [f"place: {place.name}" for place in constraints.places]
    notes += [f"person: {person.name}" for person in constraints.people]
    notes += [f"media: {medium.text}" for medium in constraints.media]
    return tuple(notes)
