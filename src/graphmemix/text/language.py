"""What is known of languages: function words of a dozen, and the inflections of English.

Function words tell what in a question says something, and which language it is. No model: a
question is short, and a few function words decide, or an accent between two that have as many. What
they do not decide stays undecided, and callers weigh it in the middle.

`stem` is a light stemmer for English, so that "walks", "walked" and "walking" find "walk".
Inflections only; no derivations such as -ly, -ness or -er, which change the meaning too often. It
takes three steps from M. F. Porter, "An algorithm for suffix stripping" (1980), with fewer
surprises on short words. With m the number of vowel groups that are followed by a consonant:

1. Plural. ``sses -> ss``; ``ies -> y`` (``ie`` in words of four letters); else a final ``s`` goes,
   but not from ``ss``, ``us`` and ``is``.
2. Past and progressive. ``ied -> y`` (``ie`` in words of four letters); ``eed -> ee`` if m > 0
   before it, and not in ``ceed``; else ``ed`` and ``ing`` go if what stays is a word that could
   stand alone: it holds a vowel and has three letters, or two that are mended (``used -> use``,
   ``going -> go``, ``lying -> lie``). What stays is mended: a doubled consonant becomes single
   (not l, s, z, and not down to two letters), ``at``, ``bl``, ``iz`` and short syllables
   (``mak``, ``hop``) get their ``e`` back.
3. Ending. ``ie -> y`` from five letters on (so that "movie" meets "movies"); a final ``e`` goes
   unless a short syllable stands before it ("hope" stays apart from "hop"); a final ``ll``
   becomes ``l`` if m > 1.

A stem is a key, not a word: "house" and "houses" both give "hous".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from graphmemix.text.folding import plain

__all__ = [
    "SHORTEST",
    "content_words",
    "english_share",
    "is_function_word",
    "language_of",
    "stem",
]

# Folded: without accents, in lower case. Only words that ask and connect; a word that may also
# name something ("will", "may", "mine") is missing on purpose.
_ENGLISH: Final = """
a about again all also am an and any anyone anything are as at be because been before being between
both but by can could did do does doing done during each else ever every for from get gets getting
got had has have having he her hers him his how i if in into is it its just let like many me more
most much my myself no nor not of off on once one only or our ours out over own please same she
should so some someone something such than that the their theirs them then there these they this
those though through to too under until up us very was we were what whats when where which while
who whom whose why with within without would you your yours find give list remember say show tell
told
"""
_GERMAN: Final = """
aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis da dabei dafur damit
dann das dass dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses
doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur gab ganz gegen gibt
habe haben hast hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja
jede jeden jeder jemand kam kann kannst kein keine keinen konnte mal man mein meine meinem meinen
meiner mich mir mit mussen muss nach nicht noch nun nur ob oder ohne schon sehr seid sein seine
seinem seinen seiner seit sich sie sind so soll sollte uber um und uns unser unsere unserem unseren
unserer unter vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem
wen wenn wer werden wie wieder wieso wieviel wird wir wo wofur woher wohin womit wurde wurden zu
zum zur zeig zeige finde nenne
"""
_FRENCH: Final = """
a ai ainsi alors apres as au aucun aussi autre aux avait avant avec avez avoir avons c ca ce cela
ces cet cette chez combien comme comment d dans de depuis des donc dont du elle elles en encore
entre es est et etaient etait ete etes etre eu eux fait furent il ils j je jusqu l la le les leur
leurs lui m ma mais me meme mes moi mon n ne nos notre nous on ont ou par parce pas pendant peut
plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son
sont sous suis sur t ta te tes toi ton tous tout toute toutes tu un une vers vos votre vous y
montre trouve
"""
_SPANISH: Final = """
a al algo alguien algun alguna algunas algunos ante antes aquel aquella asi aun aunque como con
contra cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde durante e el ella ellas
ellos en entre era eran es esa esas ese eso esos esta estaba estan estas este esto estos fue fueron
ha habia han hasta hay he la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros
nuestra nuestras nuestro nuestros o os otra otro para pero poco por porque pues que quien quienes
se ser si sin sobre son soy su sus tambien te tenia tiene todo todos tu tus un una uno unos y ya yo
muestra busca
"""
_ITALIAN: Final = """
a abbiamo ad agli ai al alla alle allo anche avevo avevamo c che chi ci come con cosa cui da dagli
dai dal dalla dalle dallo degli dei del dell della delle dello di dove e ed era erano fu gli ha hai
hanno ho i il in io l la le lei li lo loro lui ma mi mia mie miei mio ne nei nel nella nelle noi
non nostra nostre nostri nostro o per perche piu qual quale quali quando quanta quante quanti
quanto quella quello questa queste questi questo se si siamo sono su sua sue sugli sui sul sulla
suo suoi ti tra tu tua tuo un una uno vi mostra trova
"""
_DUTCH: Final = """
aan als alle bij daar dat de deze die dit door een en er geen had hadden heb hebben heeft het hem
hij hoe hoeveel hun ik in is je jij jou jouw kan maar me mee met mij mijn naar niet nog nu of om
omdat onder ons onze ook op over te toen tot u uit van veel voor waar waarom wanneer want waren was
wat we welk welke werd wie wij ze zich zij zijn zo zou
"""
_PORTUGUESE: Final = """
a ao aos as com como da das de do dos e ela elas ele eles em entre era eram essa esse esta este eu
foi foram ha isso isto ja la lhe mais mas me meu meus minha minhas muito na nao nas no nos nossa
nossas nosso nossos num numa o onde os ou para pela pelas pelo pelos por porque quais qual quando
quantas quanto quantos que quem se sem ser seu seus sobre sua suas tambem te tem um uma
"""
_SWEDISH: Final = """
alla att av bade blev da dar de dem den denna det detta dig din ditt du efter eller en ett fanns
fick finns for fran ha hade han har hennes hon honom hos hur i inga ingen inte jag kan kunde man
med mig min mina mitt mot nar nagon nagot ni nu och oss om pa sa sin sitt ska skulle som till under
upp ut vad var vara vart vem vi vid vilka vilken vilket
"""
_DANISH_NORWEGIAN: Final = """
af alle at av blev ble da de dem den der det dette dig din du efter eller en er et etter fik fra
ham han hans har havde hadde hende hos hun hva hvad hvem hver hvilke hvilken hvilket hvor hvorfor
hvornar i ikke jeg kan man med meg mig min mine mit na nar og om op opp os oss pa sa sig skal som
til ud ut var ved vi vil vore vare
"""
_POLISH: Final = """
a ale bo by byl byla bylo byly byc co czy dla do gdzie go i ich ile ja jak jaka jaki jakie jego jej
jest kiedy kto ktora ktore ktory ktorych ma mam mi mnie moj moja moje na nam nas nasz nasza nasze
nie o od po przez przy sa sie sobie ta tak tam te tej ten to tu w we wiec z za ze
"""
_TURKISH: Final = """
bana ben beni benim bir biz bize bizim bu da daha de diye en gibi hangi icin ile ise kac kadar kim
mi mu ne neden nerede nereye o olan olarak onu onun sen siz su var ve veya ya zaman
"""
_RUSSIAN: Final = """
а без был была были было в вам вас во вот все вы где да для до его ее если есть еще же за и из или
им их к как какая какие какой когда кого кто куда ли мне мои мой моя моего мы на нам нас наш наша
наши не него нее но о об он она они от по при с сколько со так там то тот ты у уже что чтобы эта
эти это я
"""

_WORD: Final = re.compile(r"[^\W_]+")
_LANGUAGES: Final = tuple(
    frozenset(words.split())
    for words in (
        _ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _DUTCH, _PORTUGUESE, _SWEDISH,
        _DANISH_NORWEGIAN, _POLISH, _TURKISH, _RUSSIAN,
    )
)  # fmt: skip
_CODES: Final = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "pl", "tr", "ru")
# Accents that tell apart languages whose function words are as many: "Quando é …", "Quando è …".
_MARKS: Final = (
    ("pt", re.compile(r"\b\u00e9\b|[\u00e3\u00f5]|\bo que\b", re.IGNORECASE)),
    ("it", re.compile(r"\b\u00e8\b|\bperch\u00e9\b", re.IGNORECASE)),
    ("sv", re.compile(r"\b(?:\u00e4r|n\u00e4r|f\u00f6r|och)\b", re.IGNORECASE)),
)
_KANA: Final = re.compile(r"[\u3041-\u30fe]")
_LATIN: Final = re.compile(r"[A-Za-z]")
_MOST_CHARACTERS: Final = 2000  # a question has far fewer; a pasted text is judged by its beginning


def english_share(text: str) -> float:
    """Return how sure it is that a text is English: 1, or 0, or 0.5 if its words do not say.

    Examples:
        >>> english_share("Which hotel did we stay in?")
        1.0
        >>> english_share("In welchem Hotel waren wir?")
        0.0
        >>> english_share("Hotel Olivo")
        0.5
    """
    letters = [letter for letter in text[:_MOST_CHARACTERS] if letter.isalpha()]
    if letters and sum(map(_is_latin, letters)) < len(letters) / 2:
        return 0.0
    english, *others = _counts(text)
    other = max(others)
    return 0.5 if english == other else float(english > other)


def language_of(text: str) -> str:
    """Return the code of a text's language; empty if its function words do not decide.

    Examples:
        >>> language_of("Wann hat Olga Geburtstag?")
        'de'
        >>> language_of("Hotel Olivo")
        ''
    """
    text = text[:_MOST_CHARACTERS]
    if "¿" in text:
        return "es"
    counts = _counts(text)
    most = max(counts)
    found = [code for code, count in zip(_CODES, counts, strict=True) if count == most]
    if most and len(found) == 1:
        return found[0]
    if not most:
        kana = len(_KANA.findall(text))
        return "ja" if kana and kana >= len(_LATIN.findall(text)) else ""
    return next((code for code, mark in _MARKS if code in found and mark.search(text)), "")


def content_words(text: str) -> str:
    """Return a question without the words that only ask and connect; all of it if none is left.

    BM25 weighs frequent words down by the memories that hold them, but a chat of ten words that
    happens to hold "did", "we" and "when" still comes before the mail that answers. Only function
    words of the question's own language go: "son" and "die" mean something in some of them.
    """
    counts = _counts(text)
    most = max(counts)
    if not most:
        return text
    asking = frozenset().union(
        *(words for words, count in zip(_LANGUAGES, counts, strict=True) if count == most)
    )
    kept = [word for word in text.split() if not _is_made_of(word, asking)]
    return " ".join(kept) or text


def is_function_word(word: str) -> bool:
    """Return whether a folded word only asks or connects in some language."""
    return any(word in language for language in _LANGUAGES)


def _counts(text: str) -> list[int]:
    """Return how many words of a text are function words of each language."""
    words = _words(text[:_MOST_CHARACTERS])
    return [sum(word in language for word in words) for language in _LANGUAGES]


def _is_made_of(word: str, asking: frozenset[str]) -> bool:
    parts = _words(word)
    return bool(parts) and all(part in asking for part in parts)


def _words(text: str) -> list[str]:
    return _WORD.findall(plain(text).lower())


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith("LATIN")


SHORTEST = 4
"""Words with fewer letters are never touched."""

_EXCEPTIONS = {
    "always": "always",
    "buses": "bus",
    "does": "do",
    "during": "during",
    "evening": "evening",  # not "even"
    "evenings": "evening",
    "gases": "gas",
    "goes": "go",
    "indeed": "indeed",
    "lens": "lens",
    "news": "news",  # not "new"
    "perhaps": "perhaps",
    "series": "series",
    "species": "species",
}
_ENGLISH_WORD = re.compile(r"[a-z]{4,}", re.ASCII)
_VOWEL = re.compile(r"[aeiouy]")
_VOWEL_THEN_CONSONANT = re.compile(r"[aeiouy][^aeiouy]")
_SHORT_SYLLABLE = re.compile(r".*[^aeiou][aeiouy][^aeiouywx]")
_DOUBLE = re.compile(r".+([^aeioulsz])\1")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return what `word` is indexed as: the word itself unless it is lower-case ASCII letters.

    O(length); the last 65,536 words are remembered.
    """
    if not _ENGLISH_WORD.fullmatch(word):
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    return _without_ending(_without_tense(_without_plural(word)))


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > SHORTEST else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    if len(word) < SHORTEST:
        return word
    if word.endswith("ied"):
        return word[:-3] + "y" if len(word) > SHORTEST else word[:-1]
    if word.endswith("eed"):
        agreed = _measure(word[:-3]) > 0 and not word.endswith("ceed")
        return word[:-1] if agreed else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            return _mended(word.removesuffix(suffix)) or word
    return word


