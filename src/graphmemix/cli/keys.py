"""``graphmemix keys``: API keys of the server."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, cast

import typer

from graphmemix.cli.options import JsonOption
from graphmemix.cli.output import PROBLEMS, out
from graphmemix.cli.tables import show_rows
from graphmemix.cli.terminal import say, visible
from graphmemix.errors import InvalidInputError
from graphmemix.serve.keys import Key, KeyRing, Scope
from graphmemix.serve.options import default_state

app = typer.Typer(help="Create, list and revoke API keys of the server.", no_args_is_help=True)

_State = Annotated[
    Path | None, typer.Option("--state", help="Folder for keys and jobs.", show_default=False)
]


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="A name for the key.")],
    *,
    grant: Annotated[
        list[str],
        typer.Option(help="ARCHIVE:read, :write or :admin; * means every archive."),
    ],
    days: Annotated[
        float | None, typer.Option(help="Days until the key expires; default: never.")
    ] = None,
    state: _State = None,
    as_json: JsonOption = False,
) -> None:
    """Create a key and print its token, which is shown only once."""
    key, token = _ring(state).create(name, _grants(grant), days=days)
    if as_json:
        say(json.dumps({"id": key.id, "token": token}))
    else:
        say(token)
        say(f"Created key {key.id}. Save the token now: it is not shown again.", to_err=True)


@app.command("list")
def list_(*, state: _State = None, as_json: JsonOption = False) -> None:
    """List keys, without their secrets, which are not stored."""
    keys = _ring(state).keys()
    if as_json:
        say("[" + ",".join(key.to_json() for key in keys) + "]")
        return
    show_rows(
        out(),
        ("id", "name", "grants", "created", "state"),
        map(_row, keys),
        texts=("name", "grants"),
    )


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(help="Id of the key; see `keys list`.")],
    *,
    state: _State = None,
) -> None:
    """Revoke a key; running servers notice within a second."""
    ring = _ring(state)
    key = ring.revoke(key_id)
    say(f"Revoked key {key.id} ({key.name}).")
    left = [each for each in ring.keys() if _state_of(each) == "valid"]  # noqa: SIM118  # no dict
    if not left:
        say(
            "No valid key is left, so every request is refused. Create one with `graphmemix keys "
            "create`, or stop using keys with `graphmemix keys off`.",
            to_err=True,
        )


@app.command("off")
def off(
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    state: _State = None,
) -> None:
    """Delete all keys, so that servers on this machine's loopback address need none.

    Running servers keep refusing requests without a key until they are restarted.
    """
    if not yes and not typer.confirm("Anyone on this machine can then use the server. Continue?"):
        raise typer.Exit(PROBLEMS)
    were = _ring(state).switch_off()
    say("Deleted all keys. Restart running servers." if were else "No keys are in use.")


def _ring(state: Path | None) -> KeyRing:
    return KeyRing(state or default_state())


def _grants(texts: list[str]) -> dict[str, Scope]:
    grants: dict[str, Scope] = {}
    for text in texts:
        archive, colon, scope = text.rpartition(":")
        if not colon:
            raise InvalidInputError(f"--grant {text!r}: use ARCHIVE:read, :write or :admin")
        grants[archive] = cast("Scope", scope)  # the key ring validates it
    return grants


def _row(key: Key) -> tuple[str, ...]:
    grants = ", ".join(f"{archive}:{scope}" for archive, scope in key.grants.items())
    return key.id, visible(key.name), visible(grants), f"{key.created_at:%Y-%m-%d}", _state_of(key)


def _state_of(key: Key) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "valid" if key.is_valid(datetime.now(UTC)) else "expired"
