"""Change the code in small ways, one at a time, and see whether the tests notice.

    python benchmarks/mutation.py optimize [--only problem.py] [--seconds 4] [--json out.jsonl]

The changes are those of mutmut: other operators, constants, arguments and conditions in the bodies
of functions. Each mutant runs in a fork of a process that has collected the tests: it replaces the
code of one function in memory, so no file is touched, and runs the tests that execute the changed
line, the fastest first, until one fails. `--seconds` bounds what the tests of a mutant may take on
unchanged code.

A mutant that no test notices survives. docs/mutation.md names the survivors and why no test could
tell them from the original; this exits with 1 if others survive.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import coverage
import pytest
from _pytest.runner import runtestprotocol

sys.path.insert(0, str(Path(__file__).parents[1]))  # this is run by its path

from benchmarks.mutants import PACKAGES, Module, Mutant, short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[1]
TESTS = {"selectors": "tests/bench/selectors"}  # where they do not mirror the package by name
EXPLAINED = ROOT / "docs" / "mutation.md"
# What waits for sockets and models, and the largest instance: too slow for each of thousands.
LEFT_OUT = (
    "--deselect=tests/optimize/test_published.py::test_twenty_memories_are_enumerated",
    "--ignore=tests/verify/test_llama.py",
    "--ignore=tests/verify/test_over_http.py",
)
_UNNOTICED, _NOTICED, _BROKEN = 0, 1, 2  # how a mutant's process exits
MOST_MEMORY = 4 << 30  # bytes beyond what the collected tests take
WAIT = 300.0  # seconds on the clock for a mutant that sleeps

_STRANGER = 0.05  # seconds that tests of other files wait behind those of a mutant's own
Result: TypeAlias = tuple[Mutant, str, str]  # what became of it, and the test that noticed
Timed: TypeAlias = tuple[pytest.Item, float]  # and its seconds of processor on unchanged code


@dataclass
class Clean:
    """What the tests did on unchanged code: seconds of each, and the tests of each line."""

    seconds: dict[str, float]
    tests: dict[str, dict[int, list[str]]]

    def add(self, told: str) -> None:
        """Add what `_clean_run` told."""
        given = json.loads(told)
        self.seconds.update(given["seconds"])
        for file, lines in given["tests"].items():
            known = self.tests.setdefault(file, {})
            for line, names in lines.items():
                known.setdefault(int(line), []).extend(names)


class Session:
    """A pytest plugin that runs mutants instead of the tests."""

    def __init__(self, modules: Sequence[Module], given: argparse.Namespace) -> None:
        self.modules = modules
        self.most_seconds: float = given.seconds
        self.part: tuple[int, int] = tuple(given.part)
        self.out: Path | None = given.json
        self.kept: Path | None = given.clean
        self.results: list[Result] = _kept(self.out) if self.out and self.out.exists() else []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run each mutant and keep what became of it."""
        items = {item.nodeid: item for item in session.items}
        clean = self._clean(list(items.values()))
        done = Counter(mutant.name for mutant, _, _ in self.results)
        gc.collect()
        gc.freeze()  # a fork then copies little of what the collected tests hold
        gc.disable()
        for module in self.modules:
            own = f"/test_{module.path.stem}.py::"
            late = {name: 0.0 if own in name else _STRANGER for name in items}
            order = sorted(items, key=lambda name: clean.seconds[name] + late[name])
            for mutant, source in islice(module.mutants(), self.part[0] - 1, None, self.part[1]):
                if done[mutant.name]:
                    done[mutant.name] -= 1
                    continue
                lines = module.statement_at(mutant.line)
                covering = {t for at in lines for t in clean.tests[module.file].get(at, ())}
                chosen = self._within([name for name in order if name in covering], clean)
                fate, by = "no test", ""
                if chosen:
                    tests = [(items[name], clean.seconds[name]) for name in chosen]
                    fate, by = _forked(module, mutant, source, tests)
                if by:  # what noticed one mutant of a file is likely to notice the next
                    order.remove(by)
                    order.insert(0, by)
                self._keep(mutant, fate, by)
        return True

    def _clean(self, items: Sequence[pytest.Item]) -> Clean:
        """Return what unchanged code does, of known tests from the file where it is kept."""
        clean = Clean({}, {})
        if self.kept is not None and self.kept.exists():
            clean.add(self.kept.read_text(encoding="utf-8"))
        new = [item for item in items if item.nodeid not in clean.seconds]
        if new:
            clean.add(_clean_run(new))
        if new and self.kept is not None:
            self.kept.write_text(json.dumps(asdict(clean)), encoding="utf-8")
        return clean

    def _within(self, names: list[str], clean: Clean) -> list[str]:
        chosen: list[str] = []
        left = self.most_seconds
        for name in names:
            left -= clean.seconds[name]
            if left < 0 and chosen:
                break
            chosen.append(name)
        return chosen

    def _keep(self, mutant: Mutant, fate: str, by: str) -> None:
        self.results.append((mutant, fate, by))
        if self.out is not None:
            with self.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**asdict(mutant), "fate": fate, "by": by}) + "\n")


