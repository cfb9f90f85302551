"""What is listed for a topic in each language."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Topic"]


class Topic(NamedTuple):
    """The words of one topic, separated by spaces."""

    asked: str
    told: str
