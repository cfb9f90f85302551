"""The chat that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.llm.cache import RememberingChat, ReplyCache
from graphmemix.llm.openai_chat import OpenAiChat

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.llm.chat import Chat
    from graphmemix.settings import Settings

__all__ = ["open_chat"]


def open_chat(settings: Settings, cache_folder: Path | None = None) -> Chat | None:
    """Return the chat model that the settings name, or None if they name none.

    Nothing is sent. Close it with `aclose`, in the event loop that used it.

    Args:
        settings: `Settings.model` and the picture size of `Settings.verifier`.
        cache_folder: Where replies are remembered, if `model.cache` is on; None for nowhere.

    Raises:
        SettingsError: An endpoint without a model, or a key that is not there.
        MissingExtraError: httpx is not installed.
    """
    if not settings.model.base_url:
        return None
    chat = OpenAiChat.from_settings(settings.model, image_edge=settings.verifier.image_edge)
    if cache_folder is None or not settings.model.cache:
        return chat
    cache = ReplyCache(cache_folder, megabytes=settings.model.cache_megabytes)
    return RememberingChat(chat, cache, scope=chat.scope)
