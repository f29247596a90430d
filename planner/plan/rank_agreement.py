"""How well predictions order plans: Kendall's tau, and the regret of the plan predicted best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.plan.objective import Objective

# Plans of one cost may differ in the last bits of a sum: these digits decide an order.
_DIGITS = 9


def kendall_tau(predicted: Sequence[float], measured: Sequence[float]) -> float | None:
    """Kendall's tau-b: 1 where all pairs are in the same order, -1 where all are in the other.

    None where there is no order: fewer than two plans, or all of them alike in one of the two.

    >>> kendall_tau([1, 2, 3], [10, 20, 30]), kendall_tau([1, 2], [2, 1]), kendall_tau([1], [1])
    (1.0, -1.0, None)
    """
    first, second = (
        np.sign(np.subtract.outer(values, values))
        for values in (
            np.array([float(f"{value:.{_DIGITS}g}") for value in figures])
            for figures in (predicted, measured)
        )
    )
    pairs = np.sqrt(float((first**2).sum()) * float((second**2).sum()))
    return float((first * second).sum() / pairs) if pairs else None


def regret(predicted: Sequence[float], measured: Sequence[float], by: Objective) -> float | None:
    """How many times worse the plan predicted best was than the one measured best.

    Of plans predicted alike the first one counts. None where the cheapest cost nothing.

    >>> from planner.plan.objective import STATE
    >>> regret([1, 2], [30, 20], STATE), regret([2, 1], [30, 20], STATE)
    (1.5, 1.0)
    """
    chosen, best = measured[predicted.index(by.top(predicted, float))], by.top(measured, float)
    if chosen == best:
        return 1.0
    larger, smaller = by.sides(chosen, best)
    return larger / smaller if smaller > 0 else None
