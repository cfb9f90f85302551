"""What one message of Signal holds besides its text: reactions, stickers, calls, deletions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphmemix.ingest.node import Node
    from graphmemix.memory import Media
    from graphmemix.record import Json

_WITHOUT_WORDS = {"viewOnceMessage": "Picture to view once", "giftBadge": "Gift badge"}
_KINDS = (
    "standardMessage", "stickerMessage", "contactMessage", "directStoryReplyMessage", "poll",
    "paymentNotification", *_WITHOUT_WORDS,
)  # fmt: skip


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
    if "remoteDeletedMessage" in item or "adminDeletedMessage" in item:
        return Item(notes={"deleted": True})
    for key, call in (("individualCall", "call"), ("groupCall", "group call")):
        details = item.node("updateMessage").node(key)
        if details:
            return _call(details.text("type"), details.text("state"), call)
    kind = next((each for each in _KINDS if each in item), "")
    if not kind:
        return Item(notes={"system": True, "update": _first_key(item.node("updateMessage"))})
    said = item.node(kind)
    files = [*said.nodes("attachments"), *filter(None, [said.node("attachment")])]
    pointers = [each.node("pointer") for each in files]
    notes: dict[str, Json] = {
        "reactions": [
            f"{name(each.name('authorId'))}: {each.text('emoji')}"
            for each in said.nodes("reactions")
        ],
        "edited": bool(item.nodes("revisions")),
        "sticker": kind == "stickerMessage",
        "story_reply": kind == "directStoryReplyMessage",
        "truncated": "longText" in said or "longText" in said.node("textReply"),
    }
    return Item(
        _words(kind, said),
        tuple(known(each.text("fileName"), each.text("contentType")) for each in pointers),
        said.node("quote").name("targetSentTimestamp"),
        notes,
    )


def _words(kind: str, said: Node) -> str:
    """Return what a message says, by its kind."""
    match kind:
        case "standardMessage":
            words = _with_links(said.node("text").text("body"), said.nodes("linkPreview"))
        case "stickerMessage":
            words = said.node("sticker").text("emoji") or "Sticker"
        case "contactMessage":
            people = [*filter(None, [said.node("contact")]), *said.nodes("contact")]
            words = "\n".join(map(_contact, people))
        case "directStoryReplyMessage":
            words = said.node("textReply").node("text").text("body") or said.text("emoji")
        case "paymentNotification":
            paid = f"Payment: {said.name('amountMob')} MOB" if "amountMob" in said else "Payment"
            words = "\n".join(filter(None, [paid, said.text("note")]))
        case "poll":
            options = [f"- {each.text('option')}" for each in said.nodes("options")]
            words = "\n".join([said.text("question"), *options])
        case _:
            words = _WITHOUT_WORDS.get(kind, "")
    return words


def _contact(contact: Node) -> str:
    """Return the name of a contact that was shared, and how to reach it."""
    name = contact.node("name")
    full = f"{name.text('givenName')} {name.text('familyName')}".strip()
    reached = [each.text("value") for key in ("number", "email") for each in contact.nodes(key)]
    return "\n".join(filter(None, [full, contact.text("organization"), *reached]))


def _with_links(body: str, previews: Sequence[Node]) -> str:
    """Return a text with the titles of the pages that it links to."""
    titles = (each.text("title") for each in previews)
    return "\n".join(filter(None, [body, *(each for each in titles if each not in body)]))


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
    body = _with_links(node.text("body"), node.nodes("preview")) or (
        sticker.text("emoji") or "Sticker" if sticker else ""
    )
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
