"""The exceptions that GraphMemix raises, all below one root.

::

    GraphMemixError
    ├── InvalidInputError (also ValueError)    what the caller passed is wrong; nothing was changed
    │   ├── InvalidDataError                   JSON that is not the record it should be
    │   ├── InvalidProblemError                an optimisation problem that has no meaning
    │   └── SettingsError                      a setting: unknown key, wrong type, out of range
    └── MissingExtraError (also ImportError)   an optional dependency is not installed

Every message names the item at fault and, where there is one, the way out. A caller who wants to
survive anything that the library may raise on purpose catches `GraphMemixError`.
"""

from __future__ import annotations

__all__ = [
    "GraphMemixError",
    "InvalidDataError",
    "InvalidInputError",
    "InvalidProblemError",
    "MissingExtraError",
    "SettingsError",
]


class GraphMemixError(Exception):
    """The root: catch it to catch everything that GraphMemix raises on purpose."""


class InvalidInputError(GraphMemixError, ValueError):
    """What the caller passed is wrong. Nothing was changed."""


class InvalidDataError(InvalidInputError):
    """JSON, or a value in it, that is not the record it should be."""


class InvalidProblemError(InvalidInputError):
    """An optimisation problem with no meaning.

    Attributes:
        item: The part at fault, such as ``prizes[3]``, ``edges[0]`` or ``budget``.
    """

    def __init__(self, item: str, reason: str) -> None:
        super().__init__(item, reason)  # all arguments, so that the error survives pickling
        self.item = item
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.item}: {self.reason}"


class SettingsError(InvalidInputError):
    """A setting that does not exist or has an impossible value.

    Attributes:
        key: The dotted name, such as ``forest.budget``.
    """

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(key, reason)
        self.key = key
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.key}: {self.reason}"


class MissingExtraError(GraphMemixError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        extra: The name of the extra that brings it.
    """

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(extra, purpose)
        self.extra = extra
        self.purpose = purpose

    def __str__(self) -> str:
        return (
            f"{self.purpose} needs the extra '{self.extra}': pip install 'graphmemix[{self.extra}]'"
        )
