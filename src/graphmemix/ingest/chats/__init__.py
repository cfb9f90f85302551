"""Importers of chats, and of dialogues with assistants."""

from __future__ import annotations

from graphmemix.ingest.chats.chatgpt import ChatGpt
from graphmemix.ingest.chats.claude import Claude
from graphmemix.ingest.chats.dialogue import Dialogue
from graphmemix.ingest.chats.discord import Discord
from graphmemix.ingest.chats.imessage import IMessage
from graphmemix.ingest.chats.mattermost import Mattermost
from graphmemix.ingest.chats.messenger import Messenger
from graphmemix.ingest.chats.signal import Signal
from graphmemix.ingest.chats.slack import Slack
from graphmemix.ingest.chats.sms import Sms
from graphmemix.ingest.chats.telegram import Telegram
from graphmemix.ingest.chats.whatsapp import WhatsApp

__all__ = [
    "ChatGpt",
    "Claude",
    "Dialogue",
    "Discord",
    "IMessage",
    "Mattermost",
    "Messenger",
    "Signal",
    "Slack",
    "Sms",
    "Telegram",
    "WhatsApp",
]
