from __future__ import annotations

import importlib
import importlib.resources
import pkgutil
from types import ModuleType

import pytest

import graphmemix


def public_names(module: ModuleType) -> set[str]:
    """Names that were imported or defined on purpose: no modules, nothing private."""
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }


def packages_with_all() -> list[str]:
    below = pkgutil.walk_packages(graphmemix.__path__, "graphmemix.")
    return ["graphmemix", *(info.name for info in below if info.ispkg)]


def test_the_exported_names_are_exactly_those_of_all() -> None:
    assert public_names(graphmemix) | {"__version__"} == set(graphmemix.__all__)


@pytest.mark.parametrize("name", packages_with_all())
def test_every_package_has_one_sorted_all_whose_names_exist(name: str) -> None:
    package = importlib.import_module(name)
    assert package.__all__ == sorted(package.__all__)
    assert len(package.__all__) == len(set(package.__all__))
    for exported in package.__all__:
        assert hasattr(package, exported)


def test_the_package_is_typed() -> None:
    assert (importlib.resources.files(graphmemix) / "py.typed").is_file()
