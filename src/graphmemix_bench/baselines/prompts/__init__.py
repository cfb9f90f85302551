"""Prompts of the baselines, in our words, by the intent of each system."""

__all__: list[str] = []
