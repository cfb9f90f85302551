"""Evidence without a language model, step by step."""

__all__: list[str] = []
