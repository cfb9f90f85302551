"""All baselines by name, with and without a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, get_args

from graphmemix.errors import InvalidInputError
from graphmemix_bench.baselines.amem import open_amem
from graphmemix_bench.baselines.generative_agents import open_generative_agents
from graphmemix_bench.baselines.hipporag import open_hipporag
from graphmemix_bench.baselines.lightmem import open_lightmem
from graphmemix_bench.baselines.memguide import open_memguide, open_memguide48
from graphmemix_bench.baselines.options import BaselineOptions
from graphmemix_bench.baselines.packages import PACKAGES
from graphmemix_bench.baselines.rankgpt import open_rankgpt
from graphmemix_bench.baselines.simple import Kind, Simple
from graphmemix_bench.baselines.universalrag import open_universalrag
from graphmemix_bench.baselines.vimrag import open_vimrag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from graphmemix.encode.protocol import Encoder
    from graphmemix.llm import Chat
    from graphmemix.settings import Settings
    from graphmemix_bench.baselines.protocol import Baseline, BaselineHead


@dataclass(frozen=True)
class BaselineParts:
    """What baselines are made of: the same for all, and the same as for ours.

    Attributes:
        encoder: What makes vectors.
        settings: Of the run.
        chat: The model; None for stand-ins.
        options: Constants of the baselines.
    """

    encoder: Encoder
    settings: Settings
    chat: Chat | None = None
    options: BaselineOptions = field(default_factory=BaselineOptions)


def _simple(kind: Kind) -> Callable[[BaselineParts], Baseline]:
    return lambda parts: Simple(kind, parts.encoder, parts.settings, parts.options)


_SIMPLE: Final[tuple[Kind, ...]] = get_args(Kind)

BASELINES: Final[Mapping[str, Callable[[BaselineParts], Baseline]]] = {
    **{kind: _simple(kind) for kind in _SIMPLE},
    "amem": open_amem,
    "universalrag": open_universalrag,
    "memguide": open_memguide,
    "memguide48": open_memguide48,
    "lightmem": open_lightmem,
    "vimrag": open_vimrag,
    "rankgpt": open_rankgpt,
    "generative_agents": open_generative_agents,
    "hipporag": open_hipporag,
}
"""Name to what opens it. Those that need a model raise `SettingsError` without one."""

NEED_MODEL: Final = frozenset({"vimrag", "rankgpt"})
"""Baselines that have no stand-in."""


def open_baseline(name: str, parts: BaselineParts) -> Baseline:
    """Return a baseline by name, one of `BASELINES` or `PACKAGES`.

    Raises:
        SettingsError: It needs a model, and there is none.
        MissingExtraError: It is a package that is not installed.
    """
    return (BASELINES.get(name) or PACKAGES[name])(parts)


def names_of(wanted: Iterable[str], *, model: bool) -> tuple[str, ...]:
    """Return the baselines that names mean: ``all`` those that can run, ``none`` none.

    Packages of other projects are meant only by their own name.

    Raises:
        InvalidInputError: There is no such baseline.
    """
    found: dict[str, None] = {}
    for name in wanted:
        if name == "all":
            found |= dict.fromkeys(n for n in BASELINES if model or n not in NEED_MODEL)
        elif name in BASELINES or name in PACKAGES:
            found[name] = None
        elif name != "none":
            known = ", ".join((*BASELINES, *PACKAGES))
            raise InvalidInputError(f"baseline must be all, none or one of {known}, not {name!r}")
    return tuple(found)


def expected(
    head: BaselineHead, memories: int, contexts: int, options: BaselineOptions
) -> tuple[str, str]:
    """Return in words how many calls a baseline makes to store memories, and for a question."""
    name = head.name
    if name in _SIMPLE or name == "mempalace" or head.title.endswith("(no model)"):
        return "0", "0"
    written = options.memguide_questions == "written" and name.startswith("memguide")
    building = {
        "amem": f"{2 * memories - contexts:,}",
        "generative_agents": f"{memories:,}",
        "hipporag": f"{memories:,}",
        "lightrag": f"{memories:,}, and merges of descriptions",
        "mem0": f"{memories:,}",
        "lightmem": f"about the memories' tokens / {options.lightmem_window}, and repairs",
    }
    asking = {
        "amem": "0",
        "generative_agents": "0",
        "lightmem": "0",
        "mem0": "0",
        "rankgpt": "4, with the default windows",
        "vimrag": f"2 x searches + 1, at most {options.vimrag_steps} steps; it answers itself",
    }
    return building.get(name, f"{memories:,}" if written else "0"), asking.get(name, "1")
