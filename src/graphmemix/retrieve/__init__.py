"""From a question to its candidates' scores."""

__all__: list[str] = []
