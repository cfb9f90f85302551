"""Talking to chat models: one protocol, any OpenAI-compatible server, and a double for tests."""

from graphmemix.models.chat import (
    Chat,
    Decoding,
    ImagePart,
    JsonFormat,
    Message,
    Options,
    Part,
    Piece,
    Reply,
    Usage,
)
from graphmemix.models.limits import Budget, Meter
from graphmemix.models.portal import iterate_sync, run_sync
from graphmemix.models.scripted import Call, ScriptedChat

__all__ = [
    "Budget",
    "Call",
    "Chat",
    "Decoding",
    "ImagePart",
    "JsonFormat",
    "Message",
    "Meter",
    "Options",
    "Part",
    "Piece",
    "Reply",
    "ScriptedChat",
    "Usage",
    "iterate_sync",
    "run_sync",
]
