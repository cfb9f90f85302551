"""Importers of recorded positions: the places of each day, not one memory per point."""

from __future__ import annotations

from graphmemix.ingest.tracks.google import Locations
from graphmemix.ingest.tracks.gpx import Gpx
from graphmemix.ingest.tracks.kml import Kml

__all__ = ["Gpx", "Kml", "Locations"]
