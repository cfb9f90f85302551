"""The reader that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix import registry
from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.llm import LlmReader

if TYPE_CHECKING:
    from graphmemix.encode.protocol import Encoder
    from graphmemix.llm.chat import Chat
    from graphmemix.read.protocol import Reader
    from graphmemix.settings import Settings


def open_reader(settings: Settings, chat: Chat | None, encoder: Encoder) -> Reader:
    """Return what answers under these settings.

    That is the reader of another package if `reader.plugin` names one, otherwise the model if there
    is one, otherwise quotation.

    Raises:
        InvalidInputError: No installed package has the reader of `reader.plugin`.
    """
    if settings.reader.plugin:
        plugin: Reader = registry.load("readers", settings.reader.plugin)(settings)
        return plugin
    return ExtractiveReader(encoder) if chat is None else LlmReader(chat, settings)
