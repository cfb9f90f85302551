"""Loads settings from four layers; later layers win, unknown keys are rejected."""

from __future__ import annotations

import os
import re
import tomllib
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, Field, ValidationError

from graphmemix.errors import SettingsError
from graphmemix.settings.answering import (
    LimitSettings,
    LocalSettings,
    ModelSettings,
    ReaderSettings,
    TraceSettings,
    VerifierSettings,
)
from graphmemix.settings.forest import (
    EdgeSettings,
    ForestSettings,
    SelectorSettings,
    UtilitySettings,
)
from graphmemix.settings.ingest import IngestSettings
from graphmemix.settings.retrieval import (
    EncoderSettings,
    GraphSettings,
    RetrievalSettings,
    ViewSettings,
)
from graphmemix.settings.sections import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

Profile: TypeAlias = Literal["default", "paper"]

ENVIRONMENT_PREFIX: Final = "GRAPHMEMIX_"
# Variables with our prefix that are not settings: the paths of the settings file and of benchmark
# data, and secrets, which must not appear in files that are shown.
_OTHER_VARIABLES: Final = frozenset(
    {"GRAPHMEMIX_CONFIG", "GRAPHMEMIX_BENCH_DATA", "GRAPHMEMIX_ENCODER_KEY"}
)


class Settings(Section):
    """All settings. Frozen; `load` reads them, `flat` lists them."""

    profile: Profile = Field(
        default="default",
        description="Which defaults to start from: default, or paper for the published method.",
    )
    ingest: IngestSettings = IngestSettings()
    encoder: EncoderSettings = EncoderSettings()
    views: ViewSettings = ViewSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    graph: GraphSettings = GraphSettings()
    utility: UtilitySettings = UtilitySettings()
    edges: EdgeSettings = EdgeSettings()
    forest: ForestSettings = ForestSettings()
    selectors: SelectorSettings = SelectorSettings()
    verifier: VerifierSettings = VerifierSettings()
    reader: ReaderSettings = ReaderSettings()
    model: ModelSettings = ModelSettings()
    local: LocalSettings = LocalSettings()
    limits: LimitSettings = LimitSettings()
    traces: TraceSettings = TraceSettings()

    @classmethod
    def load(
        cls,
        *,
        file: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
        overrides: Mapping[str, object] | None = None,
    ) -> Settings:
        """Return the settings merged from all layers.

        Args:
            file: A TOML file that must exist. None: the file that ``GRAPHMEMIX_CONFIG`` names, or
                else the user's own (`user_file`) if there is one.
            environment: Variables to read; None for those of this process.
            overrides: Dotted keys to values, such as ``{"forest.budget": 8}``.

        Raises:
            SettingsError: A key is unknown or a value is invalid; suggests the closest key.
        """
        variables = os.environ if environment is None else environment
        layers = [
            _from_file(file, variables),
            _from_environment(variables),
            {key: value for key, value in (overrides or {}).items() if value is not None},
        ]
        merged: dict[str, object] = {}
        for layer in layers:
            for key, value in layer.items():
                merged[_known(key)] = value
        profile = merged.get("profile", "default")
        if profile not in _PROFILES:
            names = ", ".join(get_args(Profile))
            raise SettingsError("profile", f"must be one of {names}, not {profile!r}")
        return cls._from_flat({**_PROFILES[profile], **merged})

    @classmethod
    def for_profile(cls, profile: Profile) -> Settings:
        """Return the settings of a profile, ignoring files and environment."""
        return cls._from_flat({**_PROFILES[profile], "profile": profile})

    @classmethod
    def _from_flat(cls, values: Mapping[str, object]) -> Settings:
        tree: dict[str, Any] = {}
        for key, value in values.items():
            if isinstance(value, str) and _UNUSABLE.search(value):
                raise SettingsError(key, "contains a NUL or an unpaired surrogate")
            *sections, name = key.split(".")
            node = tree
            for section in sections:
                node = node.setdefault(section, {})
            node[name] = value
        try:
            return cls.model_validate(tree)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            key = ".".join(str(part) for part in fault["loc"])
            shown = "" if key.endswith("api_key") else f", not {fault['input']!r}"
            raise SettingsError(key, f"{fault['msg']}{shown}") from None

    def flat(self) -> dict[str, object]:
        """Return all settings by dotted key."""
        return {key: _lookup(self, key) for key in _known_keys()}


_UNUSABLE: Final = re.compile(r"[\x00\ud800-\udfff]")
# Profile `paper` turns off everything marked (ours).
_PROFILES: Final[dict[Profile, dict[str, object]]] = {
    "default": {},
    "paper": {
        "encoder.model": "minilm",
        "retrieval.mode": "dense",
        "retrieval.weigh_words": False,
        "retrieval.duplicate_bits": 0,
        "views.context": False,
        "views.transcript": False,
        "graph.unretrieved_score": "floor",
        "graph.own_relations": False,
        "graph.reach.on": False,
        "forest.method": "published",
        "verifier.at_once": True,
        "verifier.degrade": False,
        "verifier.with_local": False,
        "verifier.prompts": "published",
        "verifier.repair_unknown": False,
        "verifier.decoding": "json_object",
        "reader.show_date_and_place": False,
        "reader.ask_for_citations": False,
    },
}


def user_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the path of the user's settings file: ``~/.config/graphmemix/config.toml``."""
    variables = os.environ if environment is None else environment
    base = (
        variables.get("XDG_CONFIG_HOME")
        or Path(variables.get("HOME", "~")).expanduser() / ".config"
    )
    return Path(base) / "graphmemix" / "config.toml"


def describe_settings() -> Iterator[tuple[str, FieldInfo]]:
    """Yield each dotted key with its field: default, description, unit and source."""
    yield from _fields(Settings)


def _fields(section: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, info in section.model_fields.items():
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _fields(kind, f"{prefix}{name}.")
        else:
            yield prefix + name, info


@cache
def _known_keys() -> tuple[str, ...]:
    return tuple(key for key, _ in _fields(Settings))


def _known(key: str, shown: str | None = None) -> str:
    """Return `key` if it is a setting; otherwise raise, suggesting the closest key."""
    known = _known_keys()
    if key in known:
        return key
    # A missing section is the most common mistake, so bare names are compared too.
    by_name = {candidate.rpartition(".")[2]: candidate for candidate in known}
    close = get_close_matches(key, known, n=1) or [
        by_name[name] for name in get_close_matches(key.rpartition(".")[2], by_name, n=1)
    ]
    hint = f"did you mean '{close[0]}'?" if close else "`graphmemix config` lists all keys"
    raise SettingsError(shown or key, f"unknown setting; {hint}")


def _lookup(section: BaseModel, key: str) -> object:
    value: object = section
    for name in key.split("."):
        value = getattr(value, name)
    return value


def _from_file(file: str | Path | None, variables: Mapping[str, str]) -> dict[str, object]:
    named = file if file is not None else variables.get("GRAPHMEMIX_CONFIG")
    path = Path(named) if named else user_file(variables)
    if not named and not path.is_file():
        return {}
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(str(path), f"cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), f"is not valid TOML: {error}") from None
    return dict(_flattened(tree))


def _flattened(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _from_environment(variables: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for variable, text in variables.items():
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in _OTHER_VARIABLES:
            key = variable.removeprefix(ENVIRONMENT_PREFIX).lower().replace("__", ".")
            found[_known(key, shown=variable)] = text
    return found
