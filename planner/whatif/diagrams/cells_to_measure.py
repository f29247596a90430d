"""Which cells of a plan diagram to measure: near borders, and far apart from each other.

Far from borders a measurement can hardly name another winner; two cells side by side say the same.
"""

from __future__ import annotations

import numpy as np

from planner.whatif.diagrams.plan_diagram import PlanDiagram

# Where the next best plan is at most so many times worse, a cell is near a border.
NEAR_BORDER = 1.5


def cells_to_measure(diagram: PlanDiagram, count: int) -> tuple[int, ...]:
    """So many cells, as places in row-major order; first the closest one, then always the one that
    is farthest from those chosen."""
    margin = diagram.margin
    open_to_doubt = np.flatnonzero(margin <= NEAR_BORDER)
    places = open_to_doubt if len(open_to_doubt) >= count else np.argsort(margin, kind="stable")
    places = places[: max(count, len(open_to_doubt))]
    spots = np.column_stack(np.divmod(places, diagram.shape[1])) / np.array(diagram.shape)
    chosen = [int(margin[places].argmin())]
    apart = np.linalg.norm(spots - spots[chosen[0]], axis=1)
    while len(chosen) < min(count, len(places)):
        chosen.append(int(apart.argmax()))
        apart = np.minimum(apart, np.linalg.norm(spots - spots[chosen[-1]], axis=1))
    return tuple(int(places[at]) for at in chosen)
