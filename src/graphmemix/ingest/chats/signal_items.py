"""What one message of Signal holds besides its text: reactions, stickers, calls, deletions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graphmemix.ingest.node import Node
    from graphmemix.memory import Media
    from graphmemix.record import Json


@dataclass(frozen=True)
class Item:
    """A message.

    Attributes:
        text: What was said; of a call or a sticker, what it was.
        media: Attached files, which the export does not contain.
        quoted: When the message that it answers was sent.
        notes: For the metadata.
    """

    text: str = ""
    media: tuple[Media, ...] = ()
    quoted: str = ""
    notes: Mapping[str, Json] = field(default_factory=dict)


def backup_item(item: Node, name: Callable[[str], str]) -> Item:
    """Return a ``chatItem`` of Signal's own export.

    Args:
        item: The item.
        name: Returns the name of a person by id.
    """
    if "remoteDeletedMessage" in item:
        return Item(notes={"deleted": True})
    for key, call in (("individualCall", "call"), ("groupCall", "group call")):
        details = item.node("updateMessage").node(key)
        if details:
            return _call(details.text("type"), details.text("state"), call)
    kinds = ("standardMessage", "stickerMessage", "contactMessage", "viewOnceMessage", "poll")
    kind = next((each for each in kinds if each in item), "")
    if not kind:
        return Item(notes={"system": True, "update": _first_key(item.node("updateMessage"))})
    said = item.node(kind)
    pointers = [each.node("pointer") for each in said.nodes("attachments")]
    notes: dict[str, Json] = {
        "reactions": [
            f"{name(each.name('authorId'))}: {each.text('emoji')}"
            for each in said.nodes("reactions")
        ],
        "edited": bool(item.nodes("revisions")),
        "sticker": kind == "stickerMessage",
    }
    return Item(
        _words(kind, said),
        tuple(known(each.text("fileName"), each.text("contentType")) for each in pointers),
        said.node("quote").name("targetSentTimestamp"),
        notes,
    )


def _words(kind: str, said: Node) -> str:
    if kind == "stickerMessage":
        return said.node("sticker").text("emoji") or "Sticker"
    if kind == "contactMessage":
        person = said.node("contact").node("name")
        return f"{person.text('givenName')} {person.text('familyName')}".strip()
    if kind == "poll":
        options = [each.text("option") for each in said.nodes("options")]
        return "\n".join([said.text("question"), *(f"- {each}" for each in options)])
    return said.node("text").text("body")


def desktop_item(node: Node, name: Callable[[str], str]) -> Item:
    """Return a message as Signal Desktop keeps it; arguments as those of `backup_item`."""
    if node.flag("deletedForEveryone") or node.flag("isErased"):
        return Item(notes={"deleted": True})
    if node.text("type") == "call-history":
        call = node.node("callHistoryDetails")
        mode = call.text("callMode", "mode").lower()
        state = "" if call.raw("acceptedTime") else "missed" if "acceptedTime" in call else ""
        kind = "VIDEO" if call.flag("wasVideoCall") else call.text("type")
        return _call(
            kind, call.text("status") or state, f"{mode} call" if "group" in mode else "call"
        )
    sticker = node.node("sticker")
    reactions: list[Json] = [
        f"{name(each.name('fromId'))}: {each.text('emoji')}" for each in node.nodes("reactions")
    ]
    files = [known(each.text("fileName"), each.text("contentType"))
             for each in node.nodes("attachments")]  # fmt: skip
    body = node.text("body") or (sticker.text("emoji") or "Sticker" if sticker else "")
    is_said = node.text("type") in {"", "incoming", "outgoing"}
    notes: dict[str, Json] = {
        "reactions": reactions,
        "sticker": bool(sticker),
        "edited": bool(node.nodes("editHistory")),
        "system": not is_said,
        "update": "" if is_said else node.text("type"),
    }
    return Item(body, tuple(files), node.node("quote").name("id"), notes)


def _call(kind: str, state: str, call: str) -> Item:
    """Return a call as a message of the program."""
    medium = {"VIDEO": "Video", "AUDIO": "Voice"}.get(kind.upper().replace("_CALL", ""), "")
    text = f"{medium} {call}".strip().capitalize()
    state = state.lower().replace("_", " ")
    return Item(f"{text}, {state}" if state else text, notes={"system": True, "call": True})


def _first_key(node: Node) -> str:
    """Return what kind of update it is, such as ``simpleUpdate``."""
    return next(iter(node.keys()), "")


def exported_reactions(node: Node) -> list[Json]:
    """Return the reactions of a line of signal-export, which wrote pairs, then objects."""
    found: list[Json] = []
    for each in node.values("reactions"):
        if isinstance(each, dict):
            found.append(f"{each.get('name') or ''}: {each.get('emoji') or ''}")
        elif isinstance(each, list) and len(each) == 2:
            found.append(f"{each[0]}: {each[1]}")
    return found
