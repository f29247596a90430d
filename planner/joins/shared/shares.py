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
from planner.joins.shared.value_cells import Mask, cell_shares, cells_of
from planner.time_limit import check
from planner.workload.query import Filter
from planner.workload.streams import Attribute, Stream

# Beyond so many combinations of conditions neither joins nor shares are worked out.
MOST_COMBINATIONS = 20_000


class TooManyError(PlanError):
    """The conditions on a stream have more combinations than are worked out."""


@dataclass(frozen=True, slots=True)
class PassingPart:
    """The tuples of a stream that pass these of its conditions and no other."""

    conditions: tuple[Condition, ...]
    mask: Mask
    _passed: frozenset[Condition] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check()
        passed = (c for k, c in enumerate(self.conditions) if self.mask >> k & 1)
        object.__setattr__(self, "_passed", frozenset(passed))

    def passes(self, condition: Condition) -> bool:
        """Whether its tuples pass; what asks nothing is always passed."""
        return condition.is_open or condition in self._passed

    def __str__(self) -> str:
        """A digit for each condition in the order of the split: 1 where it holds."""
        check()
        return "".join(str(self.mask >> k & 1) for k in range(len(self.conditions))) or "-"


@lru_cache(maxsize=64)
def parts_of(group: Group, side: int) -> tuple[PassingPart, ...]:
    """The parts of one stream that serve some query, by descending number of conditions passed."""
    conditions = group.conditions(side)
    masks = {(1 << len(conditions)) - 1}
    for cells in cells_of([c.filters for c in conditions]):
        masks = {mask & passed for mask in masks for passed in {*cells.passed, cells.missing}}
        if len(masks) > MOST_COMBINATIONS:
            raise TooManyError(
                f"its conditions split {group.streams[side]} into over {MOST_COMBINATIONS:,} parts"
            )
    found = [PassingPart(conditions, mask) for mask in masks]
    asked = {m.conditions[side] for m in group.members}
    serving = [part for part in found if any(part.passes(condition) for condition in asked)]
    return tuple(sorted(serving, key=lambda part: (-part.mask.bit_count(), str(part))))


@dataclass(frozen=True, slots=True)
class ConditionReach:
    """A condition, and how far a tuple gets by it: as stored, and as probing."""

    condition: Condition
    survival: int
    reach: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is evaluated of one stream's tuples: `asked` in turn, beyond what every tuple has."""

    survival: int
    reach: int
    asked: tuple[ConditionReach, ...]

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
        ConditionReach(condition, own, other)
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
        # A conjunction is evaluated until one filter fails: its beginnings count too. Each is known
        # by the one before it and its last filter.
        self._bits: dict[tuple[int, Filter], int] = {}
        beginnings = []
        for condition in self._conditions:
            bit = -1
            for count, last in enumerate(condition.filters, start=1):
                known = len(self._bits)
                bit = self._bits.setdefault((bit, last), known)
                if bit == known:
                    beginnings.append(condition.filters[:count])
        self._combined = _combined(beginnings, stream, dict(group.declared), group.streams[side])

    def _path(self, filters: Filters) -> list[int]:
        """The bits of the beginnings of these filters, the shortest first."""
        path: list[int] = []
        for last in filters:
            path.append(self._bits[path[-1] if path else -1, last])
        return path

    def of_filters(self, filters: Filters) -> float:
        """The share of tuples that pass all of these, a condition's filters or its first ones."""
        return self._share(self._path(filters)[-1]) if filters else 1.0

    def _share(self, bit: int) -> float:
        check()
        return together(share for mask, share in self._combined.items() if mask >> bit & 1)

    @cached_property
    def _passing(self) -> dict[Condition, float]:
        return {c: self.of_filters(c.filters) for c in self._conditions}

    def of(self, condition: Condition) -> float:
        """The share of tuples that pass a condition."""
        return 1.0 if condition.is_open else self._passing[condition]

    def of_part(self, part: PassingPart) -> float:
        """The share of tuples in one part of the stream."""
        return self._parts.get(part.mask, 0.0)

    @cached_property
    def _parts(self) -> dict[Mask, float]:
        found: dict[Mask, float] = {}
        whole = [self._path(c.filters)[-1] for c in self._conditions]
        for mask, share in self._combined.items():
            part = sum(1 << k for k, bit in enumerate(whole) if mask >> bit & 1)
            found[part] = together((found.get(part, 0.0), share))
        return found

    @cached_property
    def split_evaluations(self) -> float:
        """Predicates evaluated per tuple where every condition is."""
        return sum(
            1.0 + sum(map(self._share, self._path(condition.filters)[:-1]))
            for condition in self._conditions
        )

    @cached_property
    def _evaluation(self) -> tuple[float, dict[tuple[int, int], float]]:
        """Predicates evaluated per tuple for its survival, and tuples by survival and reach."""
        evaluation = evaluation_of(self._group, self._side)
        asked = [
            (a, path[-1], path[:-1])
            for a in evaluation.asked
            for path in [self._path(a.condition.filters)]
        ]
        evaluations, far = 0.0, dict[tuple[int, int], float]()
        for mask, share in self._combined.items():
            check()
            survival, reach = evaluation.survival, evaluation.reach
            for one, bit, beginnings in asked:
                if one.survival <= survival and one.reach <= reach:
                    continue
                evaluations += share * (1 + sum(mask >> begun & 1 for begun in beginnings))
                if mask >> bit & 1:
                    survival, reach = max(survival, one.survival), max(reach, one.reach)
            far[survival, reach] = far.get((survival, reach), 0.0) + share
        return evaluations, far

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
        shares = cell_shares(cells, attribute, known)
        combined: dict[Mask, float] = {}
        for mask, share in found.items():
            check()
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
