"""Scores candidates and the links between them, by a language model or a small local one."""

from graphmemix.verify.calibration import Calibration
from graphmemix.verify.llm import LlmVerifier
from graphmemix.verify.protocol import Case, EligibleAnchor, Verdict, Verifier, make_case

__all__ = [
    "Calibration",
    "Case",
    "EligibleAnchor",
    "LlmVerifier",
    "Verdict",
    "Verifier",
    "make_case",
]
