"""Every constant of the method and every choice that a user can make, typed, in one place.

Settings come from four layers, the later wins: the profile (``default`` or ``paper``), a TOML file,
environment variables ``GRAPHMEMIX_SECTION__KEY``, and arguments::

    Settings.load()  # profile "default", the user's file, the environment
    Settings.load(file="my.toml", overrides={"forest.budget": 8})
    Settings.load(overrides={"profile": "paper"})

Profile ``paper`` is the published method: everything that METHOD marks "(ours)" is off.
"""

from graphmemix.settings.forest import (
    EdgeSettings,
    ForestSettings,
    SelectorSettings,
    UtilitySettings,
)
from graphmemix.settings.graph import (
    EventBridgeSettings,
    GraphSettings,
    RecordGroundingSettings,
    SameRecordSettings,
)
from graphmemix.settings.ingest import IngestSettings
from graphmemix.settings.loading import Profile, Settings, describe_settings, user_file
from graphmemix.settings.local import LocalSettings
from graphmemix.settings.models import LimitSettings, ModelSettings
from graphmemix.settings.reading import ReaderSettings, VerifierSettings
from graphmemix.settings.retrieval import EncoderSettings, RetrievalSettings, ViewSettings
from graphmemix.settings.traces import TraceSettings

__all__ = [
    "EdgeSettings",
    "EncoderSettings",
    "EventBridgeSettings",
    "ForestSettings",
    "GraphSettings",
    "IngestSettings",
    "LimitSettings",
    "LocalSettings",
    "ModelSettings",
    "Profile",
    "ReaderSettings",
    "RecordGroundingSettings",
    "RetrievalSettings",
    "SameRecordSettings",
    "SelectorSettings",
    "Settings",
    "TraceSettings",
    "UtilitySettings",
    "VerifierSettings",
    "ViewSettings",
    "describe_settings",
    "user_file",
]
