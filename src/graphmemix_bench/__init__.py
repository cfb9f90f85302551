"""The benchmark harness."""

__all__: list[str] = []
