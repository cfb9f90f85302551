"""The fitted regressions of the local verifier for one sort of archive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.record import Record
from graphmemix.verify.feature_names import ANSWERABLE, NODE, OWN, PAIR, SECOND
from graphmemix.verify.links import Chances
from graphmemix.verify.logistic import Logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphmemix.verify.features import Features

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Regressions(Record):
    """What features are worth, in conversations or in archives of many kinds.

    Attributes:
        own: Probability that a candidate is evidence, by what it is itself.
        node: The same at first sight of all candidates.
        second: The same at a second look, which knows how likely the candidates around it are.
        pair: Probability that a candidate is evidence, given that its anchor is.
        answerable: Probability that the archive holds the answer to a question about it; None if it
            could not be fitted.
    """

    own: Logistic
    node: Logistic
    second: Logistic
    pair: Logistic
    answerable: Logistic | None = None

    def __post_init__(self) -> None:
        require_features("own", self.own, [*OWN])
        require_features("node", self.node, [*NODE])
        require_features("second", self.second, [*SECOND])
        require_features("pair", self.pair, [*PAIR])
        if self.answerable is not None:
            require_features("answerable", self.answerable, [*ANSWERABLE])

    def chances_of(self, features: Features) -> Chances:
        """Return the chances of all candidates to be evidence.

        A mail that many got owes nothing to what lies around it: a newsletter of the same days
        belongs to no event.
        """
        alone = self.own.probability(features.own)
        at_first_sight = self.node.probability(features.nodes)
        beside = self.second.probability(features.second_look(at_first_sight))
        return Chances(alone, np.where(features.is_bulk, np.minimum(alone, beside), beside))


def require_features(what: str, model: Logistic, names: Sequence[str]) -> None:
    """Raise `InvalidDataError` if a regression is not of these features, in this order."""
    if list(model.weights) != list(names):
        raise InvalidDataError(f"{what}: was fitted with other features; fit it again")
