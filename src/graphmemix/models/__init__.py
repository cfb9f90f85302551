"""Talking to chat models: one protocol, any OpenAI-compatible server, and a double for tests."""

from graphmemix.models.cache import RememberingChat, ReplyCache
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
from graphmemix.models.openai_chat import OpenAiChat
from graphmemix.models.opening import open_chat
from graphmemix.models.pace import Backoff, Pace
from graphmemix.models.portal import iterate_sync, run_sync
from graphmemix.models.scripted import Call, ScriptedChat

__all__ = [
    "Backoff",
    "Budget",
    "Call",
    "Chat",
    "Decoding",
    "ImagePart",
    "JsonFormat",
    "Message",
    "Meter",
    "OpenAiChat",
    "Options",
    "Pace",
    "Part",
    "Piece",
    "RememberingChat",
    "Reply",
    "ReplyCache",
    "ScriptedChat",
    "Usage",
    "iterate_sync",
    "open_chat",
    "run_sync",
]
