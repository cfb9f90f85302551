"""Patterns of `re` as automata without empty moves: one state for each character they read.

Repetitions up to `SMALL` times are written out; larger ones become loops, bounded or not. Guards on
moves stand for what looks at the characters on both sides: ``\\b``, ``^``, lookbehinds, lookaheads
of one character, and the end of a possessive repetition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

# Private modules of the standard library: without types, and stable since Python 3.11.
sre: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")

SMALL = 4
LARGE = 1000

START = -1  # the state before anything was read
SPREAD = (
    [chr(code) for code in range(0x180)]
    + list("\u0301\u0660\u061c\u0940\u200b\u200d\u200e\u2013\u2026\u2028\u202e\u20ac\u3000\u3002")
    + list("\u3042\u30a2\u4e00\uac00\ufe0f\uff11\U0001f600\U0001f3fb")
)

Set = frozenset[str]


@dataclass(frozen=True)
class _Guard:
    """What must hold between two characters; None before the first and behind the last one."""

    holds: Callable[[str | None, str | None], bool]


@dataclass
class _Piece:
    """A part of a pattern: how it begins and ends. Values list the guards of each way."""

    first: list[tuple[int, tuple[_Guard, ...]]] = field(default_factory=list)
    last: list[tuple[int, tuple[_Guard, ...]]] = field(default_factory=list)
    empty: list[tuple[_Guard, ...]] = field(default_factory=list)


class Automaton:
    def __init__(self, source: str | bytes, flags: int, *, searched: bool, whole: bool) -> None:
        tree = _parser.parse(source, flags)
        self.flags = tree.state.flags
        self.bytes = isinstance(source, bytes)
        self.whole = whole
        self.alphabet = self._characters(source)
        self.sets: list[Set] = []
        self._known: dict[tuple[Any, str, int], Set] = {}
        self.edges: dict[int, list[tuple[int, tuple[_Guard, ...], bool]]] = {}
        self.accepts: dict[int, list[tuple[_Guard, ...]]] = {}
        self.in_lookahead: set[int] = set()
        parsed = self._sequence(tree, self.flags)
        if searched:
            before = self._leaf(frozenset(self.alphabet))
            self._loop(before, bounded=False)
            before.empty.append(())
            parsed = self._join(before, parsed)
        for state, guards in parsed.first:
            self._edge(START, state, guards)
        for state, guards in parsed.last:
            self.accepts.setdefault(state, []).append(guards)
        self._classes()

    def _characters(self, source: str | bytes) -> list[str]:
        if self.bytes:
            return [chr(code) for code in range(256)]
        near = {
            chr(ord(c) + step) for c in str(source) for step in (-1, 0, 1) if 0 < ord(c) < 0x10FFFF
        }
        return sorted({*SPREAD, *near})

    # Sets of characters

    def _set(self, op: Any, value: Any, flags: int) -> Set:
        key = (op, str(value), flags)
        if key not in self._known:
            self._known[key] = self._members(op, value, flags)
        return self._known[key]

    def _members(self, op: Any, value: Any, flags: int) -> Set:
        ignore = bool(flags & re.IGNORECASE)
        if op is sre.LITERAL and not ignore:
            return frozenset({chr(value)}.intersection(self.alphabet))

        def member(character: str) -> bool:
            forms = _forms(character) if ignore else (character,)
            if op is sre.LITERAL:
                return any(ord(form) == value for form in forms)
            if op is sre.NOT_LITERAL:
                return all(ord(form) != value for form in forms)
            if op is sre.ANY:
                return bool(flags & re.DOTALL) or character != "\n"
            negate = value[0][0] is sre.NEGATE
            return bool(
                negate != any(self._in(form, part, flags) for part in value for form in forms)
            )

        return frozenset(filter(member, self.alphabet))

    def _in(self, character: str, part: tuple[Any, Any], flags: int) -> bool:
        op, value = part
        if op is sre.LITERAL:
            return bool(ord(character) == value)
        if op is sre.RANGE:
            return bool(value[0] <= ord(character) <= value[1])
        if op is sre.CATEGORY:
            return self._category(character, value, flags)
        return False

    def _category(self, character: str, name: Any, flags: int) -> bool:
        letter = {
            sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D",
            sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_NOT_SPACE: r"\S",
            sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
        }[name]  # fmt: skip
        ascii_only = self.bytes or bool(flags & re.ASCII)
        return _matches(letter, character, re.ASCII if ascii_only else re.NOFLAG)

    # Pieces

    def _leaf(self, characters: Set) -> _Piece:
        self.sets.append(characters)
        state = len(self.sets) - 1
        return _Piece([(state, ())], [(state, ())])

    def _guarded(self, holds: Callable[[str | None, str | None], bool]) -> _Piece:
        return _Piece(empty=[(_Guard(holds),)])

    def _join(self, one: _Piece, two: _Piece) -> _Piece:
        for start, before in one.last:
            for end, after in two.first:
                self._edge(start, end, before + after)
        first = one.first + [(s, e + g) for e in one.empty for s, g in two.first]
        last = two.last + [(s, g + e) for e in two.empty for s, g in one.last]
        return _Piece(first, last, [e + f for e in one.empty for f in two.empty])

    def _either(self, pieces: Iterable[_Piece]) -> _Piece:
        whole = _Piece()
        for piece in pieces:
            whole.first += piece.first
            whole.last += piece.last
            whole.empty += piece.empty
        return whole

    def _edge(self, start: int, end: int, guards: tuple[_Guard, ...], bounded: bool = True) -> None:
        self.edges.setdefault(start, []).append((end, guards, bounded))

    def _loop(self, piece: _Piece, *, bounded: bool) -> None:
        for start, before in piece.last:
            for end, after in piece.first:
                self._edge(start, end, before + after, bounded)

    def _sequence(self, parts: Iterable[Any], flags: int) -> _Piece:
        whole = _Piece(empty=[()])
        for op, value in parts:
            whole = self._join(whole, self._part(op, value, flags))
        return whole

    def _part(self, op: Any, value: Any, flags: int) -> _Piece:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self._leaf(self._set(op, value, flags))
        if op is sre.BRANCH:
            return self._either([self._sequence(each, flags) for each in value[1]])
        if op is sre.SUBPATTERN:
            return self._sequence(value[3], (flags | value[1]) & ~value[2])
        if op is sre.ATOMIC_GROUP:
            return self._sequence(value, flags)
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self._repeat(op, value, flags)
        if op is sre.AT:
            return self._guarded(_position(value, flags))
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            return self._look(op is sre.ASSERT, value[0] < 0, value[1], flags)
        if op is sre.FAILURE:
            return _Piece()
        assert op is sre.GROUPREF, f"{op} in a pattern"
        return _Piece(empty=[()])

    def _look(self, wanted: bool, behind: bool, parts: Any, flags: int) -> _Piece:
        single = self._single(parts, flags)
        if single is not None:
            side = 0 if behind else 1
            return self._guarded(lambda *sides: ((sides[side] or "") in single) is wanted)
        if behind:  # what must have been read last is told by its last character
            last = self._single(parts[-1:], flags) if wanted else None
            return self._guarded(lambda *sides: last is None or (sides[0] or "") in last)
        before = len(self.sets)
        piece = self._sequence(parts, flags)
        self.in_lookahead |= set(range(before, len(self.sets)))
        return _Piece(piece.first, [], [()])  # a way that ends here, and the way on

    def _single(self, parts: Any, flags: int) -> Set | None:
        """Return the set of a part that reads just one character."""
        if len(parts) != 1:
            return None
        op, value = parts[0]
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self._set(op, value, flags)
        if op is sre.SUBPATTERN:
            return self._single(value[3], (flags | value[1]) & ~value[2])
        if op is sre.BRANCH:
            sets = [self._single(each, flags) for each in value[1]]
            if all(each is not None for each in sets):
                return frozenset().union(*(each for each in sets if each is not None))
        return None

    def _repeat(self, op: Any, value: Any, flags: int) -> _Piece:
        least, most, parts = value
        if most is not sre.MAXREPEAT and most <= SMALL:
            whole = _Piece(empty=[()])
            for number in reversed(range(most)):
                whole = self._join(self._sequence(parts, flags), whole)
                if number >= least:
                    whole.empty = [()]  # an empty way of the body is the same text
            return whole
        piece = self._sequence(parts, flags)
        self._loop(piece, bounded=most is not sre.MAXREPEAT and most < LARGE)
        if least == 0:
            piece.empty = [()]
        possessive = op is sre.POSSESSIVE_REPEAT and most is sre.MAXREPEAT
        single = self._single(parts, flags) if possessive else None
        return piece if single is None else self._possessive(single, piece)

    def _possessive(self, single: Set, piece: _Piece) -> _Piece:
        stop = _Guard(lambda _, after: (after or "") not in single)
        piece.last = [(state, (*guards, stop)) for state, guards in piece.last]
        piece.empty = [(*guards, stop) for guards in piece.empty]
        return piece

    # Classes of characters, and moves by class

    def _classes(self) -> None:
        guards = {id(g): g for ways in self.edges.values() for _, gs, _ in ways for g in gs}
        guards |= {id(g): g for ways in self.accepts.values() for gs in ways for g in gs}
        # Guards look at one side or at both; a few characters on the other side tell them apart.
        probes = [None, "\n", "a", " ", "."]
        groups: dict[tuple[bool, ...], str] = {}
        for character in self.alphabet:
            sign = [character in each for each in self.sets]
            for guard in guards.values():
                sign += [guard.holds(character, probe) for probe in probes]
                sign += [guard.holds(probe, character) for probe in probes]
            known = groups.get(tuple(sign))
            if known is None or (not known.isalnum() and character.isalnum()):
                groups[tuple(sign)] = character
        self.letters = sorted(groups.values())

    def moves(self, state: int, before: str | None) -> Iterator[tuple[str, int, int, bool]]:
        """Yield letter, next state, in how many ways, and whether only bounded loops lead there."""
        for letter in self.letters:
            ways: dict[int, int] = {}
            free: set[int] = set()
            for end, guards, bounded in self.edges.get(state, ()):
                if letter in self.sets[end] and all(g.holds(before, letter) for g in guards):
                    ways[end] = ways.get(end, 0) + 1
                    if not bounded:
                        free.add(end)
            for end, count in ways.items():
                yield letter, end, count, end not in free

    def ends(self, state: int, before: str | None, after: str | None) -> bool:
        """Return whether a match may end between two characters."""
        if self.whole or state in self.in_lookahead:
            return False
        ways = self.accepts.get(state, ())
        return any(all(guard.holds(before, after) for guard in guards) for guards in ways)


def _position(at: Any, flags: int) -> Callable[[str | None, str | None], bool]:
    if at in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
        if at is sre.AT_BEGINNING and flags & re.MULTILINE:
            return lambda before, _: before in (None, "\n")
        return lambda before, _: before is None
    if at in (sre.AT_END, sre.AT_END_STRING):
        if at is sre.AT_END_STRING:
            return lambda _, after: after is None
        if flags & re.MULTILINE:
            return lambda _, after: after in (None, "\n")
        # `$` also holds before a last line feed; what follows it is not known here.
        return lambda _, after: after in (None, "\n")
    wanted = at is sre.AT_BOUNDARY
    return lambda before, after: (_is_word(before) != _is_word(after)) is wanted


@cache
def _is_word(character: str | None) -> bool:
    return character is not None and _matches(r"\w", character, re.NOFLAG)


@cache
def _matches(letter: str, character: str, flags: re.RegexFlag) -> bool:
    return re.match(letter, character, flags) is not None


@cache
def _forms(character: str) -> tuple[str, ...]:
    """Return a character in both cases, where that is one character."""
    forms = dict.fromkeys((character, character.lower(), character.upper()))
    return tuple(form for form in forms if len(form) == 1)
