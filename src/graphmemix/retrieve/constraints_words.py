"""People and places that a question names, found by their words.

Words are compared without capitals and accents. A hyphen, an apostrophe or a point inside a name
separates words, so "Anna's" holds "Anna", and "Jean-Luc" is the same as "Jean Luc". Characters of
scripts without spaces are words of their own.

Only people and places that the archive knows are found; no name is guessed from a capital. People
are found by their whole name, without a title ("Dr."), by their first name, and, for addresses, by
what is before the @. Places are found by their whole name and by its parts between commas: "Café
Central, Vienna" is found by "Vienna". Of names that start together the longest counts. Capitals do
not matter, unless the name is an ordinary word ("Will", "Nice"): then it needs a capital that does
not just open a sentence.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeAlias, TypeVar

from graphmemix.text.folding import plain, unaccented
from graphmemix.text.language import is_function_word
from graphmemix.text.person_names import is_firm_word, person_name
from graphmemix.text.stopwords import COMMON

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


T = TypeVar("T")

UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff"
"""Characters of scripts without spaces between words, for a set in a pattern."""

_MARKS = r"\u0300-\u036f"
_WORD = re.compile(rf"[{UNSPACED}](?<=\w)|(?:(?![{UNSPACED}])[\w{_MARKS}])++")
_GAP = re.compile(r"[\s.,'‘’`&-]{0,3}")
_SENTENCE_END = re.compile(r"[.?!:;\"“”„«»()¿¡\n]")


class Word(NamedTuple):
    """A word of a text.

    Attributes:
        folded: Without capitals and accents.
        start: Where it starts in the text.
        end: Where it ends.
        titled: It starts with a capital.
        opening: It opens a sentence, where a capital means nothing.
    """

    folded: str
    start: int
    end: int
    titled: bool
    opening: bool


class Phrase(NamedTuple, Generic[T]):
    """Words `first` until before `end` of a text, and what they stand for."""

    first: int
    end: int
    value: T


class Phrases(Generic[T]):
    """Looks for many phrases at once. Linear in the text, however many there are."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, ...], T] = {}
        self._longest: dict[str, int] = {}

    @property
    def words(self) -> frozenset[str]:
        """Every word of every phrase."""
        return frozenset().union(*self._values)

    def __getitem__(self, words: tuple[str, ...]) -> T:
        return self._values[words]

    def __contains__(self, words: tuple[str, ...]) -> bool:
        return words in self._values

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._values)

    def __setitem__(self, words: tuple[str, ...], value: T) -> None:
        self._values[words] = value
        self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def find(self, text: str, words: Sequence[Word]) -> Iterator[Phrase[T]]:
        """Yield every phrase in a text, from the left; longest first where several start."""
        for i, word in enumerate(words):
            longest = self._longest.get(word.folded, 0)
            most = _together(text, words, i, longest) if longest > 1 else longest
            for count in range(most, 0, -1):
                value = self._values.get(tuple([w.folded for w in words[i : i + count]]))
                if value is not None:
                    yield Phrase(i, i + count, value)


def _together(text: str, words: Sequence[Word], i: int, most: int) -> int:
    """Return how many words from `i` on, at most, stand close enough to be one name."""
    for j in range(i + 1, min(i + most, len(words))):
        if not _GAP.fullmatch(text, words[j - 1].end, words[j].start):
            return j - i
    return min(most, len(words) - i)


