"""LightRAG: a model finds entities and relations; questions are answered by both and by chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graphmemix.errors import SettingsError
from graphmemix.llm import Message, Options
from graphmemix_bench.baselines.packages.frame import PackageNames, PackageSystem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphmemix.encode.protocol import Matrix
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.packages.bridge import Bridge

_NAMES: Final = PackageNames(
    "lightrag",
    "LightRAG",
    "lightrag-hku",
    "mode mix without a reranker, one extraction call a memory, tokens counted as characters / 4",
)
_TOKEN: Final = 4  # characters
_BITS: Final = 21  # of a character


class _Tokens:
    """Counts four characters as a token, and gives texts back as they were.

    A token is the number that its characters make. Without any state: LightRAG copies it.
    """

    def encode(self, content: str) -> list[int]:
        return [_number(content[at : at + _TOKEN]) for at in range(0, len(content), _TOKEN)]

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(map(_piece, tokens))


def _number(piece: str) -> int:
    number = 0
    for sign in reversed(piece):
        number = number << _BITS | ord(sign) + 1
    return number


def _piece(number: int) -> str:
    signs = []
    while number:
        signs.append(chr((number & (1 << _BITS) - 1) - 1))
        number >>= _BITS
    return "".join(signs)


class _Graph:
    """One graph of entities, with its chunks."""

    def __init__(self, folder: str, bridge: Bridge, parts: BaselineParts) -> None:
        self._folder = folder
        self._bridge = bridge
        self._parts = parts
        if parts.chat is None:
            raise SettingsError("model.base_url", "LightRAG needs a model")
        self._chat = parts.chat
        self._rag: Any = None

    async def _opened(self) -> Any:
        if self._rag is None:
            from lightrag import LightRAG
            from lightrag.utils import EmbeddingFunc, Tokenizer

            # Functions of their own: LightRAG copies its settings, and with a method its object.
            async def reply(prompt: str, system_prompt: str | None = None, **given: Any) -> str:
                return await self._reply(prompt, system_prompt, given)

            async def vectors(texts: Sequence[str], **_given: Any) -> Matrix:
                return self._bridge.vectors(texts)

            self._rag = LightRAG(
                working_dir=self._folder,
                llm_model_func=reply,
                embedding_func=EmbeddingFunc(self._parts.encoder.dimension, vectors),
                tokenizer=Tokenizer("characters", _Tokens()),
                entity_extract_max_gleaning=0,
            )
            await self._rag.initialize_storages()
        return self._rag

    async def _reply(self, prompt: str, system: str | None, given: Mapping[str, Any]) -> str:
        turns = [Message.system(system)] if system else []
        for turn in given.get("history_messages") or ():
            make = Message.assistant if turn["role"] == "assistant" else Message.user
            turns.append(make(turn["content"]))
        with self._bridge.meter:
            return (await self._chat.complete([*turns, Message.user(prompt)], Options())).text

    async def store(self, slots: Sequence[str], texts: Sequence[str]) -> None:
        rag = await self._opened()
        await rag.ainsert(list(texts), ids=list(slots), file_paths=list(slots))

    async def search(self, text: str, count: int) -> Sequence[tuple[str, float, str]]:
        from lightrag import QueryParam

        rag = await self._opened()
        asked = QueryParam(mode="mix", top_k=count, chunk_top_k=count, enable_rerank=False)
        found = await rag.aquery_data(text, asked)
        chunks = (found.get("data") or {}).get("chunks") or ()
        return [
            (chunk["file_path"], 1.0 / place, chunk["content"])
            for place, chunk in enumerate(chunks, start=1)
        ]


def open_lightrag(parts: BaselineParts) -> PackageSystem:
    """Return LightRAG."""
    return PackageSystem(_NAMES, parts, _Graph)
