"""Files of caches and states that hold something else: found out, made again, answers the same."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.faults.report import Report
from benchmarks.faults.world import QUESTION, Server, World, command, faults_of, truth, until

if TYPE_CHECKING:
    import random

_WAYS = ("random", "truncated", "empty", "flipped", "foreign", "missing", "appended")
_QUESTIONS = (QUESTION, "What did the dentist cost?", "photos at the lake")


def damaged_caches(world: World, rounds: int, chance: random.Random) -> Report:
    """Damage files below ``cache/`` of an archive, and ask it."""
    report = Report("caches")
    source, other = world.copy(), world.fresh("other")
    before = truth(source)
    expected = [_asked(source, question) for question in _QUESTIONS]  # also fills the caches
    command("ingest", other, next(world.files.rglob("*.ics")))
    _asked(other, QUESTION)
    names = [path.relative_to(source) for path in _files(source / "cache")]
    report.expect("there are caches", true=bool(names))
    for number in range(rounds):
        report.rounds += 1
        archive = world.copy(source)
        for name in chance.sample(names, chance.randint(1, len(names))):
            way = _WAYS[(number + len(name.name)) % len(_WAYS)]
            damage(archive / name, way, chance, _counterpart(other, name))
            report.outcomes[way] += 1
            report.hit += 1
        found = [_asked(archive, question) for question in _QUESTIONS]
        report.same("answers", found, expected)
        report.same("answers, once more", [_asked(archive, q) for q in _QUESTIONS], expected)
        report.same("the archive", truth(archive), before)
        report.same("check", faults_of(archive), [])
    return report


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _counterpart(other: Path, name: Path) -> Path | None:
    """Return the file of another archive that has the same part in it."""
    suffixes = "".join(name.suffixes)
    stem = name.name.split("-")[0].split(".")[0]
    there = _files(other / name.parent)
    return next((p for p in there if p.name.startswith(stem) and p.name.endswith(suffixes)), None)


def damage(path: Path, way: str, chance: random.Random, foreign: Path | None = None) -> None:
    """Do something bad to a file."""
    data = path.read_bytes()
    match way:
        case "random":
            path.write_bytes(chance.randbytes(len(data)))
        case "truncated":
            path.write_bytes(data[: chance.randrange(len(data) + 1)])
        case "empty":
            path.write_bytes(b"")
        case "flipped" if data:
            where = chance.randrange(len(data))
            path.write_bytes(data[:where] + bytes([data[where] ^ 255]) + data[where + 1 :])
        case "foreign" if foreign is not None:
            shutil.copyfile(foreign, path)
        case "missing":
            path.unlink()
        case _:
            path.write_bytes(data + chance.randbytes(100))


def _asked(archive: Path, question: str) -> Any:
    done = command("recall", archive, question, "--asked-at", "2024-01-01", "--json", "--trace")
    if done.code:
        return done
    trace = done.json()["trace"]
    return {name: trace[name] for name in ("candidates", "forest", "anchors")}


def damaged_state(world: World, rounds: int, chance: random.Random) -> Report:
    """Damage what a server keeps for itself; it starts, or says why not, and loses no memory."""
    report = Report("state")
    archive, whole = world.copy(), world.fresh("state")
    note = {"memories": [{"id": "n", "kind": "note", "text": "A note."}]}
    with Server(archive, whole) as server:
        server.ready()
        server.post("memories", note, "key")
        server.ended(server.upload({"a.txt": b"A note."}).json()["id"])
    made = command("keys", "create", "me", "--grant", "*:admin", "--state", whole, "--json")
    headers = {"Authorization": f"Bearer {made.json()['token']}"}
    names = [path.relative_to(whole) for path in _files(whole)]
    for number in range(rounds):
        report.rounds += 1
        state = Path(shutil.copytree(whole, world.fresh("state")))
        name = names[number % len(names)]
        way = chance.choice(_WAYS)
        damage(state / name, way, chance)
        report.hit += 1
        with Server(archive, state) as server:
            if server.ready():
                reply = server.client.get("/v1/archives/home/memories/n", headers=headers)
                nobody = server.client.get("/v1/archives/home/memories/n")
                kind = f"{reply.status_code} {reply.json().get('code', '')}".strip()
                report.outcomes[f"{name.name} {way}: {kind}"] += 1
                fine = reply.status_code in {200, 401, 503}
                report.expect(f"{name} {way}: {reply.text[:200]}", true=fine)
                shut = nobody.status_code != 200
                report.expect(f"{name} {way}: opens the door to all", true=shut)
            else:
                until(lambda: not server.running.alive)
                done = server.running.wait()
                report.outcomes[f"{name.name} {way}: exit {done.code}"] += 1
                report.expect(f"{name} {way}: {done}", true=done.told and done.code == 2)
    report.same("the archive", faults_of(archive), [])
    return report
