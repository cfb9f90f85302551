"""Chats and dialogues: what people wrote to each other, and to assistants."""
