"""What one question collects on its way: candidates, scores, links, the forest, the answer.

Everything here is frozen and goes through JSON unchanged, so that a `Trace` can be saved, shown and
replayed without any model. Memories are named by id throughout. A file holds what one stage adds.
"""

from graphmemix.evidence.answer import Answer, Block, Citation, Packet
from graphmemix.evidence.candidates import Candidate, CandidateGraph, Edge, Provenance, Relation
from graphmemix.evidence.forest import EvidenceNode, EvidenceTree, Forest, Terms
from graphmemix.evidence.question import Question, QuestionImage, Turn
from graphmemix.evidence.trace import StageCost, Trace
from graphmemix.evidence.verdicts import MAX_SUPPORT, Increment, Role, Scale, Support

__all__ = [
    "Answer",
    "Block",
    "Candidate",
    "CandidateGraph",
    "Citation",
    "Edge",
    "EvidenceNode",
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
]
