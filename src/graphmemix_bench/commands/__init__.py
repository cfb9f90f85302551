"""The commands `graphmemix bench` and `graphmemix calibrate`."""

__all__: list[str] = []
