"""The values of an attribute that conditions tell apart, and how often they occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.joins.arrays import Floats
from planner.statistics.distributions import declared_distribution
from planner.time_limit import check
from planner.workload.query import COMPARE, Filter
from planner.workload.streams import Attribute, Constant

# What a tuple passes: bit k is set where conjunction k holds.
Mask = int


@dataclass(frozen=True, slots=True)
class AttributeCells:
    """One attribute cut at the constants that conjunctions compare it with.

    Cell 2j is the range below constant j, cell 2j + 1 the constant itself; `passed` says which
    conjunctions each cell allows, and `missing` which allow a tuple without a value.
    """

    attribute: str
    constants: tuple[Constant, ...]
    passed: tuple[Mask, ...]
    missing: Mask


def cells_of(conjunctions: Sequence[Sequence[Filter]]) -> tuple[AttributeCells, ...]:
    """The cells of every attribute that some conjunction asks for."""
    steps = [_step(conjunctions, k) for k in range(len(conjunctions))]
    attributes = dict.fromkeys(f.column.attribute for _, filters in steps for f in filters)
    return tuple(_cells(attribute, steps) for attribute in attributes)


def _step(conjunctions: Sequence[Sequence[Filter]], k: int) -> tuple[bool, Sequence[Filter]]:
    """Whether this conjunction goes on where the one before it ends, and the filters it adds.

    The beginnings of a conjunction do: each has one filter more.
    """
    filters = conjunctions[k]
    goes_on = k > 0 and len(filters) > 0 and filters[:-1] == conjunctions[k - 1]
    return (True, filters[-1:]) if goes_on else (False, filters)


def _cells(attribute: str, steps: Sequence[tuple[bool, Sequence[Filter]]]) -> AttributeCells:
    own = [[f for f in added if f.column.attribute == attribute] for _, added in steps]
    constants = sorted({c for filters in own for f in filters for c in f.constants})
    places = {constant: 2 * j + 1 for j, constant in enumerate(constants)}
    cells = np.arange(2 * len(constants) + 1)
    # A row for each conjunction, a column for each cell, and a last one for a missing value.
    holds = np.ones((len(steps), len(cells) + 1), dtype=bool)
    for k, (goes_on, _) in enumerate(steps):
        check()
        if goes_on:
            holds[k] = holds[k - 1]
        for f in own[k]:
            compare = COMPARE[f.comparison]
            holds[k, :-1] &= np.any([compare(cells, places[c]) for c in f.constants], axis=0)
            holds[k, -1] = False
    *passed, missing = map(_mask, holds.T)
    return AttributeCells(attribute, tuple(constants), tuple(passed), missing)


def _mask(bits: npt.NDArray[np.bool_]) -> Mask:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def cell_shares(
    cells: AttributeCells, attribute: Attribute, declared: Mapping[Filter, float]
) -> dict[Mask, float]:
    """How often an attribute's value lies in cells that allow these conjunctions."""
    below = _below(cells, attribute, declared)
    present = 1 - attribute.missing
    edges = np.concatenate(([0.0], below, [present]))
    found: dict[Mask, float] = {}
    for passed, share in zip(cells.passed, np.diff(edges).tolist(), strict=True):
        if share > 0:
            found[passed] = found.get(passed, 0.0) + share
    if attribute.missing:
        found[cells.missing] = found.get(cells.missing, 0.0) + attribute.missing
    return found


def _below(cells: AttributeCells, attribute: Attribute, declared: Mapping[Filter, float]) -> Floats:
    """For each constant the share of values below it, then of those up to it; rising."""
    values = declared_distribution(attribute)
    up_to = np.concatenate(([0.0], np.cumsum(values.shares)))
    kind = object if values.is_text else None
    constants = np.array(cells.constants, dtype=kind)
    left = up_to[np.searchsorted(values.values, constants, side="left")]
    right = up_to[np.searchsorted(values.values, constants, side="right")]
    found = np.column_stack((left, right)).ravel()
    stated = _stated(cells, attribute, declared, found)
    if stated:
        # What is not declared is held between what is.
        low = np.full(len(found), 0.0)
        high = np.full(len(found), 1 - attribute.missing)
        for place, share in stated.items():
            found[place] = share
            low[place:] = np.maximum(low[place:], share)
            high[: place + 1] = np.minimum(high[: place + 1], share)
        found = np.clip(found, low, np.maximum(low, high))
    return np.maximum.accumulate(found)


def _stated(
    cells: AttributeCells, attribute: Attribute, declared: Mapping[Filter, float], found: Floats
) -> dict[int, float]:
    """The places of `_below` for which a share follows from one that is declared."""
    present = 1 - attribute.missing
    places = {constant: 2 * j for j, constant in enumerate(cells.constants)}
    stated: dict[int, float] = {}
    equal: dict[tuple[Constant, ...], float] = {}
    for condition, stated_share in declared.items():
        own = condition.column.attribute == cells.attribute
        if not own or not places.keys() >= set(condition.constants):
            continue
        share, at = min(stated_share, present), places[condition.constants[0]]
        match condition.comparison:
            case "<":
                stated[at] = share
            case "<=":
                stated[at + 1] = share
            case ">":
                stated[at + 1] = present - share
            case ">=":
                stated[at] = present - share
            case "=" | "<>":
                alike = condition.comparison == "="
                equal[condition.constants] = share if alike else present - share
    return stated | _side_by_side(_apart(equal, places, found), places, found, present)


def _apart(
    equal: Mapping[tuple[Constant, ...], float], places: Mapping[Constant, int], found: Floats
) -> dict[Constant, float]:
    """The share of every constant, where some have one together: those share it as they would."""
    alone: dict[Constant, float] = {}
    for constants, share in sorted(equal.items(), key=lambda item: len(item[0])):
        # What a constant is declared to have by itself is left to it.
        others = [c for c in constants if c not in alone]
        rest = max(0.0, share - sum(alone.get(c, 0.0) for c in constants))
        usual = {c: float(found[places[c] + 1] - found[places[c]]) for c in others}
        whole = sum(usual.values())
        alone |= {c: rest * (usual[c] / whole if whole else 1 / len(others)) for c in others}
    return alone


def _side_by_side(
    alone: Mapping[Constant, float], places: Mapping[Constant, int], found: Floats, present: float
) -> dict[int, float]:
    """Where constants with these shares begin and end: no two at one place, all within range."""
    stated: dict[int, float] = {}
    end, left = 0.0, sum(alone.values())
    for constant in sorted(alone, key=lambda c: places[c]):
        at, share = places[constant], alone[constant]
        begins = max(end, min(float(found[at]), present - left))
        end, left = min(present, begins + share), left - share
        stated[at], stated[at + 1] = begins, end
    return stated
