"""METHOD sections 3 to 5 in numbers, with profile ``paper``, to be checked with a calculator.

The question "Which hotel in Lisbon?" has four candidates with retrieval scores s. The node verifier
gives v, and by eq. 14 p = sigmoid(5.2 * (0.8 s + 0.2 v / 5 - 0.7)), which is
sigmoid(4.16 s + 0.208 v - 3.64):

====  ====  =  ======================================  ===========  ======
id    s     v  4.16 s + 0.208 v - 3.64                 sigmoid  p   ~ with 4.2, 0.2, 3.6
====  ====  =  ======================================  ===========  ======
m-a   0.75  5  3.1200 + 1.040 - 3.64 =  0.5200         0.627148     0.634136
m-b   0.72  0  2.9952 + 0.000 - 3.64 = -0.6448         0.344162     0.359854
m-c   0.55  3  2.2880 + 0.624 - 3.64 = -0.7280         0.325634     0.334033
m-d   0.40  0  1.6640 + 0.000 - 3.64 = -1.9760         0.121746     0.127862
====  ====  =  ======================================  ===========  ======

The edge verifier says that m-c adds a new fact to m-a, with incremental support 4. So
w = 0.99 * 4 / 5 = 0.792 and c = -ln 0.792 = 0.233194. With kappa = 0.2 and lambda = 0.1 the link
gains B = 0.2 - 0.0233194 = 0.176681 in the proposal of K = 2:

- the two of highest p, m-a and m-b, are worth 0.627148 + 0.344162 - 2 * 0.2 = 0.571310,
- m-a with m-c, 0.627148 + 0.325634 - 2 * 0.2 + 0.176681 = 0.729463, the best of all pairs.

In the refinement kappa is 0.12: both together are worth 0.952782 - 0.24 + 0.096681 = 0.809463, and
m-a alone 0.627148 - 0.12 = 0.507148. Both stay, in one tree, with m-a at its root.
"""

from __future__ import annotations

import pytest

from graphmemix.llm import run_sync
from graphmemix.optimize import select
from graphmemix.verify import LlmVerifier
from graphmemix.verify.calibration import sigmoid
from tests.verify.cases import PAPER, SCORES, model, small_case

P = (0.627148, 0.344162, 0.325634, 0.121746)
ROUNDED = (0.634136, 0.359854, 0.334033, 0.127862)


def test_utilities_and_the_trusted_link_are_those_of_the_text() -> None:
    verdict = run_sync(LlmVerifier(model(), PAPER).verify(small_case()))
    assert [support.utility for support in verdict.supports] == pytest.approx(P, abs=1e-6)
    trusted = [increment for increment in verdict.increments if increment.weight]
    assert [(each.memory_id, each.anchor_id) for each in trusted] == [("m-c", "m-a")]
    assert trusted[0].weight == pytest.approx(0.792)


def test_the_short_form_of_the_formula_is_the_same_within_rounding() -> None:
    values = [sigmoid(4.2 * s + 0.2 * v - 3.6) for s, v in zip(SCORES, (5, 0, 3, 0), strict=True)]
    assert values == pytest.approx(ROUNDED, abs=1e-6)
    assert values == pytest.approx(P, abs=0.02)


def test_the_forest_is_that_of_the_text() -> None:
    verdict = run_sync(LlmVerifier(model(), PAPER).verify(small_case()))
    place = {support.memory_id: index for index, support in enumerate(verdict.supports)}
    links = [
        (place[each.anchor_id], place[each.memory_id], each.weight)
        for each in verdict.increments
        if each.weight and each.anchor_id
    ]
    prizes = [support.utility for support in verdict.supports]
    selection = select(prizes, links, budget=2, method=PAPER.forest.method)
    assert selection.objective_before == pytest.approx(0.571310, abs=2e-6)
    assert selection.objective_after == pytest.approx(0.729463, abs=2e-6)
    assert selection.refinement.objective == pytest.approx(0.809463, abs=2e-6)
    assert selection.order == (0, 2)
    assert selection.roots == (0,)
