"""Makes src/graphmemix/encode/ranges.npz: between which bounds the packaged models round.

    .venv/bin/python tools/make_ranges.py

Both models read the sample household, mails that are made up, the words of their own vocabularies
and a few sentences in other languages, in float32; no data set has a share in it. For each input
of a product, those factors and bounds are kept with which the product in 8 bits is nearest to the
one in float32. Prints how near; then the cosines of vectors in 8 bits to those in float32, for
texts that had no share. Run it again only with other models: the file is checked by its SHA-256
(`encode/packaged.py`), and its vectors are those of existing archives. Takes two minutes.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.mails import mails

from graphmemix import Archive
from graphmemix.encode import packaged, packaged_graphs
from graphmemix.encode.eight_bits import MOST, Range, open_graph, run_graph, saved_ranges
from graphmemix.sample import build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import onnxruntime

    from graphmemix.encode.protocol import Matrix

ROWS = 1500  # of an input, on which products are compared
POWERS = (0.0, 0.2, 0.4, 0.5, 0.65, 0.8)  # how much of a channel's size goes to its factor
CAPS = (1.5, 2.0, 3.0, 4.0, 6.0)  # a channel is brought down to so many times the median
CLIPS = (1.0, 0.9, 0.8, 0.65)  # of the greatest value
OTHERS = (
    "Können wir den Termin beim Zahnarzt auf Donnerstag verschieben? Die Kinder haben Schule.",
    "Le plombier passera mardi matin pour réparer la chaudière, merci de laisser la clé.",
    "Hemos reservado el hotel de la playa del 3 al 10 de agosto, con desayuno incluido.",
    "Il treno delle 18.40 è in ritardo: ci vediamo direttamente al ristorante.",
    "O passaporte da Joana caduca em março e o consulado só tem vagas em fevereiro.",
    "Kun je vanavond de sleutel bij de buren ophalen? Ik ben pas om negen uur thuis.",
    "Paczka została dostarczona do punktu odbioru, numer przesyłki 00259.",
    "Бабушка приедет в субботу, встретим её на вокзале в десять утра.",
    "来週の土曜日に祖母の家で誕生日会をします。ケーキは私が買います。",
    "房东说屋顶下个月才能修好，雨水桶先放在阳台上。",
    "الموعد مع الطبيب تأجل إلى يوم الثلاثاء، لا تنس بطاقة التأمين.",
    "Anneanneye söyle, uçak bileti iptal oldu ve para iadesi iki hafta sürüyor.",
)


def main() -> None:
    used, kept_apart = _texts()
    minilm = packaged_graphs.read_weights(packaged.packaged_file(*packaged._MODEL))  # noqa: SLF001
    sentence = packaged._sentence_model()  # noqa: SLF001
    tokenizer = packaged._tokenizer(*packaged._TOKENIZER)  # noqa: SLF001

    def of_minilm(text: str) -> Matrix:
        return minilm.embedded([tokenizer.encode(text).ids])

    def of_sentence(text: str) -> Matrix:
        return packaged_graphs.pieces_of(sentence, text[:2000])

    ranges: dict[str, Range] = {}
    products = packaged_graphs.minilm_inputs(minilm)
    graph = open_graph(packaged_graphs.minilm_graph(minilm, None, list(products)))
    ranges |= _ranges(graph, map(of_minilm, used), products)
    others = packaged_graphs.sentence_inputs(sentence)
    watched = [name for name in others if name != "sentence.pieces"]
    graph = open_graph(packaged_graphs.sentence_graph(sentence, None, watched))
    ranges |= _ranges(graph, map(of_sentence, used), others)
    np.savez_compressed(packaged.RANGES, **saved_ranges(ranges))  # type: ignore[arg-type]
    _compare(
        "minilm",
        [open_graph(packaged_graphs.minilm_graph(minilm, each)) for each in (None, ranges)],
        lambda session, text: run_graph(session, of_minilm(text))[0].mean(axis=0),
        kept_apart,
    )
    _compare(
        "sentence",
        [open_graph(packaged_graphs.sentence_graph(sentence, each)) for each in (None, ranges)],
        lambda session, text: packaged_graphs.finished(
            sentence,
            run_graph(session, of_sentence(text))[0],
            len(of_sentence(text)),
        ),
        kept_apart,
    )


def _texts() -> tuple[list[str], list[str]]:
    """Return texts to measure ranges with, and others to look at the result with."""
    chance = random.Random(1)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        files = build(Path(folder) / "sample").files
        with Archive.open(Path(folder) / "archive", encoder="hashing") as archive:
            archive.ingest([files])
            ids = [memory.id for memory in archive.find()]
            views = archive.store.views(ids)
    household = list({view.text[:800] for each in views.values() for view in each if view.text})
    written = [str(mail.get_content())[:800] for mail in mails(160)]
    vocabulary = json.loads(packaged._tokenizer(*packaged._TOKENIZER).to_str())  # noqa: SLF001
    words = sorted(w for w in vocabulary["model"]["vocab"] if w.isalpha() and len(w) > 2)
    some = [" ".join(chance.sample(words, chance.randint(1, 12))) for _ in range(60)]
    household.sort()
    chance.shuffle(household)
    used = [*household[:160], *written[:60], *some, *OTHERS]
    return used, [*household[160:260], *written[100:]]


def _ranges(
    session: onnxruntime.InferenceSession,
    inputs: Iterable[Matrix],
    products: dict[str, list[Matrix]],
) -> dict[str, Range]:
    """Return the best range of each input; the graph puts out all but its own input."""
    rows: dict[str, list[Matrix]] = defaultdict(list)
    names = [each.name for each in session.get_outputs()]
    given = session.get_inputs()[0].name
    for values in inputs:
        found = dict(zip(names, session.run(None, {given: values}), strict=True)) | {given: values}
        for name in products:
            rows[name].append(found[name].reshape(-1, found[name].shape[-1]))
    return {name: _range(name, np.concatenate(rows[name]), products[name]) for name in products}


def _range(name: str, rows: Matrix, matrices: list[Matrix]) -> Range:
    low, high = rows.min(axis=0), rows.max(axis=0)
    size = np.maximum(np.abs(low), np.abs(high)) + np.float32(1e-6)
    weights = np.concatenate(matrices, axis=1)
    heavy = np.abs(weights).max(axis=1) + np.float32(1e-6)
    some = rows[np.random.default_rng(1).choice(len(rows), ROWS)]
    exact = some @ weights
    best, error = Range(np.ones_like(size), 0.0, 1.0), np.inf
    choices = [size**power / heavy ** (1 - power) if power else size**0 for power in POWERS]
    choices += [np.maximum(size / (np.median(size) * cap), 1) for cap in CAPS]
    for factors in choices:
        mine = (factors / np.median(factors)).astype(np.float32)
        for clip in CLIPS:
            bounds = min((low / mine).min() * clip, 0.0), max((high / mine).max() * clip, 0.0)
            tried = Range(mine, float(bounds[0]), float(bounds[1]))
            off = float(np.linalg.norm(_product(tried, some, weights) - exact))
            if off < error:
                best, error = tried, off
    print(f"{name:20} {error / np.linalg.norm(exact):.4f}", flush=True)
    return best


def _product(tried: Range, rows: Matrix, weights: Matrix) -> Matrix:
    zero = float(tried.zero)
    whole = np.clip(np.rint(rows / tried.factors / tried.step) + zero, 0, 255) - zero
    scaled = weights * tried.factors[:, None]
    steps = np.maximum(np.abs(scaled).max(axis=0), 1e-12) / MOST
    return np.asarray(whole * tried.step) @ (np.rint(scaled / steps) * steps)  # type: ignore[no-any-return]


def _compare(
    name: str,
    sessions: list[onnxruntime.InferenceSession],
    encode: Callable[[onnxruntime.InferenceSession, str], Matrix],
    texts: list[str],
) -> None:
    exact, rounded = (np.array([encode(each, text) for text in texts]) for each in sessions)
    lengths = np.linalg.norm(exact, axis=1) * np.linalg.norm(rounded, axis=1)
    cosines = np.einsum("ij,ij->i", exact, rounded) / lengths
    print(
        f"{name}: worst cosine {cosines.min():.4f}, mean {cosines.mean():.4f}, {len(texts)} texts"
    )


if __name__ == "__main__":
    main()
