"""The reader's prompt."""

__all__: list[str] = []
