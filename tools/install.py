"""Build the wheel and the sdist, install them into empty environments, and try what they promise.

    python tools/install.py                 # the core: built twice, installed, tried, weighed
    python tools/install.py --extras        # then each extra in an environment of its own
    python tools/install.py --extras ray    # or some of them

Needs `build` and a package index; uses uv instead of pip where it is installed, which is quicker.
Nothing is written outside a scratch folder, which is removed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT: Final = Path(__file__).parents[1]
MEGA: Final = 1_000_000
RESOLVED_ONLY: Final = frozenset({"torch"})  # gigabytes, which `make test-slow` installs

LIBRARY: Final = """
from graphmemix import Archive, Memory
with Archive.open("family") as archive:
    archive.add([Memory.new("note", "The spare key is with Olga.")])
    found = archive.ask("Who has our spare key?")
assert "Olga" in found.answer.text, found.answer.text
"""
ARCHIVE: Final = """
from graphmemix import Archive, Memory
archive = Archive.open("family")
archive.add([Memory.new("note", "The spare key is with Olga.")])
"""
TRIED: Final[Mapping[str, str]] = {
    "baselines-lightrag": "import lightrag",
    "baselines-mem0": "import mem0",
    "baselines-mempalace": "import mempalace",
    "docs": "import mkdocs, material",
    "bench": "import matplotlib.pyplot",
    "documents": "import io, openpyxl, pypdf, pypdfium2; openpyxl.Workbook().save(io.BytesIO())",
    "endpoint": "from graphmemix.encode import encoder_of; encoder_of('endpoint:http://127.0.0.1:9/v1#m')",
    "heic": (
        "import io, pillow_heif; from PIL import Image; pillow_heif.register_heif_opener();"
        "out = io.BytesIO(); Image.new('RGB', (64, 64)).save(out, 'HEIF'); Image.open(out).load()"
    ),
    "hub": "import huggingface_hub",
    "langchain": ARCHIVE
    + """
from graphmemix.integrations.langchain import GraphMemixRetriever
found = GraphMemixRetriever(archive=archive).invoke("Who has our spare key?")
assert "Olga" in found[0].page_content
""",
    "llamaindex": "import graphmemix.integrations.llamaindex",
    "llm": "from graphmemix.llm import OpenAiChat; OpenAiChat('http://127.0.0.1:9/v1', 'm')",
    "mcp": "import graphmemix.serve.mcp, graphmemix.serve.mcp_http",
    "milp": """
from graphmemix.optimize import Problem, solve
problem = Problem((1.0, 0.5), ((0, 1, 0.9),), 2, 0.2, 0.5)
assert solve(problem, "milp").nodes == solve(problem, "exact").nodes == (0, 1)
""",
    "ocr": """
from graphmemix.ingest.describe import Ocr
Ocr()
""",
    "peers": "import faiss, sqlite_vec",
    "places": (
        "from graphmemix.ingest.describe import Places;"
        "assert 'Como' in Places().name_of(45.81, 9.08)"
    ),
    "postgres": "import graphmemix.store.postgres, psycopg, pgvector",
    "ray": """
from graphmemix import Archive, Memory
from graphmemix.encode.batch import encode_archives
with Archive.open("family", encoder="hashing") as archive:
    archive.add([Memory.new("note", "The spare key is with Olga.")])
assert encode_archives(["family"], "vectors", encoder="hashing:8", workers=1).encoded == 1
""",
    "server": "import graphmemix.serve.app, graphmemix.serve.run",
    "speech": "from graphmemix.ingest.describe import Speech; Speech()",
    "telemetry": "import graphmemix.serve.telemetry, opentelemetry.sdk.trace",
    "video": """
from pathlib import Path
from graphmemix.encode.pixels import frame
from graphmemix.sample.video import write_video
assert write_video(Path("video.mp4"))
assert frame(Path("video.mp4"), 1.0).startswith(b"\\x89PNG")
""",
}
WEIGH: Final = """
import json
from importlib.metadata import distributions
found = {}
for dist in distributions():
    paths = [path for path in map(dist.locate_file, dist.files or []) if path.is_file()]
    found[dist.name.lower()] = sum(p.stat().st_size for p in paths if p.suffix != ".pyc")
