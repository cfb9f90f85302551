"""Relations by groups: memories that share a key are linked, each group by itself.

A pair is linked if any of its groups links it, so a group can be worked out again without the
others. Only where a group stops linking a pair do its other groups have to be asked.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from graphmemix.relate.protocol import PairChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from graphmemix.evidence import Relation
    from graphmemix.memory import Memory
    from graphmemix.relate.after import After
    from graphmemix.relate.protocol import Pair

    Names: TypeAlias = Callable[[Memory], Iterable[str]]
    """The names of the groups that a memory belongs to, by `keys.group_name`."""

    Link: TypeAlias = Callable[
        [str, Sequence[Memory], Sequence[Memory]], Iterable[tuple[Memory, Memory]]
    ]
    """The pairs to link in a group, from its name, its members and its partners, in any order.

    A memory that decides anything about another pair must itself be linked in the group, or else
    `After.disturbed` misses the group when the memory changes.
    """


_T = TypeVar("_T")


def _none(_memory: Memory) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Rule:
    """One way to be linked.

    Attributes:
        prefix: What the keys of members begin with.
        members: The groups that a memory is a member of. A group without members links nothing.
        link: The pairs that a group links.
        partner_prefix: For rules with two sides, what the keys of the other side begin with.
        partners: The groups that a memory is on the other side of.
        one_by_one: Ask the store for the members of each group by itself, because it takes longer
            to find out from a memory which groups it belongs to.
    """

    prefix: str
    members: Names
    link: Link
    partner_prefix: str = ""
    partners: Names = field(default=_none)
    one_by_one: bool = False

    def names(self, memory: Memory) -> set[str]:
        """Return all groups of a memory."""
        return {*self.members(memory), *self.partners(memory)}

    def keys(self, memory: Memory) -> Iterator[str]:
        """Yield the keys that lead to a memory."""
        yield from (f"{self.prefix}:{name}" for name in self.members(memory))
        yield from (f"{self.partner_prefix}:{name}" for name in self.partners(memory))


@dataclass(frozen=True)
class Grouped:
    """A relation that is given by rules.

    Cost of a change: linear in the groups that it touches, as far as the rules are.
    """

    name: Relation
    rules: Sequence[Rule]

    def keys(self, memory: Memory) -> Iterator[str]:
        """Yield the keys of all rules."""
        for rule in self.rules:
            yield from rule.keys(memory)

    def change(self, after: After) -> PairChange:
        """Work out again the groups of every disturbed memory."""
        disturbed = after.disturbed(self.name)
        wanted: set[Pair] = set()
        seen: dict[str, Memory] = {}
        groups_of: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
        for number, rule in enumerate(self.rules):
            names = {name for memory in disturbed for name in rule.names(memory)}
            for name, group, pairs in _groups(rule, names, after):
                seen.update(group)
                wanted |= pairs
                for memory_id in group:
                    groups_of[memory_id].add((number, name))
        stored = after.pairs(self.name, seen)
        remove: set[Pair] = set()
        doubtful: set[Pair] = set()
        all_groups = cache(lambda memory_id: self._all_groups(seen[memory_id]))
        for one, other in stored - wanted:
            if after.touches(one) or after.touches(other):
                remove.add((one, other))  # all its groups were worked out again
            elif groups := groups_of[one] & groups_of[other]:
                shared = all_groups(one) & all_groups(other)
                (remove if shared <= groups else doubtful).add((one, other))
        shared = {each for one, other in doubtful for each in all_groups(one) & all_groups(other)}
        remove |= doubtful - self._linked(doubtful, shared, after)
        return PairChange(frozenset(wanted - stored), frozenset(remove))

    def _all_groups(self, memory: Memory) -> set[tuple[int, str]]:
        """Return the groups of a memory, as (number of the rule, name)."""
        return {
            (number, name) for number, rule in enumerate(self.rules) for name in rule.names(memory)
        }

    def _linked(self, pairs: set[Pair], shared: set[tuple[int, str]], after: After) -> set[Pair]:
        """Return those of these pairs that any of their shared groups links."""
        linked: set[Pair] = set()
        for number, rule in enumerate(self.rules):
            names = {name for n, name in shared if n == number}
            for _, _, found in _groups(rule, names, after):
                linked |= found & pairs
        return linked


def _groups(
    rule: Rule, names: set[str], after: After
) -> Iterator[tuple[str, dict[str, Memory], set[Pair]]]:
    """Yield each of these groups: its name, everybody in it, and the pairs that it links."""
    if rule.one_by_one:
        asked = {name: after.with_keys([f"{rule.prefix}:{name}"]) for name in names}
        members = {name: group for name, group in asked.items() if group}
    else:
        members = _sorted_out(rule.members, names, rule.prefix, after)
    # Partners are fetched only where somebody looks for them: most days no mail speaks of.
    partners = _sorted_out(rule.partners, set(members), rule.partner_prefix, after)
    for name, group in members.items():
        others = partners.get(name, {})
        found = rule.link(name, list(group.values()), list(others.values()))
        yield name, group | others, {_pair(one.id, other.id) for one, other in found}


def _sorted_out(
    groups_of: Names, names: set[str], prefix: str, after: After
) -> dict[str, dict[str, Memory]]:
    if not prefix:
        return {}
    found: defaultdict[str, dict[str, Memory]] = defaultdict(dict)
    for memory in after.with_keys([f"{prefix}:{name}" for name in names]).values():
        for name in groups_of(memory):
            if name in names:
                found[name][memory.id] = memory
    return found


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def band(ordered: Sequence[_T], width: int) -> Iterator[tuple[_T, _T]]:
    """Yield the pairs that are at most `width` positions apart: all pairs of a small group."""
    for i, one in enumerate(ordered):
        for other in ordered[i + 1 : i + 1 + width]:
            yield one, other


def banded(order: Callable[[Memory], Any], width: int) -> Link:
    """Link members that are at most `width` positions apart in this order."""

    def link(
        _name: str, members: Sequence[Memory], _partners: Sequence[Memory]
    ) -> Iterator[tuple[Memory, Memory]]:
        return band(sorted(members, key=order), width)

    return link
