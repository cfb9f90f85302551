"""A case as it is shown to a model: short ids, dates, places, snippets (METHOD section 7)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from graphmemix.evidence import MAX_SUPPORT
from graphmemix.llm.chat import JsonFormat, Message, Options, estimate_tokens
from graphmemix.llm.structured import ask
from graphmemix.text.quoting import break_signs
from graphmemix.verify.snippets import query_weights, snippet

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping, Sequence

    from graphmemix.llm.chat import Chat
    from graphmemix.llm.prompts import Prompt
    from graphmemix.memory import Memory
    from graphmemix.settings import VerifierSettings
    from graphmemix.verify.protocol import Case

__all__ = [
    "BEGIN",
    "Brief",
    "END",
    "Fields",
    "PUBLISHED_SCORE",
    "as_material",
    "ask_model",
    "make_brief",
    "messages_for",
    "options_for",
    "strict_object",
]

_T = TypeVar("_T")
Fields: TypeAlias = dict[str, Any]  # one object of the JSON in the prompt

BEGIN: Final = "===== BEGIN CASE ====="
END: Final = "===== END CASE ====="
PUBLISHED_SCORE: Final[Fields] = {"type": "number", "minimum": 0, "maximum": MAX_SUPPORT}
_LEAST_OUTPUT: Final = 256  # tokens allowed for a reply, however full the context is


@dataclass(frozen=True)
class Brief:
    """What all calls about a case share.

    Attributes:
        case: The case.
        captions: Captions of the question's images.
        labels: Maps memory ids to ``C01``, ``C02``, … in retrieval order.
        snippets: Maps memory ids to their excerpts.
    """

    case: Case
    captions: tuple[str, ...]
    labels: Mapping[str, str]
    snippets: Mapping[str, str]

    @property
    def memory_ids(self) -> dict[str, str]:
        """Maps labels to memory ids."""
        return {label: memory_id for memory_id, label in self.labels.items()}

    def question(self) -> Fields:
        """Return the fields about the question."""
        return {
            "question": _asked(self.case),
            "question_image_captions": list(self.captions),
        }

    def describe(self, memory_id: str, *, modalities: bool = True) -> Fields:
        """Return the fields that every mention of a memory has."""
        memory = self.case.memories[memory_id]
        fields: Fields = {"id": self.labels[memory_id]}
        if modalities:
            fields["modalities"] = list(memory.modalities)
        fields["date"] = _date(memory)
        fields["location"] = _location(memory)
        return fields

    def relations(self, memory_id: str) -> list[Fields]:
        """Return a candidate's eligible anchors."""
        return [
            {"anchor_id": self.labels[anchor.anchor_id], "relation_types": list(anchor.relations)}
            for anchor in self.case.eligible.get(memory_id, ())
        ]

    def eligible(self, memory_id: str) -> frozenset[str]:
        """Return the labels of a candidate's eligible anchors."""
        anchors = self.case.eligible.get(memory_id, ())
        return frozenset(self.labels[anchor.anchor_id] for anchor in anchors)


def make_brief(case: Case, captions: Sequence[str], settings: VerifierSettings) -> Brief:
    """Label the candidates and extract their snippets."""
    weights = query_weights([case.question.text, *captions])
    ids = [candidate.memory_id for candidate in case.candidates]
    return Brief(
        case,
        tuple(captions),
        {memory_id: f"C{number:02d}" for number, memory_id in enumerate(ids, start=1)},
        {each: snippet(case.memories[each], weights, settings) for each in ids},
    )


def messages_for(prompt: Prompt, fields: Fields) -> list[Message]:
    """Return the messages of a published call; the material is one line between two markers."""
    text = (
        f"{BEGIN}\n{as_material(fields)}\n{END}\n"
        "Answer with one JSON object as `output_schema` says."
    )
    return [Message.system(prompt.text("system")), Message.user(text)]


def as_material(fields: Fields) -> str:
    """Return fields as one line of JSON.

    Line breaks and quotes are escaped, so that no memory text can end the line or its own string,
    and control tokens of chat templates are broken up, so that none can end the message.
    """
    material = break_signs(json.dumps(fields, ensure_ascii=False))
    # Characters that some tokenisers treat as line ends.
    return material.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def options_for(
    messages: Sequence[Message],
    name: str,
    schema: Fields,
    settings: VerifierSettings,
    reply_tokens: int | None = None,
) -> Options:
    """Return the call's options.

    The reply may be no longer than fits into the context, and than `reply_tokens` if it is known
    how long a good one can be.
    """
    room = max(settings.context_tokens - estimate_tokens(messages), _LEAST_OUTPUT)
    return Options(
        temperature=settings.temperature,
        max_tokens=min(settings.output_tokens, room, reply_tokens or room),
        format=JsonFormat(name, schema, settings.decoding),
    )


async def ask_model(
    chat: Chat,
    request: tuple[Sequence[Message], Options],
    read: Callable[[str], _T],
    settings: VerifierSettings,
    repairs: Counter[str],
) -> _T:
    """Return what a verifier's call says, repeated as often as the settings allow; see `ask`."""
    messages, options = request
    return await ask(
        chat,
        messages,
        options,
        read,
        retries=settings.retries,
        repairs=repairs,
        longest=settings.output_tokens,
    )


def strict_object(properties: Fields) -> Fields:
    """Return the JSON schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _asked(case: Case) -> str:
    """Return the question, preceded by the earlier turns of its conversation."""
    question = case.question
    if not question.history:
        return question.text
    turns = [f"{turn.role}: {turn.text}" for turn in question.history]
    return "\n".join(["Earlier in this conversation:", *turns, "Now asked:", question.text])


def _date(memory: Memory) -> str:
    return memory.timestamp.strftime("%Y-%m-%d %H:%M") if memory.timestamp else ""


def _location(memory: Memory) -> str:
    place = memory.place
    if place is None:
        return ""
    if place.name or place.latitude is None or place.longitude is None:
        return place.name
    return f"{place.latitude:.4f}, {place.longitude:.4f}"
