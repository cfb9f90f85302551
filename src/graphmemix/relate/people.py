"""Who is who in an archive: persons with all their names, out of the keys of its memories.

Two names are one person's if a contact or an address ties them together, or if one is a short form
that fits exactly one person: "Grace" while only one Grace is known, "Nadia H." while only one Nadia
with H is. In doubt they stay two persons, and a question that names "Anna" means several.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeAlias

from graphmemix.relate.person_keys import PREFIXES
from graphmemix.text.folding import plain
from graphmemix.text.kinship import ADDRESSES, KIN, kin_at, relation_at, tokens
from graphmemix.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphmemix.text.kinship import FoldedWord

__all__ = ["People", "PersonMention"]

_Words: TypeAlias = tuple[str, ...]

_FEWEST_PARTNERS: Final = 5  # correspondents of an owner
_OWNER_SHARE: Final = 0.6  # of all pairs of correspondents
_LONGEST_NAME: Final = 6  # words
_MOST_BEARERS: Final = 8
_SHORTEST: Final = 3  # letters of a name that may have an s behind it: Annas
_STOP_WORDS = frozenset(STOP_WORDS.split())
_OF = frozenset({"of", "von", "de", "di", "van", "till"})


class PersonMention(NamedTuple):
    """Words of a text that mean a person.

    Attributes:
        start: Where they start in the text.
        end: Where they end.
        persons: Whom they may mean, each with all known names and addresses.
    """

    start: int
    end: int
    persons: tuple[frozenset[str], ...]


class People:
    """Persons of an archive. Build once for many questions; costs time linear in the keys."""

    def __init__(self, keys: Iterable[str], owner: str = "") -> None:
        """Read keys as `person_keys` makes them; keys of other sorts are passed over.

        Args:
            keys: Of all memories.
            owner: A name of the archive's owner; without it the one who corresponds with most.
        """
        found: dict[str, list[list[str]]] = {prefix: [] for prefix in PREFIXES}
        for key in sorted(set(keys)):
            prefix, colon, rest = key.partition(":")
            if prefix + colon in found:
                fields = [each.replace("%3D", "=").replace("%25", "%") for each in rest.split("=")]
                found[prefix + colon].append(fields)
        self._parents: dict[_Words, _Words] = {}
        self._written: dict[_Words, set[str]] = defaultdict(set)
        self._called = {self._node(fields[0]) for fields in found["person:"]}
        self._tie(found["alias:"])
        self._tie_short_forms()
        self._groups: dict[_Words, set[str]] = defaultdict(set)
        for node, names in self._written.items():
            self._groups[self._top(node)] |= names
        self._firsts = self._by_first_word()
        self._owner = self._one(owner) or _folded(owner) if owner else self._likely_owner(found)
        self._kin: dict[tuple[_Words, str], list[_Words]] = defaultdict(list)
        for fields in found["kin:"]:
            self._add_kin(*fields)

    @classmethod
    def read(cls, key_names: Callable[[str], Iterable[str]], owner: str = "") -> Self:
        """Read from a store: ``People.read(store.key_names)``."""
        return cls((p + name for p in PREFIXES for name in key_names(p)), owner)

    def same(self, name: str) -> frozenset[str]:
        """Return all names of the person who has exactly this name; only itself if none has."""
        top = self._known(_folded(name))
        return frozenset(self._groups[top] if top is not None else {name})

    def names(self, words: str) -> tuple[frozenset[str], ...]:
        """Return the persons whom words mean: "my sister", "Mama", "Grace"; each with all names."""
        found = [person for mention in self.find(words) for person in mention.persons]
        return tuple(dict.fromkeys(found))

    def find(self, text: str) -> list[PersonMention]:
        """Return the persons that a question names, in order.

        A single word needs a capital, unless the text has none at all.
        """
        words = tokens(text)
        free = text == text.lower()
        mentions: list[PersonMention] = []
        i = 0
        while i < len(words):
            tops, behind = self._at(words, i, free=free)
            if tops:
                persons = tuple(frozenset(self._groups[top]) for top in tops[:_MOST_BEARERS])
                mentions.append(PersonMention(words[i].start, words[behind - 1].end, persons))
            i = max(i + 1, behind)
        return mentions

    # Questions

    def _at(self, words: Sequence[FoldedWord], i: int, *, free: bool) -> tuple[list[_Words], int]:
        """Return whom the words from `i` on mean, and behind which word they end."""
        kin, behind = kin_at(words, i)
        if kin and words[i].folded not in ADDRESSES:
            return self._relatives(self._owner, kin), behind
        kin, behind = relation_at(words, i)
        if kin and behind + 1 < len(words) and words[behind].folded in _OF:
            tops, end = self._named_at(words, behind + 1, free=free)
            if tops:  # the sister of Grace
                return self._relatives_of_all(tops, kin), end
        tops, behind = self._named_at(words, i, free=free)
        if words[i].folded in ADDRESSES and behind <= i + 1:
            relatives = self._relatives(self._owner, KIN[words[i].folded])
            tops, behind = list(dict.fromkeys([*tops, *relatives])), i + 1
        if not tops:
            return [], i + 1
        own = behind + (behind < len(words) and words[behind].folded == "s")
        kin, end = relation_at(words, own) if own < len(words) else (frozenset(), 0)
        if kin and (own > behind or words[behind - 1].folded.endswith("s")):
            relatives = self._relatives_of_all(tops, kin)
            return (relatives, end) if relatives else (tops, behind)
        return tops, behind

    def _named_at(
        self, words: Sequence[FoldedWord], i: int, *, free: bool
    ) -> tuple[list[_Words], int]:
        """Return whom a name means that begins here; the longest known name counts."""
        for count in range(min(_LONGEST_NAME, len(words) - i), 0, -1):
            name = tuple(word.folded for word in words[i : i + count])
            if count == 1 and not (words[i].titled or (free and name[0] not in _STOP_WORDS)):
                continue
            for form in (name, (*name[:-1], name[-1][:-1])):
                if form != name and not (name[-1].endswith("s") and len(name[-1]) > _SHORTEST):
                    continue
                top = self._known(form)
                bearers = self._firsts.get(form[0], []) if count == 1 else []
                if top is not None or bearers:
                    return list(dict.fromkeys([*([top] if top else []), *bearers])), i + count
        return [], i

    def _relatives(self, whose: _Words, kin: Iterable[str]) -> list[_Words]:
        found = [top for each in sorted(kin) for top in self._kin.get((whose, each), ())]
        return list(dict.fromkeys(found))

    def _relatives_of_all(self, tops: Iterable[_Words], kin: frozenset[str]) -> list[_Words]:
        return [relative for top in tops for relative in self._relatives(top, kin)]

    # Building

    def _node(self, name: str) -> _Words:
        node = _folded(name)
        self._parents.setdefault(node, node)
        self._written[node].add(name)
        return node

    def _top(self, node: _Words) -> _Words:
        """Return the name that stands for a person; paths are halved on the way."""
        while (parent := self._parents.get(node, node)) != node:
            self._parents[node] = node = self._parents.get(parent, parent)
        return node

    def _join(self, one: _Words, two: _Words) -> None:
        one, two = sorted((self._top(one), self._top(two)))
        self._parents[two] = one

    def _known(self, node: _Words) -> _Words | None:
        return self._top(node) if node in self._parents else None

    def _tie(self, aliases: Iterable[list[str]]) -> None:
        """Join names that are tied by contacts, and names of one address that fit each other."""
        at_address: dict[str, list[_Words]] = defaultdict(list)
        for fields in aliases:
            if len(fields) != 2:
                continue
            name, other = fields
            if "@" in other:
                at_address[other].append(self._node(name))
            else:
                self._join(self._node(name), self._node(other))
        for address, nodes in at_address.items():
            whole = max(nodes, key=lambda node: (len(node), node))
            fitting = [node for node in nodes if _is_called(node) or _fits(node, whole)]
            if len(fitting) == len(nodes):  # else several persons share it
                for node in (*nodes, self._node(address)):
                    self._join(whole, node)

    def _tie_short_forms(self) -> None:
        full: dict[str, list[_Words]] = defaultdict(list)
        for node in self._called:
            if _is_full(node):
                full[node[0]].append(node)
        pairs = []
        for node in sorted(self._called):
            if _is_full(node) or _is_called(node):
                continue
            tops = {self._top(other) for other in full.get(node[0], ()) if _fits(node, other)}
            if len(tops) == 1:
                pairs.append((node, *tops))
        for pair in pairs:
            self._join(*pair)

    def _by_first_word(self) -> dict[str, list[_Words]]:
        found: dict[str, dict[_Words, None]] = defaultdict(dict)
        for node in sorted(self._called):
            if len(node) > 1:
                found[node[0]][self._top(node)] = None
        return {first: list(tops) for first, tops in found.items()}

    def _likely_owner(self, found: Mapping[str, list[list[str]]]) -> _Words:
        """Return who corresponds with most others, if that is nearly everybody; else no name."""
        pairs = {
            frozenset(self._top(_folded(field)) for field in fields) for fields in found["wrote:"]
        }
        partners = Counter(
            who for pair in sorted(map(sorted, pairs)) for who in pair if len(pair) == 2
        )
        for who, count in partners.most_common(1):
            if count >= _FEWEST_PARTNERS and count >= _OWNER_SHARE * len(pairs):
                return who
        return ()

    def _add_kin(self, kin: str, name: str = "", whose: str = "", *_more: str) -> None:
        if self._one(name) is None and kin.endswith("?"):
            return
        of = self._known_or_new(whose) if whose else self._owner
        relatives = self._kin[of, kin.rstrip("?")]
        top = self._known_or_new(name)
        if top not in relatives:
            relatives.append(top)

    def _known_or_new(self, name: str) -> _Words:
        top = self._one(name)
        if top is None:
            top = self._node(name)
            self._groups[top].add(name)
        return top

    def _one(self, name: str) -> _Words | None:
        """Return the one person whom a name means, or None."""
        node = _folded(name)
        top = self._known(node)
        bearers = self._firsts.get(node[0], []) if len(node) == 1 else []
        return top if top is not None else bearers[0] if len(bearers) == 1 else None


def _folded(name: str) -> _Words:
    if "@" in name:
        return (plain(name).casefold(),)
    return tuple([word.folded for word in tokens(name)]) or (name.casefold(),)


def _is_called(node: _Words) -> bool:
    return len(node) == 1 and node[0] in ADDRESSES


def _is_full(node: _Words) -> bool:
    return len(node) > 1 and all(len(word) > 1 for word in node[:1] + node[-1:])


def _fits(short: _Words, whole: _Words) -> bool:
    """Return whether a name is a part of another: words in order, initials for words."""
    rest = iter(whole)
    return all(
        any(word == part or (len(word) == 1 and part.startswith(word)) for part in rest)
        for word in short
    )
