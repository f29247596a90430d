"""Plans of many workloads priced at once, where the workloads differ in a few numbers.

What plans cost is made of parts: their scores, or the slices that chains choose from. Parts vary
smoothly with rates, windows and shares, so a sweep works them out in few cells and knows them in
all. A space says what its parts are, and finds the best plans from the parts of many cells.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from planner.joins.arrays import Floats, Ints
from planner.plan.objective import Objective

# So many plans are scored in every cell; of more, a space must have a better way.
MOST_LISTED = 250
# Parts are known to about so much of themselves: costs that differ by less are the same.
SAME = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class PriceParts:
    """What the scores of one workload's plans are made of.

    Workloads of the same `structure` have the same plans, made of the same parts.
    """

    structure: Hashable
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class GridPrices:
    """The best plan of every cell, as a place in `labels`, and what it and the next best score.

    `runner_up` is the place of the next best plan, -1 where its label is not worked out; `second`
    is infinitely bad where there is no other plan. `scores` gives any plan's score in all cells.
    """

    labels: tuple[str, ...]
    best: Ints
    score: Floats
    runner_up: Ints
    second: Floats
    scores: Callable[[str], Floats]


@runtime_checkable
class GridPricing(Protocol):
    """Prices the plans of many cells at once."""

    def price_parts(self, by: Objective) -> PriceParts | None:
        """The parts of this workload; None where this objective has none that suffice."""

    def combined(self, parts: Floats, by: Objective) -> GridPrices:
        """The best plans from the parts of many cells, one row a cell."""


def of_listed(labels: Sequence[str], scores: Floats, by: Objective) -> GridPrices:
    """The best plans where the parts are the scores of all plans, one column a plan."""
    signed = scores if by.is_lowest else -scores
    eligible = np.array([by.eligible(label) for label in labels])
    compared = np.where(eligible, signed, np.inf)
    # Of plans that cost the same the first by label is the best.
    order = sorted(range(len(labels)), key=lambda place: labels[place])
    least = compared.min(axis=1, keepdims=True)
    ties = compared[:, order] <= least + SAME * np.abs(least)
    best = np.array(order)[ties.argmax(axis=1)]
    every = np.arange(len(scores))
    score = scores[every, best]
    rest = compared
    rest[every, best] = np.inf
    runner_up = np.argmin(rest, axis=1)
    second = rest[every, runner_up]
    columns = {label: place for place, label in enumerate(labels)}
    return GridPrices(
        tuple(labels),
        best,
        score,
        np.where(np.isfinite(second), runner_up, -1),
        second if by.is_lowest else -second,
        lambda label: scores[:, columns[label]],
    )


def merged(kinds: Mapping[str, GridPrices], by: Objective) -> GridPrices:
    """The best of several kinds of plans; labels begin with what their kind is called.

    Of kinds whose best plans cost the same the first is named.
    """
    sign = 1 if by.is_lowest else -1
    heads, prices = list(kinds), list(kinds.values())
    starts = np.cumsum([0, *(len(own.labels) for own in prices)])
    score = np.array([sign * own.score for own in prices])
    least = score.min(axis=0)
    kind = (score <= least + SAME * np.abs(least)).argmax(axis=0)
    every = np.arange(len(least))
    # What comes next is the second of the same kind, or the best of another.
    following = score.copy()
    following[kind, every] = np.array([sign * own.second for own in prices])[kind, every]
    places = np.array([start + own.best for start, own in zip(starts, prices, strict=False)])
    seconds = np.array(
        [
            np.where(own.runner_up < 0, -1, start + own.runner_up)
            for start, own in zip(starts, prices, strict=False)
        ]
    )
    after = following.argmin(axis=0)
    runner_up = np.where(after == kind, seconds[kind, every], places[after, every])

    def scores(label: str) -> Floats:
        head = next(head for head in heads if label.startswith(head))
        return kinds[head].scores(label.removeprefix(head))

    return GridPrices(
        tuple(head + label for head, own in kinds.items() for label in own.labels),
        places[kind, every],
        sign * score[kind, every],
        np.where(np.isfinite(following[after, every]), runner_up, -1),
        sign * following[after, every],
        scores,
    )
