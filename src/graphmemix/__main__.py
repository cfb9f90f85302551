"""``python -m graphmemix``."""

from graphmemix.cli import main

main()
