"""Opens the verifier that the settings select."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix import registry
from graphmemix.errors import SettingsError
from graphmemix.verify.calibration import load_calibration
from graphmemix.verify.llm import LlmVerifier
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.local_model import load_model, shipped_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmemix.llm.chat import Chat
    from graphmemix.settings import Settings
    from graphmemix.verify.protocol import Verifier


def open_verifier(
    settings: Settings,
    chat: Chat | None,
    encoder: str,
    *,
    known_caption: Callable[[str], str] | None = None,
) -> Verifier:
    """Return the verifier for these settings.

    Args:
        settings: `verifier.plugin` names a verifier of another package; without one, `local.use`
            selects when the local verifier is used.
        chat: The language model; None if none is configured.
        encoder: The identity of the archive's encoder, which the coefficients must match.
        known_caption: Returns the archive's caption of a picture by SHA-256; saves model calls.

    Raises:
        SettingsError: A model is required and none is configured.
        InvalidInputError: `local.model_file` or `utility.calibration_file` cannot be used, or no
            installed package has the verifier of `verifier.plugin`.
    """
    if settings.verifier.plugin:
        plugin: Verifier = registry.load("verifiers", settings.verifier.plugin)(settings)
        return plugin
    use = settings.local.use
    if use == "always" or (chat is None and use != "never" and settings.profile != "paper"):
        return local_verifier(settings, encoder)
    if chat is None:
        raise SettingsError(
            "model.base_url",
            "no model is set, and these settings do not allow the local verifier; "
            "name a server, or set local.use to always",
        )
    degrades = settings.verifier.degrade and use != "never"
    fallback = local_verifier(settings, encoder) if degrades else None
    file = settings.utility.calibration_file
    calibration = load_calibration(Path(file), encoder) if file else None
    return LlmVerifier(
        chat, settings, calibration, degrade_to=fallback, known_caption=known_caption
    )


def local_verifier(settings: Settings, encoder: str) -> LocalVerifier:
    """Return the local verifier with the coefficients from the settings."""
    file = settings.local.model_file
    model = load_model(Path(file)) if file else shipped_model(encoder)
    return LocalVerifier(model, settings)
