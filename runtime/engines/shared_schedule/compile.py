"""Plans of a scheduled join as a program: its windows, classes of queries, and policies by era."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from planner.errors import PlanError
from planner.families.shared_schedule.labels import (
    EDF,
    FAIR,
    LWO,
    MQT,
    OUT,
    POLICIES,
    SWF,
    WMQT,
    Schedule,
    schedule_of,
)
from planner.families.shared_schedule.model import ScheduleModel, model_of
from planner.families.shared_schedule.objectives import has_weights
from planner.families.shared_schedule.policies import rule_of
from planner.families.shared_schedule.predictions import SchedulePredictions, predictions_of
from planner.joins.shared.query_groups import BOTH, Condition, Group, Member
from planner.plan.plan import Operator
from planner.seconds.clock import Clock
from planner.seconds.units import units_of
from planner.workload.workload import Workload
from runtime.engines.kernels.conditions import ALWAYS
from runtime.engines.pair_columns import PairColumns
from runtime.engines.pair_engine import eras_of
from runtime.engines.protocol import PlanInput
from runtime.engines.shared_schedule import schedule_program as servers
from runtime.engines.shared_schedule.policies import PolicyTable
from runtime.engines.shared_schedule.program import ScheduleProgram
from runtime.engines.shared_schedule.schedule_program import NO_SLOT, SERVERS, Join, ScheduleEra
from runtime.engines.shared_schedule.tally import Meter

# The policies that every run is measured under, with their rule for ties (None: the workload's).
_SERVED = {
    servers.LWO: (LWO, None),
    servers.SWF: (SWF, None),
    servers.MQT_LARGER: (MQT, "larger"),
    servers.MQT_SMALLER: (MQT, "smaller"),
    servers.WMQT: (WMQT, None),
    servers.OUT: (OUT, None),
    servers.EDF: (EDF, None),
    servers.FAIR: (FAIR, None),
}
_PS_PER_S = 1e12


def compile_schedule(given: PlanInput) -> ScheduleProgram:
    """Read windows, classes and policies off the plans; count for each of their operators."""
    workload = given.workload
    stages, times, entered = zip(*eras_of(given), strict=True)
    units = units_of(workload, given.units)
    models = [model_of(stage.workload) for stage in stages]
    columns = PairColumns.of(workload, given.schema)
    join = _join(columns, models, models[0].clock(units))
    plans = [schedule_of(m.group, s.plan.label) for m, s in zip(models, stages, strict=True)]
    asked = _Asked.of(workload, [stage.workload for stage in stages])
    eras: list[ScheduleEra] = []
    meters: dict[str, list[Meter]] = {}
    for stage, at, since, model, plan in zip(stages, times, entered, models, plans, strict=True):
        era = _ScheduleEraBuilder(
            columns, models[0].group.streams, stage.workload, model, since
        ).made(at, eras, asked.policies(predictions_of(model, units), plan))
        for operator in stage.plan.operators():
            meters.setdefault(operator.id, []).append(_meter(operator, columns, model, era))
        eras.append(era)
    return ScheduleProgram(
        streams=columns.streams,
        queries=columns.queries,
        join=join,
        eras=eras,
        label=given.plan.label,
        names=asked.names(),
        alias=asked.server_of(plans),
        meters=meters,
        span=given.span,
        partitions=1,
    )


def _join(columns: PairColumns, models: Sequence[ScheduleModel], clock: Clock) -> Join:
    """The join of all eras, and what its work takes."""
    group = models[0].group
    for model in models[1:]:
        if _signature(model.group) != _signature(group):
            raise PlanError(
                "a query that enters must join as the others do: a schedule orders one join",
                "run.changes",
            )
    key, others = columns.equalities(group)
    return Join(
        sides=[columns.stream(group, side) for side in BOTH],
        rows=group.unit == "rows",
        key=key,
        others=others,
        theta=columns.theta(group),
        buckets=columns.buckets(group, key),
        unit_costs=[round(seconds * _PS_PER_S) for seconds in (clock.compare, clock.output)],
    )


def _signature(group: Group) -> object:
    """What tells its join from others, whichever of its queries is the first."""
    return sorted(group.streams), sorted(map(str, group.predicates)), group.unit


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which policies are served: those by weights or deadlines where some query has one."""

    ties: str
    served: list[int]

    @classmethod
    def of(cls, workload: Workload, stages: Sequence[Workload]) -> _Asked:
        left_out = set()
        if not any(has_weights(stage) for stage in stages):
            left_out.add(servers.WMQT)
        if all(query.deadline is None for stage in stages for query in stage.queries):
            left_out.add(servers.EDF)
        return cls(workload.execution.ties, [n for n in _SERVED if n not in left_out])

    def names(self) -> dict[str, int]:
        """The servers by name; the one with the other rule for ties says so."""
        found = {}
        for number in self.served:
            policy, ties = _SERVED[number]
            own = ties is None or ties == self.ties
            found[policy if own else f"{policy} (ties: {ties})"] = number
        return dict(sorted(found.items(), key=lambda item: _order(item[0])))

    def server_of(self, plans: Sequence[Schedule]) -> int:
        """Who does in all eras what the plan does; -1 where nobody does."""
        policies = {plan.policy for plan in plans}
        if len(policies) > 1 or any(plan.ends is not None for plan in plans):
            return -1
        return self.names().get(plans[0].policy, -1)

    def policies(
        self, predictions: SchedulePredictions, plan: Schedule
    ) -> list[PolicyTable | None]:
        """What each server does in an era; the first is the plan's own."""
        group = predictions.model.group
        wanted = predictions.model.wanted(predictions.isolated.tolist)
        tables: list[PolicyTable | None] = [None] * SERVERS
        chosen = {servers.OWN: (plan, None)} | {
            number: (Schedule(policy), ties)
            for number, (policy, ties) in _SERVED.items()
            if number in self.served
        }
        for number, (schedule, ties) in chosen.items():
            rule = rule_of(schedule.policy, schedule.points(group), wanted, ties or self.ties)
            tables[number] = PolicyTable.of(rule, group.boundaries)
        return tables


