from __future__ import annotations

import importlib
import importlib.resources
import pkgutil

import pytest

import graphmemix
import graphmemix_bench


def packages_with_all() -> list[str]:
    return [
        name
        for package in (graphmemix, graphmemix_bench)
        for name in (
            package.__name__,
            *(
                info.name
                for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
                if info.ispkg
            ),
        )
    ]


def test_the_exported_names_are_exactly_those_of_all() -> None:
    assert {*graphmemix._HOME_OF, "__version__"} == set(graphmemix.__all__)
    assert set(graphmemix.__all__) <= set(dir(graphmemix))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Archives'"):
        _ = graphmemix.Archives


@pytest.mark.parametrize("name", packages_with_all())
def test_every_package_has_one_sorted_all_whose_names_exist(name: str) -> None:
    package = importlib.import_module(name)
    assert package.__all__ == sorted(package.__all__)
    assert len(package.__all__) == len(set(package.__all__))
    for exported in package.__all__:
        assert hasattr(package, exported)


def test_the_package_is_typed() -> None:
    assert (importlib.resources.files(graphmemix) / "py.typed").is_file()
