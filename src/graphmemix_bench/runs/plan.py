"""The description of a benchmark run: the data, who takes part, what is measured."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from graphmemix.errors import InvalidInputError, SettingsError
from graphmemix.read import ExtractiveReader, LlmReader
from graphmemix.verify.llm import LlmVerifier
from graphmemix.verify.opening import local_verifier
from graphmemix_bench.baselines.catalogue import BaselineParts, open_baseline
from graphmemix_bench.baselines.options import BaselineOptions
from graphmemix_bench.datasets.bundle import question_row
from graphmemix_bench.datasets.catalogue import Dataset, dataset_of
from graphmemix_bench.datasets.counts import CountCheck, check, count
from graphmemix_bench.fitting.training_cases import fingerprint
from graphmemix_bench.judge import judge_identity
from graphmemix_bench.reports.published import published_counts
from graphmemix_bench.runs.artefacts import NOT_DECIDING, RunHead, content_hash
from graphmemix_bench.runs.ladder import Rung, rungs_of
from graphmemix_bench.runs.stages import Asked, VerifierKind, asked_of, require_distinct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from graphmemix.encode.protocol import Encoder
    from graphmemix.llm import Chat
    from graphmemix.read import Reader
    from graphmemix.record import Json
    from graphmemix.settings import Settings
    from graphmemix.verify.local import LocalModel, LocalVerifier
    from graphmemix_bench.baselines.protocol import Baseline, Mode
    from graphmemix_bench.datasets.base import Context, GoldQuestion

ReaderKind: TypeAlias = Literal["none", "extractive", "llm"]

_PACKAGES = ("graphmemix", "numpy", "onnxruntime", "pillow", "pydantic", "scipy", "simsimd")


@dataclass(frozen=True)
class Parts:
    """What takes part in a run.

    Attributes:
        encoder: What makes vectors.
        verifiers: Who scores; more than one to compare them.
        reader: Who answers.
        chat: The model of verifiers and reader; None if none is set.
        judge: The model that judges answers; None for no judgments.
        settings: How everything is done.
    """

    encoder: Encoder
    settings: Settings
    verifiers: tuple[VerifierKind, ...] = ("local",)
    reader: ReaderKind = "none"
    chat: Chat | None = None
    judge: Chat | None = None

    def __post_init__(self) -> None:
        for kind in self.verifiers:
            if kind not in get_args(VerifierKind):
                known = ", ".join(get_args(VerifierKind))
                raise InvalidInputError(f"verifier must be one of {known}, not {kind!r}")
        if self.reader not in get_args(ReaderKind):
            known = ", ".join(get_args(ReaderKind))
            raise InvalidInputError(f"reader must be one of {known}, not {self.reader!r}")
        if not self.verifiers:
            raise InvalidInputError("a run needs a verifier")
        if self.judge is not None and self.reader == "none":
            raise InvalidInputError("a judge needs answers: name a reader")
        asks = self.reader == "llm" or set(self.verifiers) & {"llm", "joint"}
        if asks and self.chat is None:
            raise SettingsError("model.base_url", "no model is set; name a server")

    @property
    def local_model(self) -> LocalModel:
        """The coefficients that the local verifier starts from."""
        return local_verifier(self.settings, self.encoder.identity).model

    def calls(self, kind: VerifierKind) -> Settings:
        """Return the settings of a verifier that asks a model: two calls or one."""
        calls: Literal["two", "joint"] = "joint" if kind == "joint" else "two"
        verifier = self.settings.verifier.model_copy(update={"calls": calls})
        return self.settings.model_copy(update={"verifier": verifier})

    @property
    def needs_local(self) -> bool:
        """Whether the local verifier takes part beside a model: in its verdicts, or if it fails."""
        return self.settings.verifier.with_local or self.settings.verifier.degrade

    def model_verifier(self, kind: VerifierKind, local: LocalVerifier | None = None) -> LlmVerifier:
        """Return the verifier that asks the model, and weighs its scores with `local` if so set."""
        assert self.chat is not None  # noqa: S101  # checked above
        weighed = local if self.settings.verifier.with_local else None
        return LlmVerifier(self.chat, self.calls(kind), local=weighed)

    def open_reader(self) -> Reader | None:
        """Return who answers; None if nobody does."""
        if self.reader == "llm":
            assert self.chat is not None  # noqa: S101  # checked above
            return LlmReader(self.chat, self.settings)
        return ExtractiveReader(self.encoder) if self.reader == "extractive" else None

    def identity(self, kind: VerifierKind) -> str:
        """Name a verifier: what decides its scores."""
        if kind != "local":
            local = local_verifier(self.settings, self.encoder.identity)
            return self.model_verifier(kind, local).identity
        return f"local:{self.local_model.digest}"


@dataclass(frozen=True)
class Others:
    """Other systems in a run.

    Attributes:
        names: Of the catalogue.
        options: Their constants.
        modes: What the reader gets of them.
        with_model: Whether they ask the run's model, if it has one; else stand-ins do its work.
    """

    names: tuple[str, ...] = ()
    options: BaselineOptions = field(default_factory=BaselineOptions)
    modes: tuple[Mode, ...] = ("native",)
    with_model: bool = True


@dataclass(frozen=True)
class Plan:
    """A run: the data, the questions, the rungs.

    Attributes:
        dataset: Which.
        everything: All contexts of its folder; refits learn from them.
        contexts: Those that are asked.
        asked: Their questions.
        counts: What was loaded beside what was published.
        rungs: What is measured.
        parts: Who takes part.
        selectors: Whether selectors are compared on the frozen candidates.
        record_errors: Whether a model that fails on a question is that question's result, instead
            of the end of the run.
        others: Other systems that are asked the same.
    """

    dataset: Dataset
    everything: tuple[Context, ...]
    contexts: tuple[Context, ...]
    asked: tuple[Asked, ...]
    counts: CountCheck
    rungs: tuple[Rung, ...]
    parts: Parts
    selectors: bool = True
    record_errors: bool = False
    others: Others = field(default_factory=Others)

    def baselines(self, encoder: Encoder | None = None) -> list[Baseline]:
        """Return the other systems, on the parts of this run."""
        parts = self.parts
        made = BaselineParts(
            encoder or parts.encoder,
            parts.settings,
            parts.chat if self.others.with_model else None,
            self.others.options,
        )
        return [open_baseline(name, made) for name in self.others.names]

    def head(self, command: str = "") -> RunHead:
        """Return what identifies the run."""
        parts = self.parts
        reader = parts.open_reader()
        return RunHead(
            dataset=self.dataset.name,
            data=data_hash(self.contexts),
            settings=deciding(parts.settings),
            identities={
                "encoder": parts.encoder.identity,
                **{f"verifier {kind}": parts.identity(kind) for kind in parts.verifiers},
                "reader": "none" if reader is None else reader.identity,
                "judge": "none"
                if parts.judge is None
                else f"{parts.judge.identity}:{content_hash(judge_identity(parts.judge))[:12]}",
            },
            environment=environment(),
            command=command,
        )


def make_plan(
    dataset: str,
    folder: Path,
    parts: Parts,
    *,
    contexts: Collection[str] = (),
    questions: int | None = None,
    seed: int | None = None,
    rungs: Collection[str] = (),
    selectors: bool = True,
    record_errors: bool = False,
    others: Others | None = None,
) -> Plan:
    """Load a data set and describe a run on it.

    Args:
        dataset: A name in `CATALOGUE`.
        folder: Where it lies.
        parts: Who takes part.
        contexts: Only these; empty for all.
        questions: About so many, spread evenly over all; None for all.
        seed: Draw them at random instead, the same ones for the same seed.
        rungs: Only these; empty for the ladder.
        selectors: Compare selectors too.
        record_errors: See `Plan`.
        others: Other systems, to ask them the same; None for none.

    Raises:
        InvalidInputError: Unknown data set, context or rung; files that are missing or malformed.
        SettingsError: Another system needs a model, and there is none.
    """
    known = dataset_of(dataset)
    everything = tuple(known.load(folder))
    names = [context.name for context in everything]
    for name in contexts:
        if name not in names:
            raise InvalidInputError(f"{folder}: has no context {name!r}; it has {', '.join(names)}")
    chosen = [each for each in everything if not contexts or each.name in contexts]
    chosen = _some(chosen, questions, seed)
    asked = tuple(
        asked_of(context.name, content, question)
        for context in chosen
        for content in [fingerprint(context)]
        for question in context.questions
    )
    if not asked:
        raise InvalidInputError(f"{folder}: has no questions")
    require_distinct(asked)
    plan = Plan(
        known,
        everything,
        tuple(chosen),
        asked,
        check(count(everything), published_counts(known.published)),
        rungs_of(rungs, parts.settings),
        parts,
        selectors,
        record_errors,
        others or Others(),
    )
    plan.baselines()  # one that cannot be opened is refused before anything is done
    return plan


def deciding(settings: Settings) -> dict[str, Json]:
    """Return the settings that decide results, flat; no address and no secret."""
    return {
        key: value if isinstance(value, str | int | float | bool | None) else str(value)
        for key, value in settings.flat().items()
        if key not in NOT_DECIDING
    }


def _some(contexts: Sequence[Context], most: int | None, seed: int | None) -> list[Context]:
    """Return contexts with at most so many questions in all, evenly spaced or drawn at random.

    Rows of one group (rotated options) count as one question and stay together.
    """
    groups = list(dict.fromkeys((c.name, q.group) for c in contexts for q in c.questions))
    if most is None or most >= len(groups):
        return list(contexts)
    if most < 1:
        raise InvalidInputError(f"questions must be 1 or more, not {most}")
    if seed is None:
        kept = {groups[index * len(groups) // most] for index in range(most)}
    else:
        kept = set(sorted(groups, key=lambda group: content_hash([seed, *group]))[:most])

    def some(context: Context) -> tuple[GoldQuestion, ...]:
        return tuple(each for each in context.questions if (context.name, each.group) in kept)

    return [replace(each, questions=found) for each in contexts if (found := some(each))]


def environment() -> dict[str, str]:
    """Return the machine and the versions, without any name of a person or a host."""
    found = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count() or 0),
        "optimised": str(not __debug__ or bool(sys.flags.optimize)).lower(),
    }
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def data_hash(contexts: Iterable[Context]) -> str:
    """Return a hash of all memories, questions, answers and gold. Reads each context once."""
    digest = hashlib.sha256()
    for context in contexts:
        digest.update(context.name.encode() + b"\0")
        for memory in context.memories:
            digest.update(memory.to_json().encode() + b"\n")
        for question in context.questions:
            digest.update(question_row(question).to_json().encode() + b"\n")
    return digest.hexdigest()
