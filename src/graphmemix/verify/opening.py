"""Opens the verifier that the settings select."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix import registry
from graphmemix.errors import SettingsError
from graphmemix.verify.calibration import Calibration, load_calibration
from graphmemix.verify.llm import LlmVerifier
from graphmemix.verify.local import LocalVerifier, load_model, shipped_model
from graphmemix.verify.opinion import Combination

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
        SettingsError: A model is required and none is configured, or the calibration needs the
            local verifier, which the settings do not allow.
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
    found = _calibration(settings, encoder)
    local = None if use == "never" else local_verifier(settings, encoder)
    weighed = weighs_local(settings, encoder)
    if isinstance(found, Combination):
        if local is None or not weighed:
            raise SettingsError(
                "utility.calibration_file",
                f"{settings.utility.calibration_file} weighs a model's scores together with the "
                "local verifier's, which these settings do not allow",
            )
        if found.support == 0:
            return local  # calibration has shown that this model's scores do not help
    return LlmVerifier(
        chat,
        settings,
        found if isinstance(found, Calibration) else None,
        local=local if weighed else None,
        weights=found if isinstance(found, Combination) else None,
        degrade_to=local if settings.verifier.degrade else None,
        known_caption=known_caption,
    )


def weighs_local(settings: Settings, encoder: str) -> bool:
    """Return whether a model's scores are weighed together with the local verifier's chances.

    If so, the model reads the likeliest candidates; if not, all of them. A calibration of the
    model's scores alone, from an earlier version, goes on as it was fitted.

    Raises:
        InvalidInputError: `utility.calibration_file` cannot be used.
    """
    if not settings.verifier.with_local or settings.local.use == "never":
        return False
    return not isinstance(_calibration(settings, encoder), Calibration)


def _calibration(settings: Settings, encoder: str) -> Calibration | Combination | None:
    file = settings.utility.calibration_file
    return load_calibration(Path(file), encoder) if file else None


def local_verifier(settings: Settings, encoder: str) -> LocalVerifier:
    """Return the local verifier with the coefficients from the settings."""
    file = settings.local.model_file
    model = load_model(Path(file)) if file else shipped_model(encoder)
    return LocalVerifier(model, settings)
