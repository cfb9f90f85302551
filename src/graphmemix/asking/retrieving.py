"""From a question to its candidates, with what the archive knows about its own names."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import Question
from graphmemix.evidence.question import require_bounded
from graphmemix.llm.limits import check_cancelled
from graphmemix.record import require_moment
from graphmemix.relate.people import People
from graphmemix.retrieve.countries import Countries
from graphmemix.retrieve.facets import ALBUM, CELL
from graphmemix.retrieve.graph import ClausePriors, candidate_graph
from graphmemix.retrieve.prior import Prior, views_that_count
from graphmemix.retrieve.question import described, encode_question
from graphmemix.retrieve.relations import StayAway, stays_away
from graphmemix.store.protocol import Filter
from graphmemix.verify.protocol import make_case
from graphmemix.verify.signals import gather

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import CandidateGraph
    from graphmemix.memory import ViewKind
    from graphmemix.retrieve.question import EncodedQuestion
    from graphmemix.settings import Settings
    from graphmemix.store.protocol import Store
    from graphmemix.verify.protocol import Case

NOT_ENCODED = "not encoded yet: found by words, dates, places and people alone"
"""How the note of a question ends while part of the archive has no vectors."""

_PART_DEPTH = 64  # memories that a search for a part of a question returns; few of them are used


class _Names(NamedTuple):
    """The names that an archive knows, who is who in it, its years and countries.

    Tuples, because the index of names is kept for them.
    """

    people: tuple[str, ...]
    places: tuple[str, ...]
    albums: tuple[str, ...]
    who: People
    years: range
    countries: Countries


class Retrieval:
    """Finds the candidates of questions about one archive."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder,
        settings: Settings,
        kinds: tuple[ViewKind, ...],
        *,
        model_reads_all: Callable[[], bool],
    ) -> None:
        """Prepare.

        Args:
            store: Holds the memories.
            encoder: Makes vectors.
            settings: All settings.
            kinds: The kinds of views to search.
            model_reads_all: Returns whether a model reads every candidate, which then have to be
                few.
        """
        self._store = store
        self._encoder = encoder
        self._settings = settings
        self._kinds = kinds
        self._model_reads_all = model_reads_all
        self._known: tuple[str, _Names] | None = None
        self._away: tuple[str, tuple[StayAway, ...]] | None = None

    def candidates(self, question: Question | str, filter: Filter | None) -> CandidateGraph:
        """Return the bounded candidate graph of a question."""
        asked = as_question(question, filter)
        with self._store.snapshot():
            return self._retrieved(asked, filter)[1]

    def case(self, question: Question | str, filter: Filter | None) -> Case:
        """Return a question's candidates with everything that a verifier may use."""
        asked = as_question(question, filter)
        with self._store.snapshot():
            encoded, graph = self._retrieved(asked, filter)
            check_cancelled()
            ids = [candidate.memory_id for candidate in graph.candidates]
            hides_later = asked.as_of is not None
            kinds = views_that_count(self._kinds, hides_later=hides_later)
            signals = gather(self._store, encoded, ids, kinds)
            check_cancelled()
            memories = self._store.get_many(ids)
        return make_case(asked, graph, memories, self._settings.edges.anchors, signals)

    def _retrieved(
        self, asked: Question, filter: Filter | None
    ) -> tuple[EncodedQuestion, CandidateGraph]:
        names = self._names()
        encoded = encode_question(
            asked,
            self._encoder,
            people=names.people,
            places=names.places,
            albums=names.albums,
            who=names.who,
            years=names.years,
            countries=partial(names.countries.find, as_of=asked.as_of),
        )
        check_cancelled()
        wanted = _with_as_of(filter, asked)
        prior, *parts = (
            Prior(
                self._store,
                each,
                self._encoder.identity,
                self._settings.retrieval,
                self._kinds,
                wanted,
                depth=None if each is encoded else _PART_DEPTH,
            )
            for each in _with_parts(encoded)
        )
        check_cancelled()
        graph = candidate_graph(
            prior,
            self._store,
            self._settings,
            wanted,
            constraints=encoded.constraints,
            clause=self._clause_priors(encoded, parts, wanted),
            with_model=self._model_reads_all(),
        )
        notes = (*described(encoded.constraints), *graph.notes, *self._not_encoded())
        return encoded, replace(graph, notes=notes)

    def _not_encoded(self) -> tuple[str, ...]:
        """Return a note if part of the archive has no vectors yet."""
        waiting = self._store.count_without_vectors()
        if not waiting:
            return ()
        total = self._store.count()
        return (f"{waiting} of {total} memories {NOT_ENCODED}",)

    def _clause_priors(
        self, question: EncodedQuestion, parts: Sequence[Prior], filter: Filter | None
    ) -> ClausePriors | None:
        if question.clause is None:
            return None
        asked, event = parts
        stays = self._stays() if self._settings.graph.reach.stays else ()
        if filter is not None and filter.as_of is not None:
            now = filter.as_of.date()  # a stay that has not ended yet is what is known of it
            stays = tuple(StayAway(s.first, min(s.last, now)) for s in stays if s.first <= now)
        return ClausePriors(asked, event, question.clause.shift, stays)

    def _stays(self) -> tuple[StayAway, ...]:
        """Return the stays away from the usual places, worked out again only after a change."""
        state = self._store.state()
        if self._away is None or self._away[0] != state:
            self._away = (state, stays_away(self._store.key_days(CELL)))
        return self._away[1]

    def _names(self) -> _Names:
        """Return the names that the archive knows, read again only after a change."""
        state = self._store.state()
        if self._known is None or self._known[0] != state:
            store = self._store
            places = tuple(store.key_names("place:"))
            names = _Names(
                tuple(store.speakers()),
                places,
                tuple(store.key_names(ALBUM)),
                People.read(store.key_names),
                store.years(),
                Countries(store, places),
            )
            self._known = (state, names)
        return self._known[1]


def as_question(
    asked: Question | str, filter: Filter | None = None, instruction: str = ""
) -> Question:
    """Return a valid `Question`; a plain string becomes its text, and is asked now.

    Raises:
        InvalidDataError: `asked_at` does not exist in UTC.
        InvalidInputError: The question, its filter or its instruction is too large.
    """
    if not isinstance(asked, str | Question):
        raise InvalidInputError(
            f"question: must be a text or a Question, not {type(asked).__name__}"
        )
    if isinstance(asked, str):  # in the machine's zone: "yesterday" is that of whoever asks
        question = Question(asked, asked_at=datetime.now(UTC).astimezone())
    else:
        question = asked
    require_moment("question.asked_at", question.asked_at)
    require_bounded(question, instruction)
    if filter is not None:
        if not isinstance(filter, Filter):
            raise InvalidInputError(f"filter: must be a Filter, not {type(filter).__name__}")
        filter.require_bounded()
    return question


def _with_as_of(filter: Filter | None, question: Question) -> Filter | None:
    if question.as_of is None:
        return filter
    return replace(filter or Filter(), as_of=question.as_of)


def _with_parts(question: EncodedQuestion) -> list[EncodedQuestion]:
    """Return a question and, if it gives its time by an event, its two parts."""
    clause = question.clause
    return [question] if clause is None else [question, clause.asked, clause.event]
