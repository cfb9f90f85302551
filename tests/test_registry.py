"""Parts by name, and a real installed package that brings one."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmemix import Archive, Memory, Trace, registry
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import GraphMemixError, InvalidInputError, MissingExtraError
from graphmemix.settings import Settings

CODE = """
from dataclasses import replace

from graphmemix import HashingEncoder

class Loud(HashingEncoder):
    def __init__(self, dimension):
        super().__init__(dimension)
        self.identity = f"loud/{dimension}"

def make(rest):
    return Loud(int(rest or 32))

def open_loudly(location, **how):
    from graphmemix.store import open_store
    return open_store(location.removeprefix("loud://"), **how)

class Louder:
    sees_images = False

    def __init__(self, inner, settings):
        self.inner = inner
        self.identity = f"louder/{settings.forest.budget}"

    async def verify(self, case):
        return replace(await self.inner.verify(case), verifier=self.identity)

    async def stream(self, question, packet, pictures=()):
        async for piece in self.inner.stream(question, packet, pictures):
            if isinstance(piece, str):
                yield piece.upper()
            else:
                answer = replace(piece.answer, text=piece.answer.text.upper())
                yield replace(piece, answer=answer, reader=self.identity)

def verifier(settings):
    from graphmemix.verify.opening import local_verifier
    return Louder(local_verifier(settings, ""), settings)

def reader(settings):
    from graphmemix.read import ExtractiveReader
    return Louder(ExtractiveReader(HashingEncoder()), settings)

NOTHING = 3
"""
Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Put a package where installers put it: a module and its ``dist-info``."""
    site = tmp_path / "site"

    def install(
        name: str = "loud", entries: str = "loud = loud:make", group: str = "encoders"
    ) -> Path:
        site.mkdir(exist_ok=True)
        (site / f"{name}.py").write_text(CODE)
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[graphmemix.{group}]\n{entries}\n")
        if str(site) not in sys.path:
            monkeypatch.syspath_prepend(site)
        importlib.invalidate_caches()
        return site

    yield install
    for name in ("loud", "louder"):
        sys.modules.pop(name, None)


def test_built_in_names_are_listed_without_importing_them() -> None:
    script = (
        "import sys; from graphmemix import registry; print(*registry.names('encoders'));"
        "assert not {'torch', 'httpx', 'onnxruntime', 'transformers'} & set(sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert {"minilm", "hashing", "clip", "endpoint", "gme", "torch", "transformers"} <= set(
        result.stdout.split()
    )


@pytest.mark.parametrize("group", ["encoders", "stores"])
def test_every_built_in_part_can_be_loaded(group: registry.Group) -> None:
    for name in registry.names(group):
        assert callable(registry.load(group, name))


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"readers: there is no 'crystal ball'"):
        registry.load("readers", "crystal ball")


def test_an_unknown_group_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="unknown plugin group 'toasters'"):
        registry.load("toasters", "x")  # type: ignore[arg-type]


def test_an_unknown_name_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidInputError, match=r"encoders: there is no 'nope'.*minilm"):
        encoder_of("nope:1")


# Other packages


def test_an_installed_package_brings_an_encoder(install: Install, tmp_path: Path) -> None:
    install()
    assert "loud" in registry.names("encoders")
    settings = Settings.model_validate({"encoder": {"model": "loud:48"}})
    with Archive.open(tmp_path / "a", settings=settings) as archive:
        archive.add([Memory("k", "note", "The spare key is with Olga.")])
        assert archive.encoder.identity == "loud/48"
        assert archive.store.encoder() == "loud/48"
        assert archive.candidates("spare key").candidates[0].memory_id == "k"


def test_the_command_line_asks_with_it(install: Install, tmp_path: Path) -> None:
    site = install()
    with Archive.open(tmp_path / "a", encoder="loud", settings=Settings()) as archive:
        archive.add([Memory("k", "note", "The spare key is with Olga.")])
    command = [sys.executable, "-m", "graphmemix", "candidates", str(tmp_path / "a"), "spare key"]
    result = subprocess.run(
        [*command, "--encoder", "loud"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(site), "HOME": str(tmp_path)},
    )
    assert result.returncode == 0, result.stderr
    assert "The spare key is with Olga." in result.stdout


def test_an_installed_package_brings_a_store(install: Install, tmp_path: Path) -> None:
    install(entries="loud = loud:open_loudly", group="stores")
    with Archive.open(f"loud://{tmp_path}/a", encoder="hashing") as archive:
        archive.add([Memory("k", "note", "key")])
    assert (tmp_path / "a" / "archive.db").is_file()


def test_an_installed_package_brings_a_verifier(install: Install, tmp_path: Path) -> None:
    install(entries="loud = loud:verifier", group="verifiers")
    trace = asked(tmp_path, {"verifier": {"plugin": "loud"}, "forest": {"budget": 7}})
    assert trace.verifier == "louder/7"
    assert trace.answer is not None
    assert "Olga" in trace.answer.text


def test_an_installed_package_brings_a_reader(install: Install, tmp_path: Path) -> None:
    install(entries="loud = loud:reader", group="readers")
    trace = asked(tmp_path, {"reader": {"plugin": "loud"}, "forest": {"budget": 7}})
    assert trace.reader == "louder/7"
    assert trace.answer is not None
    assert "THE SPARE KEY IS WITH OLGA." in trace.answer.text


@pytest.mark.parametrize("part", ["verifier", "reader"])
def test_a_question_says_which_part_is_not_installed(tmp_path: Path, part: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{part}s: there is no 'loud'"):
        asked(tmp_path, {part: {"plugin": "loud"}})


def asked(folder: Path, settings: dict[str, Any]) -> Trace:
    made = Settings.model_validate(settings)
    with Archive.open(folder / "a", encoder="hashing", settings=made) as archive:
        archive.add([Memory("k", "note", "The spare key is with Olga.")])
        return archive.ask("Who has the spare key?")


def test_an_address_that_no_store_knows_is_refused_and_no_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match="stores: there is no 'ftp'"):
        Archive.open("ftp://host/a", encoder="hashing")
    assert not list(tmp_path.iterdir())


def test_a_package_cannot_take_the_place_of_a_built_in_part(install: Install) -> None:
    install(entries="hashing = loud:make")
    assert encoder_of("hashing:32").identity == "hashing/32"


def test_one_name_of_two_packages_is_refused_with_both(install: Install) -> None:
    install()
    install("louder", entries="loud = louder:make")
    with pytest.raises(InvalidInputError, match=r"provided by loud \(.*louder \("):
        registry.load("encoders", "loud")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("loud = missing_module:make", "'loud' of loud .*cannot be imported"),
        ("loud = loud:missing", "'loud' of loud .*cannot be imported"),
        ("loud = loud:NOTHING", "'loud' of loud .*is not callable"),
    ],
)
def test_a_broken_package_is_named(install: Install, entry: str, message: str) -> None:
    install(entries=entry)
    with pytest.raises(InvalidInputError, match=message):
        registry.load("encoders", "loud")


def test_a_missing_extra_keeps_its_own_error(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[torch\]'"):
        encoder_of("transformers:/nowhere")
    assert issubclass(MissingExtraError, GraphMemixError)
