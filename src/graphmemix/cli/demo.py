"""``graphmemix demo``: one worked example, solved and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.tree import Tree

from graphmemix.optimize import Problem, Selection, select, solve

if TYPE_CHECKING:
    from graphmemix.optimize import TrustedEdge

QUESTION = "Which hotel did we stay in when Mia lost her tooth?"

# (what the memory is, its utility p). Utilities and links stand in for a verifier's scores here.
MEMORIES: tuple[tuple[str, float], ...] = (
    ("chat, 14 July: “Mia lost her first tooth, on the beach!”", 0.81),
    ("photo, 14 July: a girl with a gap in her teeth", 0.55),
    ("mail, 2 June: booking, Hotel Miramar, 10 to 17 July", 0.28),
    ("chat, 3 May: “Mia has a wobbly tooth”", 0.30),
    ("mail, 20 March: dentist, appointment for Mia", 0.40),
    ("photo, 11 July: breakfast, a sign reads “Miramar”", 0.29),
    ("mail, 9 January: hotel newsletter, winter offers", 0.33),
    ("chat, 14 July: “it is under the pillow at the hotel”", 0.27),
)
# (anchor, what it makes useful, weight): once the day is known, the booking answers the question.
LINKS: tuple[tuple[int, int, float], ...] = (
    (0, 1, 0.59),
    (0, 2, 0.99),
    (2, 5, 0.79),
    (0, 7, 0.79),
    (3, 0, 0.40),
)
BUDGET = 5


def command() -> None:
    """Solve one worked example and draw its evidence forest."""
    console = Console(soft_wrap=True)
    prizes = [prize for _, prize in MEMORIES]
    selection = select(prizes, LINKS, budget=BUDGET)
    console.print(f"[bold]Question[/bold]  {QUESTION}\n")
    console.print(f"[bold]The {BUDGET} most useful one by one[/bold]")
    alone = sorted(range(len(prizes)), key=lambda i: (-prizes[i], i))[:BUDGET]
    for node in alone:
        console.print(f"  {prizes[node]:.2f}  {MEMORIES[node][0]}")
    console.print("\n[bold]The evidence forest: what answers together[/bold]")
    for tree in _drawn(selection, LINKS):
        console.print(tree)
    console.print(
        f"\nProposal: objective {selection.objective_after:.3f} against "
        f"{selection.objective_before:.3f} for the most useful one by one; "
        f"{'proven optimal' if selection.proposal.proven_optimal else 'not proven optimal'} "
        f"by method {selection.proposal.method}."
    )
    problem = Problem(tuple(prizes), LINKS, BUDGET, 0.2, 0.1)
    published = solve(problem, "published", "exactly")
    console.print(f"The published search reaches {published.objective:.3f} on the same candidates.")


def _drawn(selection: Selection, links: tuple[TrustedEdge, ...]) -> list[Tree]:
    weights = {frozenset(link[:2]): link[2] for link in links}
    drawn = []
    for tree in selection.forest:
        branches: dict[int, Tree] = {}
        for node, parent in zip(tree.nodes, tree.parents, strict=True):
            text, prize = MEMORIES[node]
            if parent is None:
                branches[node] = Tree(f"{prize:.2f}  {text}", guide_style="dim")
            else:
                weight = weights[frozenset((node, parent))]
                branches[node] = branches[parent].add(
                    f"{prize:.2f}  {text}  [dim]link {weight:.2f}[/dim]"
                )
        drawn.append(branches[tree.root])
    return drawn
