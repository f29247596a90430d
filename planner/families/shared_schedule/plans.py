"""A schedule as a plan: arrivals, one join, the policy, a route for every window, the queries.

arrive A \\                          / route w_1 - filter - output Q1
          join W - schedule (MQT) --
arrive B /                          \\ route w_2 - output Q2
"""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.families.shared_schedule import NAME
from planner.families.shared_schedule.labels import Schedule
from planner.families.shared_schedule.model import ScheduleModel
from planner.joins.shared.query_groups import BOTH, Member
from planner.plan.plan import Operator, Param, Plan

Params = list[tuple[str, Param]]


@dataclass(slots=True)
class BuiltSchedule:
    """A plan, and by operator id what some of its operators are about: a place, or a query.

    The place of an arrival is the side of its stream, that of a route its window.
    """

    plan: Plan
    places: dict[str, int] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)


def built(model: ScheduleModel, schedule: Schedule) -> BuiltSchedule:
    """The plan of a schedule; outputs stand in the order of the workload's queries."""
    group = model.group
    found = BuiltSchedule(Plan(NAME, "", ()))
    arrivals = [_arrive(model, side) for side in BOTH]
    for side, arrival in enumerate(arrivals):
        found.places[arrival.id] = side
    params: Params = [
        ("left", group.streams[0]),
        ("right", group.streams[1]),
        ("on", group.on),
        ("window", group.number_of(model.windows[-1])),
        ("access", group.access),
        ("buckets", group.buckets),
    ]
    rows: Params = [("unit", "rows")] if group.unit == "rows" else []
    join = Operator("join", (*params, *rows), tuple(arrivals))
    params = [
        ("policy", schedule.policy),
        ("ties", model.workload.execution.ties),
        ("points", "-".join(map(group.text_of, schedule.points(group)))),
    ]
    decides = Operator("schedule", tuple(params), (join,))
    outputs: dict[str, Operator] = {}
    for place, window in enumerate(model.windows):
        route = Operator("route", (("window", group.number_of(window)), *rows), (decides,))
        found.places[route.id] = place
        for member in model.members[place]:
            taken = _filtered(member, route)
            output = Operator("output", (("query", member.query),), (taken,))
            found.members |= {taken.id: member, output.id: member}
            outputs[member.query] = output
    roots = tuple(outputs[query.name] for query in model.workload.queries)
    found.plan = Plan(NAME, schedule.label(group), roots)
    return found


def _arrive(model: ScheduleModel, side: int) -> Operator:
    stream = model.group.streams[side]
    return Operator("arrive", (("source", stream), ("stream", stream)))


def _filtered(member: Member, route: Operator) -> Operator:
    """The conditions of a query after its route; the route itself where it has none."""
    asked = [str(condition) for condition in member.conditions if not condition.is_open]
    if not asked:
        return route
    params: Params = [("query", member.query), ("condition", " and ".join(asked))]
    return Operator("filter", tuple(params), (route,))