print(json.dumps(found))
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--extras", nargs="*", help="which; all without a name")
    asked = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        wheel = built(Path(scratch))
        core = try_core(Path(scratch) / "core", wheel)
        if asked.extras is not None:
            for extra in asked.extras or extras():
                try_extra(Path(scratch) / extra, wheel, extra, core)


def extras() -> list[str]:
    """Return the extras for users, sorted."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return sorted(set(project["optional-dependencies"]) - {"dev"})


def built(scratch: Path) -> Path:
    """Build the wheel from the tree and from the sdist; return it if both are the same."""
    build(ROOT, scratch / "tree", "--wheel")
    build(ROOT, scratch / "dist", "--sdist")
    (sdist,) = (scratch / "dist").glob("*.tar.gz")
    run(["tar", "-xzf", str(sdist), "-C", str(scratch)])
    (unpacked,) = [path for path in scratch.glob("graphmemix-*") if path.is_dir()]
    build(unpacked, scratch / "again", "--wheel")
    (wheel,) = (scratch / "tree").glob("*.whl")
    if members(wheel) != members(scratch / "again" / wheel.name):
        sys.exit("the sdist builds another wheel than the tree")
    print(f"wheel {wheel.stat().st_size / MEGA:.2f} MB, sdist {sdist.stat().st_size / MEGA:.2f} MB;"
          " the sdist builds the same wheel")  # fmt: skip
    return wheel


def build(source: Path, out: Path, what: str) -> None:
    run([sys.executable, "-m", "build", "--no-isolation", what, "--outdir", str(out), str(source)])


def members(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def try_core(folder: Path, wheel: Path) -> int:
    """Install the core alone, run the demo and a snippet; return its bytes."""
    python = installed(folder, str(wheel))
    run([str(python.parent / "graphmemix"), "demo"], folder)
    run([str(python), "-c", LIBRARY], folder)
    weights = weighed(python)
    total = sum(weights.values())
    site = next((folder / "lib").glob("python*")) / "site-packages"
    bytecode = sum(path.stat().st_size for path in site.rglob("*.pyc"))
    print(
        f"core: {total / MEGA:.0f} MB, and {bytecode / MEGA:.0f} MB that Python compiles;"
        " `graphmemix demo` and a question run"
    )
    for name, size in sorted(weights.items(), key=lambda pair: -pair[1]):
        print(f"  {size / MEGA:6.1f} MB  {name}", flush=True)
    return total


def try_extra(folder: Path, wheel: Path, extra: str, core: int) -> None:
    """Install an extra into an environment of its own and use it; print what it adds."""
    if extra in RESOLVED_ONLY:
        python = installed(folder)
        run([*installer(python), "-q", "--dry-run", f"{wheel}[{extra}]"])
        print(f"{extra}: can be resolved", flush=True)
        return
    python = installed(folder, f"{wheel}[{extra}]")
    run([str(python), "-c", TRIED[extra]], folder)
    print(
        f"{extra}: works, adds {(sum(weighed(python).values()) - core) / MEGA:.0f} MB", flush=True
    )


def installed(folder: Path, *what: str) -> Path:
    """Return the Python of a new environment with this in it; uv installs, if it is there."""
    run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    python = folder / "bin" / "python"
    if what:
        run([*installer(python), "-q", *what])
    return python


def installer(python: Path) -> list[str]:
    """Return the command that installs into an environment, without what is to be installed."""
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", str(python), "--no-config"]
    return [sys.executable, "-m", "pip", "--python", str(python), "install"]


def weighed(python: Path) -> dict[str, int]:
    """Return the bytes of each distribution in an environment."""
    told: dict[str, int] = json.loads(run([str(python), "-c", WEIGH]))
    return told


def run(command: Sequence[str], folder: Path | None = None) -> str:
    """Run a command without this project's own environment; end if it fails."""
    ran = subprocess.run(  # noqa: S603  # our own commands
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**environment(), "HOME": str(folder)} if folder else None,
    )
    if ran.returncode:
        sys.exit(f"{' '.join(command)[:300]}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def environment() -> dict[str, str]:
    """Return an environment in which nothing of this project can be found by accident."""
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


if __name__ == "__main__":
    main()
