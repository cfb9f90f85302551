"""`record_grounding`: an e-mail, and photos and videos of a day that it speaks of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from graphmemix.relate.event_bridge import is_visual
from graphmemix.relate.groups import Grouped, Rule
from graphmemix.relate.moments import in_time, local_day
from graphmemix.text.folding import content_words, is_half_word, place_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphmemix.memory import Memory
    from graphmemix.relate.mails import Mail, ReadMail
    from graphmemix.settings import GraphSettings, RecordGroundingSettings


def record_grounding(settings: GraphSettings, read: ReadMail) -> Grouped:
    """Link an e-mail with media captured on a day that it states, if place or content agree.

    The day of a photo is that of its own UTC offset. Of all that agree on one day the best are
    linked first: those with the place, then those with more words, then by time and id, while both
    have fewer than ``max_neighbours`` links of that day.
    """
    limits = settings.record_grounding
    media = _Media(limits)

    def stated(memory: Memory) -> Iterable[str]:
        mail = read(memory)
        return [day.isoformat() for day in mail.dates] if mail else ()

    def link(
        _name: str, members: Sequence[Memory], others: Sequence[Memory]
    ) -> Iterator[tuple[Memory, Memory]]:
        mails = [mail for memory in members if (mail := read(memory))]
        links: Counter[str] = Counter()
        for mail, medium in _agreed(mails, [media(memory) for memory in others], limits):
            one, other = mail.memory, medium.memory
            if max(links[one.id], links[other.id]) < limits.max_neighbours:
                links.update((one.id, other.id))
                yield one, other

    rule = Rule("states", stated, link, "day", _captured, one_by_one=True)
    return Grouped("record_grounding", (rule,))


def _captured(memory: Memory) -> Iterable[str]:
    day = local_day(memory)
    return [day.isoformat()] if day and memory.kind != "email" and is_visual(memory) else ()


def _agreed(
    mails: Sequence[Mail], media: Sequence[_Medium], limits: RecordGroundingSettings
) -> Iterator[tuple[Mail, _Medium]]:
    """Yield the pairs that agree in place or content, best first."""
    agreed = []
    for m, mail in enumerate(mails):
        for n, medium in enumerate(media):
            place, shared = medium.place_is_named_in(mail), medium.words_shared_with(mail)
            if place or shared >= limits.content_words:
                agreed.append((not place, -shared, medium.order, mail.memory.id, m, n))
    for *_, m, n in sorted(agreed):
        yield mails[m], media[n]


class _Medium:
    """A photo or video: its place, and what its descriptions and tags say."""

    def __init__(self, memory: Memory, limits: RecordGroundingSettings) -> None:
        self.memory = memory
        self.order = in_time(memory)
        name = memory.place.name if memory.place else ""
        self._places = place_names(name, limits.word_length)
        self._words = content_words(_texts(memory), limits.word_length)

    def place_is_named_in(self, mail: Mail) -> bool:
        return any(name <= mail.vocabulary for name in self._places)

    def words_shared_with(self, mail: Mail) -> float:
        shared = self._words & mail.vocabulary
        return len(shared) - sum(map(is_half_word, shared)) / 2


def _texts(memory: Memory) -> Iterator[str]:
    yield memory.text
    for medium in memory.media:
        description = medium.description
        yield from (description.caption, description.short_caption, description.ocr)
    tags = memory.metadata.get("tags")
    yield from (tag for tag in (tags if isinstance(tags, list) else [tags]) if isinstance(tag, str))


class _Media:
    """Looks at media, at each one once."""

    def __init__(self, limits: RecordGroundingSettings) -> None:
        self._limits = limits
        self._seen: dict[int, _Medium] = {}  # by object, as in `Mails`

    def __call__(self, memory: Memory) -> _Medium:
        if id(memory) not in self._seen:
            self._seen[id(memory)] = _Medium(memory, self._limits)
        return self._seen[id(memory)]
