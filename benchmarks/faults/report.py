"""What a run of faults tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Report:
    """What happened under one fault; `violations` is empty if every promise was kept.

    Attributes:
        fault: Its name.
        rounds: How often it was injected.
        hit: Rounds in which it met something: a command that was killed, failed or waited.
        checks: Comparisons that were made.
        seconds: Wall time.
        outcomes: What became of commands and requests, counted.
        violations: Promises that were broken.
    """

    fault: str
    rounds: int = 0
    hit: int = 0
    checks: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def expect(self, what: str, *, true: bool) -> bool:
        """Count a check; one that fails is a violation."""
        self.checks += 1
        if not true:
            self.violations.append(what)
        return true

    def same(self, what: str, found: object, expected: object) -> bool:
        """Expect two things to be equal, and show a little of both if they are not."""
        if isinstance(found, dict) and isinstance(expected, dict):  # what is equal tells nothing
            names = [name for name in expected if found.get(name) != expected[name]]
            shown = f"{what}: {', '.join(map(str, names))} differ"
            return self.expect(shown, true=found == expected)
        shown = f"{what}: {_short(found)} instead of {_short(expected)}"
        return self.expect(shown, true=found == expected)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) < 160 else f"{text[:160]}…"
