"""The image and the compose file: linted, in step with the project, and their commands run here.

There is no Docker where the tests run, so no image is built.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.packaging.project import EXTRAS, PROJECT, ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
BIN = Path(sys.executable).parent


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, each with what stands behind it, in one line."""
    lines = [line for line in DOCKERFILE.splitlines() if line and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.split("\n"))]


def last(word: str) -> str:
    return [rest for each, rest in instructions() if each == word][-1]


def test_the_dockerfile_lints_clean() -> None:
    ran = subprocess.run(
        [BIN / "hadolint", ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.returncode) == ("", 0)


def test_the_python_of_the_image_is_one_that_the_project_names() -> None:
    bases = [rest for word, rest in instructions() if word == "FROM"]
    versions = {re.match(r"python:([\d.]+)-slim", base).group(1) for base in bases}  # type: ignore[union-attr]
    assert {f"Programming Language :: Python :: {version}" for version in versions} <= set(
        PROJECT["classifiers"]
    )


def test_the_extras_of_the_image_exist_and_hold_the_server() -> None:
    chosen = last("ARG").partition("=")[2].split(",")
    assert chosen == sorted(set(chosen) & set(EXTRAS))
    assert {"server", "postgres"} <= set(chosen)


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    copied = [rest for word, rest in instructions() if word == "COPY" and "--from" not in rest]
    for source in (name for rest in copied for name in rest.split()[:-1]):
        assert (ROOT / source).exists()
        assert f"!{source}" in ignored
    assert "*" in ignored


def test_the_image_does_not_run_as_root() -> None:
    words = [word for word, _ in instructions()]
    assert last("USER") == "10001:10001"
    assert words.index("USER") < words.index("ENTRYPOINT")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def here(command: str, data: Path, port: int) -> list[str]:
    """Return a command of the image with this machine's places in it."""
    words = [word.replace("/data", str(data)) for word in json.loads(command)]
    return [word.replace("8765", str(port)) for word in words]


def environment(data: Path) -> dict[str, str]:
    """Return the environment of the image, with this machine's places in it."""
    pairs = dict(pair.split("=", 1) for pair in shlex.split(last("ENV")))
    pairs["PATH"] = f"{BIN}:{os.environ['PATH']}"
    return {name: value.replace("/data", str(data)) for name, value in pairs.items()}


def started(command: list[str], env: Mapping[str, str]) -> subprocess.Popen[str]:
    entry = json.loads(last("ENTRYPOINT"))
    return subprocess.Popen([*entry, *command], env=env, stderr=subprocess.PIPE, text=True)


def answers(check: list[str], env: Mapping[str, str]) -> bool:
    return not subprocess.run(check, env=env, capture_output=True, check=False).returncode


@pytest.fixture
def image(tmp_path: Path) -> tuple[list[str], dict[str, str], int]:
    port = free_port()
    return [*here(last("CMD"), tmp_path, port), "--port", str(port)], environment(tmp_path), port


@pytest.mark.slow  # starts the server's command once more
def test_the_image_serves_only_with_a_key_and_is_then_healthy(
    image: tuple[list[str], dict[str, str], int], tmp_path: Path
) -> None:
    command, env, port = image
    env["GRAPHMEMIX_ENCODER__MODEL"] = "hashing"
    refused = started(command, env)
    assert "only loopback addresses work without a key" in refused.communicate(timeout=60)[1]
    assert refused.returncode == 2
    with started(["keys", "create", "me", "--grant", "*:admin"], env) as made:
        assert made.wait(60) == 0
        assert made.stderr is not None
    check = here(last("HEALTHCHECK").partition("CMD ")[2], tmp_path, port)
    check[0] = sys.executable
    assert not answers(check, env)
    with started(command, env) as server:
        try:
            for _ in range(200):
                if healthy := answers(check, env):
                    break
                time.sleep(0.1)
        finally:
            server.terminate()
        assert healthy
        assert server.wait(60) == -signal.SIGTERM  # in order, and then as it was told
    assert (tmp_path / "archives" / "home" / "archive.db").is_file()


def test_compose_starts_the_image_with_postgresql() -> None:
    server, database = COMPOSE["services"]["server"], COMPOSE["services"]["database"]
    assert server["command"][0] == json.loads(last("CMD"))[0] == "serve"
    address = server["command"][1].partition("=")[2]
    settings = database["environment"]
    assert address == (
        f"postgresql://{settings['POSTGRES_USER']}@database/{settings['POSTGRES_DB']}#home"
    )
    assert "pgvector" in database["image"]
    assert server["depends_on"]["database"]["condition"] == "service_healthy"
    assert server["environment"]["PGPASSWORD"] == settings["POSTGRES_PASSWORD"]


def test_compose_publishes_to_this_machine_only_and_keeps_every_volume() -> None:
    server = COMPOSE["services"]["server"]
    port = last("EXPOSE")
    assert server["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert server["volumes"] == [f"server:{json.loads(last('VOLUME'))[0]}"]
    used = {each.partition(":")[0] for s in COMPOSE["services"].values() for each in s["volumes"]}
    assert used == set(COMPOSE["volumes"])
    assert server["read_only"]
    assert server["cap_drop"] == ["ALL"]


def test_no_secret_is_written_down() -> None:
    for service in COMPOSE["services"].values():
        for name, value in service.get("environment", {}).items():
            assert "PASSWORD" not in name or value.startswith("${POSTGRES_PASSWORD:?")
