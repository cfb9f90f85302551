"""Speech for tests, made by espeak-ng offline."""

from __future__ import annotations

import ctypes
import wave
from pathlib import Path
from typing import Any

import numpy as np

_RETRIEVAL = 1  # espeak's mode: hand samples to a callback, play nothing
_RATE = 1  # espeak's number of the parameter: words a minute
_samples: list[Any] = []


def _take(samples: Any, count: int, _events: Any) -> int:
    if samples and count > 0:
        _samples.append(np.ctypeslib.as_array(samples, (count,)).copy())
    return 0


_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)(_take)


def say(words: str, path: Path) -> Path:
    """Write a WAV file in which somebody says this."""
    import espeakng_loader

    library = ctypes.cdll.LoadLibrary(str(espeakng_loader.get_library_path()))
    data = str(espeakng_loader.get_data_path()).encode()
    hertz = library.espeak_Initialize(_RETRIEVAL, 0, data, 0)
    assert hertz > 0
    library.espeak_SetSynthCallback(_CALLBACK)
    assert library.espeak_SetVoiceByName(b"en-us") == 0
    library.espeak_SetParameter(_RATE, 140, 0)
    _samples.clear()
    text = words.encode()
    assert library.espeak_Synth(text, len(text) + 1, 0, 0, 0, 1, None, None) == 0
    library.espeak_Synchronize()
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(hertz)
        out.writeframes(np.concatenate(_samples).tobytes())
    return path
