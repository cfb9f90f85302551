from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import ArchiveDamagedError, InvalidDataError
from graphmemix.text.language import stem
from graphmemix.text.postings import fingerprint, pack, unpack, unpack_many
from graphmemix.text.words import LONGEST, normal, terms, tokens

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
NASTY_TEXT = st.text(
    "aAzß1٣é\u0301\u0316\u0345\u0344\u0640\ufe77\u200c\u200d\u00ad\ufe0f\ud800\x00 .,:;'’-_/#@&+%"
    "東ガｶﾞ한\u1100\u1161ภา\u0e48👩👍🏽🇩ﬁ½²①Ａ\n",
    max_size=80,
)


# Words


def test_case_and_compatibility_forms_are_one() -> None:
    assert tokens("ﬁsh Ｆｉｓｈ FISH") == ["fish"] * 3


def test_accents_composed_or_not_are_one_term() -> None:
    assert terms("caf\u00e9 cafe\u0301") == {"café": 2}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Straße nach Köln", ["die", "strass", "nach", "köln"]),
        ("Zażółć gęślą JAŹŃ", ["zażółć", "gęślą", "jaźń"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("نص عربي", ["نص", "عربي"]),
        ("عـــربي", ["عربي"]),
        ("می\u200cخواهم", ["میخواهم"]),
        ("Ελλάδας ΟΔΌΣ", ["ελλάδασ", "οδόσ"]),
        ("Привет, МИР", ["привет", "мир"]),
    ],
)
def test_words_of_many_scripts(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_words_with_apostrophes() -> None:
    assert tokens("Anna's dogs' don’t") == ["anna", "dog", "don't"]


def test_an_article_or_prefix_with_an_apostrophe_can_be_left_out() -> None:
    assert tokens("l'accord O'Brien's") == ["l'accord", "accord", "o'brien", "brien"]


def test_hyphenated_words_give_parts_and_the_joined_word() -> None:
    assert tokens("well-known") == ["well", "known", "wellknown"]
    assert tokens("non\u2010stop") == tokens("non-stop")


def test_soft_hyphens_are_not_there() -> None:
    assert tokens("Donau\u00addampf") == ["donaudampf"]


def test_dotted_letters_are_one_word() -> None:
    assert tokens("the U.S.A., e.g. at 6 p.m.") == ["the", "usa", "eg", "at", "6", "pm"]


def test_a_slash_separates_words() -> None:
    assert tokens("and/or src/store/words.py") == [
        *("and", "or", "src", "store", "words.py", "word", "py"),
    ]


def test_hashtags_and_mentions_lose_their_sign() -> None:
    assert tokens("#berlin @anna") == ["berlin", "anna"]


def test_nothing_is_a_stop_word() -> None:
    assert terms("The Who and the band") == {"the": 2, "who": 1, "and": 1, "band": 1}


# Numbers, dates, identifiers


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("1,234.56", "1234.56"),
        ("1.234,56", "1234.56"),
        ("1'234.56", "1234.56"),
        ("3.5", "3.5"),
        ("3,5", "3.5"),
        ("1,234", "1234"),
        ("1.234", "1.234"),
        ("1.234.567", "1234567"),
        ("12,345,678", "12345678"),
        ("€99.", "99"),
        ("50%", "50"),
        ("007", "007"),
        ("١٢٣٤", "1234"),
        ("१२", "12"),
    ],
)
def test_numbers_are_whole(text: str, term: str) -> None:
    assert tokens(text) == [term]


def test_fractions_and_powers_stand_by_themselves() -> None:
    assert tokens("1½ ½ 10² m²") == ["1", "1/2", "1/2", "10", "2", "m2"]


def test_numbers_in_a_list_are_apart() -> None:
    assert tokens("12,34,56") == ["12", "34", "56"]


@pytest.mark.parametrize("text", ["2023-07-14", "2023/07/14", "2023.7.14", "2023-7-14"])
def test_dates_that_start_with_the_year_are_one_term(text: str) -> None:
    assert tokens(text) == ["2023-07-14", "2023"]


@pytest.mark.parametrize("text", ["14/07/2023", "14.07.2023", "7-14-2023"])
def test_other_dates_stay_as_written(text: str) -> None:
    assert tokens(text) == [text, "2023"]


def test_a_date_with_a_short_year_stays_as_written() -> None:
    assert tokens("7/14/23") == ["7/14/23"]


def test_a_moment_is_its_date_and_time() -> None:
    assert tokens("2023-07-14T18:30:05Z") == ["2023-07-14", "2023", "18:30:05", "18:30"]


