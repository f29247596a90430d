"""How arriving tuples are shared out to partitions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from planner.plan.loop_orders import is_multiway
from planner.plan.plan import Param, Plan
from planner.workload.query import CountWindow, Query, TumblingWindow
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.engines.aggregation.kernel.types import Arrivals
from runtime.engines.kernels.windows import Tuples

# Keys are below this, so a key modulo it is the key itself.
_EVERY_KEY = 2**31 - 1

Shared = TypeVar("Shared", Tuples, Arrivals)


@dataclass(frozen=True, slots=True)
class Split:
    """Tuples are split by `key % modulus`, or, without a modulus, given to every partition.

    Fragment and replicate: every partition then stores all tuples, and each tuple probes in one.
    """

    partitions: int
    modulus: int | None
    # Why there is one partition, whatever was asked for; empty where there may be more.
    single: str = ""
    # Whether partitions hold parts of one group.
    in_parts: bool = False

    def share(self, tuples: Shared) -> list[Shared] | None:
        """The tuples of each partition; None where every partition is given all of them."""
        if self.modulus is None:
            return None
        partition = tuples.key % np.int32(self.modulus) % np.int32(self.partitions)
        return [tuples.take(partition == p) for p in range(self.partitions)]


def split_of(plan: Plan, workload: Workload, partitions: int) -> Split:
    """Tuples of one bucket stay together where every window is hashed; else all are replicated.

    Keys that are equal modulo every number of buckets are equal modulo their greatest divisor.
    """
    if plan.family == "early_aggregation":
        return _aggregation_split(plan, workload, partitions)
    # A program of sliced joins shares out the buckets itself: each join may have others.
    if plan.family == "sliced_chain" or not is_multiway(plan, workload):
        return Split(partitions, None)
    counts = [op.param("buckets") for op in plan.operators() if op.kind == "insert"]
    return Split(partitions, _modulus(counts, partitions))


def _modulus(buckets: Iterable[Param], partitions: int) -> int | None:
    given = [int(count) for count in buckets if not isinstance(count, str)]
    divisor = math.gcd(*given) if given else _EVERY_KEY
    return divisor if divisor >= partitions else None


def _aggregation_split(plan: Plan, workload: Workload, partitions: int) -> Split:
    """By key where each probe looks a key up, in windows that pass over time; else replicated.

    Sums of parts are sums. A number of distinct values has to be counted over a whole group, and so
    is a block of tumbling windows when it ends: then a group must lie in one partition, as it does
    where it has one key. An extremum is looked for anew in all that a stream holds, which a
    partition would have a share of: what is counted then would depend on the partitions.
    """
    (query,) = workload.queries
    for aggregate in query.aggregates:
        if aggregate.function in ("min", "max"):
            name = aggregate.default_name()
            return Split(1, None, f"{name} is looked for anew in all that a window holds")
    classes = query.equality_classes()
    probes = [op for op in plan.operators() if op.kind == "probe"]
    modulus = None
    if (
        probes
        and len(classes) == 1
        and len(classes[0]) == len(query.sources)
        and all(op.param("access") == "hash" for op in probes)
        and not any(isinstance(s.window, CountWindow) for s in query.sources)
    ):
        modulus = _modulus((op.param("buckets") for op in probes), partitions)
    whole = modulus is not None and not classes[0].isdisjoint(query.group_by)
    if not whole and (reason := _needs_whole_groups(query)):
        return Split(1, None, reason)
    return Split(partitions, modulus, in_parts=partitions > 1 and not whole)


def _needs_whole_groups(query: Query) -> str:
    for aggregate in query.aggregates:
        if aggregate.distinct:
            return f"{aggregate.default_name()} of a group does not follow from those of its parts"
    if common_block(query):
        return "blocks of tumbling windows end as a whole"
    return ""


def common_block(query: Query) -> int:
    """The length in microseconds of tumbling windows that end together; 0 where they do not."""
    windows = {source.window for source in query.sources if source.window is not None}
    if len(windows) != 1:
        return 0
    (window,) = windows
    return microseconds(window.seconds) if isinstance(window, TumblingWindow) else 0
