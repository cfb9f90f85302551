"""Pictures of one panel a run or data set."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from graphmemix.errors import MissingExtraError
from graphmemix_bench.reports.themes import LIGHT, style

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WIDE = 5.5  # inches of a panel
_ROW = 0.31  # inches of a row


def draw_panels(paint: Sequence[Callable[[Any], None]], rows: int) -> bytes:
    """Return a PNG of panels side by side.

    Args:
        paint: What draws each panel on its axis.
        rows: How many rows the longest has.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("bench", "Plots of a benchmark report") from None
    parameters: Any = style(LIGHT)
    with mpl.rc_context(parameters):
        size = (_WIDE * len(paint), 1.4 + _ROW * rows)
        figure = Figure(figsize=size, layout="constrained")
        for axis, draw in zip(figure.subplots(1, len(paint), squeeze=False)[0], paint, strict=True):
            draw(axis)
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=150, metadata={"Software": None})
        return stream.getvalue()
