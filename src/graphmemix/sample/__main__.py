"""``python -m graphmemix.sample FOLDER`` writes the sample archive."""

from __future__ import annotations

import sys

from graphmemix.sample.build import build


def main() -> int:
    """Write the sample archive below the folder that the command line names."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print("usage: python -m graphmemix.sample FOLDER", file=sys.stderr)  # noqa: T201
        return 2
    try:
        sample = build(sys.argv[1])
    except OSError as error:
        print(f"{sys.argv[1]}: {error.strerror}", file=sys.stderr)  # noqa: T201
        return 2
    count = sum(path.is_file() for path in sample.files.rglob("*"))
    print(f"{count} files in {sample.files}, {len(sample.questions)} questions beside it")  # noqa: T201
    print(f"ingest it with --zone {sample.zone}")  # noqa: T201
    for note in sample.notes:
        print(note)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
