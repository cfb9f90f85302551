"""What was loaded, counted and compared with the counts that were published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix_bench.datasets.base import Context

State: TypeAlias = Literal[
    "full",  # every count is the published one
    "partial",  # fewer contexts than published, or files that are not there
    "mismatch",  # as many contexts, other counts: another version of the release
    "unpublished",  # nobody published counts
]


@dataclass(frozen=True)
class CountCheck(Record):
    """Counts of a data set beside the published ones.

    Attributes:
        state: What that means.
        ours: What was loaded.
        published: What the publication says, for the counts that both have.
    """

    state: State
    ours: Mapping[str, int] = field(default_factory=dict)
    published: Mapping[str, int] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The check in one line for a report."""
        counts = ", ".join(
            f"{name} {self.ours[name]:,}"
            + ("" if self.ours[name] == count else f" (published {count:,})")
            for name, count in self.published.items()
        ) or ", ".join(f"{name} {count:,}" for name, count in self.ours.items())
        return f"{self.state}: {counts}"


def count(contexts: Iterable[Context]) -> dict[str, int]:
    """Return all that is counted of some contexts. Reads each context once."""
    total: Counter[str] = Counter()
    pictures: set[tuple[str, str]] = set()
    for context in contexts:
        total += _of(context)
        # MemEye has each dialogue twice, as TASK and as TASK_Open, with the same pictures.
        task = context.name.removesuffix("_Open")
        pictures |= {(task, m.name) for memory in context.memories for m in memory.media}
    if len(pictures) < total["history_images"]:
        total["unique_images"] = len(pictures)
    return dict(total)


def check(ours: Mapping[str, int], published: Mapping[str, int]) -> CountCheck:
    """Compare counts with the published ones, on the counts that both know."""
    both = {name: count for name, count in published.items() if name in _KNOWN}
    filled = {name: ours.get(name, 0) for name in (*ours, *both)}
    if both.get("history_images") == ours.get("unique_images", -1):
        filled["history_images"] = both["history_images"]
    if not both:
        return CountCheck("unpublished", filled)
    state: State = "mismatch"
    if all(filled[name] == count for name, count in both.items()):
        state = "full"
    elif filled.get("contexts", 0) < both.get("contexts", 0):
        state = "partial"
    elif any(filled[name] == 0 for name in both) and all(
        filled[name] in {0, count} for name, count in both.items()
    ):
        state = "partial"  # one kind of file is missing altogether, the rest is whole
    return CountCheck(state, filled, both)


def _of(context: Context) -> Counter[str]:
    pictures = [m for memory in context.memories for m in memory.media if m.modality == "image"]
    subsets = Counter(question.subset for question in context.questions)
    counted = Counter(
        {
            "contexts": 1,
            "sessions": len({memory.session for memory in context.memories} - {None}),
            "memories": len(context.memories),
            "history_images": len(pictures),
            "images": len(pictures),
            "videos": sum(memory.kind == "video" for memory in context.memories),
            "emails": sum(memory.kind == "email" for memory in context.memories),
            "query_images": sum(len(question.images) for question in context.questions),
            "questions": len(context.questions),
            "annotated": len(context.annotated),
            "ar_without_gold": sum(q.type == "AR" and not q.gold for q in context.questions),
            "released_questions": len(context.questions) + context.dropped.get("questions", 0),
            "default": subsets["default"],
            "hard": subsets["hard"],
        }
    )
    return +counted  # zero counts say nothing


_KNOWN = frozenset(
    (
        "contexts",
        "sessions",
        "memories",
        "history_images",
        "images",
        "videos",
        "emails",
        "query_images",
        "questions",
        "annotated",
        "ar_without_gold",
        "released_questions",
        "default",
        "hard",
    )
)
