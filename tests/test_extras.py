from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from graphmemix import extras
from graphmemix.extras import install_command

Installed = Callable[[dict[str, object] | None], None]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Let this package be installed from somewhere, as pip records it."""

    def record(direct_url: dict[str, object] | None) -> None:
        class Distribution:
            def read_text(self, name: str) -> str | None:
                assert name == "direct_url.json"
                return None if direct_url is None else json.dumps(direct_url)

        monkeypatch.setattr(metadata, "distribution", lambda _: Distribution())
        monkeypatch.setattr(extras, "_installer", lambda: "pip install")

    return record


def test_an_extra_of_a_package_from_an_index(installed: Installed) -> None:
    installed(None)
    assert install_command("llm") == "pip install 'graphmemix[llm]'"
    assert install_command("llm", "mcp") == "pip install 'graphmemix[llm,mcp]'"


def test_an_extra_of_an_editable_clone(installed: Installed, tmp_path: Path) -> None:
    installed({"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert install_command("llm") == f"pip install -e '{tmp_path}[llm]'"


def test_inside_the_clone_the_command_is_short(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    installed({"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert install_command("llm") == "pip install -e '.[llm]'"
    installed({"url": tmp_path.as_uri(), "dir_info": {}})
    assert install_command("llm") == "pip install '.[llm]'"


def test_an_extra_of_a_wheel_on_disk(installed: Installed, tmp_path: Path) -> None:
    wheel = tmp_path / "it's a graphmemix.whl"
    wheel.touch()
    installed({"url": wheel.as_uri(), "archive_info": {}})
    assert install_command("llm") == f"pip install 'graphmemix[llm] @ {wheel.as_uri()}'"


def test_a_clone_that_is_gone_is_not_named(installed: Installed, tmp_path: Path) -> None:
    installed({"url": (tmp_path / "gone").as_uri(), "dir_info": {"editable": True}})
    assert install_command("llm") == "pip install 'graphmemix[llm]'"


def test_the_pip_is_the_one_of_this_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pip").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install_command("llm").startswith(f"{extras._shown(sys.executable)} -m pip install ")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert install_command("llm").startswith("pip install ")


def test_environments_without_pip_name_their_installer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    assert install_command("llm").startswith("uv pip install --python ")
    monkeypatch.setattr(sys, "prefix", "/home/ann/.local/share/pipx/venvs/graphmemix")
    assert install_command("llm").startswith("pipx install --force ")
