"""Nested loops as text and as arrays: what the loop and the aggregation kernel have alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.cost import Cost
from planner.plan import Operator
from runtime.kernels.aggregation_types import AggregationCounters
from runtime.kernels.loop_types import Filters, LoopCounters, Loops, Paths
from runtime.programs.costs import filter_costs


@dataclass(frozen=True, slots=True)
class Nest:
    """Per origin its order and the checks of its levels, over ways to reach the windows.

    `paths` are [source, key, buckets, index, per value]; `equal` and `theta` hold the checks of
    each level, origin after origin. `filters` are [source, value, comparison, constant].
    """

    sources: list[str]
    filters: list[list[float]]
    conditions: list[str]
    paths: list[list[int]] = field(default_factory=list)
    orders: list[list[int]] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    path: list[list[int]] = field(default_factory=list)
    equal: list[list[list[int]]] = field(default_factory=list)
    theta: list[list[list[float]]] = field(default_factory=list)

    def kernel_paths(self) -> Paths:
        """The ways to reach the windows."""
        return Paths(*(np.array(column, np.int64) for column in zip(*self.paths, strict=True)))

    def kernel_loops(self) -> Loops:
        """What each origin does."""
        equal = np.array([c for level in self.equal for c in level], np.int64).reshape(-1, 2)
        theta = np.array([c for level in self.theta for c in level], np.float64).reshape(-1, 5)
        value, other, other_value, comparison = (
            np.ascontiguousarray(column, np.int64) for column in theta[:, :4].T
        )
        return Loops(
            np.array(self.orders, np.int64),
            np.array(self.depth, np.int64),
            np.array(self.path, np.int64),
            self._starts(self.equal),
            np.ascontiguousarray(equal[:, 0]),
            np.ascontiguousarray(equal[:, 1]),
            self._starts(self.theta),
            value,
            other,
            other_value,
            comparison,
            np.ascontiguousarray(theta[:, 4]),
        )

    def _starts(self, levels: Sequence[Sequence[object]]) -> np.ndarray:
        """Where the checks of each origin's levels begin, and where its last ones end."""
        sources = len(self.sources)
        ends = np.concatenate(([0], np.cumsum([len(level) for level in levels]))).astype(np.int64)
        return np.stack([ends[i * sources : (i + 1) * sources + 1] for i in range(sources)])

    def kernel_filters(self) -> Filters:
        """The conditions on arriving tuples."""
        columns = np.array(self.filters, np.float64).reshape(-1, 4)
        source, value, comparison = (
            np.ascontiguousarray(column, np.int64) for column in columns[:, :3].T
        )
        return Filters(source, value, comparison, np.ascontiguousarray(columns[:, 3]))

    def filter_costs(
        self,
        operators: Sequence[Operator],
        counters: LoopCounters | AggregationCounters,
        seconds: float,
    ) -> dict[str, Cost]:
        """What was counted for the filters among a plan's operators."""
        by_text = {str(op.param("condition")): op for op in operators if op.kind == "filter"}
        filters = [by_text[text] for text in self.conditions] if by_text else []
        return filter_costs(filters, counters, seconds)
