"""Importers of notes."""

from __future__ import annotations

from graphmemix.ingest.notes.evernote import Evernote
from graphmemix.ingest.notes.keep import Keep

__all__ = ["Evernote", "Keep"]