def words_of(text: str) -> list[Word]:
    """Return the words of a text, in order."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        raw, start = match[0], match.start()
        before = found[-1].end if found else 0
        opening = not found or bool(_SENTENCE_END.search(text, before, start))
        found.append(Word(unaccented(raw).lower(), start, match.end(), raw[0].isupper(), opening))
    return found


@lru_cache(maxsize=1 << 14)
def folded(name: str) -> tuple[str, ...]:
    """Return the words of a name, folded."""
    return tuple([word.folded for word in words_of(name)])


_WORDS_BEFORE_NAMES = """
dr mr mrs ms miss mx prof professor sir madam herr frau dipl ing m mme mlle monsieur madame sr
sra srta senor senora don dona
"""
_TITLES = frozenset(_WORDS_BEFORE_NAMES.split())
_ADDRESS = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_NUMBERS = re.compile(r"\A[\s0-9/-]+")
_SHORTEST = 2
_MOST_BEARERS = 8
_SHORTEST_MISSPELT = 4  # letters
_ALIKE = 0.8  # share of letters that agree: Tomaz and Tomas

_Bearers: TypeAlias = tuple[
    dict[str, None], dict[str, None]
]  # by their whole name, by a part of it


class NameFound(NamedTuple):
    """A known name in a text.

    Attributes:
        first: Where it starts in the text.
        last: Where it ends.
        words: How many words it has there.
        name: The name as the archive knows it.
    """

    first: int
    last: int
    words: int
    name: str


class Names:
    """Known names, ready to be looked for. Build once for many questions: `known_people`.

    Attributes:
        words: Every word of every name, folded.
    """

    def __init__(self, variants: Iterator[tuple[tuple[str, ...], str, bool]]) -> None:
        self._phrases: Phrases[_Bearers] = Phrases()
        for words, name, whole in variants:
            if not words:
                continue
            if words not in self._phrases:
                self._phrases[words] = {}, {}
            self._phrases[words][0 if whole else 1][name] = None
        self.words = self._phrases.words

    def find(self, text: str) -> list[NameFound]:
        """Return the names in a text, in order; one that several bear stands once for each.

        One that very many bear stands for itself.
        """
        words = words_of(text)
        found: list[NameFound] = []
        behind = 0
        for phrase in self._phrases.find(text, words):
            whole, short = phrase.value
            small = not words[phrase.first].titled and text != text.lower()
            if phrase.first < behind or not _is_name(words, phrase):
                continue
            if small and not whole and not any(map(person_name, short)):
                continue  # "her allergy" is no word for the Allergy Practice
            behind = phrase.end
            start, end = words[phrase.first].start, words[phrase.end - 1].end
            bearers = [*(whole or short)]
            names = bearers if len(bearers) <= _MOST_BEARERS else [text[start:end]]
            count = phrase.end - phrase.first
            found += [NameFound(start, end, count, name) for name in names]
        return found

    def nearest(self, name: str) -> str:
        """Return the name that a word may be misspelt for; empty if none is that near."""
        word = unaccented(name).lower()
        if len(word) < _SHORTEST_MISSPELT or not word.isalpha():
            return ""
        single = [words[0] for words in self._phrases if words[0][0] == word[0] and len(words) == 1]
        near = get_close_matches(word, single, 1, _ALIKE)
        whole, short = self._phrases[near[0],] if near else ({}, {})
        return next(iter([*whole, *short]), "")


@lru_cache(maxsize=8)
def known_people(names: tuple[str, ...]) -> Names:
    """Return the index of people's names."""
    return Names(variant for name in names for variant in _of_person(name))


@lru_cache(maxsize=8)
def known_places(names: tuple[str, ...]) -> Names:
    """Return the index of places' names."""
    return Names(variant for name in names for variant in _of_place(name))


@lru_cache(maxsize=8)
def known_albums(names: tuple[str, ...]) -> Names:
    """Return the index of albums' names, each whole."""
    return Names((folded(name), name, True) for name in names)


def is_title(word: str) -> bool:
    """Return whether a folded word stands before names: Dr, Herr, Mme."""
    return word in _TITLES


def is_common(words: Sequence[str]) -> bool:
    """Return whether a name is made of ordinary words, or so short that capitals decide."""
    return all(word in COMMON or len(word) <= _SHORTEST for word in words)


def _is_name(words: Sequence[Word], phrase: Phrase[_Bearers]) -> bool:
    """Return whether words that read like a name are one, and not ordinary words."""
    parts = words[phrase.first : phrase.end]
    if _UNSPACED.match(parts[0].folded) or not is_common([part.folded for part in parts]):
        return True
    if not all(part.titled for part in parts if len(part.folded) > 1):
        return False
    owner = words[phrase.end].folded == "s" if phrase.end < len(words) else False
    return len(parts) > 1 or not parts[0].opening or owner


def _of_person(name: str) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Yield the words that mean a person, and whether they are the whole name."""
    yield folded(name), name, True
    shown = _ADDRESS.sub(" ", name).strip(" ,\"'") or name
    if "@" in shown:
        yield folded(shown.partition("@")[0]), name, True
        return
    family, comma, given = shown.partition(",")
    words = folded(f"{given} {family}" if comma and "," not in given else shown)
    while len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    yield words, name, True
    if words and words[-1] not in COMMON and not _UNSPACED.match(words[-1]):
        yield (*words[:-1], words[-1] + "s"), name, True  # Annas Geburtstag, "annas birthday"
    is_first = len(words) > 1 and len(words[0]) >= _SHORTEST and not _UNSPACED.match(words[0])
    # "Hotel" is nobody's first name; in German every hotel has a capital.
    if is_first and not is_firm_word(words[0]):
        yield words[:1], name, False


def _of_place(name: str) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Yield the words that mean a place: all of its name, and its parts between commas."""
    yield folded(name), name, True
    yield from ((folded(part), part, True) for part in place_parts(name))


