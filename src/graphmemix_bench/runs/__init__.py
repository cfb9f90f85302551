"""Runs that can be resumed: plan, stages, artefacts, report."""

__all__: list[str] = []
