"""``graphmemix keys``: who may use the server."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, cast

import typer

from graphmemix.cli.options import JsonOption
from graphmemix.cli.output import PROBLEMS, out, show_rows
from graphmemix.cli.terminal import say, visible
from graphmemix.errors import InvalidInputError
from graphmemix.serve.keys import Key, KeyRing, Scope
from graphmemix.serve.options import default_state

app = typer.Typer(help="Make, list and revoke keys of the server.", no_args_is_help=True)

_State = Annotated[
    Path | None, typer.Option("--state", help="Folder of keys and jobs.", show_default=False)
]


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What you call it.")],
    *,
    grant: Annotated[
        list[str],
        typer.Option(help="ARCHIVE:read, :write or :admin; * stands for every archive."),
    ],
    days: Annotated[float | None, typer.Option(help="How long it works.")] = None,
    state: _State = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and print it, this once."""
    key, token = _ring(state).create(name, _grants(grant), days=days)
    if as_json:
        say(json.dumps({"id": key.id, "token": token}))
    else:
        say(token)
        say(f"Key {key.id}: keep it now, it is not shown again.", to_err=True)


@app.command("list")
def list_(*, state: _State = None, as_json: JsonOption = False) -> None:
    """List keys: never the secrets, which are not kept."""
    keys = _ring(state).keys()
    if as_json:
        say("[" + ",".join(key.to_json() for key in keys) + "]")
        return
    show_rows(out(), ("id", "name", "grants", "made", "state"), map(_row, keys))


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(help="As `keys list` shows it.")], *, state: _State = None
) -> None:
    """Make a key stop working, within a second."""
    ring = _ring(state)
    key = ring.revoke(key_id)
    say(f"Key {key.id} ({key.name}) no longer works.")
    left = [each for each in ring.keys() if _standing(each) == "works"]  # noqa: SIM118  # no dict
    if not left:
        say(
            "No key works any more: nobody gets in. `graphmemix keys create` makes one; "
            "`graphmemix keys off` ends the use of keys.",
            to_err=True,
        )


@app.command("off")
def off(
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    state: _State = None,
) -> None:
    """Forget all keys: servers that start from now on on this machine's address need none.

    Servers that are running stay closed until they are started again.
    """
    if not yes and not typer.confirm("Everybody on this machine may then use the server. Go on?"):
        raise typer.Exit(PROBLEMS)
    were = _ring(state).switch_off()
    say("No keys are in use any more; start servers again." if were else "No keys are in use.")


def _ring(state: Path | None) -> KeyRing:
    return KeyRing(state or default_state())


def _grants(texts: list[str]) -> dict[str, Scope]:
    grants: dict[str, Scope] = {}
    for text in texts:
        archive, colon, scope = text.rpartition(":")
        if not colon:
            raise InvalidInputError(f"grant {text!r}: write ARCHIVE:read, :write or :admin")
        grants[archive] = cast("Scope", scope)  # the key ring refuses what is none
    return grants


def _row(key: Key) -> tuple[str, ...]:
    grants = ", ".join(f"{archive}:{scope}" for archive, scope in key.grants.items())
    return key.id, visible(key.name), visible(grants), f"{key.created_at:%Y-%m-%d}", _standing(key)


def _standing(key: Key) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "works" if key.works(datetime.now(UTC)) else "expired"
