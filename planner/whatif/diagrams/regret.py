"""What it costs to stay with few plans: the regret of one plan everywhere, and reduced diagrams.

The regret of a plan in a cell is how many times worse it is there than the cell's best plan. A
reduced diagram has the fewest plans, all of them winners somewhere, such that in every cell one of
them is within a stated factor of the best. They are chosen greedily, as a set cover: always the
plan that is good enough in most cells that have none yet (Harish, Darera and Haritsa 2007).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.joins.arrays import Bools, Floats, Ints
from planner.whatif.diagrams.plan_diagram import PlanDiagram, ratio


@dataclass(frozen=True, slots=True)
class Regret:
    """How many times worse than the best one plan is, over all cells: at worst and on average."""

    plan: str
    worst: float
    mean: float
    cells_won: int


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """The plans that suffice, and for each cell which of them is best there, as a place in `plans`.

    `worst` is the largest regret that is left.
    """

    plans: tuple[str, ...]
    winner: Ints
    worst: float


def regrets_in(diagram: PlanDiagram) -> Floats:
    """The regret of every plan in every cell, one row a plan."""
    return np.array([ratio(own, diagram.score, diagram.by) for own in diagram.cost])


def regrets(diagram: PlanDiagram) -> tuple[Regret, ...]:
    """The regret of each plan if it were chosen everywhere, the safest first."""
    found = [
        Regret(
            plan,
            float(own.max()),
            float(own.mean()),
            int(np.sum(diagram.winner == place)),
        )
        for place, (plan, own) in enumerate(zip(diagram.plans, regrets_in(diagram), strict=True))
    ]
    return tuple(sorted(found, key=lambda r: (r.worst, r.mean, r.plan)))


def safest(diagram: PlanDiagram) -> Regret:
    """The plan that loses least if it is chosen everywhere, of those that may win: a baseline that
    breaks a limit is in the diagram, too."""
    found = regrets(diagram)
    return next((own for own in found if diagram.by.eligible(own.plan)), found[0])


def reduced(diagram: PlanDiagram, within: float = 0.2) -> Reduced:
    """The diagram with few plans, none of them more than `within` worse than the best."""
    regret = regrets_in(diagram)
    # The winner always covers its own cell, whatever rounding says.
    good: Bools = regret <= 1 + within
    good[diagram.winner, np.arange(good.shape[1])] = True
    wins = np.bincount(diagram.winner, minlength=len(diagram.plans)) > 0
    good &= wins[:, None]
    left = np.ones(good.shape[1], dtype=np.bool_)
    chosen: list[int] = []
    while left.any():
        place = int(np.argmax((good & left).sum(axis=1)))
        chosen.append(place)
        left &= ~good[place]
    own = regret[chosen]
    winner = own.argmin(axis=0)
    worst = float(own[winner, np.arange(own.shape[1])].max())
    return Reduced(tuple(diagram.plans[place] for place in chosen), winner, worst)
