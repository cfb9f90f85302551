"""What one memory says about who is who, as keys that the store keeps with it and erases with it.

==========================  ========================================================================
``person:NAME``             somebody is called so
``alias:NAME=OTHER``        both are the same person; one may be an e-mail address
``kin:KIN=NAME``            a relative of the archive's owner: ``kin:sister=Lena``
``kin:KIN=NAME=WHOSE``      a relative of somebody: ``kin:brother=Tunde=Dele``
``wrote:SENDER=RECIPIENT``  a mail between two, which shows who has most correspondents: the owner
==========================  ========================================================================

``KIN?`` is a relation that only counts if the name is known as a person's. In names ``%`` and ``=``
are written as ``%25`` and ``%3D``. `graphmemix.relate.people.People` reads all keys of an archive.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from graphmemix.text.kinship import (
    ADDRESSES,
    BEFORE_NAMES,
    KIN,
    relation_of_somebody,
    stated_kin,
    tokens,
)
from graphmemix.text.mail import mail_parts
from graphmemix.text.person_names import (
    Shown,
    is_person,
    is_shared,
    notes_in,
    person_name,
    persons_in,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphmemix.memory import Memory

__all__ = ["PREFIXES", "person_keys"]

PREFIXES: Final = ("person:", "alias:", "kin:", "wrote:")
"""How the keys begin, each sort."""

_LONGEST: Final = 120  # characters of a key; a database indexes them
_MOST_PEOPLE: Final = 20  # of one mail: longer lists are circulars
_MOST_STATED: Final = 20
_MOST_SIGNING: Final = 4  # lines of a signature in which a name stands
_SHORT: Final = 2  # letters; "Jo" is in many addresses
_MOST_LINES: Final = 40  # of a contact
_MOST_CHARACTERS: Final = 20_000  # of a text that is searched for relatives
_SPOKEN = frozenset({"message", "email", "note", "profile"})
_OWNERS = frozenset({"note", "profile"})


def person_keys(memory: Memory) -> frozenset[str]:
    """Return what a memory says about who is who. Never raises; linear in its text."""
    found: set[str] = set()
    if memory.kind == "contact":
        found.update(_of_contact(memory))
    elif memory.kind == "email":
        found.update(_of_mail(memory))
    elif memory.speaker:
        found.update(_called(_speaker(memory)))
    if memory.kind in _SPOKEN:
        found.update(_stated(memory))
    return frozenset(found - {""})


def _key(prefix: str, *fields: str) -> str:
    """Return a key; empty if it cannot be stored, or says that somebody is himself."""
    if not all(fields) or len(set(fields)) < len(fields):
        return ""
    escaped = [" ".join(field.split()).replace("%", "%25").replace("=", "%3D") for field in fields]
    key = prefix + "=".join(escaped)
    return key if len(key) <= _LONGEST and key.isprintable() else ""


@lru_cache(maxsize=1 << 12)
def _called(who: Shown) -> tuple[str, ...]:
    """Return the keys of somebody with a name, and perhaps an address that is his alone.

    Remembered, since the same people write again and again.
    """
    if not is_person(who):
        return ()
    name = person_name(who.name)
    found = [_key("person:", name), _key("alias:", who.name, name)]
    found += _noted(notes_in(who.name), name)
    if who.address and not is_shared(who.address):
        found.append(_key("alias:", name, who.address))
    return (*found, *_by_name(name))


def _by_name(name: str) -> Iterator[str]:
    """Yield what a name says itself: "Mama" is a mother, "Aunt Tsehay" an aunt called Tsehay."""
    words = tokens(name)
    if len(words) == 1 and words[0].folded in ADDRESSES:
        yield _key("kin:", *KIN[words[0].folded], name)
    elif len(words) > 1 and words[0].folded in BEFORE_NAMES:
        bare = name[words[1].start :]
        yield _key("kin:", *KIN[words[0].folded], bare)
        yield _key("alias:", name, bare)
        yield _key("person:", bare)


def _of_mail(memory: Memory) -> Iterator[str]:
    sender = _speaker(memory)
    to, cc = _people(memory, "to"), _people(memory, "cc")
    for who in (sender, *to, *cc):
        yield from _called(who)
    yield from _signed(memory.text[:_MOST_CHARACTERS], sender)
    if len(to) == 1 and not cc:
        yield _key("wrote:", *(who.address or who.name for who in (sender, to[0])))


def _signed(text: str, sender: Shown) -> Iterator[str]:
    """Yield the whole name that a signature gives to a sender with an address and no such name.

    Only if the address holds a word of it: assistants sign for others, and firms for persons.
    """
    is_named = len(tokens(person_name(sender.name))) > 1
    if not sender.address or is_named or is_shared(sender.address):
        return
    local = sender.address.partition("@")[0]
    for line in mail_parts(text).signature.split("\n")[:_MOST_SIGNING]:
        name = person_name(line)
        words = [word.folded for word in tokens(name)]
        if len(words) > 1 and any(len(word) > _SHORT and word in local for word in words):
            yield _key("person:", name)
            yield _key("alias:", name, sender.address)
            return


def _speaker(memory: Memory) -> Shown:
    written_by = memory.metadata.get("from") if memory.kind == "email" else None
    return shown(written_by if isinstance(written_by, str) else memory.speaker or "")


def _people(memory: Memory, field: str) -> list[Shown]:
    listed = memory.metadata.get(field)
    named = [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []
    return [shown(each) for each in named[:_MOST_PEOPLE] if isinstance(each, str)]


def _of_contact(memory: Memory) -> Iterator[str]:
    lines = [line.strip() for line in memory.text.split("\n")[:_MOST_LINES] if line.strip()]
    stated = memory.metadata.get("name")
    entry = stated if isinstance(stated, str) and stated else lines[0] if lines else ""
    names = persons_in(entry)
    for name in names:
        yield _key("person:", name)
        yield from _by_name(name)
    if len(names) != 1:
        return
    name = names[0]
    yield _key("alias:", entry, name)
    for other in _other_names(entry, name, lines):
        yield _key("person:", other)
        yield _key("alias:", name, other)
    for address in _addresses(lines):
        yield _key("alias:", name, address)
    notes = [*notes_in(entry), *(part for line in lines[1:] for part in _note_parts(line))]
    yield from _noted(notes, name)


def _noted(notes: Iterable[str], name: str) -> Iterator[str]:
    """Yield the relations that notes beside a name say: "cousin", "Maisie's mum"."""
    for note in notes:
        relation = relation_of_somebody(note)
        if relation is not None:
            kin, whose = relation
            yield _key("kin:", kin, name, whose) if whose else _key("kin:", kin, name)


def _addresses(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        for word in line.replace(":", " ").split():
            if "@" in word and not is_shared(word):
                yield word.strip("<>(),;").casefold()


def _other_names(entry: str, name: str, lines: list[str]) -> Iterator[str]:
    """Yield other names of a contact: a nickname, "Maman (Odile)", a second line "Brigitte …"."""
    words = tokens(name)
    folded = {word.folded for word in words}
    is_called = len(words) == 1 and words[0].folded in ADDRESSES
    for line in lines:
        label, _, rest = line.partition(" ")
        if label.rstrip(":").casefold() == "nickname":
            yield person_name(rest)
    for note in notes_in(entry):
        # A note may be a place or a firm; if an address holds it too, it is a name.
        word = note.casefold()
        if is_called or any(word in each.partition("@")[0] for each in _addresses(lines)):
            yield person_name(note)
    for line in lines[1:2]:
        full = person_name(line)
        if len(full.split()) < 2 or ":" in line or "," in line:
            continue
        shares = len(words) > 1 and words[0].folded in {word.folded for word in tokens(full)}
        if is_called or (shares and not {word.folded for word in tokens(full)} <= folded):
            yield full


def _note_parts(line: str) -> list[str]:
    """Return the pieces of a line of a contact that may say a relation, without its label."""
    label, colon, rest = line.partition(":")
    text = rest if colon else line.removeprefix("NOTE ")
    if colon and "note" not in label.casefold():
        return []
    return [part.strip() for part in text.replace(";", ",").split(",")]


def _stated(memory: Memory) -> Iterator[str]:
    text = memory.text[:_MOST_CHARACTERS]
    if memory.kind == "email":
        text = mail_parts(text).own
    speaker = person_name(_speaker(memory).name)
    if not speaker and memory.kind not in _OWNERS:
        return
    for kin, name, whose, certain in islice(stated_kin(text), _MOST_STATED):
        relation = kin if certain else f"{kin}?"
        of = whose or ("" if memory.kind in _OWNERS else speaker)
        yield _key("kin:", relation, name, of) if of else _key("kin:", relation, name)