def place_parts(name: str) -> list[str]:
    """Return the parts of a place's name between commas, without numbers before them."""
    parts = (_NUMBERS.sub("", part).strip() for part in name.split(","))  # 75001 Paris
    return [part for part in parts if len(part) >= _SHORTEST]


# What a question says of a memory without saying which: "what happened", "photos taken".
_GENERIC_WORDS = """
all any anything day days did do everything happen happened happening happens image images made make
memories pic pics picture pictures photo photos sent shot shots taken took video videos went write
wrote written
alles aufnahmen bild bilder foto fotos gemacht geschah geschrieben getan los passiert passierte
schrieb tag
arrive ecrit fait jour passe prises
dia escribio hice hicimos ocurrio pasado paso tomadas
abbiamo accaduto fatto fatte giorno scattate successo
aconteceu dia fez fiz fizemos tiradas
dag deden gebeurd gebeurde gedaan gemaakt maakten
gjorde hande
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
# "What did we do", "what happened" in Japanese, Chinese and Korean, which leave no spaces.
_GENERIC_SENTENCE: Final = re.compile(
    r"(?:に|は|には)?(?:私|僕|俺|私たち|わたしたち)?(?:は|が)?(?:何|なに)[をが]"
    r"(?:してい|し|あり|起き|起こり|あっ|起こっ)(?:た|ました)(?:の|か|っけ|のか|んですか)?"
    r"|[の的]|(?:我|我们|我們)?都?(?:做|干|幹|发生|發生)了(?:什么|甚麼|什麼|啥)事?"
    r"|(?:에|에는|은|는)?(?:우리는|우리가|나는|내가)?"
    r"(?:(?:뭐|뭘|무엇을)(?:했어|했지|했니|했나|했습니까)|무슨일이있었(?:어|지|니|나|습니까))요?"
)
_BESIDE_LETTERS: Final = re.compile(r"[\s?？!！。.,、]+")
_POLITE = frozenset({"sie", "ihr", "ihre", "ihnen", "ihrem", "ihren", "ihrer", "usted", "ustedes"})


def says_more(text: str, spans: Iterable[tuple[int, int]]) -> bool:
    """Return whether a question says more than what stands at these places.

    A word that connects in some language may be a name in another: "photos of Mia", in English.
    """
    left = list(text)
    for first, last in spans:
        left[first:last] = " " * (last - first)
    if _GENERIC_SENTENCE.fullmatch(_BESIDE_LETTERS.sub("", "".join(left))):
        return False
    return any(
        word.folded not in _GENERIC
        and (not is_function_word(plain(word.folded)) or _is_written_as_name(word))
        for word in words_of("".join(left))
    )


def _is_written_as_name(word: Word) -> bool:
    is_long = len(word.folded) > _SHORTEST
    return word.titled and not word.opening and is_long and word.folded not in _POLITE


# Folded, right before a name: that anything but it is asked for.
_APART: Final = re.compile(
    r"(?:\bapart from|\baside from|\bbesides|\bother than|\bexcept(?: for)?|\bexcluding|\bbut not|"
    r"\bau(?:ss|ß)er|\babgesehen von|\bsauf|\bhormis|\ba part|\ben dehors de|\bexcepto|\bsalvo|"
    r"\baparte de|\bforutom|\butom)"
    r"(?: (?:in|at|from|with|for|the|bei|mit|aus|der|dem|a|en|au|chez|avec|con|i|med))?\s$"
)
_AND: Final = re.compile(r"\s?(?:and|or|nor|&|und|oder|et|ou|y|o|och|eller)\s")
_APART_CHARACTERS: Final = 40


def set_aside(text: str, names: Iterable[NameFound]) -> list[NameFound]:
    """Return the names that a question wants nothing of: "apart from Rome and Pisa"."""
    found: list[NameFound] = []
    for name in sorted(names):
        before = plain(text[max(0, name.first - _APART_CHARACTERS) : name.first]).lower()
        joined = found and _AND.fullmatch(text[found[-1].last : name.first].lower())
        if joined or _APART.search(before):
            found.append(name)
    return found
