"""A model or an encoder behind a server that is down, slow, failing, or breaks off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.faults.oracle import FAILURES, Oracle, oracle
from benchmarks.faults.report import Report
from benchmarks.faults.world import QUESTION, Done, World, command, truth

if TYPE_CHECKING:
    import random
    from pathlib import Path


def failing_model(world: World, rounds: int, chance: random.Random) -> Report:
    """Ask with a model that fails; then with one that is back, and from what was remembered."""
    report = Report("model")
    with oracle() as model:
        env = {"GRAPHMEMIX_MODEL__BASE_URL": model.url, "GRAPHMEMIX_MODEL__NAME": "oracle"}
        whole = command("ask", world.copy(), QUESTION, "--json", "--trace", env=env)
        expected = _told(whole)
        report.expect(f"undisturbed: {whole}", true=whole.code == 0)
        for number in range(rounds):
            report.rounds += 1
            mood = FAILURES[number % len(FAILURES)]
            archive, before = world.copy(), truth(world.base())
            model.behave(mood, after=chance.choice((0, 0, 1, 2)))
            done = command("ask", archive, QUESTION, "--json", "--trace", env=env)
            _see(done, f"ask, {mood}", report)
            degrading = ("--set", "verifier.degrade=true")
            model.behave(mood)
            other = command("ask", world.copy(), QUESTION, "--json", "--trace", *degrading, env=env)
            # What was told to somebody already cannot be taken back.
            broke_off = "characters of the answer)" in other.err
            fine = other.code == 0 or broke_off
            if report.expect(f"{mood}: with degrade: {other}", true=fine) and not broke_off:
                notes = " ".join(other.json()["notes"])
                report.expect(f"{mood}: no note of it: {notes}", true="instead" in notes)
            report.same(f"{mood}: the archive", truth(archive), before)
            model.behave("up")
            again = command("ask", archive, QUESTION, "--json", "--trace", env=env)
            report.same(f"{mood}: when it is back", _told(again), expected)
            model.behave("down")
            cached = command("ask", archive, QUESTION, "--json", "--trace", env=env)
            report.same(f"{mood}: from what was remembered", _told(cached), expected)
            model.behave("up")
    return report


def _see(done: Done, what: str, report: Report) -> None:
    report.hit += done.code != 0
    report.outcomes[f"{what}: exit {done.code}"] += 1
    report.expect(f"{what}: says {done}", true=done.told)


def _told(done: Done) -> Any:
    if done.code:
        return done
    trace = done.json()["trace"]
    return trace["answer"]["text"], trace["forest"], trace["supports"]


def failing_encoder(world: World, rounds: int, chance: random.Random) -> Report:
    """Change to an encoder behind a server that fails in the middle; then go on."""
    report = Report("encoder")
    with oracle() as model:
        spec = f"endpoint:{model.url}#oracle"
        whole = world.copy()
        done = command("reencode", whole, "--encoder", spec)
        report.expect(f"undisturbed: {done}", true=done.code == 0)
        requests, expected, before = model.calls, truth(whole), truth(world.base())
        moods = [mood for mood in FAILURES if mood != "slow"]  # its patience is a minute
        for number in range(rounds):
            report.rounds += 1
            mood = moods[number % len(moods)]
            _fail_and_go_on(world, model, spec, mood, chance.randrange(requests), report)
            report.checks += 1
            archive = _last(world)
            report.same(f"{mood}: at the end", truth(archive), expected)
            report.same("the base", truth(world.base()), before)
    return report


def _last(world: World) -> Path:
    return max(world.root.glob("copy-*"), key=lambda path: int(path.name.rpartition("-")[2]))


def _fail_and_go_on(
    world: World, model: Oracle, spec: str, mood: Any, after: int, report: Report
) -> None:
    archive = world.copy()
    model.behave(mood, after=after)
    done = command("reencode", archive, "--encoder", spec)
    _see(done, f"reencode, {mood}", report)
    if done.code:  # the old vectors serve
        asked = command("recall", archive, QUESTION)
        report.expect(f"{mood}: recall meanwhile: {asked.err}", true=asked.code == 0)
    model.behave("up")
    again = command("reencode", archive, "--encoder", spec)
    report.expect(f"{mood}: when it is back: {again}", true=again.code == 0)
