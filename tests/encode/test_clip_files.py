from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import huggingface_hub
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from graphmemix.encode.clip import ClipEncoder
from graphmemix.errors import EncoderError, InvalidInputError, MissingExtraError
from tests.encode import tiny_clip
from tests.encode.tiny_clip import change_json, picture

LAYOUTS = get_args(tiny_clip.Layout)


# Identity


def test_identity_is_the_same_in_any_folder(encoder: ClipEncoder, copy: Path) -> None:
    assert encoder.identity.startswith("clip:clip:")
    assert ClipEncoder(copy).identity == encoder.identity
    assert ClipEncoder(copy, batch=3, threads=1).identity == encoder.identity


def test_identity_tells_the_name_of_the_original(copy: Path) -> None:
    change_json(copy / "config.json", _name_or_path="openai/clip-vit-base-patch32")
    assert ClipEncoder(copy).identity.startswith("clip:openai/clip-vit-base-patch32:")
    change_json(copy / "config.json", _name_or_path="/home/someone/clip")
    assert ClipEncoder(copy).identity.startswith("clip:clip:")


def change_a_weight(folder: Path, name: str) -> None:
    path = folder / "onnx" / name
    model = onnx.load(path)
    weight = next(w for w in model.graph.initializer if w.name.endswith("_matrix"))
    array = numpy_helper.to_array(weight).copy()
    array[0, 0] += 1e-3
    weight.CopyFrom(numpy_helper.from_array(array, weight.name))
    onnx.save(model, path)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: change_a_weight(folder, "text_model.onnx"),
        lambda folder: change_a_weight(folder, "vision_model.onnx"),
        lambda folder: (folder / "onnx/vision_model.onnx_data").write_bytes(b"large weights"),
        lambda folder: change_json(folder / "preprocessor_config.json", resample=2),
        lambda folder: change_json(folder / "tokenizer_config.json", model_max_length=70),
        lambda folder: change_json(folder / "config.json", model_type="siglip"),
        lambda folder: tiny_clip.tokenizer(siglip=True).save(str(folder / "tokenizer.json")),
    ],
)
def test_identity_changes_with_all_that_makes_vectors(
    encoder: ClipEncoder, copy: Path, change: Callable[[Path], None]
) -> None:
    change(copy)
    assert ClipEncoder(copy).identity != encoder.identity


def test_identity_ignores_what_makes_no_vectors(encoder: ClipEncoder, copy: Path) -> None:
    (copy / "README.md").write_text("about")
    (copy / "onnx/text_model_fp16.onnx").write_bytes(b"another variant")
    change_json(copy / "config.json", transformers_version="9")
    assert ClipEncoder(copy).identity == encoder.identity


# Damaged and missing files


FILES = (
    "config.json",
    "preprocessor_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "onnx/text_model.onnx",
    "onnx/vision_model.onnx",
)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        (name, damage)
        for name in FILES
        for damage in ("missing", "empty", "cut", "noise")
        if (name, damage) != ("tokenizer_config.json", "missing")  # the one that may be missing
    ],
)
def test_a_bad_file_is_named(copy: Path, name: str, damage: str) -> None:
    path = copy / name
    if damage == "missing":
        path.unlink()
    else:
        good = path.read_bytes()
        path.write_bytes(
            {"empty": b"", "cut": good[: len(good) // 2], "noise": b"\xff\0no"}[damage]
        )
    with pytest.raises(EncoderError, match=Path(name).name):
        ClipEncoder(copy).images([picture("red")])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": {"shortest_edge": 32}, "do_center_crop": False}, "one size"),
        ({"do_resize": False}, "one size"),
        ({"size": {"longest_edge": 32}, "do_center_crop": False}, "one size"),
        ({"size": {"height": 40, "width": 40}}, "not supported"),
        ({"size": -3}, "size"),
        ({"image_std": [1.0, 0.0, 1.0]}, "image_std"),
        ({"image_mean": [1.0]}, "image_mean"),
        ({"resample": 17}, "resample"),
    ],
)
def test_impossible_preprocessing_is_refused(
    copy: Path, settings: dict[str, Any], message: str
) -> None:
    change_json(copy / "preprocessor_config.json", **settings)
    with pytest.raises(EncoderError, match=rf"preprocessor_config\.json.*{message}"):
        ClipEncoder(copy)


def rename_value(path: Path, old: str, new: str) -> None:
    model = onnx.load(path)
    for value in (*model.graph.input, *model.graph.output):
        value.name = new if value.name == old else value.name
    for node in model.graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        node.output[:] = [new if name == old else name for name in node.output]
    onnx.save(model, path)


def test_a_graph_without_known_outputs_is_refused(copy: Path) -> None:
    rename_value(copy / "onnx/text_model.onnx", "text_embeds", "last_hidden_state")
    with pytest.raises(EncoderError, match=r"text_model\.onnx.*text_embeds, pooler_output"):
        ClipEncoder(copy)


def test_a_graph_with_unknown_inputs_is_refused(copy: Path) -> None:
    rename_value(copy / "onnx/vision_model.onnx", "pixel_values", "patches")
    with pytest.raises(EncoderError, match=r"vision_model\.onnx.*patches"):
        ClipEncoder(copy).images([picture("red")])


