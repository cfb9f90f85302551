"""Talking to chat models: one protocol, any OpenAI-compatible server, and a double for tests."""

from graphmemix.llm.cache import RememberingChat, ReplyCache
from graphmemix.llm.chat import (
    Chat,
    Decoding,
    ImagePart,
    JsonFormat,
    Message,
    MessagePart,
    Options,
    Piece,
    Reply,
    Usage,
)
from graphmemix.llm.limits import Budget, Meter
from graphmemix.llm.openai_chat import OpenAiChat, open_chat
from graphmemix.llm.pace import Backoff, Pace
from graphmemix.llm.scripted import Call, ScriptedChat
from graphmemix.llm.sync_bridge import iterate_sync, run_sync

__all__ = [
    "Backoff",
    "Budget",
    "Call",
    "Chat",
    "Decoding",
    "ImagePart",
    "JsonFormat",
    "Message",
    "MessagePart",
    "Meter",
    "OpenAiChat",
    "Options",
    "Pace",
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
