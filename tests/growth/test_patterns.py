"""No pattern of the package backtracks: shown on its automaton, and tried with hostile texts."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
import regex

from graphmemix.ingest.mail.mbox import _begins
from graphmemix.ingest.outline import outline
from graphmemix.retrieve.constraint_scores import _mention
from graphmemix.text.dates.file_names import name_burst
from graphmemix.text.dates.lexicon import tokens
from graphmemix_bench.measures.normalise import normalise
from tests.growth.ambiguity import ambiguity
from tests.growth.collected import Found, collected, places
from tests.growth.doubling import assert_linear

ALLOWED = {
    # Groups are given back until what follows is a comma, so a number that fails is short.
    "graphmemix_bench/measures/normalise.py:_TOKEN": lambda size: normalise(
        "123," * size + "4567x"
    ),
    # A lookbehind of four characters, which the linter does not see, bars groups behind a group.
    "text/dates/lexicon.py:_TOKEN": lambda size: tokens("123," * size + "4567"),
    # Matched from the start of a name, not searched for.
    "text/dates/file_names.py:_BURSTS": lambda size: name_burst("-BURST0" * size + "x"),
    # Only the beginning of a line is looked at.
    "ingest/mail/mbox.py:_DATE": lambda size: _begins(
        b"From a 1900 " * size, 0, 12 * size, after_blank=True
    ),
    # The first string that does not end is the last thing that is read.
    "ingest/outline.py:_TOKEN": lambda size: outline(b'{"a": ' + b'\\"' * size),
}
"""What the linter finds and its approximations only make ambiguous; each with a hostile text."""

BUILT_LATE = {
    "ingest/documents/content_lines.py:fields",
    "ingest/documents/markup.py:_end_of_raw",
    "read/cues.py:words_pattern",  # found in the module that calls it
    "retrieve/question.py:_MARKS",  # made in a loop; found in its module, like those of asked
    "retrieve/constraint_scores.py:_mention",
    "text/words.py:_scanner",  # found in the module that calls it
    "verify/asked.py:_ASKING",
    "verify/asked.py:_DETAILS",
    "verify/asked.py:_VALUES",
    "verify/unheld.py:_ATTRIBUTES",  # made in a loop too
}
"""Calls whose pattern is made of arguments."""

ON_SETS = {
    "text/words.py:_CLUSTER",
    "text/words.py:_PART",
    "text/words.py:_SIMPLE",
    "text/words.py:_COMPLETE",
}
"""Written with operations on sets that `re` does not have: tried with hostile texts only."""


@pytest.mark.parametrize("place", places())
def test_no_text_is_read_in_two_ways(place: str) -> None:
    flagged = {}
    found_here = (each for each in collected()[0] if each.place == place)
    for found in (each for each in found_here if each.key not in ON_SETS):
        finding = ambiguity(found.pattern, searched=found.searched, whole=found.whole)
        if finding:
            flagged[found.key] = str(finding)
    expected = {key for key in ALLOWED if key.startswith(f"{place}:")}
    assert flagged.keys() == expected, flagged


@pytest.mark.parametrize("key", ALLOWED)
def test_what_is_allowed_is_linear(key: str) -> None:
    assert_linear(ALLOWED[key], lambda size: size)


def test_patterns_are_known_before_they_run() -> None:
    patterns, open_calls = collected()
    assert set(open_calls) == BUILT_LATE
    assert {found.key for found in patterns} >= ON_SETS


def test_names_in_questions_make_patterns_that_are_read_in_one_way() -> None:
    for name in ("Anna Maria de la Cruz", "mark", "a", "東京"):
        assert ambiguity(_mention(name)) is None


@pytest.mark.slow
@pytest.mark.parametrize("place", places())
def test_hostile_texts_cost_what_their_length_costs(place: str) -> None:
    """Try runs of every character that a pattern tells apart, alone and by twos."""
    for found in (each for each in collected()[0] if each.place == place):
        if found.key in ALLOWED:  # has a growth test of its own
            continue
        for pump in _pumps(found.pattern):
            _try(found, pump)


def _try(found: Found, pump: Any) -> None:
    method = found.pattern.search if found.searched else found.pattern.match
    if found.whole and not found.searched:
        method = found.pattern.fullmatch
    bytes_wanted = isinstance(pump, bytes)

    def make(size: int) -> Any:
        filled = pump * (size // len(pump) + 1)
        return filled + (b"\0\n\0" if bytes_wanted else "\0\n\0")

    text = make(20_000)
    started = time.process_time()
    method(text)
    if time.process_time() - started > 0.05:  # quadratic work takes seconds here, and is measured
        assert_linear(method, make)


def _pumps(pattern: Any) -> list[Any]:
    """Return characters of the pattern, those that its classes stand for, and pairs of them."""
    source = (
        pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    )
    plain = re.sub(r"\\[pPuUxN]\{?\w+\}?|\(\?P?<?\w*>?", "", source)
    letters = [letter for letter in dict.fromkeys(plain) if not letter.isspace()][:14]
    letters += [" ", "\n", "0", "a", "\u4e00"]
    pairs = [one + two for one in [*letters[:6], "0", " "] for two in [*letters[:6], "0", " "]]
    pumps = list(dict.fromkeys(letters + pairs))
    if isinstance(pattern.pattern, bytes):
        return [pump.encode("latin-1", "replace") for pump in pumps]
    return pumps


@pytest.mark.parametrize(
    ("source", "searched", "whole"),
    [
        (r"(a|a)*b", False, False),
        (r"(a*)*b", False, False),
        (r"(?:a{0,3}b{0,3}){0,99}c", False, False),
        (r"(?:\s{0,3}(?:,|\s)\s{0,3}\d{1,3}){0,99}\]", False, False),
        (r"a*a*b", False, False),
        (r".*foo.*bar", False, False),
        (r"\s+$", True, False),
        (r"[ \t]+\n", True, False),
        (r"<[^>]*>", True, False),
        (r"x(?=.*y)", True, False),
        (r"(?m)^\s*x", True, False),
        (r"\s*\w*\s*", False, True),
    ],
)
def test_the_linter_finds_what_backtracks(source: str, searched: bool, whole: bool) -> None:
    assert ambiguity(re.compile(source), searched=searched, whole=whole)


@pytest.mark.parametrize(
    ("source", "searched", "whole"),
    [
        (r"\w+", True, False),
        (r"(?<![ \t])[ \t]+\n", True, False),
        (r"(?:ab|a)*c", False, False),
        (r"a*+a*b", False, False),
        (r'"(?:[^"\\]|\\.)*+"', False, False),
        (r"<[^<>]*>", True, False),
        (r"(?m)^[ \t]*x", True, False),
        (r"\bfoo\w*bar", True, False),
        (r"\s++\S*+|\S++", True, False),
        (r"\d+(?:[.,]\d+)?", False, True),
    ],
)
def test_the_linter_passes_what_is_linear(source: str, searched: bool, whole: bool) -> None:
    assert ambiguity(re.compile(source), searched=searched, whole=whole) is None


def test_the_linter_reads_properties_of_characters() -> None:
    assert ambiguity(regex.compile(r"\p{Lu}+$"))
    assert ambiguity(regex.compile(r"(?<![\p{Lu}])\p{Lu}+$")) is None
