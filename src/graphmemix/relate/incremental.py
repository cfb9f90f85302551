"""Schema edges, kept up to date as memories come, change and go (METHOD section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError
from graphmemix.evidence import Edge
from graphmemix.relate.after import After
from graphmemix.relate.consecutive_turn import ConsecutiveTurn
from graphmemix.relate.event_bridge import EventBridge
from graphmemix.relate.forward_of import forward_of
from graphmemix.relate.keys import id_key
from graphmemix.relate.mails import Mails
from graphmemix.relate.protocol import EdgeChange
from graphmemix.relate.record_grounding import record_grounding
from graphmemix.relate.same_document import same_document
from graphmemix.relate.same_record import same_record
from graphmemix.relate.same_round import same_round
from graphmemix.relate.same_thread import same_thread
from graphmemix.relate.stated_links import stated_link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.memory import Memory
    from graphmemix.relate.protocol import Lookup, SchemaRelation
    from graphmemix.settings import GraphSettings


def relations(settings: GraphSettings) -> tuple[SchemaRelation, ...]:
    """Return the relations that are in force."""
    read = Mails(settings)
    published: tuple[SchemaRelation, ...] = (
        same_round(settings),
        ConsecutiveTurn(),
        EventBridge(settings),
        same_record(settings, read),
        record_grounding(settings, read),
    )
    if not settings.own_relations:
        return published
    stated = (stated_link("reply_to", settings), stated_link("attachment_of", settings))
    return (*published, *stated, same_document(), same_thread(), forward_of(settings))


def keys(memory: Memory, settings: GraphSettings) -> frozenset[str]:
    """Return the keys under which relations find a memory again.

    They depend on the settings: with other settings, all memories have to be related anew.
    """
    return _keys(memory, relations(settings))


def relate(
    changed: Sequence[Memory], gone: Sequence[Memory], lookup: Lookup, settings: GraphSettings
) -> EdgeChange:
    """Return what brings the stored schema edges to where a rebuild over all memories would.

    Only content and metadata count, and only the groups that the change touches are read.

    Args:
        changed: New and updated memories, as they are from now on; the last counts if one comes
            twice.
        gone: Erased memories, as they were.
        lookup: What is stored: keys and edges as earlier calls returned them. What it says about
            the memories of this change themselves may be old or new, or missing. Where it has lost
            the edges of an updated memory, that memory's old state must go through `gone` first.
            Calls are cheapest while the edges of what changes or goes are still there.
        settings: The same as in earlier calls. With other settings, passing every memory once more
            as changed, in batches of any size, brings all edges to the new settings.

    Raises:
        InvalidDataError: A memory both changes and goes.
    """
    new, old = {m.id: m for m in changed}, {m.id: m for m in gone}
    if both := new.keys() & old.keys():
        raise InvalidDataError(f"memory {min(both)!r} is both changed and removed in one batch")
    if not new and not old:
        return EdgeChange()
    in_force = relations(settings)
    found = {memory_id: _keys(memory, in_force) for memory_id, memory in new.items()}
    after = After(new, old, lookup, found)
    add: list[Edge] = []
    names = {relation.name for relation in in_force}
    remove = [edge for edge in after.stored if edge.relation not in names]
    confidence = settings.schema_confidence
    for relation in in_force:
        change = relation.change(after)
        add += [Edge(*pair, relation.name, confidence) for pair in change.add]
        remove += [Edge(*pair, relation.name, confidence) for pair in change.remove]
    return EdgeChange(_in_order(add), _in_order(remove), found)


def _keys(memory: Memory, in_force: tuple[SchemaRelation, ...]) -> frozenset[str]:
    found = {key for relation in in_force for key in relation.keys(memory)}
    return frozenset({id_key(memory.id), *found})


def _in_order(edges: list[Edge]) -> tuple[Edge, ...]:
    return tuple(sorted(edges, key=lambda edge: (edge.relation, edge.source, edge.target)))