def test_towers_of_different_spaces_are_refused(copy: Path) -> None:
    path = copy / "onnx/vision_model.onnx"
    model = onnx.load(path)
    for weight in model.graph.initializer:
        if weight.name in {"image_matrix", "image_bias"}:
            array = numpy_helper.to_array(weight)[..., :7]
            weight.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), weight.name))
    for known in (True, False):
        axis = model.graph.output[0].type.tensor_type.shape.dim[1]
        axis.Clear()
        if known:
            axis.dim_value = 7
        else:
            axis.dim_param = "width"
        onnx.save(model, path)
        with pytest.raises(EncoderError, match=r"vision_model\.onnx.*7.*projection"):
            ClipEncoder(copy).images([picture("red")])


def test_the_dimension_is_measured_if_the_graph_does_not_tell(copy: Path) -> None:
    path = copy / "onnx/text_model.onnx"
    model = onnx.load(path)
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_param = "width"
    onnx.save(model, path)
    assert ClipEncoder(copy).dimension == tiny_clip.DIMENSION


def test_a_model_that_computes_nonsense_is_refused(copy: Path) -> None:
    path = copy / "onnx/text_model.onnx"
    model = onnx.load(path)
    table = next(weight for weight in model.graph.initializer if weight.name == "table")
    array = numpy_helper.to_array(table).copy()
    array[tiny_clip.vocabulary(siglip=False)["blue"]] = np.nan
    table.CopyFrom(numpy_helper.from_array(array, "table"))
    onnx.save(model, path)
    with pytest.raises(EncoderError, match=r"texts\[1\].*not finite"):
        ClipEncoder(copy).texts(["red", "blue"])


def test_pictures_of_another_size_than_the_graph_wants(copy: Path) -> None:
    change_json(copy / "preprocessor_config.json", size=30, crop_size=30)
    with pytest.raises(EncoderError, match=r"vision_model\.onnx: the model failed"):
        ClipEncoder(copy).images([picture("red")])


def test_half_precision_graphs_get_half_precision(copy: Path) -> None:
    path = copy / "onnx/vision_model.onnx"
    model = onnx.load(path)
    graph = model.graph
    graph.input[0].name = "pixel_values"
    graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    cast = onnx.helper.make_node("Cast", ["pixel_values"], ["wide"], to=onnx.TensorProto.FLOAT)
    graph.node[0].input[0] = "wide"
    graph.node.insert(0, cast)
    onnx.save(model, copy / "onnx/vision_model_fp16.onnx")
    shutil.copy(copy / "onnx/text_model.onnx", copy / "onnx/text_model_fp16.onnx")
    encoder = ClipEncoder(copy, variant="fp16")
    assert (encoder.texts(["red"]) @ encoder.images([picture("red")]).T)[0, 0] > 0.99


def test_impossible_arguments(folder: Path) -> None:
    with pytest.raises(InvalidInputError, match="batch"):
        ClipEncoder(folder, batch=0)
    with pytest.raises(InvalidInputError, match="variant"):
        ClipEncoder(folder, variant="../x")
    with pytest.raises(EncoderError, match=r"text_model_q4\.onnx.*text_model\.onnx"):
        ClipEncoder(folder, variant="q4")
    for gone in ("no such folder", "a/b/c", Path("owner/name"), "./owner/name"):
        with pytest.raises(EncoderError, match="no such folder"):
            ClipEncoder(gone)


# The hub


class Hub:
    """Stands in for the hub's client: knows one model, downloads into a cache."""

    def __init__(self, model: Path, cache: Path) -> None:
        self.model, self.cache = model, cache
        self.downloads: list[list[str]] = []
        self.asked: list[bool] = []

    def __call__(
        self, name: str, *, revision: str | None, allow_patterns: list[str], local_files_only: bool
    ) -> str:
        self.asked.append(local_files_only)
        if local_files_only and not self.cache.is_dir():
            raise FileNotFoundError("not cached")
        if name != "someone/tiny-clip":
            raise OSError(f"404 for {name} at {revision}")
        if not local_files_only:
            self.downloads.append(allow_patterns)
            for path in self.model.rglob("*"):
                inside = path.relative_to(self.model)
                if path.is_file() and any(Path(inside).match(rule) for rule in allow_patterns):
                    (self.cache / inside).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, self.cache / inside)
        return str(self.cache)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_hub_name_is_fetched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: tiny_clip.Layout
) -> None:
    model = tiny_clip.build(tmp_path / "model", layout=layout)
    for extra in ("model.safetensors", "onnx/text_model_fp16.onnx"):
        (model / extra).parent.mkdir(exist_ok=True)
        (model / extra).write_bytes(b"large")
    hub = Hub(model, tmp_path / "cache")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub)
    encoder = ClipEncoder("someone/tiny-clip", revision="main")
    assert encoder.identity == ClipEncoder(model).identity
    assert not list((tmp_path / "cache").rglob("*fp16*"))
    assert not list((tmp_path / "cache").rglob("*.safetensors"))
    fetched = len(hub.downloads)
    ClipEncoder("someone/tiny-clip")
    assert len(hub.downloads) == fetched


def test_a_hub_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub = Hub(tmp_path, tmp_path / "cache")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub)
    with pytest.raises(EncoderError, match=r"someone/else.*cannot be fetched.*404"):
        ClipEncoder("someone/else")
    assert hub.asked == [True, False]


def test_the_hub_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"the extra 'hub': .*\[hub\]"):
        ClipEncoder("someone/tiny-clip")


def test_no_name_is_looked_up_if_the_folder_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*args: object, **options: object) -> str:
        raise AssertionError

    monkeypatch.setattr(huggingface_hub, "snapshot_download", no_network)
    monkeypatch.chdir(folder.parent.parent)
    ClipEncoder(f"{folder.parent.name}/{folder.name}")
