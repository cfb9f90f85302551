"""The reader's prompt: a readable file beside this one, known by the hash of its text."""

from graphmemix.llm.prompts import Prompt, load_prompt

__all__ = ["PROMPT"]

PROMPT: Prompt = load_prompt("reader", __name__)
