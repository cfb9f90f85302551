"""Coefficients of the verifiers, fitted to benchmark data."""

__all__: list[str] = []
