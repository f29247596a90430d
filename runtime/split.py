"""How arriving tuples are shared out to partitions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.plan import Plan
from planner.workload import Workload
from runtime.kernels.windows import Tuples
from runtime.pipelines import is_multiway

# Keys are below this, so a key modulo it is the key itself.
_EVERY_KEY = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Split:
    """Tuples are split by `key % modulus`, or, without a modulus, given to every partition.

    Fragment and replicate: every partition then stores all tuples, and each tuple probes in one.
    """

    partitions: int
    modulus: int | None

    def share(self, tuples: Tuples) -> list[Tuples] | None:
        """The tuples of each partition; None where every partition is given all of them."""
        if self.modulus is None:
            return None
        partition = tuples.key % np.int32(self.modulus) % np.int32(self.partitions)
        return [tuples.take(partition == p) for p in range(self.partitions)]


def split_of(plan: Plan, workload: Workload, partitions: int) -> Split:
    """Tuples of one bucket stay together where every window is hashed; else all are replicated.

    Keys that are equal modulo every number of buckets are equal modulo their greatest divisor.
    """
    if not is_multiway(plan, workload):
        return Split(partitions, None)
    counts = [op.param("buckets") for op in plan.operators() if op.kind == "insert"]
    given = [int(count) for count in counts if not isinstance(count, str)]
    divisor = math.gcd(*given) if given else _EVERY_KEY
    return Split(partitions, divisor if divisor >= partitions else None)
