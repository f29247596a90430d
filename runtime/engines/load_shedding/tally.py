"""What was counted of a star join as costs of operators, qualities, and what was shed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.families.load_shedding.simulation.settings import PROCESSOR_SHORT, REASONS
from planner.families.load_shedding.star_tuples import MILLIONTHS
from planner.plan.cost import Cost, Quality
from planner.plan.plan import Operator, Plan
from runtime.engines.kernel_state import Sums, summed
from runtime.engines.load_shedding.aggregate_figures import aggregate_figures
from runtime.engines.load_shedding.kernel.types import IMPORTANCE_BASE, ShedCounters
from runtime.engines.load_shedding.star_join import Processor, StarJoin
from runtime.engines.protocol import Tally

if TYPE_CHECKING:
    from runtime.engines.load_shedding.program import StarProgram

KEYS_SHOWN = 20


def tally_of(
    program: StarProgram, totals: Sequence[bytes], plan: Plan, reached: int | None
) -> Tally:
    """Add up the partitions. A run that goes on has no qualities: they are of all tuples."""
    sums = summed(totals, ShedCounters)
    counters = sums.counters
    costs = {op.id: _cost(op, program.join, counters) for op in plan.operators()}
    seconds = program.span.until(reached).seconds
    compared = int(counters.comparisons.sum() + counters.evaluated.sum())
    return with_answer(program, sums.tally(compared, costs, seconds), totals, reached)


def with_answer(
    program: StarProgram,
    tally: Tally,
    totals: Sequence[bytes],
    reached: int | None,
    switched: bool = False,
) -> Tally:
    """The tally with how good the answer of these totals is and what was shed, at the end of a run.

    Where the policy was `switched` not all was lost by chance: nothing is estimated from the rest.
    """
    if reached is not None:
        return tally
    sums = summed(totals, ShedCounters)
    shed = _shed(program, sums.counters, program.join.is_unbiased and not switched)
    return replace(tally, qualities={program.query: _quality(program, sums)}, shed=shed)


def _cost(operator: Operator, join: StarJoin, counters: ShedCounters) -> Cost:
    if operator.kind == "output":
        return Cost(rows_out=counters.found.sum())
    numbers = {arm.alias: number for number, arm in enumerate(join.arms)}
    if operator.kind == "probe":
        number = numbers[str(operator.param("origin"))]
        return Cost(counters.probed[number], rows_out=counters.found[number])
    if operator.kind == "table":
        assert join.relation is not None
        return _table_cost(join.relation, counters)
    number = numbers[str(operator.param("source"))]
    place = join.arms[number].place
    if operator.kind == "arrive":
        return Cost(rows_out=counters.arrivals[place])
    if operator.kind == "filter":
        own = [n for n, (source, *_) in enumerate(join.filters) if source == place]
        return Cost(counters.evaluated[own].sum(), rows_out=counters.passed[own[-1]])
    if operator.kind == "lookup":
        return Cost(counters.looked_up[number], rows_out=counters.matched[number])
    if operator.kind == "keep":
        return Cost(
            counters.chosen[number],
            counters.inserts[place],
            counters.expirations[place],
            state_tuples=counters.held[place] / 1_000_000,
        )
    raise ValueError(f"a star join has no operator of kind {operator.kind}")


def _table_cost(place: int, counters: ShedCounters) -> Cost:
    rows = counters.inserts[place]
    held = counters.held[place] / 1_000_000
    return Cost(0, rows, counters.expirations[place], rows_out=rows, state_tuples=held)


def _importance(counters: ShedCounters) -> int:
    high, low = (int(part) for part in counters.importance)
    return high * IMPORTANCE_BASE + low


def _quality(program: StarProgram, sums: Sums[ShedCounters]) -> Quality:
    exact, _ = program.schema.exact
    return Quality(
        recall=sums.results / exact if exact else 1.0,
        importance=_importance(sums.counters) / MILLIONTHS,
    )


def _shed(program: StarProgram, counters: ShedCounters, is_unbiased: bool) -> dict[str, Any]:
    join = program.join
    aliases = [arm.alias for arm in join.arms]
    results, importance = program.schema.exact
    rooms = {arm.alias: arm.room for arm in join.arms}
    by_arm = dict(zip(aliases, counters.evictions.tolist(), strict=True))
    reasons = REASONS if join.processor is None else (*REASONS, PROCESSOR_SHORT)
    shed: dict[str, Any] = {
        "exact": {"results": results, "importance": importance / MILLIONTHS},
        "memory": {
            alias: None if room is None else room * program.partitions
            for alias, room in rooms.items()
        },
        "evictions": {
            alias: dict(zip(reasons, counts, strict=False)) for alias, counts in by_arm.items()
        },
        "timeline": {
            "from": program.begin / 1e6,
            "every": join.step_of(program.span, program.begin) / 1e6,
            "shed": dict(zip(aliases, counters.timeline.tolist(), strict=True)),
        },
        "keys": {
            arm.alias: _keys(program, number, counters) for number, arm in enumerate(join.arms)
        },
    }
    if program.schema.optimum_seconds is not None:
        shed["optimum_seconds"] = program.schema.optimum_seconds
    if join.processor is not None:
        shed["processor"] = _waiting(join.processor, counters)
    if program.schema.aggregation.names:
        shed["aggregates"] = aggregate_figures(program, counters)
    if is_unbiased:
        found, worth = counters.estimated.tolist()
        shed["estimates"] = {"results": found, "importance": worth / MILLIONTHS}
    return shed


def _waiting(processor: Processor, counters: ShedCounters) -> dict[str, Any]:
    """How long the tuples that were served had waited, in seconds; it is one processor."""
    served, waited, longest = counters.waited.tolist()
    return {
        "buffer": processor.buffer,
        "served": int(served),
        "mean_wait": waited / served / 1e6 if served else 0.0,
        "longest_wait": longest / 1e6,
    }


def _keys(program: StarProgram, number: int, counters: ShedCounters) -> list[dict[str, Any]]:
    """The keys of which most was shed, with the most shed first."""
    shed, arrived = counters.key_shed[number], counters.key_arrivals[number]
    most = np.argsort(-shed, kind="stable")[:KEYS_SHOWN]
    names = program.schema.names.get(program.join.arms[number].alias, [])
    return [
        {"key": names[code], "arrived": int(arrived[code]), "shed": int(shed[code])}
        for code in most.tolist()
        if shed[code]
    ]
