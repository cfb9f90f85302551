"""Words for relatives, and sentences that plainly say who is whose relative.

Words are compared without accents and capitals. A relation is named in English, whatever the
language of the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from graphmemix.text.folding import letter_runs, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "ADDRESSES",
    "BEFORE_NAMES",
    "KIN",
    "StatedKin",
    "FoldedWord",
    "kin_at",
    "relation_at",
    "relation_of_somebody",
    "stated_kin",
    "tokens",
]

_TABLE: Final = {
    "mother": "mother mum mummy mom mommy mama mutter mutti mere maman madre mamma mor moeder mae",
    "father": "father dad daddy papa vater vati pere padre babbo pappa far vader pai",
    "sister": "sister sis schwester sœur soeur hermana sorella syster zus irma",
    "brother": "brother bruder frere hermano fratello bror broer irmao",
    "wife": "wife frau ehefrau femme epouse mujer esposa moglie fru hustru vrouw mulher",
    "husband": "husband mann ehemann mari marido esposo marito make",
    "son": "son sohn fils hijo figlio zoon filho",
    "daughter": "daughter tochter fille hija figlia dotter dochter filha",
    "grandmother": "grandmother grandma granny nana gran oma grossmutter mamie "
    "abuela nonna mormor farmor avo",
    "grandfather": "grandfather grandpa grandad granddad opa grossvater papy abuelo nonno morfar "
    "farfar",
    "grandson": "grandson enkel nieto kleinzoon neto",
    "granddaughter": "granddaughter enkelin nieta kleindochter neta",
    "aunt": "aunt auntie aunty tante tata tia zia moster faster",
    "uncle": "uncle onkel oncle tio zio farbror morbror oom",
    "cousin": "cousin cousine cousins primo prima cugino cugina kusin neef",
    "niece": "niece nichte sobrina brorsdotter systerdotter sobrinha",
    "nephew": "nephew neffe neveu sobrino brorson systerson sobrinho",
    "mother-in-law": "schwiegermutter suegra suocera svarmor schoonmoeder sogra",
    "father-in-law": "schwiegervater suegro suocero svarfar schoonvader sogro",
    "sister-in-law": "schwagerin cunada cognata svagerska schoonzus cunhada",
    "brother-in-law": "schwager cunado cognato svager zwager cunhado",
}
_PLURALS: Final = {
    "mother father": "parents eltern padres genitori foraldrar ouders pais",
    "sister brother": "siblings geschwister syskon",
    "sister": "sisters schwestern sœurs soeurs hermanas sorelle systrar zussen",
    "brother": "brothers bruder freres hermanos fratelli broder broers",
    "son daughter": "children kids kinder enfants hijos figli barn kinderen filhos",
    "son": "sons sohne",
    "daughter": "daughters tochter filles hijas figlie dottrar dochters",
    "grandson granddaughter": "grandchildren grandkids nietos barnbarn",
    "grandmother grandfather": "grandparents grosseltern abuelos nonni",
    "aunt": "aunts tanten",
    "uncle": "uncles",
}
_ADDRESS_WORDS: Final = """
mum mummy mom mommy mama papa dad daddy maman mamma pappa mutti vati babbo oma opa nana granny
grandma grandpa grandad granddad mamie papy abuela abuelo nonna nonno mormor farmor morfar farfar
"""
_BEFORE_NAMES: Final = """
aunt auntie aunty uncle tante tata tia tio zia zio onkel oncle oma opa granny grandma grandpa nonna
nonno moster faster farbror morbror cousin abuela abuelo
"""


def _folded(words: str) -> list[str]:
    return plain(words).casefold().split()


KIN: Final = {
    word: frozenset(names.split())
    for table in (_PLURALS, _TABLE)
    for names, words in table.items()
    for word in _folded(words)
}
"""The relations that a word means; several for words such as "parents"."""

_COMPOUNDS: Final = {
    ("grand", "mere"): "grandmother",
    ("grand", "pere"): "grandfather",
    ("petit", "fils"): "grandson",
    ("belle", "mere"): "mother-in-law",
    ("beau", "pere"): "father-in-law",
    ("belle", "sœur"): "sister-in-law",
    ("belle", "soeur"): "sister-in-law",
    ("beau", "frere"): "brother-in-law",
}

ADDRESSES: Final = frozenset(_folded(_ADDRESS_WORDS))
"""Words by which relatives are called, without "my"."""

BEFORE_NAMES: Final = frozenset(_folded(_BEFORE_NAMES))
"""Words that stand before the name of a relative: "Aunt Tsehay"."""

_GERMAN = frozenset(_folded("mein meine meinem meinen meiner unser unsere unserem unseren unserer"))
_MY = _GERMAN | frozenset(
    _folded(
        "my our ma mon mes notre nos mi mis nuestra nuestro mia mio miei nostra nostro min mitt "
        "mina mijn onze ons minha meu minhas meus"
    )
)
_ADJECTIVES = frozenset(
    _folded(
        "little big older younger elder eldest youngest kid twin late dear kleine kleiner kleinen "
        "grosse grosser grossen altere jungere petite petit lilla stora aldre yngre"
    )
)
_OF = frozenset(_folded("of von de di van till av da do"))
_IS = frozenset(_folded("is ist est es ar e"))
_NO_NAMES = frozenset(
    _folded(
        "i monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch "
        "donnerstag freitag samstag sonntag january february march april may june july august "
        "september october november december and und et y e och"
    )
)
_Word = TypeVar("_Word", str, bytes)
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f])*")
_LONGEST_NAME: Final = 3  # words
_IN_LAW: Final = ("in", "law")


class FoldedWord(NamedTuple):
    """A word of a text, folded, with its place."""

    folded: str
    start: int
    end: int
    titled: bool


class StatedKin(NamedTuple):
    """A sentence that says who is whose relative.

    Attributes:
        kin: The relation.
        name: Who it is, as written.
        whose: Of whom, as written; empty for "my".
        certain: False where the name may be a noun: "wenn meine Schwester Geburtstag hat".
    """

    kin: str
    name: str
    whose: str
    certain: bool


_RELATIVES: Final = frozenset(KIN) | {first for first, _ in _COMPOUNDS}
_OWNERS: Final = _MY | {"s"}
_RELATIVE_RUNS, _OWNER_RUNS = (
    frozenset(word.encode() for word in words) for words in (_RELATIVES, _OWNERS)
)


def tokens(text: str) -> list[FoldedWord]:
    """Return the words of a text, in order."""
    return [
        FoldedWord(plain(found[0]).casefold(), found.start(), found.end(), found[0][0].isupper())
        for found in _WORD.finditer(text)
    ]


def kin_at(words: Sequence[FoldedWord], at: int) -> tuple[frozenset[str], int]:
    """Return the relations that are named from a word on, and behind which word they end.

    Without "my" before it a word only counts where relatives are called by it: "Mama". Nothing is
    named if the second value is `at`.
    """
    i = at
    if words[i].folded in _MY:
        i += 1
        found = relation_at(words, i)
        if found[0] or i == len(words) or words[i].folded not in _ADJECTIVES:
            return found if found[0] else (frozenset(), at)
        i += 1  # my little sister
    elif words[i].folded not in ADDRESSES:
        return frozenset(), at
    found = relation_at(words, i)
    return found if found[0] else (frozenset(), at)


def relation_at(words: Sequence[FoldedWord], at: int) -> tuple[frozenset[str], int]:
    """Return the relations that a word means, and behind which word they end; no "my" is needed."""
    if at >= len(words):
        return frozenset(), at
    pair = tuple(word.folded for word in words[at : at + 2])
    if pair in _COMPOUNDS:
        return frozenset({_COMPOUNDS[pair]}), at + 2
    found = KIN.get(words[at].folded, frozenset())
    if not found:
        return found, at
    if tuple(word.folded for word in words[at + 1 : at + 3]) == _IN_LAW:
        return frozenset(f"{kin}-in-law" for kin in found), at + 3
    return found, at + 1


def stated_kin(text: str) -> Iterator[StatedKin]:
    """Yield what a text says plainly: "my sister Lena", "Lena, my sister", "Dele's brother Bo"."""
    if not _may_state(text):
        return
    words = tokens(text)
    for i, word in enumerate(words):
        if word.folded in _MY:
            kin, behind = kin_at(words, i)
            if len(kin) == 1:
                yield from _mine(text, words, i, behind, *kin)
        elif (
            word.folded == "s" and i and words[i - 1].titled and _gap(text, words, i) in {"'", "’"}
        ):
            kin, behind = relation_at(words, i + 1)
            name = _name_at(text, words, behind)
            if name and len(kin) == 1:
                owner = text[words[i - 1].start : words[i - 1].end]
                yield StatedKin(min(kin), name, owner, certain=True)


def _may_state(text: str) -> bool:
    """Return whether a relative is named right behind "my" or "'s", or behind one word more."""
    if text.isascii():
        return _is_owned(letter_runs(text.lower()), _RELATIVE_RUNS, _OWNER_RUNS)
    folded = [plain(word).casefold() for word in _WORD.findall(text)]
    return _is_owned(folded, _RELATIVES, _OWNERS)


def _is_owned(
    words: Sequence[_Word], relatives: frozenset[_Word], owners: frozenset[_Word]
) -> bool:
    if relatives.isdisjoint(words) or owners.isdisjoint(words):
        return False
    return any(
        word in relatives and not owners.isdisjoint(words[max(0, i - 2) : i])
        for i, word in enumerate(words)
    )


def _mine(
    text: str, words: Sequence[FoldedWord], at: int, behind: int, kin: str
) -> Iterator[StatedKin]:
    german = words[at].folded in _GERMAN
    name = _name_at(text, words, behind, most=1 if german else _LONGEST_NAME)
    if name:
        yield StatedKin(kin, name, "", certain=not german)
        return
    before = at - 1
    if before >= 1 and words[before].folded in _IS and _gap(text, words, before) == " ":
        before -= 1  # "Lena is my sister"
    elif before < 0 or _gap(text, words, at) not in {", ", " ("} or _goes_on(text, words, behind):
        return
    word = words[before]
    if word.titled and word.folded not in _NO_NAMES and word.folded not in KIN:
        yield StatedKin(kin, text[word.start : word.end], "", certain=False)


def _gap(text: str, words: Sequence[FoldedWord], at: int) -> str:
    """Return what is between a word and the one before it."""
    return text[words[at - 1].end : words[at].start][:3]


def _goes_on(text: str, words: Sequence[FoldedWord], behind: int) -> bool:
    """Return whether a clause goes on: "Lena, my sister and I" does not say who Lena is."""
    return text[words[behind - 1].end : words[behind - 1].end + 1] not in {"", ",", ")", ".", "\n"}


def _name_at(text: str, words: Sequence[FoldedWord], at: int, most: int = _LONGEST_NAME) -> str:
    """Return the name that begins right at a word and right behind the one before it, or ""."""
    end = at
    for word in words[at : at + most]:
        is_name = word.titled and word.folded not in _NO_NAMES
        if not is_name or _gap(text, words, end) not in {" ", "-"}:
            break
        end += 1
    return text[words[at].start : words[end - 1].end] if end > at else ""


def relation_of_somebody(text: str) -> tuple[str, str] | None:
    """Return relation and whose, of a note: "Dele's brother", "sœur de Sami", "my sister".

    Whose is empty for "my", and for a word alone. None if the note says anything else.
    """
    words = tokens(text)
    if not 1 <= len(words) <= 6:
        return None
    start = 1 if words[0].folded in _MY else 0
    kin, behind = relation_at(words, start)
    if len(kin) == 1:
        if behind == len(words):
            return (min(kin), "")
        if words[behind].folded in _OF and behind + 1 < len(words) and words[behind + 1].titled:
            return (min(kin), text[words[behind + 1].start : words[-1].end])
        return None
    return _after_owner(text, words)


def _after_owner(text: str, words: Sequence[FoldedWord]) -> tuple[str, str] | None:
    """Return relation and whose, of "Dele's brother" and "Eriks syster"."""
    for i in range(1, min(len(words), 4)):
        kin, behind = relation_at(words, i)
        if len(kin) != 1 or behind != len(words) or not words[0].titled:
            continue
        owner = words[i - 1]
        if owner.folded == "s" and i > 1:
            return (min(kin), text[words[0].start : words[i - 2].end])
        if owner.folded.endswith("s") and len(owner.folded) > 3:
            return (min(kin), text[words[0].start : owner.end - 1])
    return None
