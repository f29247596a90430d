"""What is counted of sliced joins, in a shape that partitions add up in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from planner.plan.cost import Cost
from planner.plan.plan import Operator
from runtime.engines.sliced_chain.chain_program import ChainEra
from runtime.engines.sliced_chain.kernel.types import (
    FOUND,
    INSERTS,
    LOOKS,
    PASSED,
    PROBES,
    PURGES,
    ROUTED,
    ROUTES,
    SLICE_COUNTS,
)


class SliceCounters(NamedTuple):
    """Counts of work, a row per slice, select, gate or filter, chain, stream or query.

    `held` is in tuple-microseconds. `results` and `digests` are those of all the run; `outputs`
    leave the warm-up out, and have a row per era and query; `arrivals` per era and stream.
    """

    slices: np.ndarray
    selects: np.ndarray
    gates: np.ndarray
    males: np.ndarray
    arrivals: np.ndarray
    outputs: np.ndarray
    results: np.ndarray
    digests: np.ndarray
    held: np.ndarray

    @classmethod
    def zero(cls, eras: list[ChainEra], streams: int, queries: int) -> SliceCounters:
        """Nothing counted yet."""
        chains = [chain for era in eras for chain in era.chains]
        slices = sum(len(chain.ends) for chain in chains)
        selects = sum(len(pairs) for chain in chains for pairs in chain.pairs)
        gates = sum(gate.counts for era in eras for gate in era.gates)
        return cls(
            slices=np.zeros((slices, SLICE_COUNTS), np.int64),
            selects=np.zeros((selects, 2), np.int64),
            gates=np.zeros((gates, 2), np.int64),
            males=np.zeros(len(chains), np.int64),
            arrivals=np.zeros((len(eras), streams), np.int64),
            outputs=np.zeros((len(eras), queries), np.int64),
            results=np.zeros(queries, np.int64),
            digests=np.zeros(queries, np.uint64),
            held=np.zeros(slices, np.float64),
        )

    @property
    def comparisons(self) -> np.ndarray:
        """Stored tuples examined, in purges and in probes."""
        return self.slices[:, :2]

    @property
    def replicas(self) -> np.ndarray:
        """Females stored in a partition that does not count them."""
        return self.slices[:, -1]


# The rows of counters that are an operator's own; what they are rows of follows from its kind.
Meter = list[int]


def raw_costs(
    operators: Sequence[Operator], meters: Mapping[str, list[Meter]], counters: SliceCounters
) -> dict[str, Cost]:
    """What was counted for each operator in all of the span; state in tuple-seconds."""
    return {
        op.id: sum((_cost(op.kind, meter, counters) for meter in meters[op.id]), Cost())
        for op in operators
    }


def _cost(kind: str, meter: Meter, counters: SliceCounters) -> Cost:
    row = meter[0]
    if kind == "arrive":
        return Cost(rows_out=counters.arrivals.flat[row])
    if kind in ("filter", "survive", "split"):
        return Cost(comparisons=counters.gates[row, LOOKS], rows_out=counters.gates[row, PASSED])
    if kind == "select":
        looks, passed = counters.selects[row]
        return Cost(comparisons=looks, rows_out=passed)
    if kind == "output":
        return Cost(rows_out=counters.outputs.flat[row])
    if kind == "union":
        # A chain's union takes a punctuation of every male; that of several joins every result.
        found = counters.outputs.flat[row]
        merged = found if len(meter) == 1 else counters.males[meter[1]]
        return Cost(comparisons=merged, rows_out=found)
    if kind == "probe" and len(meter) > 1:
        return Cost(comparisons=counters.selects[row, meter[1]])
    counts = counters.slices[row]
    if kind == "slice":
        return Cost(
            comparisons=counts[PURGES],
            inserts=counts[INSERTS],
            state_tuples=counters.held[row] / 1_000_000,
        )
    if kind == "probe":
        return Cost(comparisons=counts[PROBES], rows_out=counts[FOUND])
    if kind == "route":
        return Cost(comparisons=counts[ROUTES], rows_out=counts[ROUTED])
    raise ValueError(f"sliced joins have no operator of kind {kind}")
