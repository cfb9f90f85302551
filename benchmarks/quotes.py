"""How often answers by quotation hold the right answer, on archives that nothing was fitted on.

    python benchmarks/quotes.py --data bundle=DIR [--data locomo=DIR] [--cache DIR]

Each context is judged by coefficients that were fitted without it. Of every question with evidence
it prints, by data set and type:

- words: share of the right answer's words among the quotes; words of the question, stop words and
  what stands in brackets do not count;
- answered: share of the questions with at least 60 % of those words;
- evidence: the same of all words of the evidence, which no quoting can exceed;
- sources: share of the gold memories that are quoted; precision: share of the lines from gold;
- lines: how many there are.

Encoding takes minutes, fitting some minutes more.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphmemix.encode.specs import encoder_of
from graphmemix.llm import run_sync
from graphmemix.optimize.select import forest_of
from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.packet import make_packet
from graphmemix.settings import Settings
from graphmemix.text.stopwords import STOP_WORDS
from graphmemix.verify.local import LocalVerifier
from graphmemix_bench.fitting.calibration import ask_all
from graphmemix_bench.fitting.training_cases import refit_without
from graphmemix_bench.measures.normalise import normalise
from graphmemix_bench.paths import default_cache

if TYPE_CHECKING:
    from graphmemix.evidence import Answer, Packet
    from graphmemix_bench.datasets.base import GoldQuestion
    from graphmemix_bench.fitting.training_cases import AskedCase

ANSWERED = 0.6
IN_BRACKETS = re.compile(r"\([^()]*\)")
STOP = frozenset(STOP_WORDS.split())


class Row(NamedTuple):
    """What became of one question; all but the lines are shares."""

    words: float
    answered: float
    evidence: float
    sources: float
    lines: float
    right_lines: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", action="append", required=True, help="DATASET=FOLDER")
    parser.add_argument("--cache", type=Path, default=default_cache())
    options = parser.parse_args()
    folders = {
        name: Path(place) for name, _, place in (each.partition("=") for each in options.data)
    }
    settings, encoder = Settings.load(environment={}, overrides={}), encoder_of("packaged")
    asked = ask_all(folders, encoder=encoder, cache=options.cache, settings=settings)
    reader = ExtractiveReader(encoder)
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    start = None
    for group in dict.fromkeys(each.lesson.group for each in asked):
        model = refit_without(asked, {group}, encoder.identity, start=start)
        start = start or model
        verifier = LocalVerifier(model, settings)
        for each in asked:
            if each.lesson.group == group and each.question.gold:
                row = _row(each, verifier, reader, settings)
                for name in (each.dataset, f"{each.dataset} {each.question.type}", group):
                    rows[name].append(row)
    for name, found in rows.items():
        _print(name, found)


def _row(
    each: AskedCase, verifier: LocalVerifier, reader: ExtractiveReader, settings: Settings
) -> Row:
    verdict = verifier.judge(each.case)
    assert verdict.terms is not None  # noqa: S101  # for the type checker
    forest = forest_of(verdict.supports, verdict.increments, verdict.terms, settings.forest.method)
    question = each.question.question
    if forest is None:
        return Row(0, 0, 0, 0, 0, 0)
    packet = make_packet(forest, each.case.memories, settings, "", question=question)
    answer = run_sync(reader.read(question, packet)).answer
    return row_of(each.question, answer, packet)


def row_of(question: GoldQuestion, answer: Answer, packet: Packet) -> Row:
    """Compare an answer with the right one."""
    wanted = _words(IN_BRACKETS.sub("", question.answer)) - _words(question.question.text)
    wanted = wanted or _words(question.answer)
    shown = " ".join(f"{b.text} {b.date} {b.place} {b.speaker}" for b in packet.blocks)
    said, held = (len(wanted & _words(text)) / max(1, len(wanted)) for text in (answer.text, shown))
    cited = Counter(citation.memory_id for citation in answer.citations)
    return Row(
        said,
        float(said >= ANSWERED),
        float(held >= ANSWERED),
        len(cited.keys() & question.gold) / len(question.gold),
        cited.total(),
        sum(count for memory_id, count in cited.items() if memory_id in question.gold),
    )


def _words(text: str) -> set[str]:
    return set(normalise(text).split()) - STOP


def _print(name: str, rows: list[Row]) -> None:
    words, answered, evidence, sources, lines, right = np.mean(rows, axis=0).tolist()
    print(
        f"{name:24} {len(rows):5} questions: words {words:.3f}, answered {answered:.3f} "
        f"(evidence {evidence:.3f}), sources {sources:.3f}, "
        f"precision {right / max(lines, 1e-9):.3f}, {lines:.2f} lines"
    )


if __name__ == "__main__":
    main()
