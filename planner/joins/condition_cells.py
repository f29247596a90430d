"""Which conditions on a stream hold together: its attributes cut at the constants they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planner.errors import PlanError
from planner.joins.groups import Condition
from planner.workload.query import COMPARE, Filter
from planner.workload.streams import Constant

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
