"""Finds patterns that backtrack: a linter over the parse trees of `re`.

A pattern becomes an automaton without empty moves (one state for each character it can read), over
the classes of characters that the pattern tells apart. On it two questions are decided by search
in products of the automaton with itself:

- exponential: a state that comes back to itself over the same text in two ways;
- polynomial: two loops that read the same text, one behind the other. The loop before a match of
  `search`, `sub`, `finditer` or `split` (which try every position) counts as one of them.

Repetitions up to `SMALL` times are written out. Larger bounds count as unbounded for the first
question, since nesting multiplies their powers; for the second only from `LARGE` on, since two
bounded loops cost a constant for each character. A loop that a match may end in at any time never
fails, and what it has read is not read again: it is no second loop.

A possessive repetition of one character is followed by anything else; other atomic groups,
back references (read as nothing) and lookaheads (read as text that follows) are approximated so
that too much is found rather than too little. Lookbehinds of one character are exact; of longer
ones only the last character counts, and only if it is demanded.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import regex

from tests.growth.automaton import SPREAD, START, Automaton


@dataclass(frozen=True)
class Finding:
    """An ambiguity, and the text that shows it: `head`, then `pump` many times, then a failure."""

    kind: str
    head: str
    pump: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.head!r} + {self.pump!r} * n"


_Place = tuple[int, str | None]  # a state, and the character that was read last; None at first
_Pair = tuple[int, int, str, bool]  # two states, the same character, whether ways parted


class _Graph:
    """The places that can be reached, and the loops among them."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.after: dict[_Place, list[tuple[str, int, int, bool]]] = {}
        self._known_ends: dict[tuple[int, str | None, int | None], dict[str, list[int]]] = {}
        self.heads: dict[_Place, str] = {(START, None): ""}
        queue: deque[_Place] = deque([(START, None)])
        while queue:
            place = queue.popleft()
            self.after[place] = list(automaton.moves(*place))
            for letter, end, _, _ in self.after[place]:
                if (end, letter) not in self.heads:
                    self.heads[end, letter] = self.heads[place] + letter
                    queue.append((end, letter))
        self.component = _components(
            {
                place: [(end, letter) for letter, end, _, _ in moves]
                for place, moves in self.after.items()
            }
        )
        inside = Counter(self.component.values())
        self.free: set[int] = set()
        self.loops: set[int] = {number for number, size in inside.items() if size > 1}
        for place, moves in self.after.items():
            for letter, end, _, bounded in moves:
                if self.component[end, letter] == self.component[place]:
                    self.loops.add(self.component[place])
                    if not bounded:
                        self.free.add(self.component[place])

    def exponential(self) -> Finding | None:
        """Find two ways over one text that part inside a loop and meet again inside it."""
        for number in sorted(self.loops):
            inside = [place for place in self.after if self.component[place] == number]
            trails = {(one, one, read or "", False): ((one, read), "") for one, read in inside}
            queue = deque(trails)
            while queue:
                pair = queue.popleft()
                start, text = trails[pair]
                for one, two, letter, apart in self._pairs(pair, number):
                    if apart and one == two:
                        pump = text + letter + self._way((one, letter), start, number)
                        return Finding("exponential", self.heads[start], pump)
                    if (one, two, letter, apart) not in trails:
                        trails[one, two, letter, apart] = (start, text + letter)
                        queue.append((one, two, letter, apart))
        return None

    def _pairs(self, pair: _Pair, number: int) -> Iterator[_Pair]:
        one, two, read, apart = pair
        for letter, end, count, _ in self.after[one, read]:
            if self.component[end, letter] != number:
                continue
            for other, further, _, _ in self.after[two, read]:
                if other == letter and self.component[further, letter] == number:
                    yield end, further, letter, apart or end != further or count > 1

    def _way(self, start: _Place, goal: _Place, number: int) -> str:
        """Return a text that leads from one place of a loop to another one."""
        trails = {start: ""}
        queue = deque([start])
        while goal not in trails:
            place = queue.popleft()
            for letter, end, _, _ in self.after[place]:
                new = (end, letter)
                if self.component[new] == number and new not in trails:
                    trails[new] = trails[place] + letter
                    queue.append(new)
        return trails[goal]

    def polynomial(self) -> Finding | None:
        """Find two loops, one behind the other, that read the same text."""
        places = [place for place in self.after if self.component[place] in self.free]
        leaving = self._leaving()
        for first in places:
            for second in places:
                # Both in one component would be exponential, which was asked before.
                same = self.component[first] == self.component[second]
                if same or first[1] != second[1] or second in leaving:
                    continue
                pump = self._over_both(first, second, leaving)
                if pump is not None:
                    return Finding("polynomial", self.heads[first], pump)
        return None

    def _leaving(self) -> set[_Place]:
        """Return places where a match ends whatever follows, there or at another such place."""
        found: set[_Place] = set()
        while True:
            more = {
                place for place in self.after if place not in found and self._leaves(place, found)
            }
            if not more:
                return found
            found |= more

    def _leaves(self, place: _Place, known: set[_Place]) -> bool:
        safe = {c for c, end, _, _ in self.after[place] if end == place[0] or (end, c) in known}
        return all(
            after in safe or self.automaton.ends(*place, after)
            for after in (None, *self.automaton.letters)
        )

    def _over_both(self, first: _Place, second: _Place, leaving: set[_Place]) -> str | None:
        """Return a text on which both loops come back, and that leads from one to the other."""
        read = first[1] or ""  # a place inside a loop has read something
        begin = (first[0], first[0], second[0], read)
        goal = (first[0], second[0], second[0], read)
        home, away = self.component[first], self.component[second]
        trails = {begin: ""}
        queue = deque([begin])
        while queue:
            here = queue.popleft()
            one, two, three, read = here
            for letter, ones in self._ends(one, read, home).items():
                threes = [
                    end
                    for end in self._ends(three, read, away).get(letter, ())
                    if (end, letter) not in leaving
                ]
                twos = self._ends(two, read).get(letter, ())
                for new in ((a, b, c, letter) for a in ones for b in twos for c in threes):
                    if new == goal:
                        return trails[here] + letter
                    if new not in trails:
                        trails[new] = trails[here] + letter
                        queue.append(new)
        return None

    def _ends(
        self, state: int, read: str | None, number: int | None = None
    ) -> dict[str, list[int]]:
        """Return where a place leads to, by letter; with a number, inside this component only."""
        key = (state, read, number)
        if key not in self._known_ends:
            found: dict[str, list[int]] = {}
            for letter, end, _, _ in self.after[state, read]:
                if number in (None, self.component[end, letter]):
                    found.setdefault(letter, []).append(end)
            self._known_ends[key] = found
        return self._known_ends[key]