def _mended(rest: str) -> str:
    """Return the verb that lost -ed or -ing; empty if it never was one."""
    if not _VOWEL.search(rest):
        return ""
    if len(rest) <= 2:
        return _mended_short(rest)
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _DOUBLE.fullmatch(rest):
        return rest[:-1] if len(rest) > 3 else rest
    if _measure(rest) == 1 and _SHORT_SYLLABLE.fullmatch(rest):
        return rest + "e"
    return rest


def _mended_short(rest: str) -> str:
    if len(rest) < 2:
        return ""
    if rest[1] == "y":
        return rest[0] + "ie"
    return rest + "e" if rest[0] in "aeiou" else rest


def _without_ending(word: str) -> str:
    if word.endswith("ie") and len(word) > SHORTEST:
        return word[:-2] + "y"
    if word.endswith("e") and len(word) >= SHORTEST:
        rest = word[:-1]
        measure = _measure(rest)
        short = measure == 1 and _SHORT_SYLLABLE.fullmatch(rest)
        return rest if measure and not short else word
    if word.endswith("ll") and _measure(word) > 1:
        return word[:-1]
    return word


def _measure(word: str) -> int:
    """Return how many groups of vowels are followed by a consonant."""
    return len(_VOWEL_THEN_CONSONANT.findall(word))
