"""Names of persons as address books, mail and chats show them, and what is no person.

Nothing here knows names. A name is taken for a person's by its form; one with a word for firms, or
from an address that nobody has alone (``info@``), is not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from graphmemix.text.folding import plain
from graphmemix.text.kinship import tokens

__all__ = ["Shown", "is_firm_word", "person_name", "shown"]

_LONGEST: Final = 200  # characters of a name that is looked at
_MOST_WORDS: Final = 4
_NOTE = re.compile(r"\(([^()]{0,80})\)|\[([^\[\]]{0,80})\]")
_SEVERAL = re.compile(r"\s(?:&|\+|and|und|et|y|och|e|en)\s")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FIRMS = _listed("""
ab academy ag agency air airlines airways alerts apartments apotheke associates audio bakery
ballroom bank banque bookings boulangerie bv cafe camping care center centre centrum church city
claims clinic clinica clinique club co college committee company concert consulting corp council
customer deals dental digest direct ecole electronics energy enforcement events express factory
farm festival finance fitness foretag forsakring foundation garage gasthaus gasthof gmbh group
guest guesthouse gym hall haus health heating heizung homes hopital hospital hostel hotel hotell
house immobilien inc inn institute insurance journal kanzlei kfz kg kirche kitchen kitchens klinik
kundservice lab letter limited list llc logistics lounge ltd magazine mairie market marketing
media mobile motors museum mutuelle nails news newsletter notariat offers office online oy parking
pension pharmacie pharmacy photo physio plaza plumbing police polis polizei portal post practice
praxis promotions properties radio rail recruitment registry rental rentals reservations residents
restaurant roofing sa sarl sas school schule seafood secretary section service services shop sl
soccer spa sports srl stadt station store studio studios suites supermarket supply support swim
tax taxi team the tickets tourism tourist tours trains transfers transport travel tribunal uni
universidad universitat universite university updates users vardcentral verein versicherung
verwaltung voyages weekly wellness workshop your zahnarzt
""")
_TITLES = _listed("""
dr mr mrs ms miss mx prof professor sir madam herr frau hr fr dipl ing m mme mlle monsieur madame
maitre me sr sra srta senor senora don dona sig signor signora capt captain coach rev mgr
""")
_PARTICLES = _listed("""
de del della der den di da do dos du la le el al bin ibn ben van von vom zu zur af av
""")
_SHARED = _listed("""
info hello hi hallo hej bonjour ciao hola contact contacto kontakt office mail email post postfach
noreply donotreply reply service services support help team news newsletter admin webmaster
postmaster mailer list lists orders order bookings booking billing bills invoice sales shop store
reservations reservation reservas claims notices alerts offers deals promo marketing updates
notify notifications notification register registry finance accounts jobs hr press secretariat
sekretariat direction reception empfang termine stay rooms family familie famille familia
customercare kundenservice kundeservice kundservice security
""")
_UNCASED = re.compile(
    r"[\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff]"
)


class Shown(NamedTuple):
    """Somebody as shown: a name, an address, either of which may be empty."""

    name: str
    address: str


def shown(raw: str) -> Shown:
    """Return the name and the address in "Grace Okafor <grace@x.example>", or in one of the two."""
    raw = " ".join(raw[:_LONGEST].split())
    name, bracket, address = raw.rpartition("<")
    if not bracket:
        return Shown("", raw.casefold()) if "@" in raw and " " not in raw else Shown(raw, "")
    address = address.strip(" >\"'").casefold()
    return Shown(name.strip(" \"',"), address if "@" in address else "")


def notes_in(name: str) -> list[str]:
    """Return what is written in brackets behind a name: "Anna (ward)"."""
    return [found[1] or found[2] or "" for found in _NOTE.finditer(name[:_LONGEST])]


def persons_in(name: str) -> list[str]:
    """Return the names of the persons whom one entry names: "Erik & Megan" are two."""
    bare = _NOTE.sub(" ", name[:_LONGEST])
    parts = [bare] if "," in bare else _SEVERAL.split(bare)
    found = [person_name(part) for part in parts]
    return [each for each in found if each] if all(found) else []


def person_name(name: str) -> str:
    """Return a person's name without title, notes and ornaments; "" if it is not one of a person.

    "Dr. Njeri Kariuki" gives "Njeri Kariuki", "Haddad, Nadia" gives "Nadia Haddad", "Dele ❤️ NEW"
    gives "Dele", "Hector plumber" gives "Hector". Remembered: the same people come again and again.
    """
    return _person_name(name[:_LONGEST])


@lru_cache(maxsize=1 << 12)
def _person_name(name: str) -> str:
    name = _NOTE.sub(" ", " ".join(name.split())).strip(" \"',;")
    if "@" in name or any(sign.isdigit() for sign in name) or "&" in name:
        return "" if "," not in name else _before_comma(name)
    if "," in name:
        return _before_comma(name)
    words = _words(name)
    while len(words) > 1 and plain(words[0]).casefold() in _TITLES:
        words = words[1:]
    folded = [plain(word).casefold() for word in words]
    if not words or len(words) > _MOST_WORDS or not _FIRMS.isdisjoint(folded):
        return ""
    return " ".join(words)


def is_firm_word(word: str) -> bool:
    """Return whether a folded word is one that firms and houses have in their names: "hotel"."""
    return word in _FIRMS


def _before_comma(name: str) -> str:
    """Return the name in "Haddad, Nadia" and in "Håkan Berg, Bergs Tak & Plåt"."""
    family, _, rest = name.partition(",")
    before = person_name(family)
    if not before or " " in before:
        return before
    given = "" if "," in rest else person_name(rest)
    return f"{given} {before}" if given and len(given.split()) < _MOST_WORDS - 1 else ""


def _words(name: str) -> list[str]:
    """Return the words that belong to the name: with capitals, and small ones between them."""
    if _UNCASED.search(name):
        return name.split()
    words = [word.strip(".,;:!?\"'*~-_|/") for word in name.split()]
    words = [word for word in words if any(sign.isalpha() for sign in word)]
    lower = len(words) > 0 and not any(word[0].isupper() for word in words)
    kept: list[str] = []
    for word in words:
        is_particle = plain(word).casefold() in _PARTICLES and bool(kept)
        if not (word[0].isupper() or is_particle or lower):
            break  # "Hector plumber"
        kept.append(word)
    while len(kept) > 1 and (_is_mark(kept[-1], kept) or (kept[-1][0].islower() and not lower)):
        kept.pop()
    return kept


def _is_mark(word: str, words: list[str]) -> bool:
    """Return whether a word in capitals marks an entry: "Dele NEW"."""
    return len(word) > 2 and word.isupper() and any(not each.isupper() for each in words)


def is_shared(address: str) -> bool:
    """Return whether an address is one that no single person has: info@, orders@, no-reply@."""
    local = plain(address).casefold().partition("@")[0]
    joined = "".join(sign for sign in local if sign.isalpha())
    return joined in _SHARED or any(part in _SHARED for part in re.split(r"[^a-z]", local))


def is_person(who: Shown) -> bool:
    """Return whether a sender or recipient is a person, as far as name and address show."""
    name = person_name(who.name)
    # Only in an address book do small words, as in "Hector plumber", follow a person's name.
    words_shown = _NOTE.sub(" ", who.name).split()
    if not name or any(word[0].islower() for word in words_shown[len(name.split()) :]):
        return False
    local, _, domain = plain(who.address).casefold().partition("@")
    words = [word.folded for word in tokens(name)]
    if any(word == local or (len(word) > 2 and word in local) for word in words):
        return True
    if who.address and len(words) == 1:
        return False
    # A name that is in the domain alone is that of a firm: "Air Levantine <book@air-levantine…>".
    return not is_shared(who.address) and not any(len(w) > 3 and w in domain for w in words)
