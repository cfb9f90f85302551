"""What every command needs, imported once; children are forked from here."""

import graphmemix.archive
import graphmemix.cli
import graphmemix.encode.hashing
import graphmemix.ingest.builtin
import graphmemix.serve.app
import graphmemix.serve.run

graphmemix.ingest.builtin.built_in()
