"""The verifiers' prompts, one file per kind of call."""

__all__: list[str] = []
