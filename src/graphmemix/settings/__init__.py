"""All settings: the constants of the method and the user's choices, typed.

Settings come from four layers, later ones win: the profile (``default`` or ``paper``), a TOML file,
environment variables ``GRAPHMEMIX_SECTION__KEY``, and arguments::

    Settings.load()  # profile "default", the user's file, the environment
    Settings.load(file="my.toml", overrides={"forest.budget": 8})
    Settings.load(overrides={"profile": "paper"})

Profile ``paper`` is the published method: everything that METHOD marks "(ours)" is off.
"""

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
from graphmemix.settings.loading import Profile, Settings, describe_settings, user_file
from graphmemix.settings.retrieval import (
    EncoderSettings,
    EventBridgeSettings,
    GraphSettings,
    ReachSettings,
    RecordGroundingSettings,
    RetrievalSettings,
    SameRecordSettings,
    ViewSettings,
)

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
    "ReachSettings",
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
