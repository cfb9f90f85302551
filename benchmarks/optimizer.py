"""The exact optimiser against the published search, on the same instances, in the same run.

    python benchmarks/optimizer.py [--instances 1000] [--out benchmarks/out]

Prints, for instances of published shape (M 48, K 10, 10 anchors): the median of the time ratio
published / exact, how often the published search misses the optimum of stage 1, and by how much.
Then it scales to M = 10,000, K = 100 and draws the times (optimizer.png) with the published search
beside them as far as it goes. All figures also go to optimizer.json.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import random
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix.optimize import Method, Problem, Solution, select, solve
from graphmemix.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

PAPER = Settings.for_profile("paper")
SCALES = [(48, 10), (100, 10), (300, 20), (1_000, 30), (3_000, 50), (10_000, 100)]
PUBLISHED_UP_TO = 300  # one instance of the published search takes a second there


def published_shape(seed: int, size: int = 48, budget: int = 10) -> Problem:
    """Return an instance with utilities from eq. 15 and at most one link per candidate.

    Scores fall with rank as cosine scores do; a third of the candidates get a verifier score. The
    share of anchors is the published one, 10 of 48.
    """
    rng = random.Random(seed)
    anchors = max(1, round(size * PAPER.edges.anchors / PAPER.graph.candidates))
    scores = sorted((rng.gauss(0.5, 0.12) for _ in range(size)), reverse=True)
    supports = [rng.choice((0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5)) for _ in range(size)]
    prizes = [_utility(s, v) for s, v in zip(scores, supports, strict=True)]
    edges = []
    for candidate in range(size):
        anchor = rng.randrange(anchors)
        if anchor != candidate and rng.random() < 0.6:
            edges.append((anchor, candidate, PAPER.edges.schema_weight * rng.randint(1, 5) / 5))
    forest = PAPER.forest
    return Problem(
        tuple(prizes), tuple(edges), budget, forest.proposal_opening_cost, forest.edge_cost_weight
    )


def _utility(score: float, support: float) -> float:
    u = PAPER.utility
    return 1 / (1 + math.exp(-u.tau * (u.alpha * score + (1 - u.alpha) * support / 5 - u.delta)))


def timed(run: Callable[[], Solution]) -> tuple[Solution, float]:
    start = time.process_time()  # what else runs on the machine does not count
    solution = run()
    return solution, time.process_time() - start


def compare(instances: int) -> dict[str, float]:
    """Stage 1 on the same instances, the two methods taking turns at going first."""
    times: dict[Method, list[float]] = {"exact": [], "published": []}
    two_stage: dict[Method, list[float]] = {"exact": [], "published": []}
    losses = []
    for seed in range(instances):
        problem = published_shape(seed)
        order: list[Method] = ["exact", "published"] if seed % 2 else ["published", "exact"]
        found = {}
        for method in order:
            found[method], seconds = timed(lambda: solve(problem, method, "exactly"))  # noqa: B023
            times[method].append(seconds)
            start = time.perf_counter()
            select(problem.prizes, problem.edges, method=method)
            two_stage[method].append(time.perf_counter() - start)
        losses.append(found["exact"].objective - found["published"].objective)
    missed = [loss for loss in losses if loss > 1e-9]
    pairs = zip(times["published"], times["exact"], strict=True)
    select_pairs = zip(two_stage["published"], two_stage["exact"], strict=True)
    return {
        "instances": instances,
        "median_time_ratio": statistics.median(p / e for p, e in pairs),
        "median_time_ratio_both_stages": statistics.median(p / e for p, e in select_pairs),
        "median_exact_ms": 1e3 * statistics.median(times["exact"]),
        "median_published_ms": 1e3 * statistics.median(times["published"]),
        "worst_exact_ms": 1e3 * max(times["exact"]),
        "share_published_misses": len(missed) / instances,
        "mean_loss_when_missed": statistics.fmean(missed) if missed else 0.0,
        "mean_loss": statistics.fmean(losses),
    }


def scale(repeats: int) -> list[dict[str, float | None]]:
    rows: list[dict[str, float | None]] = []
    for size, budget in SCALES:
        problems = [published_shape(seed, size, budget) for seed in range(repeats)]
        exact = [timed(lambda: solve(p, "exact", "exactly"))[1] for p in problems]  # noqa: B023
        published = None
        if size <= PUBLISHED_UP_TO:
            published = timed(lambda: solve(problems[0], "published", "exactly"))[1]  # noqa: B023
        rows.append(
            {
                "size": size,
                "budget": budget,
                "exact_s": statistics.median(exact),
                "published_s": published,
            }
        )
        print(f"M {size:>6}  K {budget:>3}  exact {1e3 * statistics.median(exact):9.2f} ms", end="")
        print(f"   published {1e3 * published:9.1f} ms" if published else "   published not run")
    return rows


def draw(rows: list[dict[str, float | None]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    sizes = [row["size"] or 0 for row in rows]
    axes.plot(sizes, [1e3 * (row["exact_s"] or 0) for row in rows], "o-", label="exact")
    known = [row for row in rows if row["published_s"]]
    seconds = [1e3 * (row["published_s"] or 0) for row in known]
    axes.plot([row["size"] or 0 for row in known], seconds, "s--", label="published search")
    for row in rows:
        label = f"K={row['budget']}"
        at = (row["size"], 1e3 * (row["exact_s"] or 0))
        # Above the line and to the left of its point, where neither the line nor an axis is.
        place = {"textcoords": "offset points", "xytext": (-4, 6), "ha": "right"}
        axes.annotate(label, at, fontsize=8, **place)
    axes.margins(0.1)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="candidates M",
        ylabel="milliseconds",
        title="Time to choose a forest",
    )
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5, help="instances per scale")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    comparison = compare(options.instances)
    for name, value in comparison.items():
        print(f"{name:32} {value:.4g}")
    rows = scale(options.repeats)
    draw(rows, options.out / "optimizer.png")
    report = {"python": platform.python_version(), "comparison": comparison, "scaling": rows}
    (options.out / "optimizer.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"written: {options.out}/optimizer.json, optimizer.png")


if __name__ == "__main__":
    main()
