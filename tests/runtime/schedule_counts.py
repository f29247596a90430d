"""What the operators of a scheduled join should count, tuple by tuple, in plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from planner.families.shared_schedule.labels import schedule_of
from planner.families.stages import PlannedStage
from planner.joins.shared.query_groups import Condition, Group, groups_of
from planner.plan.cost import COST_FIELDS, Cost
from planner.plan.plan import Operator
from runtime.engines.shared_schedule.simulation.server import NEVER, Outer
from tests.oracles.joins import Data
from tests.runtime.scheduling import SPAN


class Counts:
    """Counts of each operator within the span, over all stages."""

    def __init__(
        self, stages: Sequence[PlannedStage], data: Data, outers: Sequence[Sequence[Outer]]
    ) -> None:
        self._stages, self._data, self._outers = stages, data, outers
        self._sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for number, stage in enumerate(stages):
            for operator in stage.plan.operators():
                self._count(number, stage, operator)
        self._count_stored()

    def costs(self) -> dict[str, Cost]:
        """Per second of the span; without what a server holds."""
        names = [op.id for stage in self._stages for op in stage.plan.operators()]
        return {
            name: Cost(**{part: self._sums[name][part] / SPAN.seconds for part in COST_FIELDS})
            for name in names
        }

    def _measured(self, number: int) -> list[Outer]:
        return [outer for outer in self._outers[number] if outer.ts >= SPAN.warmup * 1000]

    def _count(self, number: int, stage: PlannedStage, operator: Operator) -> None:
        (group,) = groups_of(stage.workload)
        outers, found = self._measured(number), self._sums[operator.id]
        matches = [
            (partial, match)
            for outer in outers
            for partial, examined in enumerate(outer.partials, start=1)
            for match in examined
            if match is not None
        ]
        if operator.kind == "arrive":
            side = self._sides().index(str(operator.param("source")))
            found["rows_out"] += sum(outer.stream == side for outer in outers)
        elif operator.kind == "join":
            found["comparisons"] += sum(len(own) for outer in outers for own in outer.partials)
            found["rows_out"] += len(matches)
            found["inserts"] += len(outers)
        elif operator.kind == "route":
            lengths = [group.number_of(length) for length in group.boundaries]
            window = lengths.index(operator.param("window"))
            found["rows_out"] += sum(partial <= window for partial, _ in matches)
            points = schedule_of(group, stage.plan.label).points(group)
            end = group.boundaries.index(next(p for p in points if p >= group.boundaries[window]))
            if end > window:
                found["comparisons"] += sum(window <= partial <= end for partial, _ in matches)
            # Queries that entered together and ask for nothing else look once.
            late = {
                stage.entered[member.query]
                for member in group.members
                if member.longest == group.boundaries[window]
                and member.query in stage.entered
                and all(condition.is_open for condition in member.conditions)
            }
            found["comparisons"] += len(late) * sum(partial <= window for partial, _ in matches)
        elif operator.kind in ("filter", "output"):
            self._count_query(stage, operator, group, matches)

    def _count_query(
        self,
        stage: PlannedStage,
        operator: Operator,
        group: Group,
        matches: Sequence[tuple[int, tuple[int, int]]],
    ) -> None:
        """A query asks whether both came after it did, then its conditions on one side each."""
        query = str(operator.param("query"))
        member = next(member for member in group.members if member.query == query)
        window, found = group.boundaries.index(member.longest), self._sums[operator.id]
        conditions = dict(zip(group.streams, member.conditions, strict=True))
        since = stage.entered.get(query, NEVER)
        for partial, seqs in matches:
            if partial > window:
                continue
            by_stream = dict(zip(self._sides(), seqs, strict=True))
            looks = [min(self._data[name][seq][0] for name, seq in by_stream.items()) >= since]
            if since == NEVER:
                looks = []
            looks += [
                self._holds(condition, name, by_stream[name])
                for name in self._sides()
                if not (condition := conditions[name]).is_open
            ]
            if operator.kind == "filter":
                found["comparisons"] += looks.index(False) + 1 if False in looks else len(looks)
            found["rows_out"] += all(looks)

    def _holds(self, condition: Condition, stream: str, seq: int) -> bool:
        values = self._data[stream][seq][1]
        return all(
            values[f.column.attribute] is not None and f.holds(values[f.column.attribute])
            for f in condition.filters
        )

    def _sides(self) -> tuple[str, str]:
        return groups_of(self._stages[0].workload)[0].streams

    def _count_stored(self) -> None:
        """A tuple is stored from its arrival until one of the other stream finds it too old.

        That is seen by a check for each that is dropped, and one more that stops.
        """
        joins = [
            next(op.id for op in stage.plan.operators() if op.kind == "join")
            for stage in self._stages
        ]
        stored: list[list[int]] = [[], []]
        gone = [0, 0]
        # A stage ends with its last tuple: what comes then is of the next one that has any.
        ends, last = [], 0
        for own in self._outers:
            last = own[-1].ts // 1000 if own else last
            ends.append(last)
        ends[max((n for n, own in enumerate(self._outers) if own), default=0)] = SPAN.end
        flat = [(number, outer) for number, own in enumerate(self._outers) for outer in own]
        for number, outer in flat:
            other, ts = 1 - outer.stream, outer.ts // 1000
            dropped = outer.left - gone[other]
            if ts >= SPAN.warmup:
                checks = dropped + (len(stored[other]) > dropped)
                self._sums[joins[number]]["expirations"] += checks
            for since in stored[other][:dropped]:
                self._hold(joins, ends, since, ts)
            del stored[other][:dropped]
            gone[other] += dropped
            stored[outer.stream].append(ts)
        for since in (*stored[0], *stored[1]):
            self._hold(joins, ends, since, SPAN.end)

    def _hold(self, joins: Sequence[str], ends: Sequence[int], since: int, until: int) -> None:
        """The time is shared out to the stages."""
        begin = max(since, SPAN.warmup)
        for join, end in zip(joins, ends, strict=True):
            stop = min(until, end, SPAN.end)
            self._sums[join]["state_tuples"] += max(0, stop - begin) / 1e6
            begin = max(begin, stop)