def _components(graph: dict[_Place, list[_Place]]) -> dict[_Place, int]:
    """Return the strongly connected component of each node (Kosaraju)."""
    backwards: dict[_Place, list[_Place]] = {node: [] for node in graph}
    for node, children in graph.items():
        for child in children:
            backwards[child].append(node)
    left: dict[_Place, None] = {}
    for root in graph:
        _visit(root, graph, left)
    found: dict[_Place, None] = {}
    component: dict[_Place, int] = {}
    for root in reversed(left):
        before = len(found)
        _visit(root, backwards, found)
        component |= dict.fromkeys(list(found)[before:], before)
    return component


def _visit(root: _Place, graph: dict[_Place, list[_Place]], left: dict[_Place, None]) -> None:
    """Add all nodes that can be reached, each behind the ones that it leads to."""
    entered = {root}
    work = [(root, iter(graph[root]))] if root not in left else []
    while work:
        node, rest = work[-1]
        child = next((each for each in rest if each not in left and each not in entered), None)
        if child is None:
            left[node] = None
            work.pop()
        else:
            entered.add(child)
            work.append((child, iter(graph[child])))


def ambiguity(pattern: Any, *, searched: bool = True, whole: bool = False) -> Finding | None:
    """Return the worst ambiguity of a pattern, None if it is read in one way only.

    Args:
        pattern: Compiled by `re`, or by `regex` without operations on sets.
        searched: It is tried at every position (`search`, `sub`, `finditer`, `split`).
        whole: It must match to the end of a text (`fullmatch`).

    Raises:
        re.error: The pattern cannot be written in the syntax of `re`.
    """
    source, flags = pattern.pattern, pattern.flags & ~re.DEBUG
    if isinstance(pattern, regex.Pattern):
        source, flags = _without_properties(source), _common_flags(pattern.flags)
    once = _Graph(Automaton(source, flags, searched=False, whole=whole))
    return (
        once.exponential()
        or _Graph(Automaton(source, flags, searched=searched, whole=whole)).polynomial()
    )


def _common_flags(flags: int) -> int:
    shared = ("IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII")
    return sum(int(getattr(re, name)) for name in shared if flags & int(getattr(regex, name)))


def _without_properties(source: str) -> str:
    """Return a pattern with ``\\p{...}`` spelt out over the sample of characters."""
    if re.search(r"--|&&|\\X|\[\[", source):
        raise re.error("operations on sets")
    inside = False
    parts = []
    for part in re.findall(r"\\[pP]\{\w+\}|\\.|.", source, re.DOTALL):
        if part[:2] in ("\\p", "\\P"):
            spelt = "".join(re.escape(each) for each in SPREAD if regex.match(part, each))
            parts.append(spelt if inside else f"[{spelt}]")
            continue
        inside = part == "[" or (inside and part != "]")
        parts.append(part)
    return "".join(parts)
