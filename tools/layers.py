"""Which package may import which: the layers, what the code does, and a drawing of both.

Every import counts, also inside functions and for type checkers alone: a reader follows those too.
``python tools/layers.py`` writes docs/images/layers.svg; tests/test_layers.py holds the rule.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
DRAWING: Final = ROOT / "docs" / "images" / "layers.svg"

LAYERS: Final = (
    ("extras",),
    ("errors", "no_telemetry"),
    ("record", "shown"),
    ("memory",),
    ("evidence",),
    ("fsio", "imaging", "registry", "text"),
    ("settings",),
    ("llm", "store"),
    ("encode", "relate"),
    ("retrieve",),
    ("index", "optimize"),
    ("verify",),
    ("read",),
    ("ingest", "pipeline", "sample"),
    ("asking",),
    ("archive",),
    ("integrations",),
    ("serve",),
    ("cli",),
    ("graphmemix_bench",),
)
"""From below. A package imports only what stands in a row above its own in this list."""


@cache
def imports() -> dict[str, dict[str, list[str]]]:
    """Return, for each package, the packages that it imports, and from which files."""
    source = ROOT / "src"
    names = {_module(path) for path in source.rglob("*.py")}
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(source.rglob("*.py")):
        package = _package(_module(path))
        if not package:
            continue
        for target in _imported(ast.parse(path.read_text("utf-8")), names):
            other = _package(target)
            if other and other != package:
                found[package][other].append(path.relative_to(source).as_posix())
    return found


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _package(module: str) -> str:
    """Return the room that a module is in; empty for the top of the product itself."""
    top, _, below = module.partition(".")
    if top == "graphmemix_bench":
        return top
    below = below.partition(".")[0]
    return "" if top != "graphmemix" or below == "__main__" else below


def _imported(tree: ast.Module, names: set[str]) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for each in node.names:
                submodule = f"{node.module}.{each.name}"
                found.add(submodule if submodule in names else node.module)
    return found


def violations() -> list[str]:
    """Return every import that does not go to a layer below, with a file that has it."""
    rank = {name: row for row, layer in enumerate(LAYERS) for name in layer}
    wrong = []
    for package, others in imports().items():
        for other, files in others.items():
            if package not in rank or other not in rank:
                missing = package if package not in rank else other
                wrong.append(f"{missing} stands in no layer of tools/layers.py")
            elif rank[other] >= rank[package]:
                wrong.append(f"{package} imports {other}: {files[0]}")
    return sorted(set(wrong))


def draw() -> str:
    """Return the layers as SVG: a row each, lines for imports that no other import implies."""
    wide, high, gap, width = 118, 26, 22, 860
    places = {}
    for row, layer in enumerate(reversed(LAYERS)):
        left = (width - len(layer) * (wide + gap) + gap) / 2
        for column, name in enumerate(layer):
            places[name] = (left + column * (wide + gap), 10 + row * (high + gap))
    parts = []
    for package, others in sorted(_reduced(imports()).items()):
        for other in sorted(others):
            (x1, y1), (x2, y2) = places[package], places[other]
            parts.append(
                f'<line x1="{x1 + wide / 2:.0f}" y1="{y1 + high:.0f}" '
                f'x2="{x2 + wide / 2:.0f}" y2="{y2:.0f}"/>'
            )
    for name, (x, y) in places.items():
        parts.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide}" height="{high}" rx="4"/>'
            f'<text x="{x + wide / 2:.0f}" y="{y + 17:.0f}">{escape(name)}</text>'
        )
    style = (
        "line{stroke:#7a8;stroke-width:1}rect{fill:#e8f3f0;stroke:#2a7a6a}"
        "text{font:12px sans-serif;text-anchor:middle;fill:#123}"
    )
    height = 20 + len(LAYERS) * (high + gap)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f"<title>Packages in layers; each imports only what lies below it</title>"
        f"<style>{style}</style>{''.join(parts)}</svg>\n"
    )


def _reduced(edges: dict[str, dict[str, list[str]]]) -> dict[str, set[str]]:
    """Return the edges that no longer path implies."""

    def reach(package: str) -> set[str]:
        found: set[str] = set()
        waiting = list(edges.get(package, ()))
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += edges.get(each, ())
        return found

    return {
        package: {
            each
            for each in others
            if not any(each in reach(between) for between in others if between != each)
        }
        for package, others in edges.items()
    }


if __name__ == "__main__":
    DRAWING.write_text(draw(), encoding="utf-8")
