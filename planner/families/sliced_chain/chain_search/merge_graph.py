"""The graph of mergings as a picture needs it: boundaries, slices between them, cheapest way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.families.sliced_chain.chain_search.chains import GroupChains, Places
from planner.families.sliced_chain.ranking import Plans
from planner.joins.groups import Unit

# With more windows the slices between them are too many to distinguish in a picture.
MOST_DRAWN = 12


@dataclass(frozen=True, slots=True)
class Merging:
    """A slice from one boundary to another, by their places, and what it adds to the score.

    `apart` is what the slices it merges would add.
    """

    start: int
    end: int
    cost: float
    apart: float

    @property
    def merged(self) -> int:
        """How many slices it stands for."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Mergings:
    """The boundaries of one group, all slices between them where they are few, and two chains.

    `ahead` is what every chain costs before its slices: conditions evaluated on arrival.
    """

    group: int
    unit: Unit
    boundaries: tuple[float, ...]
    every: tuple[Merging, ...]
    cheapest: tuple[Merging, ...]
    chosen: tuple[Merging, ...]
    ahead: float


def mergings_of(plans: Plans, label: str) -> tuple[Mergings, ...]:
    """The graph of every group; `chosen` is the chain of this label, empty where it is none."""
    is_chain = label.startswith("chain:")
    chosen = plans.places(label) if is_chain else tuple(() for _ in plans.chains)
    return tuple(_of(chains, own) for chains, own in zip(plans.chains, chosen, strict=True))


def _of(chains: GroupChains, chosen: Places) -> Mergings:
    group, last = chains.model.group, chains.edges.last
    every = _every(last) if last <= MOST_DRAWN else ()
    return Mergings(
        group.number,
        group.unit,
        tuple(chains.model.length(boundary) for boundary in group.boundaries),
        tuple(_slice(chains, start, end) for start, end in every),
        tuple(_slice(chains, *edge) for edge in pairwise((0, *chains.cheapest))),
        tuple(_slice(chains, *edge) for edge in pairwise((0, *chosen))),
        chains.edges.beforehand,
    )


def _every(last: int) -> Iterator[tuple[int, int]]:
    for start in range(last):
        for end in range(start + 1, last + 1):
            yield start, end


def _slice(chains: GroupChains, start: int, end: int) -> Merging:
    apart = sum(_cost(chains, place, place + 1) for place in range(start, end))
    return Merging(start, end, _cost(chains, start, end), apart)


def _cost(chains: GroupChains, start: int, end: int) -> float:
    """What a slice adds to the score; the first one decides on unions."""
    if not start:
        return float(chains.first[end])
    return float(chains.cost(np.array([start]), np.array([end]))[0])
