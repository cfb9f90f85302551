"""Parses untrusted XML into a tree, within limits: no DTD, no deep nesting, short namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from graphmemix.errors import ImportSourceError

if TYPE_CHECKING:
    from collections.abc import Callable

_UNBOUND = expat.errors.codes[expat.errors.XML_ERROR_UNBOUND_PREFIX]
_USUAL = {"r": "/relationships"}  # what a prefix of office files stands for
_DEEPEST = 512  # elements within each other
_LONGEST_NAMESPACE = 1_000  # characters; it is copied for each of its elements


def parse_xml(
    data: bytes,
    name: str,
    tag: Callable[[str], str],
    attribute: Callable[[str], str],
    *,
    document_type: bool = False,
) -> Element:
    """Return the root element.

    Args:
        data: The document.
        name: Its name in errors.
        tag: Maps a tag to its name in the tree; it gets ``namespace}name``, or a name alone.
        attribute: The same for attributes.
        document_type: Whether it may declare a document type; never one with entities.

    Raises:
        ImportSourceError: It is not well-formed, declares a document type or entities, is nested
            too deeply, or has a very long namespace.
    """
    try:
        return _parsed(data, name, tag, attribute, document_type=document_type)
    except _UnboundError:  # a prefix is not declared: prefixes are cut off as they are
        return _parsed(
            data,
            name,
            lambda written: tag(_as_bound(written)),
            lambda written: attribute(_as_bound(written)),
            document_type=document_type,
            namespaces=False,
        )


class _UnboundError(Exception):
    """A prefix stands for no namespace."""


def _as_bound(name: str) -> str:
    prefix, colon, local = name.partition(":")
    return f"{_USUAL.get(prefix, prefix)}}}{local}" if colon else name


def _parsed(
    data: bytes,
    name: str,
    tag: Callable[[str], str],
    attribute: Callable[[str], str],
    *,
    document_type: bool,
    namespaces: bool = True,
) -> Element:
    builder = TreeBuilder()
    parser = expat.ParserCreate(None, "}") if namespaces else expat.ParserCreate()
    depth = 0

    def start(written: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ImportSourceError(f"{name} is nested too deeply")
        builder.start(tag(written), {attribute(key): value for key, value in attributes.items()})

    def end(written: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag(written))

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    refuse_long_namespaces(parser, name)
    if document_type:
        refuse_entities(parser, name)
    else:
        _refuse_document_type(parser, name)
    try:
        parser.Parse(data, True)  # noqa: FBT003  # expat has no name for it
        return builder.close()
    except expat.ExpatError as error:
        if namespaces and error.code == _UNBOUND:
            raise _UnboundError from None
        raise ImportSourceError(f"{name} is not XML") from None
    except (ValueError, AssertionError, LookupError):
        raise ImportSourceError(f"{name} is not XML") from None


class _InsideError(Exception):
    """The first element starts: no document type can follow."""


def refuse_document_type(data: bytes, name: str) -> None:
    """Reject XML that could define entities. Reads up to the first element.

    Raises:
        ImportSourceError: It declares a document type.
    """
    parser = expat.ParserCreate()
    _refuse_document_type(parser, name)

    def start(*_: object) -> None:
        raise _InsideError

    parser.StartElementHandler = start
    try:
        parser.Parse(data, True)  # noqa: FBT003  # expat has no name for it
    except (_InsideError, expat.ExpatError, ValueError, LookupError):
        return


def _refuse_document_type(parser: expat.XMLParserType, name: str) -> None:
    def doctype(*_: object) -> None:
        raise ImportSourceError(f"{name} declares a document type (DTD), which is not allowed")

    parser.StartDoctypeDeclHandler = doctype


def refuse_long_namespaces(parser: expat.XMLParserType, name: str) -> None:
    """Make a parser raise `ImportSourceError` for a namespace that no program writes."""

    def namespace(_prefix: str | None, uri: str | None) -> None:
        if len(uri or "") > _LONGEST_NAMESPACE:
            raise ImportSourceError(f"{name} has a namespace that is too long")

    parser.StartNamespaceDeclHandler = namespace


def refuse_entities(parser: expat.XMLParserType, name: str) -> None:
    """Make a parser raise `ImportSourceError` if the document declares entities."""

    def entity(*_: object) -> None:
        raise ImportSourceError(f"{name} declares entities, which is not allowed")

    parser.EntityDeclHandler = entity
