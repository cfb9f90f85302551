"""From files to memories: importers, the walker with its journal, and describing media."""

from graphmemix.ingest.protocol import FolderOfFiles, Found, Gauge, Importer, MediaSink, Skipped
from graphmemix.ingest.report import FileOutcome, IngestProgress, IngestReport, SourceCount

__all__ = [
    "FileOutcome",
    "FolderOfFiles",
    "Found",
    "Gauge",
    "Importer",
    "IngestProgress",
    "IngestReport",
    "MediaSink",
    "Skipped",
    "SourceCount",
]
