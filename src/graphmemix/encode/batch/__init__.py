"""Vectors of many archives, made ahead by many workers and taken up later.

`encode_archives` writes the vectors of all contents into a folder, on this machine or on a Ray
cluster; the encoder ``prepared:FOLDER`` then serves them to whatever encodes: `reencode`, `ingest`,
`rebuild`. Contents are known by their hash, so that each is encoded once, wherever it occurs.
"""

from graphmemix.encode.batch.folder import Origin, VectorFolder
from graphmemix.encode.batch.prepared import PreparedEncoder
from graphmemix.encode.batch.run import BatchReport, encode_archives

__all__ = ["BatchReport", "Origin", "PreparedEncoder", "VectorFolder", "encode_archives"]
