"""What the verifiers' models are told, one file a call."""

__all__: list[str] = []
