"""Every constant of the baselines, with its source.

[P] is the paper (arXiv 2608.26983), [A] its authors' adapters, [U] a system's own repository,
[O] our decision where these are silent, disagree or do not compare.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class BaselineOptions(Record):
    """Constants of the baselines.

    Attributes:
        seed: Of `random`.
        rank_constant: Of reciprocal-rank fusion; 60 is customary [O].
        rank_depth: Memories of each ranking that are fused [O].
        retries: Further calls after an invalid reply [P].
        amem_neighbours: Notes that a new note may link to or rewrite [U, A].
        amem_links: ``inline`` shows linked notes behind their hit within K; ``none`` shows hits
            alone [O].
        universalrag_labels: Six corpora [U, A]; three is the adapter's profile for Mem-Gallery.
        memguide_pool: Units that the filter sees: 10 as published [A], 48 as our candidates [O].
        memguide_questions: ``fixed`` for all units [A], or ``written`` by the model [A].
        lightmem_window: Tokens of one extraction call [U].
        lightmem_facts: Facts of one memory, at most [A].
        lightmem_count: What the budget counts: ``memories`` [O] or ``facts`` [A].
        lightmem_consolidate: Let the model update and delete facts afterwards; off [A].
        vimrag_results: Results of a search [U].
        vimrag_steps: Calls of a question, at most [U, A].
        vimrag_pictures: Pictures kept in memory [U].
        rankgpt_depth: Memories that are ranked [O].
        rankgpt_window: Memories of one call [U].
        rankgpt_step: How far the window moves [U].
        agents_decay: Recency by the hour [U].
        hipporag_damping: Of PageRank [U].
        hipporag_synonyms: Cosine from which two phrases are linked [U].
        hipporag_facts: Triples that the filter sees [U].
        hipporag_passages: Weight of a memory's own cosine in the restart [U].
    """

    seed: int = 0
    rank_constant: int = 60
    rank_depth: int = 200
    retries: int = 3
    amem_neighbours: int = 5
    amem_links: Literal["inline", "none"] = "inline"
    universalrag_labels: Literal["six", "three"] = "six"
    memguide_pool: int = 10
    memguide_questions: Literal["fixed", "written"] = "fixed"
    lightmem_window: int = 512
    lightmem_facts: int = 24
    lightmem_count: Literal["memories", "facts"] = "memories"
    lightmem_consolidate: bool = False
    vimrag_results: int = 3
    vimrag_steps: int = 20
    vimrag_pictures: int = 5
    rankgpt_depth: int = 48
    rankgpt_window: int = 20
    rankgpt_step: int = 10
    agents_decay: float = 0.995
    hipporag_damping: float = 0.5
    hipporag_synonyms: float = 0.8
    hipporag_facts: int = 5
    hipporag_passages: float = 0.05

    def of(self, *prefixes: str) -> dict[str, str]:
        """Return the options whose names begin with any of these, for an identity."""
        return {
            each.name: str(getattr(self, each.name))
            for each in fields(self)
            if each.name.startswith(prefixes)
        }

    def changed(self, pairs: Iterable[tuple[str, object]]) -> BaselineOptions:
        """Return the options with some changed, as the command line names them.

        Raises:
            InvalidInputError: Unknown name, or a value of another type.
        """
        types = {each.name: type(getattr(self, each.name)) for each in fields(self)}
        changes: dict[str, object] = {}
        for name, value in pairs:
            text = str(value)
            if name not in types:
                raise InvalidInputError(f"baseline option must be one of {', '.join(types)}")
            try:
                kind = types[name]
                changes[name] = text.lower() in {"1", "true", "on"} if kind is bool else kind(text)
            except ValueError:
                raise InvalidInputError(f"{name}: {text!r} is not of its type") from None
        made = replace(self, **changes)  # type: ignore[arg-type]  # checked by reading it again
        try:
            return BaselineOptions.from_json(made.to_json())
        except InvalidDataError as error:
            raise InvalidInputError(str(error)) from None
