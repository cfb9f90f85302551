"""Says what the evidence lacks of a question.

"Olga is known here; Olga's birthday is not." By words alone: a name of the question that the
evidence holds, and words of the question that no sentence about that name has. In English, German,
French, Spanish, Swedish, Italian, Portuguese, Dutch and Japanese, after the question's language.

Runs of kanji and of katakana are the words of Japanese; of Chinese, whole phrases are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import regex

from graphmemix.read.parts import asked_for
from graphmemix.read.sentences import sentences
from graphmemix.retrieve.country_names import named_countries
from graphmemix.text.folding import plain
from graphmemix.text.language import is_function_word, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.evidence import Block, Question, UnknownName

__all__ = ["NOTHING_ANSWERS", "what_is_missing"]

_MOST_CHARACTERS: Final = 600  # of a question; what is longer was pasted
_MOST_WORDS: Final = 3  # named as missing
_STEM: Final = 5  # letters that two forms of a word share: allergic, allergy
_UNMET: Final = ("nothing here is from ", "there are no ")  # notes of retrieval
_PERSON: Final = "person: "
_PLACE: Final = "place: "
_NAMING_NOTES: Final = (_PERSON, _PLACE)
_UNDERSTOOD: Final = ("time: ", "media: ")
_PEOPLE: Final = "People: "
_IDEOGRAPHS: Final = r"\u3400-\u9fff\uf900-\ufaff々"
_KANA: Final = r"\u3041-\u30fe"
_WORD: Final = regex.compile(
    rf"[{_IDEOGRAPHS}]+|[\u30a1-\u30faー]+|"
    rf"(?![{_IDEOGRAPHS}{_KANA}])\p{{L}}(?:(?![{_IDEOGRAPHS}{_KANA}])[\p{{L}}\p{{M}}\d])*"
)
_WITHOUT_CAPITALS: Final = regex.compile(rf"[{_IDEOGRAPHS}{_KANA}]")
# What says little of what is asked for, and calendar words, which are no names. Folded.
_ASKING_WORDS: Final = """
archive date day days exactly happen happened happens hour know known mean name named number often
place say says thing things time times today tomorrow type yesterday year years month months week
jan january feb february mar march apr april may jun june jul july aug august sep sept september oct
october nov november dec december monday tuesday wednesday thursday friday saturday sunday
datum heisst jahr januar februar marz mai juni juli oktober dezember name tag uhr wort zeit gibt
montag dienstag mittwoch donnerstag freitag samstag sonntag
appelle annee date heure janvier fevrier mars avril juin juillet aout septembre octobre novembre
decembre jour nom passe lundi mardi mercredi jeudi vendredi samedi dimanche
ano dia enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
fecha hora llama nombre paso lunes martes miercoles jueves viernes sabado domingo
ar datum dag heter hette hande hant klockan manad namn namnet plats tid ord vecka mandag tisdag
onsdag torsdag fredag lordag sondag maj augusti
anno chiama chiamava giorno mese nome ora parola settimana successo gennaio febbraio aprile
maggio giugno luglio settembre ottobre dicembre lunedi martedi mercoledi giovedi venerdi sabato
domenica
aconteceu chama chamava horas mes nome palavra semana janeiro fevereiro maio junho julho
setembro outubro novembro dezembro segunda terca quarta quinta sexta feira
gebeurd gebeurde heet heette jaar maand naam plaats tijd uur week woord januari februari maart mei
augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
何時 何日 何月 何年 何曜日 何人 何円 何個 何回 名前 場所 時間 日付 写真
今日 明日 昨日 今年 去年 昨年 先月 先週
"""
_ASKING: Final = frozenset(_ASKING_WORDS.split())


class _Phrases(NamedTuple):
    unheld: str
    unjoined: str
    unnamed: str
    nothing: str


_PHRASES: Final = {
    "en": _Phrases(
        "Nothing here mentions {name}.",
        "{name} is known here; nothing about {name} and “{words}” was found.",
        "Nothing that was found names {name}.",
        "Nothing here seems to answer this; the nearest memories follow.",
    ),
    "de": _Phrases(
        "Nichts hier erwähnt {name}.",
        "{name} ist hier bekannt; zu {name} und „{words}“ wurde nichts gefunden.",
        "Nichts Gefundenes nennt {name}.",
        "Nichts hier scheint das zu beantworten; was am nächsten liegt, folgt.",
    ),
    "fr": _Phrases(
        "Rien ici ne mentionne {name}.",
        "{name} figure ici ; rien n'a été trouvé sur {name} et « {words} ».",
        "Rien de ce qui a été trouvé ne nomme {name}.",
        "Rien ici ne semble y répondre ; voici ce qui s'en approche le plus.",
    ),
    "es": _Phrases(
        "Nada aquí menciona a {name}.",
        "{name} figura aquí; no se encontró nada sobre {name} y «{words}».",
        "Nada de lo encontrado nombra a {name}.",
        "Nada aquí parece responderlo; sigue lo más cercano.",
    ),
    "sv": _Phrases(
        "Inget här nämner {name}.",
        "{name} finns här; inget om {name} och ”{words}” hittades.",
        "Inget som hittades nämner {name}.",
        "Inget här verkar besvara detta; det som ligger närmast följer.",
    ),
    "it": _Phrases(
        "Nulla qui menziona {name}.",
        "{name} compare qui; nulla è stato trovato su {name} e «{words}».",
        "Nulla di ciò che è stato trovato nomina {name}.",
        "Nulla qui sembra rispondere; segue ciò che più si avvicina.",
    ),
    "pt": _Phrases(
        "Nada aqui menciona {name}.",
        "{name} aparece aqui; nada foi encontrado sobre {name} e «{words}».",
        "Nada do que foi encontrado nomeia {name}.",
        "Nada aqui parece responder a isto; segue o mais próximo.",
    ),
    "nl": _Phrases(
        "Niets hier noemt {name}.",
        "{name} komt hier voor; over {name} en “{words}” is niets gevonden.",
        "Niets van wat gevonden is noemt {name}.",
        "Niets hier lijkt dit te beantwoorden; wat er het dichtst bij komt, volgt.",
    ),
    "ja": _Phrases(
        "{name}についての記録はありません。",
        "{name}の記録はありますが、{name}と「{words}」についての記録は見つかりませんでした。",
        "見つかったものの中に{name}は出てきません。",
        "これに答える記録はなさそうです。近いものを次に示します。",
    ),
}
NOTHING_ANSWERS: Final = frozenset(phrases.nothing for phrases in _PHRASES.values())
"""What is said if nothing particular is missing; quotes have to follow."""

_OWNED: Final = regex.compile(r"['’]s (\p{L}+)(?: (\p{L}+))?")
_POSSESSED: Final = "{name} is known here; {name}'s {words} is not."


class _Word(NamedTuple):
    """A word of the question, with its place in it."""

    text: str
    folded: str
    start: int


def what_is_missing(
    question: Question,
    blocks: Sequence[Block],
    notes: Iterable[str] = (),
    unknown: Sequence[UnknownName] = (),
) -> str:
    """Return one sentence on what the evidence lacks. Never raises.

    Empty if the question says nothing but what the evidence satisfies: "Photos from July".

    Args:
        question: The question.
        blocks: The evidence.
        notes: Of the trace: what was understood of the question, and what nothing satisfies.
        unknown: Names in the question that no memory holds.
    """
    notes = tuple(notes)
    for note in notes:
        if note.startswith(_UNMET):
            return f"{note[0].upper()}{note[1:]}."
    text = question.text[:_MOST_CHARACTERS]
    language = language_of(text)
    phrases = _PHRASES.get(language, _PHRASES["en"])
    if unknown:
        return phrases.unheld.format(name=unknown[0].name)
    if blocks and asked_for(question, blocks).named.alone:
        return ""
    been_to = _been_to(text, notes)
    words = [
        _Word(match[0], plain(match[0]).lower(), match.start())
        for match in _WORD.finditer(text)
        if match.start() not in been_to
    ]
    names = _names(words, blocks, notes, capitals_name=language != "de")
    pieces = [piece for block in blocks for piece in _pieces(block)]
    understood = _folded(" ".join(note for note in notes if note.startswith(_UNDERSTOOD)))
    asked = [
        word
        for word in words
        if word not in names and word.folded not in understood and _says_something(word)
    ]
    for name in names:
        others = _other_names(name, notes)
        about = [
            piece
            for piece in pieces
            if _has(piece, name.folded) or any(other <= piece for other in others)
        ]
        lacking = [
            word.text
            for word in asked
            if about and not any(_has(piece, word.folded) for piece in about)
        ]
        if not about:
            return phrases.unnamed.format(name=name.text)
        if lacking:
            return _unjoined(text, name, lacking[:_MOST_WORDS], phrases, english=language == "en")
    return phrases.nothing


def _been_to(text: str, notes: Sequence[str]) -> frozenset[int]:
    """Return where countries stand from which there is something, even if it names none."""
    known = [note.removeprefix(_PLACE) for note in notes if note.startswith(_PLACE)]
    spans = [(name.first, name.last) for name in named_countries(text)]
    return frozenset(
        place
        for first, last in spans
        if any(note.partition(" (")[0] == text[first:last] for note in known)
        for place in range(first, last)
    )


def _unjoined(
    text: str, name: _Word, lacking: Sequence[str], phrases: _Phrases, *, english: bool
) -> str:
    owned = _OWNED.match(text, name.start + len(name.text))
    if english and owned and owned[1] == lacking[0]:
        more = owned[2] if owned[2] and not is_function_word(owned[2].lower()) else ""
        return _POSSESSED.format(name=name.text, words=f"{owned[1]} {more}".strip())
    return phrases.unjoined.format(name=name.text, words=" ".join(lacking))


def _names(
    words: Sequence[_Word], blocks: Sequence[Block], notes: Iterable[str], *, capitals_name: bool
) -> list[_Word]:
    """Return the words of a question that name somebody or something, each once.

    Names that the archive knows; and what has a capital, in languages that write no noun with one.
    """
    known = " ".join(
        [
            *(note for note in notes if note.startswith(_NAMING_NOTES)),
            *(f"{block.speaker} {block.place} {_people(block)}" for block in blocks),
        ]
    )
    known_words = _folded(known) - {"person", "place"}
    found: dict[str, _Word] = {}
    for index, word in enumerate(words):
        has_capital = word.text[0].isupper()
        may_name = has_capital or _WITHOUT_CAPITALS.match(word.text)
        named = (may_name and _has(known_words, word.folded, whole=True)) or (
            capitals_name and has_capital and index > 0
        )
        if named and _says_something(word):
            found.setdefault(word.folded, word)
    return list(found.values())


def _other_names(name: _Word, notes: Iterable[str]) -> list[frozenset[str]]:
    """Return the names under which the archive knows a person, each as its words."""
    for note in notes:
        if note.startswith(_PERSON) and name.folded in _folded(note):
            names = note.removeprefix(_PERSON).split(", ")
            return [words for each in names if "@" not in each and (words := _folded(each))]
    return []


def _people(block: Block) -> str:
    return " ".join(line for line in block.text.split("\n") if line.startswith(_PEOPLE))


def _says_something(word: _Word) -> bool:
    return len(word.folded) > 1 and word.folded not in _ASKING and not is_function_word(word.folded)


def _pieces(block: Block) -> list[frozenset[str]]:
    """Return the words of each sentence, with those of the memory's head and title."""
    found = sentences(0, block)
    title = found[0].text if found else ""
    head = _folded(f"{block.speaker} {block.place} {_people(block)} {title}")
    return [_folded(each.text) | head for each in found] or [head]


def _folded(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(plain(text).lower()))


def _has(words: frozenset[str], word: str, *, whole: bool = False) -> bool:
    """Return whether a word is among these in some form; of letters with a capital perhaps whole.

    A name in ideographs may be the first part of a longer one: 田中 of 田中太郎.
    """
    if word in words:
        return True
    if _WITHOUT_CAPITALS.match(word):
        return len(word) > 1 and any(other.startswith(word) for other in words)
    if whole:
        return False
    stem = word[:_STEM]
    return len(stem) == _STEM and any(other.startswith(stem) for other in words)
