"""A full disk: an error in words, nothing lost, and all is well again once there is room."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from benchmarks.faults.kill import CASES, Case, Measured, content, in_turn, measured
from benchmarks.faults.places import NotPermittedError, fill_up, small_disk, used
from benchmarks.faults.report import Report
from benchmarks.faults.world import QUESTION, Server, World, command, faults_of, memory_ids

if TYPE_CHECKING:
    import random
    from pathlib import Path

    import httpx

_MEGABYTES = 64


def full_disk(world: World, rounds: int, chance: random.Random) -> Report:
    """Run commands on a disk with a little room, or none."""
    report = Report("full")
    try:
        with small_disk(world.fresh("disk"), megabytes=_MEGABYTES) as disk:
            growth: dict[str, int] = {}
            for case in in_turn(CASES, rounds, chance):
                report.rounds += 1
                if case.name not in growth:
                    growth[case.name] = _growth(case, world, disk)
                undisturbed = measured(case, world)
                _full_once(world.elsewhere(disk), undisturbed, growth[case.name], chance, report)
                _clear(disk)
    except NotPermittedError:
        report.outcomes["left out: no file system can be mounted here"] += 1
    return report


def _clear(disk: Path) -> None:
    for path in disk.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _growth(case: Case, world: World, disk: Path) -> int:
    """Return how much more of the disk is in use after a command."""
    _, arguments = case.prepare(world.elsewhere(disk))
    before = used(disk)
    command(*arguments)
    after = used(disk)
    _clear(disk)
    return max(after - before, 1 << 16)


def _full_once(
    world: World, undisturbed: Measured, growth: int, chance: random.Random, report: Report
) -> None:
    case, name = undisturbed.case, undisturbed.case.name
    archive, arguments = case.prepare(world)
    before = memory_ids(archive) if (archive / "archive.db").exists() else set()
    filler = fill_up(world.root, leave=int(growth * chance.choice((0, 0, 0.2, 0.5, 0.8, 1))))
    done = command(*arguments)
    report.hit += done.code != 0
    report.outcomes[f"{name} exit {done.code}"] += 1
    report.expect(f"{name}: says {done}", true=done.told)
    report.expect(
        f"{name}: does not tell of space: {done.err}", true=done.code == 0 or "space" in done.err
    )
    if (archive / "archive.db").exists() and before:
        encoder = ("--encoder", "hashing:96") if name == "reencode" and done.code == 0 else ()
        there = command("recall", archive, QUESTION, *encoder)  # reading needs no room
        report.expect(f"{name}: reading on a full disk: {there.err}", true=there.code == 0)
    filler.unlink()
    if before:
        report.same(f"{name}: check", faults_of(archive), [])
        lost = before - memory_ids(archive)
        report.expect(f"{name}: lost {len(lost)}", true=not lost or name == "erase")
    if done.code == 0:
        return
    again = command(*arguments)
    if report.expect(f"{name}: with room: {again}", true=again.code == 0):
        found = content(case, case.result(archive, arguments))
        report.same(f"{name}: with room", found, undisturbed.expected)


def full_erase(world: World, rounds: int, chance: random.Random) -> Report:
    """Erase from an archive on a disk that has no room left at all."""
    report = Report("full-erase")
    try:
        for _ in range(rounds):
            report.rounds += 1
            with small_disk(world.fresh("disk"), megabytes=_MEGABYTES) as disk:
                _full_erase_once(world.elsewhere(disk), chance, report)
    except NotPermittedError:
        report.outcomes["left out: no file system can be mounted here"] += 1
    return report


def _full_erase_once(world: World, chance: random.Random, report: Report) -> None:
    archive = world.copy()
    ids = sorted(memory_ids(archive))
    chance.shuffle(ids)
    command("erase", archive, ids.pop(), "--yes")  # whoever writes here sets room aside
    filler = fill_up(world.root, leave=0)
    for count in (1, 40, len(ids)):
        going, ids = ids[:count], ids[count:]
        if not going:
            continue
        done = command("erase", archive, *going, "--yes", "--json")
        report.hit += 1
        report.outcomes[f"erase {len(going)}: exit {done.code}"] += 1
        if report.expect(f"erase {len(going)}: says {done}", true=done.code == 0):
            receipt = done.json()
            report.same(f"erase {len(going)}", receipt["memories"], len(going))
            report.outcomes[f"erase {len(going)}: purged {receipt['purged']}"] += 1
        report.same(f"erase {len(going)}: check", faults_of(archive), [])
        report.same(f"erase {len(going)}: left", len(memory_ids(archive)), len(ids))
    filler.unlink()


def full_server(world: World, rounds: int, chance: random.Random) -> Report:
    """Fill the disk of a server that runs; it refuses writes, reads on, and recovers."""
    report = Report("full-server")
    try:
        for _ in range(rounds):
            report.rounds += 1
            with small_disk(world.fresh("disk"), megabytes=_MEGABYTES) as disk:
                _full_server_once(world.elsewhere(disk), chance, report)
    except NotPermittedError:
        report.outcomes["left out: no file system can be mounted here"] += 1
    return report


def _full_server_once(world: World, chance: random.Random, report: Report) -> None:
    archive = world.copy()
    upload = {"note.txt": b"A note. " * 20_000}
    with Server(archive, world.root / "state") as server:
        if not report.expect("it starts", true=server.ready()):
            return
        first = server.post("memories", _note("before"), "before")
        report.same("before", first.status_code, 201)
        filler = fill_up(world.root, leave=chance.choice((0, 0, 4096, 40_000)))
        replies = {
            f"full-{i}": server.post("memories", _note(f"full-{i}"), f"full-{i}") for i in range(5)
        }
        job = server.upload(upload, "job")
        for reply in [*replies.values(), job]:
            _told(reply, report)
        asked = server.post("recall", {"question": QUESTION})
        report.same(f"recall on a full disk: {asked.text[:200]}", asked.status_code, 200)
        filler.unlink()
        for key in ("before", *replies):
            again = server.post("memories", _note(key), key)
            report.same(f"{key} with room: {again.text[:200]}", again.status_code, 201)
        if job.status_code != 202:
            job = server.upload(upload, "job")
        if report.same(f"job with room: {job.text[:200]}", job.status_code, 202):
            ended = server.ended(job.json()["id"])
            if ended["state"] == "failed":
                server.client.post(f"/v1/archives/home/jobs/{ended['id']}/resume")
                ended = server.ended(ended["id"])
            report.same(f"job at the end: {ended['error']}", ended["state"], "done")
        more = server.upload({"b.txt": b"Another note."})
        report.same("a later job", server.ended(more.json()["id"])["state"], "done")
    lost = {"before", *replies} - memory_ids(archive)
    report.expect(f"lost {lost}", true=not lost)
    report.same("check", faults_of(archive), [])


def _told(reply: httpx.Response, report: Report) -> None:
    code = reply.json().get("code", "")
    report.outcomes[f"{reply.status_code} {code}"] += 1
    fine = reply.status_code in {201, 202} or (reply.status_code, code) == (507, "storage_full")
    report.hit += reply.status_code == 507
    report.expect(f"on a full disk: {reply.status_code} {reply.text[:200]}", true=fine)


def _note(name: str) -> dict[str, object]:
    return {"memories": [{"id": name, "kind": "note", "text": f"A note, {name}. " * 400}]}