def test_times_are_whole() -> None:
    assert tokens("18:30 6:30pm 18:30:05") == ["18:30", "6:30", "pm", "18:30:05", "18:30"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7Q4-118", ["7q4-118", "118"]),
        ("ABC_123", ["abc_123", "abc", "123"]),
        ("#4711", ["#4711", "4711"]),
        ("978-3-16-148410-0", ["978-3-16-148410-0", "978", "16", "148410"]),
        ("1Z999AA1", ["1z999aa1", "999", "aa"]),
        ("192.168.0.1", ["192.168.0.1", "192", "168"]),
        ("12/2023", ["12/2023", "12", "2023"]),
        ("covid19", ["covid19", "covid", "19"]),
        ("notes.txt", ["notes.txt", "note", "txt"]),
        ("user_name", ["user_name", "user", "name"]),
        ("AT&T", ["at&t", "at"]),
        ("1990's", ["1990"]),
        ("5km", ["5km", "km"]),
    ],
)
def test_identifiers_are_whole_and_in_parts(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected
    assert tokens(f"({text}),") == expected


def test_an_email_address_is_whole_and_in_parts() -> None:
    assert tokens("John.Doe+news@mail.example.org.") == [
        *("john.doe+news@mail.example.org", "john", "doe", "news"),
        *("mail.example.org", "mail", "exampl", "org"),
    ]


def test_email_addresses_next_to_each_other_are_apart() -> None:
    assert tokens("<ann@b.org>,bob@c.org")[::4] == ["ann@b.org", "bob@c.org"]


def test_a_url_gives_host_and_path_words() -> None:
    assert tokens("see https://me:pw@www.example.org:80/big-cats/7Q4-118?q=M%C3%BCller#top.") == [
        *("see", "example.org", "exampl", "org", "80", "big", "cat", "bigcat"),
        *("7q4-118", "118", "q", "müller", "top"),
    ]
    assert tokens("www.heise.de") == ["heise.de", "heis", "de"]


# Scripts without spaces, emoji


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京都", ["東京", "京都"]),
        ("猫", ["猫"]),
        ("ラーメン", ["ラー", "ーメ", "メン"]),
        ("ｶﾞｽ", ["ガス"]),
        ("한국어", ["한국", "국어"]),
        ("我爱IKEA手机", ["我爱", "ikea", "手机"]),
        ("2023年7月", ["2023", "年", "7", "月"]),
        ("ไทย", ["ไท", "ทย"]),
        ("ดีค่ะ", ["ดีค่", "ค่ะ"]),
    ],
)
def test_scripts_without_spaces_give_pairs(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("good😀😀", ["good", "😀", "😀"]),
        ("👍🏽 👍", ["👍", "👍"]),
        ("❤️ ❤", ["❤", "❤"]),
        ("👩\u200d💻", ["👩\u200d💻"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("1️⃣", ["1"]),
    ],
)
def test_an_emoji_is_a_term(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


# Stems


@pytest.mark.parametrize(
    "forms",
    [
        "walk walks walked walking",
        "hope hopes hoped hoping",
        "hop hops hopped hopping",
        "story stories",
        "movie movies",
        "tie ties tied tying",
        "study studies studied studying",
        "use uses used using",
        "go goes going",
        "box boxes boxed boxing",
        "cache caches cached caching",
        "house houses housed housing",
        "agree agrees agreed agreeing",
        "travel travels travelled travelling",
        "call calls called calling",
        "add adds added adding",
        "create creates created creating",
        "exceed exceeds exceeded exceeding",
        "process processes processed processing",
        "bus buses",
        "tomato tomatoes",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("hope", "hop"), ("news", "new"), ("evening", "even"), ("planed", "planned")]
)
def test_words_of_their_own_keep_their_stems_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    "word",
    [
        *("is", "as", "his", "bed", "sing", "king", "thing", "string", "speed", "this", "bus"),
        *("status", "class", "news", "paris", "made", "東京", "über", "4711"),
    ],
)
def test_words_that_only_look_inflected_stay(word: str) -> None:
    assert stem(word) == word


@given(st.text("abdegilnsuyz", max_size=12))
def test_a_stem_is_not_empty_and_hardly_longer(word: str) -> None:
    assert min(len(word), 2) <= len(stem(word)) <= max(len(word), 1)


# Any text


@given(ANY_TEXT | NASTY_TEXT)
def test_any_text_has_terms_of_sane_length(text: str) -> None:
    found = tokens(text)
    assert all(0 < len(term) <= LONGEST for term in found)
    assert not any(term.isspace() for term in found)
    assert sum(terms(text).values()) == len(found)


@given(ANY_TEXT | NASTY_TEXT)
def test_the_normal_form_is_normal_and_has_the_same_terms(text: str) -> None:
    assert normal(normal(text)) == normal(text)
    assert tokens(normal(text)) == tokens(text)


@given(NASTY_TEXT, NASTY_TEXT)
def test_lines_are_cut_one_by_one(one: str, other: str) -> None:
    one, other = one.removesuffix("\u200d"), other.removeprefix("\u200d")
    assert tokens(f"{one}\n{other}") == tokens(one) + tokens(other)


def test_terms_are_cut_to_64_characters() -> None:
    assert tokens("x" * 1_000_000) == ["x" * 64]


@pytest.mark.parametrize(
    "unit",
    [
        *("a.", "a@", "a@b.", "a@b-", "a-", "a+", "a'", "a1", "#", "1,", "1:1.", "1.111.", "a/1/"),
        *("http://", "www.", "www.a/", "%41", "東", "ก็", "🇩", "👩\u200d", "\u0301\u0316", "\u1100"),
    ],
)
def test_a_long_text_of_anything_has_tokens(unit: str) -> None:
    assert isinstance(tokens(unit * (60_000 // len(unit))), list)


def test_terms_are_the_same_in_every_process() -> None:
    text = "Anna's 7Q4-118, 東京都 john@mail.org walking 👍🏽"
    code = (
        "import sys; from graphmemix.text.postings import pack;"
        "from graphmemix.text.words import terms;"
        "print(pack(terms(sys.argv[1])).hex(), *terms(sys.argv[1]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-X", "utf8", "-c", code, text],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{pack(terms(text)).hex()} {' '.join(terms(text))}\n".encode()}


# Postings


def test_fingerprints_never_change() -> None:
    assert fingerprint("walk") == 3478317401376502826
    assert fingerprint("東京") == 17306041243353289198
    assert fingerprint("\ud800") == 7497787021708494914


def test_a_packed_text_is_ascending_fingerprints_then_counts() -> None:
    assert pack({"walk": 2, "dog": 1}).hex() == (
        "2a341b653f774530" + "3984c7c1d25e9c9f" + "02000000" + "01000000"
    )
    assert pack({}) == b""


@given(st.dictionaries(ANY_TEXT, st.integers(1, 2**32 - 1)))
def test_what_is_packed_can_be_unpacked(counted: dict[str, int]) -> None:
    keys, counts = unpack(pack(counted))
    assert keys.dtype == np.uint64
    assert counts.dtype == np.uint32
    found = dict(zip(keys.tolist(), counts.tolist(), strict=True))
    assert found == {fingerprint(term): count for term, count in counted.items()}
    assert keys.tolist() == sorted(found)


@pytest.mark.parametrize("count", [0, -1, 2**32])
def test_impossible_counts_are_refused(count: int) -> None:
    with pytest.raises(InvalidDataError, match="walk"):
        pack({"walk": count})


@pytest.mark.parametrize(
    "blob",
    [
        pack({"walk": 2, "dog": 1})[:-1],
        b"x",
        pack({"walk": 2})[:8] * 2 + pack({"walk": 2})[8:] * 2,
        pack({"walk": 2})[:8] + b"\0\0\0\0",
        bytes.fromhex("3984c7c1d25e9c9f2a341b653f7745300200000001000000"),
    ],
    ids=["cut", "short", "twice", "zero", "descending"],
)
def test_malformed_postings_are_reported(blob: bytes) -> None:
    with pytest.raises(ArchiveDamagedError):
        unpack(blob)
    with pytest.raises(ArchiveDamagedError, match="view 7"):
        unpack_many([pack({"cat": 1}), blob, pack({})], ["view 3", "view 7", "view 9"])


@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9))))
def test_many_texts_unpack_as_one_by_one(texts: list[dict[str, int]]) -> None:
    sizes, keys, counts = unpack_many([pack(text) for text in texts])
    assert sizes.tolist() == [len(text) for text in texts]
    one_by_one = [unpack(pack(text)) for text in texts]
    assert keys.tolist() == [key for found, _ in one_by_one for key in found.tolist()]
    assert counts.tolist() == [count for _, found in one_by_one for count in found.tolist()]


@given(st.text(alphabet="abz09 .,:-_/#&'\n()!?ABZ", max_size=40))
def test_texts_of_ascii_alone_have_the_same_terms_as_among_others(text: str) -> None:
    # A sign that is no term makes the general scanner read the text.
    assert tokens(text) == tokens(f"{text} \N{BULLET}")
