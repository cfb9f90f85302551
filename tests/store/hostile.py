"""Texts that nobody should store, and stores that must refuse or repair them."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, settings

EASY = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def repaired(text: str) -> str:
    return re.sub("[\x00\ud800-\udfff]", "\ufffd", text)
