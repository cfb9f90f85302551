"""Text for media: OCR, place names, transcripts, captions. All optional.

Ingestion does not depend on it; `Archive.describe` and ``graphmemix describe`` catch up at any
time and repeat no work.
"""

from graphmemix.ingest.describe.captions import Captions
from graphmemix.ingest.describe.ocr import Ocr
from graphmemix.ingest.describe.places import Places
from graphmemix.ingest.describe.protocol import Describer, MediaText
from graphmemix.ingest.describe.run import Described, DescribeFailure, DescribeRun
from graphmemix.ingest.describe.speech import Speech

__all__ = [
    "Captions",
    "DescribeFailure",
    "DescribeRun",
    "Described",
    "Describer",
    "MediaText",
    "Ocr",
    "Places",
    "Speech",
]