def _kept(out: Path) -> list[Result]:
    """Return what an earlier run wrote."""
    told = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [
        (Mutant(*(line[each.name] for each in fields(Mutant))), line["fate"], line["by"])
        for line in told
    ]


def _clean_run(items: Sequence[pytest.Item]) -> str:
    """Run all tests in a fork, so that no thread or cache of theirs is there afterwards."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        failed = True
        try:
            told, failed = _measured(items)
            with os.fdopen(writer, "w", encoding="utf-8") as pipe:
                pipe.write(told)
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(failed)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        told = pipe.read()
    if os.waitpid(child, 0)[1]:
        raise pytest.UsageError(f"unchanged code fails: {told}")
    return told


def _measured(items: Sequence[pytest.Item]) -> tuple[str, bool]:
    """Return `Clean` as JSON, or what failed."""
    files = [path for folder in PACKAGES.values() for path in folder.rglob("*.py")]
    measured = coverage.Coverage(data_file=None, config_file=False, include=list(map(str, files)))
    measured.start()
    seconds, failed = {}, []
    for item, following in zip(items, [*items[1:], None], strict=True):
        measured.switch_context(item.nodeid)
        start = time.process_time()
        reports = runtestprotocol(item, log=False, nextitem=following)
        seconds[item.nodeid] = time.process_time() - start
        failed += [f"{r.nodeid}: {r.longreprtext}" for r in reports if r.failed]
    measured.stop()
    data = measured.get_data()
    tests = {short_name(p): data.contexts_by_lineno(str(p)) for p in files}
    if failed:
        return "\n".join(failed), True
    return json.dumps({"seconds": seconds, "tests": tests}), False


def _forked(module: Module, mutant: Mutant, source: str, tests: Sequence[Timed]) -> tuple[str, str]:
    """Return what became of a mutant, and the test that noticed it."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code = _BROKEN
        try:
            _limited()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            module.install(mutant, source)
            by = _first_failure(tests)
            os.write(writer, by.encode())
            code = _NOTICED if by else _UNNOTICED
        finally:
            os._exit(code)
    os.close(writer)
    status = _wait(child, WAIT)
    with os.fdopen(reader) as pipe:
        by = pipe.read()
    if os.WIFSIGNALED(status):
        return "killed by limits", ""
    fates = {_UNNOTICED: "survived", _NOTICED: "killed"}
    return fates.get(os.WEXITSTATUS(status), "broken"), by


def _first_failure(tests: Sequence[Timed]) -> str:
    for (item, seconds), following in zip(tests, [*tests[1:], None], strict=True):
        signal.setitimer(signal.ITIMER_PROF, 1.0 + 5.0 * seconds)  # it ends a mutant that hangs
        after = following and following[0]
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=after)):
            return item.nodeid
    return ""


def _limited() -> None:
    taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = taken * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _wait(child: int, seconds: float) -> int:
    """Wait for a child, and end it if it takes too long."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return os.waitpid(child, 0)[1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> int:
    """Run the mutants of the named packages and tell what survives."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("packages", nargs="+", choices=PACKAGES)
    parser.add_argument("--only", nargs="*", default=[""], help="files whose path ends so")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--part", nargs=2, type=int, default=(1, 1), help="the n-th of m parts")
    parser.add_argument("--json", type=Path, help="a line for each mutant; those there are done")
    parser.add_argument("--clean", type=Path, help="where runs of unchanged code are kept")
    given = parser.parse_args()
    paths = [path for name in given.packages for path in sorted(PACKAGES[name].rglob("*.py"))]
    modules = [Module(path) for path in paths if str(path).endswith(tuple(given.only))]
    plugin = Session(modules, given)
    folders = [TESTS.get(name, f"tests/{name}") for name in given.packages]
    os.chdir(ROOT)  # mutmut and the tests look from there
    options = ["-q", "-s", "--tb=line", "-p", "tests.mutated", "-p", "no:cacheprovider", *LEFT_OUT]
    code = pytest.main([*options, *folders], plugins=[plugin])
    if code != pytest.ExitCode.OK:
        return int(code)
    return _report(plugin.results)


def _report(results: Sequence[Result]) -> int:
    explained = (
        set(EXPLAINED.read_text(encoding="utf-8").splitlines()) if EXPLAINED.exists() else set()
    )
    fates: defaultdict[str, Counter[str]] = defaultdict(Counter)
    new = []
    for mutant, fate, _ in results:
        if not fate.startswith("killed") and mutant.name in explained:
            fates[mutant.file]["explained"] += 1
            continue
        fates[mutant.file][fate] += 1
        if not fate.startswith("killed"):
            new.append(f"{fate}: {mutant.name}")
    for file, counts in sorted(fates.items()):
        print(f"{file:45} {sum(counts.values()):5}  {dict(counts)}")
    print(*new, sep="\n")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
