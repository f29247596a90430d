"""What servers and scans counted, as costs of operators and qualities of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planner.plan.cost import Cost, Quality
from planner.plan.plan import Operator, Plan
from runtime.engines.kernel_state import grown, summed
from runtime.engines.protocol import Tally
from runtime.engines.shared_schedule.counters import ALONE, ScheduleCounters
from runtime.engines.shared_schedule.delay_figures import DelayFigures, by_slot, sum_of
from runtime.engines.shared_schedule.kernel.types import (
    BUFFER_MAX,
    BUSY,
    COMPARISONS,
    EXPIRY_CHECKS,
    HELD_MAX,
    HELD_TIME,
    INSERTS,
    QUEUE_MAX,
    WAITED,
)
from runtime.engines.shared_schedule.schedule_program import OWN, ScheduleEra

if TYPE_CHECKING:
    from runtime.engines.shared_schedule.program import ScheduleProgram

# The era of an operator, then what it is about: a stream, a window, or a slot.
Meter = list[int]
ISOLATED = "isolated"


def tally_of(
    program: ScheduleProgram, totals: Sequence[bytes], plan: Plan, reached: int | None
) -> Tally:
    """Add everything up; costs are per second of the span."""
    sums = summed(totals, ScheduleCounters)
    # Of a run that was changed and has run no batch since.
    counters = ScheduleCounters(*map(grown, program.zero(), sums.counters))
    alias = int(sums.extras[0][0][2])
    own = alias if alias >= 0 else OWN
    seconds = program.span.until(reached).seconds
    costs = _Costs(program, counters, own)
    raw = {op.id: costs.of(op) for op in plan.operators()}
    figures = Figures(program, counters, seconds)
    answers = {name: figures.answer(n) for n, name in enumerate(program.queries)}
    return replace(
        sums.tally(round(sum(cost.comparisons for cost in raw.values())), raw, seconds),
        results=sum(count for count, _ in answers.values()),
        digest=sum(digest for _, digest in answers.values()) % 2**64,
        by_query=answers,
        qualities=figures.qualities(own),
        schedules=figures.schedules(own),
    )


class _Costs:
    """What was counted for each operator in all of the span; state in tuple-seconds."""

    def __init__(self, program: ScheduleProgram, counters: ScheduleCounters, own: int) -> None:
        self._program, self._counters, self._own = program, counters, own

    def of(self, operator: Operator) -> Cost:
        """Over all eras that have the operator."""
        meters = self._program.meters[operator.id]
        return sum((self._cost(operator.kind, meter) for meter in meters), Cost())

    def _cost(self, kind: str, meter: Meter) -> Cost:
        counters, era = self._counters, self._program.eras[meter[0]]
        found = counters.found(era)
        if kind == "arrive":
            return Cost(rows_out=counters.arrivals[era.number, meter[1]])
        if kind == "join":
            work = counters.joins[era.number]
            return Cost(
                comparisons=work[COMPARISONS],
                inserts=work[INSERTS],
                expirations=work[EXPIRY_CHECKS],
                rows_out=found.counted[0].sum(),
                state_tuples=counters.held[era.number] / 1e6,
            )
        if kind == "schedule":
            waited = counters.measures[self._own, era.number]
            return Cost(state_tuples=(waited[WAITED] + waited[HELD_TIME]) / 1e9)
        if kind == "route":
            _, window, *late = meter
            checks = self._window_checks(era, window) + sum(
                self._checks(era, slot) for slot in late
            )
            return Cost(comparisons=checks, rows_out=found.counted[0, : window + 1].sum())
        window, number = era.slots[meter[1]]
        passed = found.counted[number, : window + 1].sum()
        if kind == "filter":
            return Cost(comparisons=self._checks(era, meter[1]), rows_out=passed)
        if kind == "output":
            return Cost(rows_out=passed)
        raise ValueError(f"a scheduled join has no operator of kind {kind}")

    def _checks(self, era: ScheduleEra, slot: int) -> int:
        """Conditions that were looked at for the results of a slot."""
        window, number = era.slots[slot]
        return int(self._counters.found(era).checks[number, : window + 1].sum())

    def _window_checks(self, era: ScheduleEra, window: int) -> int:
        """Results whose age is compared with a window: it is not known from where a scan ended."""
        policy = era.policies[OWN]
        assert policy is not None, "the plan's own policy is there, whoever serves it"
        following = next(point for point in policy.points if point >= window)
        if following == window:
            return 0
        return int(self._counters.found(era).counted[0, window : following + 1].sum())


class Figures:
    """Answers, and delays by policy and query."""

    def __init__(self, program: ScheduleProgram, counters: ScheduleCounters, seconds: float):
        self._program, self._counters, self._seconds = program, counters, seconds
        # By query the eras that it is in, its slot there, and whether its FROM is turned.
        self._by_query: dict[int, list[tuple[ScheduleEra, int, int]]] = {}
        for era in program.eras:
            for number, slot, turned in era.queries:
                self._by_query.setdefault(number, []).append((era, slot, turned))

    def _places(self, query: int) -> list[tuple[ScheduleEra, int, int]]:
        return self._by_query.get(query, [])

    def answer(self, query: int) -> tuple[int, int]:
        """Its results and their digest."""
        count, digest = 0, 0
        for era, slot, turned in self._places(query):
            window, number = era.slots[slot]
            found = self._counters.found(era)
            count += int(found.results[number, : window + 1].sum())
            digest += int(found.digests[number, : window + 1, turned].sum())
        return count, digest % 2**64

    def qualities(self, server: int) -> dict[str, Quality]:
        """What a server means for each query; nothing where nothing was measured."""
        return {
            name: self._quality(server, number) for number, name in enumerate(self._program.queries)
        }

    def _quality(self, server: int, query: int) -> Quality:
        delays, scans = self.delays(server, query)
        alone, _ = self.delays(ALONE, query)
        return Quality(
            delay_ms=delays.mean_ms,
            delay_ms_max=delays.largest_ms,
            delay_ms_p50=delays.quantile_ms(0.5),
            delay_ms_p95=delays.quantile_ms(0.95),
            delay_ms_p99=delays.quantile_ms(0.99),
            scan_delay_ms=scans.mean_ms,
            isolated_delay_ms=alone.mean_ms,
        )

    def delays(self, server: int, query: int) -> tuple[DelayFigures, DelayFigures]:
        """Delays of its results, and per tuple until its window is scanned."""
        counters, parts, scanned, outers = self._counters, [], 0, 0
        for era, slot, _ in self._places(query):
            place, first = era.slot + slot, era.slot + _first_of_class(era, slot)
            if server == ALONE:
                total = sum_of(counters.sums[ALONE, place])
                largest = int(counters.largest[ALONE, place])
                parts.append(DelayFigures(int(counters.alone[place]), total, largest))
                scanned += sum_of(counters.alone_scans[place])
            else:
                sums, histogram = counters.sums[server], counters.histogram[server]
                parts.append(by_slot(sums, histogram, counters.largest[server], first, place))
                scanned += sum_of(counters.scans[server, era.window + era.slots[slot][0]])
            outers += int(counters.arrivals[era.number].sum())
        return DelayFigures.together(parts), DelayFigures(outers, scanned, 0)

    def schedules(self, own: int) -> dict[str, dict[str, Any]]:
        """Every policy that was served, and each query alone."""
        if self._seconds <= 0:
            return {}
        found = {name: self._schedule(server) for name, server in self._program.names.items()}
        label = self._program.label
        if label not in found:
            found[label] = self._schedule(own)
        return {**found, ISOLATED: self._schedule(ALONE)}

    def _schedule(self, server: int) -> dict[str, Any]:
        measures = self._counters.measures[server]
        span_ns = self._seconds * 1e9
        largest = measures.max(axis=0)
        # A query alone holds nothing back; queues and buffers of its own are not compared.
        shared = server != ALONE
        return {
            "queries": {
                name: {key: value for key, value in quality.as_dict().items() if value is not None}
                for name, quality in self.qualities(server).items()
            },
            "busy": float(measures[:, BUSY].sum() / span_ns),
            "queue_mean": float(measures[:, WAITED].sum() / span_ns),
            "queue_max": int(largest[QUEUE_MAX]) if shared else None,
            "held_mean": float(measures[:, HELD_TIME].sum() / span_ns),
            "held_max": int(largest[HELD_MAX]),
            "join_buffer_max": int(largest[BUFFER_MAX]) if shared else None,
            "output_share": self._output_share(),
        }

    def _output_share(self) -> float | None:
        """The share of the work that is the making of results."""
        counters, (compare, output) = self._counters, self._program.join.unit_costs
        made = sum(int(counters.found(era).counted[0].sum()) for era in self._program.eras)
        work = int(counters.joins[:, COMPARISONS].sum()) * compare + made * output
        return made * output / work if work else None


def _first_of_class(era: ScheduleEra, slot: int) -> int:
    """The first slot of the class of a slot."""
    number = era.slots[slot][1]
    return next(n for n, (_, of_class) in enumerate(era.slots) if of_class == number)
