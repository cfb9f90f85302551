"""What an answer and its evidence are worth: metrics, intervals, diagnostics, costs."""

__all__: list[str] = []
