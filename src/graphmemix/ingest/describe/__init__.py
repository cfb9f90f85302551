"""Words about media: text read in pictures, names of places, what is said, captions. All optional.

Nothing here is needed for ingestion to finish; `Archive.describe` and ``graphmemix describe`` catch
up at any time, and do nothing twice.
"""

from graphmemix.ingest.describe.captions import Captions
from graphmemix.ingest.describe.ocr import Ocr
from graphmemix.ingest.describe.places import Places
from graphmemix.ingest.describe.protocol import Describer, Told
from graphmemix.ingest.describe.run import Described, DescribeRun, Failure
from graphmemix.ingest.describe.speech import Speech

__all__ = [
    "Captions",
    "DescribeRun",
    "Described",
    "Describer",
    "Failure",
    "Ocr",
    "Places",
    "Speech",
    "Told",
]
