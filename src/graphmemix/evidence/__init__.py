"""The data of one question: candidates, scores, links, the forest, the answer, the trace.

Everything here is frozen and survives JSON unchanged, so that a `Trace` can be saved, shown and
replayed without any model. Memories are referenced by id.
"""

from graphmemix.evidence.forest import (
    MAX_SUPPORT,
    Candidate,
    CandidateGraph,
    Edge,
    EvidenceNode,
    EvidenceTree,
    Forest,
    Increment,
    Provenance,
    Relation,
    Role,
    Scale,
    Support,
    Terms,
    UnknownName,
    evidence_chance,
)
from graphmemix.evidence.question import Question, QuestionImage, Turn
from graphmemix.evidence.rows import EvidenceRow
from graphmemix.evidence.trace import Answer, Block, Citation, Packet, StageCost, Trace

__all__ = [
    "Answer",
    "Block",
    "Candidate",
    "CandidateGraph",
    "Citation",
    "Edge",
    "EvidenceNode",
    "EvidenceRow",
    "EvidenceTree",
    "Forest",
    "Increment",
    "MAX_SUPPORT",
    "Packet",
    "Provenance",
    "Question",
    "QuestionImage",
    "Relation",
    "Role",
    "Scale",
    "StageCost",
    "Support",
    "Terms",
    "Trace",
    "Turn",
    "UnknownName",
    "evidence_chance",
]
