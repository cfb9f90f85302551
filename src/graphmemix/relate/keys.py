"""Keys: the short strings under which the store finds the members of a group again."""

from __future__ import annotations

from hashlib import blake2b

ID = "id:"
"""How the key of a single memory begins. Every memory that was related has one."""

_LONGEST = 120  # characters; a database indexes keys, so they must not grow with what users write


def group_name(*parts: str | int) -> str:
    """Return one string for these parts; different parts give different strings.

    Long or unprintable parts are replaced by their hash.
    """
    name = ":".join([str(part).replace("%", "%25").replace(":", "%3A") for part in parts])
    if len(name) <= _LONGEST and name.isprintable():
        return name
    return "%" + blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def id_key(memory_id: str) -> str:
    """Return the key that only this memory has."""
    return ID + group_name(memory_id)
