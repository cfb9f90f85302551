"""Plugins by name: encoders, importers, stores, verifiers and readers.

A plugin is a callable named by an entry point. Those of this package are listed here, so that a
stale installation cannot lose them and looking one up imports nothing else. Those of other packages
are found by their metadata, in the group ``graphmemix.encoders`` and so on::

    [project.entry-points."graphmemix.encoders"]
    mine = "my_package.encoder:make"

How each group is called:

- ``encoders``: with the text after the colon of ``mine:text``, or an empty string; returns an
  `Encoder`.
- ``importers``: without arguments, or with `zone` if it accepts one; returns an `Importer`.
- ``stores``, named by the URL scheme: like `open_store`; returns a `Store`.
- ``verifiers``, named by the setting `verifier.plugin`: with the settings; returns a `Verifier`.
- ``readers``, named by the setting `reader.plugin`: with the settings; returns a `Reader`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from graphmemix.errors import GraphMemixError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Group", "load", "names"]

Group: TypeAlias = Literal["encoders", "importers", "stores", "verifiers", "readers"]

_BUILT_IN: Final[Mapping[Group, Mapping[str, str]]] = {
    "encoders": {
        "clip": "graphmemix.encode.specs:clip",
        "endpoint": "graphmemix.encode.specs:endpoint",
        "gme": "graphmemix.encode.specs:gme",
        "hashing": "graphmemix.encode.specs:hashing",
        "minilm": "graphmemix.encode.specs:minilm",
        "multilingual": "graphmemix.encode.specs:packaged",
        "packaged": "graphmemix.encode.specs:packaged",
        "prepared": "graphmemix.encode.batch.prepared:prepared",
        "torch": "graphmemix.encode.specs:torch",
        "transformers": "graphmemix.encode.specs:transformers",
    },
    "stores": {
        "folder": "graphmemix.store.location:open_store",
        "postgres": "graphmemix.store.location:open_store",
        "postgresql": "graphmemix.store.location:open_store",
    },
}


def names(group: Group) -> tuple[str, ...]:
    """Return the sorted names of all installed plugins of a group, without importing them."""
    return tuple(sorted({*_own(group), *entry_points(group=_full(group)).names}))


def load(group: Group, name: str) -> Callable[..., Any]:
    """Import a plugin and return its factory.

    Built-in names cannot be overridden. Reading the metadata of all installed packages takes
    milliseconds, so it is done for other names only.

    Raises:
        InvalidInputError: The name is unknown, two packages provide it, or the import failed.
        MissingExtraError: A built-in plugin needs an extra.
    """
    if name in _own(group):
        return _imported(EntryPoint(name, _own(group)[name], _full(group)))
    found = list(entry_points(group=_full(group), name=name))
    if not found:
        known = ", ".join(names(group)) or "none"
        raise InvalidInputError(f"{group}: there is no {name!r}; installed: {known}")
    if len({entry.value for entry in found}) > 1:
        offers = ", ".join(sorted(_origin(entry) for entry in found))
        raise InvalidInputError(f"{group}: {name!r} is provided by {offers}; uninstall all but one")
    return _imported(found[0])


def _imported(entry: EntryPoint) -> Callable[..., Any]:
    try:
        made = entry.load()
    except GraphMemixError:
        raise
    except Exception as error:  # another package's import may raise anything
        raise InvalidInputError(
            f"{entry.name!r} of {_origin(entry)} cannot be imported: {error!r}"
        ) from error
    if not callable(made):
        raise InvalidInputError(f"{entry.name!r} of {_origin(entry)} is not callable")
    return made  # type: ignore[no-any-return]


def _origin(entry: EntryPoint) -> str:
    return f"{entry.dist.name} ({entry.value})" if entry.dist else entry.value


def _own(group: Group) -> Mapping[str, str]:
    if group not in get_args(Group):
        raise InvalidInputError(f"unknown plugin group {group!r}")
    return _BUILT_IN.get(group, {})


def _full(group: Group) -> str:
    return f"graphmemix.{group}"
