"""How many tuples of a stream pass the conditions of queries, and which of them together.

Conditions on one attribute are taken together, by where its values lie; attributes are taken as
independent. A share that is declared for a filter replaces that of the attribute's distribution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from planner.errors import PlanError
from planner.joins.arrays import Floats
from planner.joins.shared.query_groups import Condition, Group, Sides
from planner.statistics.distributions import declared_distribution
from planner.workload.query import COMPARE, Filter
from planner.workload.streams import Attribute, Constant, Stream

# What a tuple passes: bit k is set where conjunction k holds.
Mask = int

# Beyond so many combinations of conditions neither joins nor shares are worked out.
MOST_COMBINATIONS = 20_000


class TooManyError(PlanError):
    """The conditions on a stream have more combinations than are worked out."""


@dataclass(frozen=True, slots=True)
class Part:
    """The tuples of a stream that pass these of its conditions and no other."""

    conditions: tuple[Condition, ...]
    mask: Mask
    _passed: frozenset[Condition] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        passed = (c for k, c in enumerate(self.conditions) if self.mask >> k & 1)
        object.__setattr__(self, "_passed", frozenset(passed))

    def passes(self, condition: Condition) -> bool:
        """Whether its tuples pass; what asks nothing is always passed."""
        return condition.is_open or condition in self._passed

    def __str__(self) -> str:
        """A digit for each condition in the order of the split: 1 where it holds."""
        return "".join(str(self.mask >> k & 1) for k in range(len(self.conditions))) or "-"


@dataclass(frozen=True, slots=True)
class Cells:
    """One attribute cut at the constants that conjunctions compare it with.

    Cell 2j is the range below constant j, cell 2j + 1 the constant itself; `passed` says which
    conjunctions each cell allows, and `missing` which allow a tuple without a value.
    """

    attribute: str
    constants: tuple[Constant, ...]
    passed: tuple[Mask, ...]
    missing: Mask


def cells_of(conjunctions: Sequence[Sequence[Filter]]) -> tuple[Cells, ...]:
    """The cells of every attribute that some conjunction asks for."""
    attributes = dict.fromkeys(f.column.attribute for filters in conjunctions for f in filters)
    return tuple(_cells(attribute, conjunctions) for attribute in attributes)


def _cells(attribute: str, conjunctions: Sequence[Sequence[Filter]]) -> Cells:
    own = [[f for f in filters if f.column.attribute == attribute] for filters in conjunctions]
    constants = sorted({f.constant for filters in own for f in filters})
    places = {constant: 2 * j + 1 for j, constant in enumerate(constants)}
    passed = []
    for cell in range(2 * len(constants) + 1):
        mask = 0
        for k, filters in enumerate(own):
            if all(COMPARE[f.comparison](cell, places[f.constant]) for f in filters):
                mask |= 1 << k
        passed.append(mask)
    missing = sum(1 << k for k, filters in enumerate(own) if not filters)
    return Cells(attribute, tuple(constants), tuple(passed), missing)


@lru_cache(maxsize=64)
def parts_of(group: Group, side: int) -> tuple[Part, ...]:
    """The parts of one stream that serve some query, by descending number of conditions passed."""
    conditions = group.conditions(side)
    masks = {(1 << len(conditions)) - 1}
    for cells in cells_of([c.filters for c in conditions]):
        masks = {mask & passed for mask in masks for passed in {*cells.passed, cells.missing}}
        if len(masks) > MOST_COMBINATIONS:
            raise TooManyError(
                f"its conditions split {group.streams[side]} into over {MOST_COMBINATIONS:,} parts"
            )
    found = [Part(conditions, mask) for mask in masks]
    asked = {m.conditions[side] for m in group.members}
    serving = [part for part in found if any(part.passes(condition) for condition in asked)]
    return tuple(sorted(serving, key=lambda part: (-part.mask.bit_count(), str(part))))


@dataclass(frozen=True, slots=True)
class Asked:
    """A condition, and how far a tuple gets by it: as stored, and as probing."""

    condition: Condition
    survival: int
    reach: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is evaluated of one stream's tuples: `asked` in turn, beyond what every tuple has."""

    survival: int
    reach: int
    asked: tuple[Asked, ...]

    def text(self, group: Group) -> str:
        """The conditions in turn, each with the survival and the reach it gives."""
        text = (
            f"{a.condition}: {group.text_of(a.survival)}/{group.text_of(a.reach)}"
            for a in self.asked
        )
        return "; ".join(text)


def evaluation_of(group: Group, side: int) -> Evaluation:
    """Conditions by decreasing window, ties by query; none that no tuple gets further by."""
    far: dict[Condition, Sides] = {}
    for conditions, windows in group.furthest.items():
        survival, reach = far.get(conditions[side], (0, 0))
        own, other = windows[side], windows[1 - side]
        far[conditions[side]] = (max(survival, own), max(reach, other))
    survival, reach = far.pop(Condition(), (0, 0))
    asked = [
        Asked(condition, own, other)
        for condition, (own, other) in far.items()
        if own > survival or other > reach
    ]
    asked.sort(key=lambda a: (-max(a.survival, a.reach), -a.survival, -a.reach))
    return Evaluation(survival, reach, tuple(asked))


Filters = tuple[Filter, ...]


