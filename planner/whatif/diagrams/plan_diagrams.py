"""Plan diagrams are made in the first of five ways that is possible and fast enough.

0. Where plans are simulated, some cells are, and all are fitted to them.
1. Where costs are smooth, the parts of all cells are interpolated, and the best plans found from
   them at once.
2. Few cells are planned one by one.
3. Where costs of single plans are smooth, those that win in some cells are priced in all.
4. Otherwise cells are planned at the corners of blocks, and more at borders.
"""

from __future__ import annotations

import math
import time
from itertools import product

import numpy as np

from planner.whatif.cells import Cells, Values
from planner.whatif.diagrams.interpolated_plans import from_plans
from planner.whatif.diagrams.interpolated_prices import from_prices
from planner.whatif.diagrams.plan_diagram import (
    PlanDiagram,
    doubtful,
    places_of,
    two,
    with_baseline,
)
from planner.whatif.diagrams.refined import refined
from planner.whatif.diagrams.simulated_plans import from_simulations

# So few cells are planned one by one at once; up to so many where parts are not smooth.
FEW_CELLS = 100
MOST_ALONE = 400
# Of more cells not all parts are kept in memory at once.
MOST_AT_ONCE = 10_000


def plan_diagram(cells: Cells, seconds: float) -> PlanDiagram:
    """The diagram of cells along two axes.

    Beyond MOST_ALONE those that must be planned one by one may take so many seconds of this
    thread: a busy machine takes longer, and shows the same.
    """
    count = math.prod(len(axis.values) for axis in cells.axes)
    begun = time.thread_time()
    found = from_simulations(cells) if count > FEW_CELLS else None
    if found is None and FEW_CELLS < count <= MOST_AT_ONCE:
        found = from_prices(cells, begun + seconds / 2)
    if found is None and count <= MOST_ALONE:
        return planned(cells)
    if found is None:
        found = from_plans(cells, begun + seconds)
    return found or refined(cells, cells.by, max(begun + seconds, time.thread_time() + seconds / 2))


def planned(cells: Cells) -> PlanDiagram:
    """Every cell planned by itself."""
    places = list(product(*(axis.values for axis in cells.axes)))
    winners = [cells.winner(place) for place in places]
    plans = with_baseline(cells, places[0], winners)
    cost = np.array([cells.scores(place, plans) for place in places]).T
    winner = places_of(winners, plans)
    second = np.array([_second(cells, place) for place in places])
    score = cost[winner, np.arange(len(places))]
    return PlanDiagram(
        two(cells.axes),
        plans,
        winner,
        score,
        second,
        cost,
        cells.by,
        len(places),
        "all cells planned",
        doubtful(cells, places, plans),
    )


def _second(cells: Cells, place: Values) -> float:
    """What the next best plan scores; infinitely bad where there is none."""
    by = cells.objective(place)
    ranking = cells.space(place).rank(by, top=3)
    others = (c for c in ranking.candidates if c.label != ranking.best and by.eligible(c.label))
    return by.top([*(c.score for c in others), math.inf if by.is_lowest else -math.inf], float)
