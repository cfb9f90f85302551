"""Questions and memories about the same things, in each language, that share no word."""

from __future__ import annotations

import re

import pytest

from graphmemix.text.folding import plain
from graphmemix.text.language import is_function_word
from graphmemix.text.topics import topics_asked, topics_told
from graphmemix.text.words import terms
from tests.text.topics.pairs import DIFFERENT, SAME

_HIRAGANA = re.compile(r"[\u3040-\u309f]")


def content(text: str) -> set[str]:
    """The terms that say something."""
    return {
        word
        for word in terms(text)
        if not is_function_word(plain(word)) and not _HIRAGANA.search(word)
    }


@pytest.mark.parametrize(("topic", "question", "memory"), SAME)
def test_a_question_and_a_memory_share_a_topic_and_no_word(
    topic: str, question: str, memory: str
) -> None:
    assert not content(question) & content(memory)
    assert topic in topics_asked(question)
    assert topic in topics_told(terms(memory))


@pytest.mark.parametrize(("question", "memory"), DIFFERENT)
def test_a_question_and_a_memory_about_other_things_share_no_topic(
    question: str, memory: str
) -> None:
    assert topics_asked(question)
    assert not topics_asked(question) & topics_told(terms(memory))