class StreamShares:
    """What the conditions of a group's queries let through of one of its streams."""

    def __init__(self, group: Group, side: int, stream: Stream) -> None:
        self._group = group
        self._side = side
        self._conditions = group.conditions(side)
        # A conjunction is evaluated until one filter fails: its beginnings count too.
        beginnings = (
            c.filters[:count] for c in self._conditions for count in range(1, len(c.filters) + 1)
        )
        self._bits = {filters: bit for bit, filters in enumerate(dict.fromkeys(beginnings))}
        self._combined = _combined(
            list(self._bits), stream, dict(group.declared), group.streams[side]
        )

    def of_filters(self, filters: Filters) -> float:
        """The share of tuples that pass all of these, a condition's filters or its first ones."""
        if not filters:
            return 1.0
        bit = self._bits[filters]
        return together(share for mask, share in self._combined.items() if mask >> bit & 1)

    @cached_property
    def _passing(self) -> dict[Condition, float]:
        return {c: self.of_filters(c.filters) for c in self._conditions}

    def of(self, condition: Condition) -> float:
        """The share of tuples that pass a condition."""
        return 1.0 if condition.is_open else self._passing[condition]

    def of_part(self, part: Part) -> float:
        """The share of tuples in one part of the stream."""
        return self._parts.get(part.mask, 0.0)

    @cached_property
    def _parts(self) -> dict[Mask, float]:
        found: dict[Mask, float] = {}
        whole = [self._bits[c.filters] for c in self._conditions]
        for mask, share in self._combined.items():
            part = sum(1 << k for k, bit in enumerate(whole) if mask >> bit & 1)
            found[part] = together((found.get(part, 0.0), share))
        return found

    @cached_property
    def split_evaluations(self) -> float:
        """Predicates evaluated per tuple where every condition is."""
        return sum(
            self.of_filters(condition.filters[:count])
            for condition in self._conditions
            for count in range(len(condition.filters))
        )

    @cached_property
    def _evaluation(self) -> tuple[float, dict[tuple[int, int], float]]:
        """Predicates evaluated per tuple for its survival, and tuples by survival and reach."""
        evaluation = evaluation_of(self._group, self._side)
        asked = [
            (a, self._bits[a.condition.filters], self._beginnings(a.condition))
            for a in evaluation.asked
        ]
        evaluations, far = 0.0, dict[tuple[int, int], float]()
        for mask, share in self._combined.items():
            survival, reach = evaluation.survival, evaluation.reach
            for one, bit, beginnings in asked:
                if one.survival <= survival and one.reach <= reach:
                    continue
                evaluations += share * (1 + sum(mask >> begun & 1 for begun in beginnings))
                if mask >> bit & 1:
                    survival, reach = max(survival, one.survival), max(reach, one.reach)
            far[survival, reach] = far.get((survival, reach), 0.0) + share
        return evaluations, far

    def _beginnings(self, condition: Condition) -> list[int]:
        return [self._bits[condition.filters[:n]] for n in range(1, len(condition.filters))]

    @property
    def survival_evaluations(self) -> float:
        """Predicates evaluated per tuple to find its survival and reach."""
        return self._evaluation[0]

    @cached_property
    def let_in(self) -> float:
        """The share of tuples that are stored or probe at all."""
        return together(share for far, share in self._evaluation[1].items() if any(far))

    def beyond(self, boundaries: Sequence[int], probing: bool) -> Floats:
        """For each boundary the share of tuples that are stored, or that probe, beyond it."""
        limits = np.array(boundaries)
        found = np.zeros(len(limits))
        for far, share in self._evaluation[1].items():
            found[limits < far[probing]] += share
        # Sums of shares may end a last bit above 1.
        return np.minimum(found, 1.0)


def together(shares: Iterable[float]) -> float:
    """The sum of shares of one whole: by rounding it may end a last bit above 1, which it is not.

    >>> together([0.7, 0.1, 0.1, 0.1, 1e-16]), together([0.5, 0.25])
    (1.0, 0.75)
    """
    return min(1.0, sum(shares))


def _combined(
    conjunctions: Sequence[Filters],
    stream: Stream,
    declared: Mapping[Filter, float],
    name: str,
) -> dict[Mask, float]:
    """How often each combination of these conjunctions holds."""
    found = {(1 << len(conjunctions)) - 1: 1.0}
    for cells in cells_of(conjunctions):
        attribute = stream.attributes.get(cells.attribute, Attribute())
        known = {f: share for f, share in declared.items() if f.column.alias == name}
        shares = _cell_shares(cells, attribute, known)
        combined: dict[Mask, float] = {}
        for mask, share in found.items():
            for passed, part in shares.items():
                both = mask & passed
                combined[both] = combined.get(both, 0.0) + share * part
        if len(combined) > MOST_COMBINATIONS:
            raise TooManyError(
                f"the conditions on {name} have over {MOST_COMBINATIONS:,} combinations; plan "
                "fewer queries at a time"
            )
        found = combined
    return found


def _cell_shares(
    cells: Cells, attribute: Attribute, declared: Mapping[Filter, float]
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


def _below(cells: Cells, attribute: Attribute, declared: Mapping[Filter, float]) -> Floats:
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
    cells: Cells, attribute: Attribute, declared: Mapping[Filter, float], found: Floats
) -> dict[int, float]:
    """The places of `_below` for which a share follows from one that is declared."""
    present = 1 - attribute.missing
    places = {constant: 2 * j for j, constant in enumerate(cells.constants)}
    stated: dict[int, float] = {}
    for condition, share in declared.items():
        if condition.column.attribute != cells.attribute or condition.constant not in places:
            continue
        at = places[condition.constant]
        match condition.comparison:
            case "<":
                stated[at] = min(share, present)
            case "<=":
                stated[at + 1] = min(share, present)
            case ">":
                stated[at + 1] = max(0.0, present - share)
            case ">=":
                stated[at] = max(0.0, present - share)
            case _:
                equal = share if condition.comparison == "=" else max(0.0, present - share)
                begins = min(float(found[at]), present - min(equal, present))
                stated[at], stated[at + 1] = begins, begins + min(equal, present)
    return stated
