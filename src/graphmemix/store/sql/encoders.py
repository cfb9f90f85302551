"""The encoders of an archive: one serves, another may be on its way (see `rebuild`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.errors import EncoderMismatchError, InvalidDataError
from graphmemix.store.backend import StoredEncoder
from graphmemix.store.sanitize import require_name

if TYPE_CHECKING:
    from graphmemix.store.backend import Session
    from graphmemix.store.protocol import Derived

MOST_DIMENSIONS: Final = 4000
"""Rows of more float16 numbers do not fit into a PostgreSQL page."""


def serving_encoder(session: Session) -> StoredEncoder | None:
    """Return the encoder whose vectors are searched; None if there are no vectors yet."""
    rows = session.run(
        "SELECT encoder, identity, dimension FROM encoders WHERE archive = :archive AND serving = 1"
    )
    return StoredEncoder(*rows[0]) if rows else None


def encoder_of(session: Session, derived: Derived) -> StoredEncoder | None:
    """Return the encoder of `derived`, None if it has no vectors; the first one serves.

    Raises:
        EncoderMismatchError: There are vectors of another one.
    """
    first = next((vector for vector in derived.vectors if vector is not None), None)
    if first is None:
        return None
    serving = serving_encoder(session)
    if serving is not None:
        if serving.identity == derived.encoder:
            return serving
        if _is_used(session, serving.number):
            raise EncoderMismatchError(serving.identity, derived.encoder)
        session.run("DELETE FROM encoders WHERE archive = :archive")
    return new_encoder(session, derived.encoder, np.size(first), serving=True)


def _is_used(session: Session, encoder: int) -> bool:
    """Return whether there are vectors of this encoder."""
    return bool(
        session.run(
            "SELECT 1 FROM vectors WHERE archive = :archive AND encoder = :encoder LIMIT 1",
            encoder=encoder,
        )
    )


def new_encoder(session: Session, identity: str, dimension: int, *, serving: bool) -> StoredEncoder:
    """Add an encoder and return it.

    Raises:
        InvalidDataError: Its identity or dimension cannot be stored.
    """
    require_name("encoder", identity)
    if not 1 <= dimension <= MOST_DIMENSIONS:
        raise InvalidDataError(
            f"encoder {identity!r}: 1 to {MOST_DIMENSIONS} dimensions, not {dimension}"
        )
    rows = session.run("SELECT MAX(encoder) FROM encoders WHERE archive = :archive")
    number = (rows[0][0] or 0) + 1
    session.run(
        "INSERT INTO encoders (archive, encoder, identity, dimension, serving) "
        "VALUES (:archive, :encoder, :identity, :dimension, :serving)",
        encoder=number,
        identity=identity,
        dimension=dimension,
        serving=int(serving),
    )
    return StoredEncoder(number, identity, dimension)
