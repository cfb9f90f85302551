"""What an encoder promises: texts and images become unit vectors in one space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float32]"
"""One unit vector a row."""

Progress: TypeAlias = "Callable[[int, int], None]"
"""Called with how many are done and how many there are."""


class Encoder(Protocol):
    """Turns texts and, if it sees images, pictures into unit vectors.

    The same input gives the same vector, whatever else is encoded with it. The identity names the
    model and everything that changes its vectors; two encoders of one identity are interchangeable.
    """

    @property
    def identity(self) -> str:
        """A stable name, such as ``minilm-l6-v2-int8``."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    @property
    def sees_images(self) -> bool:
        """Whether `images` works; if not, pictures are found by their words alone."""

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text. Empty text is allowed; too long text is cut.

        Raises:
            EncoderError: The model or its server failed.
        """

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per encoded picture (JPEG, PNG, WebP, …).

        Raises:
            InvalidDataError: A picture cannot be decoded; names which.
            EncoderError: The model failed, or it does not see images.
        """


class JointEncoder(Encoder, Protocol):
    """An encoder that can also read a text and a picture as one thing."""

    def together(
        self, texts: Sequence[str], images: Sequence[bytes], *, progress: Progress | None = None
    ) -> Matrix:
        """Return one unit vector per pair of a text and an encoded picture.

        Raises:
            InvalidInputError: There are more of one than of the other.
            InvalidDataError: A picture cannot be decoded; names which.
            EncoderError: The model failed.
        """


def question_vectors(encoder: Encoder, texts: Sequence[str]) -> Matrix:
    """Return one unit vector per question: of `questions` if the encoder has it, else of `texts`.

    Some encoders read a question in another way than what answers it.
    """
    asking = getattr(encoder, "questions", None) if hasattr(type(encoder), "questions") else None
    return cast("Matrix", asking(texts)) if asking is not None else encoder.texts(texts)


def scores_alike(identity: str, other: str) -> bool:
    """Return whether what was fitted to the scores of one encoder holds for another.

    Behind a ``+`` an identity says how its model is computed, such as ``+int8/…``: other vectors in
    their last digits, and the same scores for anything that is fitted to them.
    """
    return identity.partition("+")[0] == other.partition("+")[0]


def joint(encoder: Encoder) -> JointEncoder | None:
    """Return an encoder as a joint one, if it is one."""
    # By its name alone: `isinstance` would work out the identity, which may read gigabytes.
    return cast("JointEncoder", encoder) if hasattr(type(encoder), "together") else None
