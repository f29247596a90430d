"""What is counted of sliced joins, in a shape that partitions add up in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from runtime.kernels.slice_types import SLICE_COUNTS
from runtime.programs.slice_forms import Era


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
    def zero(cls, eras: list[Era], streams: int, queries: int) -> SliceCounters:
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
