"""From files to memories: importers, the walker with its journal, and describing media."""