def _order(name: str) -> int:
    return POLICIES.index(name.split()[0])


@dataclass(slots=True)
class _ScheduleEraBuilder:
    """The classes and slots of one stage as they are made; sides are those of the join."""

    columns: PairColumns
    streams: tuple[str, str]
    workload: Workload
    model: ScheduleModel
    entered: Mapping[str, int]
    _conditions: tuple[dict[Condition, int], ...] = field(default_factory=lambda: ({}, {}))

    def made(
        self, at: int, before: Sequence[ScheduleEra], policies: list[PolicyTable | None]
    ) -> ScheduleEra:
        """What runs from this time on, counted behind the eras before it."""
        members = self.model.group.members
        widest: dict[tuple[int, int, int], int] = {(-1, -1, ALWAYS): 0}
        taken: dict[str, tuple[tuple[int, int, int], int]] = {}
        for member in members:
            asked, window = self._asked(member), self.model.place(member) + 1
            widest[asked] = max(widest.get(asked, 0), window)
            taken[member.query] = asked, window
        slots = []
        for number, asked in enumerate(widest):
            windows = sorted({window for of, window in taken.values() if of == asked})
            slots += [[window, number] for window in windows] + [[NO_SLOT, number]]
        classes = list(widest)
        queries = []
        for query, (asked, window) in taken.items():
            turned = self.workload.query(query).sources[0].name != self.streams[0]
            slot = slots.index([window, classes.index(asked)])
            queries.append([self.columns.queries.index(query), slot, int(turned)])
        return ScheduleEra(
            at=at,
            number=len(before),
            windows=list(self.model.windows),
            conditions=[
                [self.columns.conjunction(condition) for condition in of_side]
                for of_side in self._conditions
            ],
            classes=[[*asked, window] for asked, window in widest.items()],
            slots=slots,
            queries=queries,
            policies=policies,
            cell=sum(era.cells for era in before),
            slot=sum(len(era.slots) for era in before),
            window=sum(era.width for era in before),
        )

    def _asked(self, member: Member) -> tuple[int, int, int]:
        """The conditions of a query on both sides by number (-1: none), and since when."""
        # The first query of a stage decides which stream its group names first.
        conditions = dict(zip(self.model.group.streams, member.conditions, strict=True))
        numbers = []
        for stream, known in zip(self.streams, self._conditions, strict=True):
            asked = conditions[stream]
            numbers.append(-1 if asked.is_open else known.setdefault(asked, len(known)))
        return numbers[0], numbers[1], self.entered.get(member.query, ALWAYS)


def _meter(
    operator: Operator, columns: PairColumns, model: ScheduleModel, era: ScheduleEra
) -> Meter:
    """Where an operator is counted."""
    if operator.kind == "arrive":
        return [era.number, columns.streams.index(str(operator.param("source")))]
    if operator.kind in ("join", "schedule"):
        return [era.number]
    if operator.kind == "route":
        group = model.group
        numbers = {group.number_of(window): n for n, window in enumerate(model.windows, start=1)}
        window = next(n for number, n in numbers.items() if number == operator.param("window"))
        # Who arrived too early for a query that entered is seen by no filter: by the route.
        late = {
            slot
            for _, slot, _ in era.queries
            if era.slots[slot][0] == window
            and era.classes[era.slots[slot][1]][:2] == [-1, -1]
            and era.slots[slot][1] > 0
        }
        return [era.number, window, *sorted(late)]
    query = columns.queries.index(str(operator.param("query")))
    return [era.number, next(slot for number, slot, _ in era.queries if number == query)]
