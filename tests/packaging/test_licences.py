"""Every dependency that is declared is on the page of licences, and copyleft is judged."""

from __future__ import annotations

import re

import pytest
from packaging.utils import canonicalize_name
from tools import licences

from tests.packaging.project import ROOT

PAGE = (ROOT / "docs" / "licences.md").read_text("utf-8")
GROUPS = licences.declared()


def section(heading: str) -> dict[str, str]:
    """Return the licences below a heading, by package."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    assert found, heading
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|$", found[1], re.MULTILINE))


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_a_declared_dependency_is_listed_with_its_licence(group: str) -> None:
    core = section("Core")
    listed = core if group == "core" else core | section(f"Extra `{group}`")
    for requirement in GROUPS[group]:
        assert listed.get(canonicalize_name(requirement.name)), (
            f"{requirement.name} is missing: run python tools/licences.py"
        )


def test_the_page_has_no_extra_that_is_gone() -> None:
    assert set(re.findall(r"^## Extra `(.+)`$", PAGE, re.MULTILINE)) == set(GROUPS) - {"core"}


def test_what_is_copyleft_is_judged() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|$", PAGE, re.MULTILINE)
    copyleft = {name for name, terms in rows if licences.COPYLEFT.search(terms)}
    judged = re.search(r"^## Copyleft\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    assert judged
    assert copyleft == set(re.findall(r"^\| `([^`]+)`", judged[1], re.MULTILINE))


def test_nothing_is_under_the_gpl_by_its_own_terms() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|$", PAGE, re.MULTILINE)
    assert not [name for name, terms in rows if re.search(r"\bA?GPL", terms)]


def test_an_unknown_package_is_not_passed_over() -> None:
    with pytest.raises(SystemExit, match="no-such-package: is not installed"):
        licences.licence("no-such-package")
