"""How plots look on light and on dark pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Theme:
    """Colours of a page.

    Attributes:
        name: ``light`` or ``dark``.
        paper: Background.
        ink: Text and axes.
        faint: Grid.
        lines: Series, in order; distinct for colour-blind readers too.
        theirs: What others published.
    """

    name: Literal["light", "dark"]
    paper: str
    ink: str
    faint: str
    lines: tuple[str, ...]
    theirs: str


LIGHT = Theme(
    "light",
    "#ffffff",
    "#1f2430",
    "#e3e6ec",
    ("#0b6bcb", "#c2410c", "#0f8a5f", "#8b3fc0", "#a16207", "#be185d", "#475569"),
    "#8a93a3",
)
DARK = Theme(
    "dark",
    "#14171d",
    "#e4e8ef",
    "#2b313c",
    ("#5fb0ff", "#ff9d63", "#4fd1a1", "#c99bf2", "#e3bd55", "#f78fbf", "#a5b1c2"),
    "#7d8796",
)


def style(theme: Theme) -> dict[str, Any]:
    """Return matplotlib's parameters for a theme."""
    return {
        "figure.facecolor": theme.paper,
        "axes.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "axes.edgecolor": theme.faint,
        "axes.labelcolor": theme.ink,
        "axes.titlecolor": theme.ink,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "axes.titlepad": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": theme.faint,
        "text.color": theme.ink,
        "xtick.color": theme.ink,
        "ytick.color": theme.ink,
        "legend.frameon": False,
        "font.size": 9.5,
        "font.family": "DejaVu Sans",
        "svg.fonttype": "path",
        "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    }
