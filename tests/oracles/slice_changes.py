"""What shared joins count while their queries and plans change: stored tuples are moved.

A stored tuple goes to the slice that its old slice begins in, if a query is there for which it
lives on. Moving is not counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from planner.families.stages import PlannedStage
from planner.plan.plan import Operator
from planner.workload.workload import Workload
from runtime.engines.sliced_chain.simulation import (
    ChainSimulation,
    ChainTuple,
    Counts,
    SlicedJoin,
    built,
    holds,
    in_order,
)
from tests.oracles.joins import Data

Chain = tuple[Operator, list[SlicedJoin]]


def carried_through(
    workload: Workload, stages: Sequence[PlannedStage], data: Data, counts: Counts
) -> None:
    """Carry out all stages; what is done is counted in `counts`."""
    current, number, last = _begun(stages[0], counts), 0, 0
    queries = [query for stage in stages for query in stage.workload.queries]
    read = {source.name for query in queries for source in query.sources}
    for tuple_ in in_order(workload, data):
        if tuple_.stream not in read:
            continue
        now = sum(stage.at is None or stage.at <= tuple_.ts for stage in stages) - 1
        if now != number:
            # What is stored counts for the new plan as soon as no tuple comes under the old one.
            current.end(last)
            before, current, number = current, _begun(stages[now], counts), now
            for chain in current.chains:
                _take_over(before, current, chain, last)
        current.arrive(tuple_)
        last = tuple_.ts
    current.end(counts.end)


def _begun(stage: PlannedStage, counts: Counts) -> ChainSimulation:
    made = built(stage.workload, stage.plan.label)
    return ChainSimulation(stage.workload, made, counts, stage.entered)


def _take_over(before: ChainSimulation, after: ChainSimulation, chain: Chain, at: int) -> None:
    ours = [old for old in before.chains if _joins(old) == _joins(chain)]
    alike = [old for old in ours if _serves(before, old) == _serves(after, chain)]
    slices = chain[1]
    for stream in slices[0].join.group.streams:
        began: dict[int, tuple[int, ChainTuple]] = {}
        for _, old in alike or ours:
            for slice_ in old:
                for kept in slice_.stored:
                    for tuple_, _, _ in kept:
                        if tuple_.stream == stream:
                            found = began.get(tuple_.seq, (0, tuple_))[0]
                            began[tuple_.seq] = (max(found, slice_.join.start), tuple_)
        for _, (start, tuple_) in sorted(began.items()):
            survival = _survival(after, chain, tuple_)
            for slice_ in slices:
                if slice_.join.start <= start < slice_.join.end and survival > slice_.join.start:
                    side = slice_.join.group.streams.index(stream)
                    slice_.stored[side].append((tuple_, survival, at))


def _joins(chain: Chain) -> object:
    """What is the same for chains of one join."""
    group = chain[1][0].join.group
    return frozenset(group.streams), frozenset(map(str, group.predicates)), group.unit


def _serves(carried: ChainSimulation, chain: Chain) -> object:
    """Whom a chain serves, and with which tuples."""
    join = chain[1][0].join
    kinds = defaultdict(str, {feed.param("source"): feed.kind for feed in chain[0].inputs})
    members = [(m.query, m.windows, carried.entered.get(m.query)) for m in join.members]
    return members, dict(kinds), [part.mask for part in join.parts or ()]


def _survival(carried: ChainSimulation, chain: Chain, tuple_: ChainTuple) -> int:
    """How far a tuple gets by the queries that it may serve: those it came after."""
    first, join = chain[0], chain[1][0].join
    side = join.group.streams.index(tuple_.stream)
    (feed,) = [fed for fed in first.inputs if fed.param("source") == tuple_.stream]
    if feed.kind == "arrive":
        return max(m.windows[side] for m in join.members)
    if feed.kind == "split":
        assert join.parts is not None
        conditions = join.group.conditions(side)
        mask = sum(holds(c, tuple_)[0] << k for k, c in enumerate(conditions))
        if mask != join.parts[side].mask:
            return 0
    return max(
        (
            m.windows[side]
            for m in join.members
            if tuple_.ts >= carried.entered.get(m.query, tuple_.ts)
            and holds(m.conditions[side], tuple_)[0]
        ),
        default=0,
    )
