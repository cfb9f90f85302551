"""Reading is cut short where a text cannot hold what is looked for; it finds the same."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphmemix.relate import forward_of, references
from graphmemix.text import folding, kinship, mail_footers, words
from graphmemix.text.dates import mentions
from graphmemix.text.patterns import alternatives, whole_words

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def _of(*pieces: str) -> st.SearchStrategy[str]:
    """Return texts of these pieces, with and without something between them."""
    between = st.sampled_from(["", " ", "\n", "-", ".", ", ", "x", "é", "10"])
    pairs = st.tuples(st.sampled_from(pieces), between)
    return st.lists(pairs, max_size=14).map(lambda made: "".join(a + b for a, b in made))


def test_plain_letters_of_every_character() -> None:
    changed = [c for c in range(0x110000) if folding.plain(chr(c)) != folding._plain_character(c)]
    assert not changed


@given(ANY_TEXT)
def test_plain_letters_of_a_text_are_those_of_its_characters(text: str) -> None:
    assert folding.plain(text) == "".join(folding._plain_character(ord(c)) for c in text)


def test_letter_runs() -> None:
    found = folding.letter_runs("ab-cd'e 12 çab naïve\nab")
    assert found == [b"ab", b"cd", b"e", b"ab", b"na", b"ve", b"ab"]


@given(
    _of(
        "word", "don't", "3,5", "a.lee@mail.org", "https://x.org/Ä?a=1", "WWW.x.org", "naïve",
        "#47", "7Q4-118", "http://x.org/b-c", "www.y.org", "東京都", "ÉCOLE", "U.S.A.", "x" * 70,
        "x-" * 70, "１２", "＠", "☕", "2023/7/14",
    )
)  # fmt: skip
@example("http://x.org/b-c")
@example("www.x.org/b-c\nA b@c.org")
def test_terms_are_those_of_the_complete_scanner(text: str) -> None:
    chunks = words._sorted_chunks(words.normal(text), words._COMPLETE)
    found = [term for chunk in chunks for term in words._cut(chunk)]
    assert words.tokens(text) == found
    assert list(words.terms(text).items()) == [
        (term, found.count(term)) for term in dict.fromkeys(found)
    ]


@given(
    _of("order", "bestell", "nummer", "nr", "invoice", "paket", "订单", "号", "预订号", "ticket")
)
def test_labels_are_found_where_the_pattern_finds_them(text: str) -> None:
    found = [label.span() for label in references._labels(text.lower())]
    assert found == [match.span() for match in references._LABEL.finditer(text.lower())]


@given(_of("1Z999AA10123456784", "302-1234567-7654321", "1Z", "A", "-", "0", "1"))
def test_numbers_of_known_forms_stand_alone(text: str) -> None:
    by_form = r"(?:1Z[0-9A-Z]{16}|[0-9]{3}-[0-9]{7}-[0-9]{7})"
    alone = re.compile(rf"(?<![A-Za-z0-9-]){by_form}(?![A-Za-z0-9-])")
    assert references._BY_FORM.findall(text) == alone.findall(text)
    found = (f"any:{re.sub('-', '', value)}" for value in alone.findall(text))
    assert references.references_in(text) == tuple(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        (mail_footers._LEAVE, mail_footers.LEAVE_WORDS),
        (mail_footers._VIEW, mail_footers.VIEW_WORDS),
        (mail_footers._TREES, mail_footers.TREE_WORDS),
    ],
)
def test_a_footer_needs_one_of_its_words(pattern: re.Pattern[str], needed: tuple[str, ...]) -> None:
    @given(st.from_regex(pattern, fullmatch=True))
    def holds(footer: str) -> None:
        assert any(word in footer for word in needed)

    holds()


@given(_of("2023", "7", "14", "99", "123", "/", "-", ". ", "年", "月", "日", "July ", " March"))
def test_dates_are_read_by_every_form_that_fits(text: str) -> None:
    near = date(2023, 7, 1)
    readers = {
        *mentions._CHARACTER_READERS,
        *(r for each in mentions._READERS.values() for r in each),
    }
    found = set()
    months: dict[int, mentions._Named] = {}
    for number in mentions._NUMBER.finditer(text):
        start = number.start()
        for pattern, read in readers:
            if match := pattern.match(text, start):
                found |= {mentions.Mention(start, match.end(), day) for day in read(match, near)}
        for named in mentions._named(text, start):
            known = months.setdefault(named.month_at, named)
            if named.year is not None and known.year is None:
                months[named.month_at] = named
    for named in months.values():
        found |= {mentions.Mention(named.start, named.end, day) for day in named.dates(near)}
    assert mentions.mentions(text, near) == sorted(found)


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.integers(1, 12), st.integers(1, 31))
def test_a_date_without_a_year_is_the_nearest_of_all_years(
    near: date, month: int, day: int
) -> None:
    days = []
    for year in range(near.year - 8, near.year + 9):
        with suppress(ValueError):
            days.append(date(year, month, day))
    nearest = [min(days, key=lambda found: (abs(found - near), -found.year))] if days else []
    assert list(mentions._dates(None, month, day, near)) == nearest


@given(_of("1", "23", "2023", "20235", ".", ":", "/"))
def test_numbers_begin_where_no_other_ends(text: str) -> None:
    begins = re.compile(r"(?<![0-9])(?<![0-9][.,:/-])[0-9]{1,4}(?![0-9])")
    assert mentions._NUMBER.findall(text) == begins.findall(text)


@given(
    _of(
        "On 5 May 2023, Ann wrote:", "Am 5.", " schrieb Jan:", "Sent: today", "From: x",
        "Date: 5 May", "From: x\nDate: 5 May\n", "> ", "Ann, 27/09/2024 16:40:", "\n", "\n>",
        "wrote",
    )
)  # fmt: skip
@example("From: x\nDate: 5 May")
@example("Sent: 5 May")
def test_lines_about_sending_go_wherever_they_stand(text: str) -> None:
    sent = re.compile(
        mentions._SENT.pattern.replace(r"\n", "^", 1).replace(r"(?=\n|\Z)", "$"), re.MULTILINE
    )
    left = sent.sub("", text)
    if "\n>" in left or "\n " in left:
        left = mentions._ABOVE_QUOTE.sub("", left)
    assert mentions.without_sent_lines(text) == left


@given(_of("my", "our", "'s", "sister", "brother", "Lena", "little", "in-law", ",", "is"))
def test_relatives_are_stated_in_ascii_as_in_other_texts(text: str) -> None:
    assert list(kinship.stated_kin(text)) == [*kinship.stated_kin(f"{text}\n\n…")]


@given(st.one_of(ANY_TEXT, _of("word", "https://x.org/" + "a" * 390, "long" * 40, "東京都", " ")))
def test_the_beginning_of_a_mail_is_its_first_words(text: str) -> None:
    assert forward_of._first_words(text) == list(islice(folding.words(folding.plain(text)), 10))


@given(
    st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=8),
    st.text("abc ", max_size=30),
)
def test_grouped_alternatives_match_as_a_list_does(listed: list[str], text: str) -> None:
    joined = "|".join(listed)
    assert re.findall(alternatives(joined), text) == re.findall(joined, text)


def test_alternatives_may_hold_groups() -> None:
    pattern = re.compile(alternatives("ends (?:soon|now)\n|end|sale"))
    assert [match[0] for match in pattern.finditer("sale ends now, ends")] == [
        "sale", "ends now", "end"
    ]  # fmt: skip


@given(
    st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=8),
    st.text("abc_1 -", max_size=30),
)
def test_whole_words_match_as_a_list_between_boundaries_does(listed: list[str], text: str) -> None:
    joined = "|".join(listed)
    assert re.findall(whole_words(joined), text) == re.findall(rf"\b(?:{joined})\b", text)
