"""What every operator of a schedule should cost per second of stream time, and why.

Work hardly depends on the policy: which stored tuples a scan examines follows from arrivals alone.
Policies differ in what waits, and in window checks: a match is held against the windows inside the
slice that was scanned, smallest first, until it fits; where a scan ends at a window it needs none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from planner.families.shared_schedule.labels import Schedule
from planner.families.shared_schedule.model import SCAN_KINDS, ScheduleModel
from planner.families.shared_schedule.plans import BuiltSchedule
from planner.families.shared_schedule.predictions import SchedulePrediction, SchedulePredictions
from planner.joins.shared.query_groups import BOTH
from planner.plan.cost import Cost, Estimate, Formula, Formulas, Quality
from planner.plan.expression import Expression, decay, number, symbol, total
from planner.plan.plan import Operator, Plan
from planner.seconds.kernel_work import KernelWork, Work

COUNTED = "one count per tuple, match or condition"
EXPECTED = "expected counts: a check per tuple dropped, and one that stops"
ROUTED = "window checks inside the slice that was scanned"
WAITING = "Little's law: arrivals per second times how long they wait"


def estimated(
    built: BuiltSchedule, model: ScheduleModel, schedule: Schedule, predictions: SchedulePredictions
) -> Estimate:
    """The costs, formulas and delays of a plan."""
    prediction = predictions.of(schedule)
    formulas = _formulas(built, model, schedule, prediction)
    return Estimate(formulas.costs(), qualities(model, prediction, predictions), formulas)


def costs_of_work(
    built: BuiltSchedule, model: ScheduleModel, schedule: Schedule
) -> Mapping[str, Cost]:
    """The costs of a plan without what waits, which needs no time but a simulation to be known."""
    return _formulas(built, model, schedule, None).costs()


def _formulas(
    built: BuiltSchedule,
    model: ScheduleModel,
    schedule: Schedule,
    prediction: SchedulePrediction | None,
) -> Formulas:
    pricing = _ScheduleFormulas(built, model, schedule, prediction)
    return Formulas({op.id: tuple(pricing.formulas(op)) for op in built.plan.operators()})


def qualities(
    model: ScheduleModel, prediction: SchedulePrediction, predictions: SchedulePredictions
) -> dict[str, Quality]:
    """The delays of every query; neither mean nor longest where they grow without end."""
    has_mean, isolated = predictions.has_mean, predictions.isolated
    # Without a mean, and without a steady state, the longest depends on how long one looks.
    bounded = has_mean and predictions.clock.is_steady
    by_window = []
    for place in range(len(model.windows)):
        middle, late, latest = (1e3 * float(q) for q in prediction.quantiles[:, place])
        by_window.append(
            Quality(
                delay_ms=1e3 * float(prediction.delays[place]) if has_mean else None,
                delay_ms_max=1e3 * float(prediction.longest[place]) if bounded else None,
                delay_ms_p50=middle,
                delay_ms_p95=late,
                delay_ms_p99=latest,
                scan_delay_ms=1e3 * float(prediction.scans[place]) if has_mean else None,
                isolated_delay_ms=1e3 * float(isolated[place]) if has_mean else None,
            )
        )
    places = {member.query: model.place(member) for member in model.group.members}
    return {query.name: by_window[places[query.name]] for query in model.workload.queries}


class _ScheduleFormulas:
    """The formulas of one plan's operators."""

    def __init__(
        self,
        built: BuiltSchedule,
        model: ScheduleModel,
        schedule: Schedule,
        prediction: SchedulePrediction | None,
    ) -> None:
        self._built, self._model, self._prediction = built, model, prediction
        # By window the place of the point at which a scan through it ends.
        points = schedule.points(model.group)
        self._ends = {
            place: model.windows.index(end)
            for start, end in pairwise(points)
            for place, window in enumerate(model.windows)
            if start < window <= end
        }

    def formulas(self, operator: Operator) -> Iterator[Formula]:
        """The formulas of one operator, by its kind."""
        match operator.kind:
            case "arrive":
                arriving = self._model.arriving(self._built.places[operator.id])
                yield Formula("rows_out", arriving, COUNTED)
            case "join":
                yield from self._join()
            case "schedule":
                if self._prediction is not None:
                    yield Formula("state_tuples", self._waiting(self._prediction), WAITING)
            case "route":
                yield from self._route(self._built.places[operator.id])
            case _:
                yield from self._query(operator)

    def _join(self) -> Iterator[Formula]:
        model = self._model
        arriving = total(model.arriving(side) for side in BOTH)
        yield Formula("comparisons", model.comparisons, COUNTED)
        yield Formula("inserts", arriving, COUNTED)
        yield Formula("expirations", total(map(self._dropped, BOTH)), EXPECTED)
        yield Formula("rows_out", model.matches(len(model.windows) - 1), COUNTED)
        yield Formula("state_tuples", total(map(self._held, BOTH)), EXPECTED)

    def _dropped(self, side: int) -> Expression:
        """Checks of the stored tuples of one stream: those that leave, and one that stays."""
        model, way = self._model, self._model.ways[side]
        stored = model.largest[side]
        chance = float(way.finds_one(np.array(1.0), np.array(stored.value)))
        one_stays = symbol(r"P(\text{one stays})", chance)
        if way.is_plain:
            one_stays = (number(1) - decay(stored)).valued(chance)
        return model.arriving(side) + model.arriving(1 - side) * one_stays

    def _held(self, side: int) -> Expression:
        """The stored tuples of one stream: those of the window, and those that wait to be dropped
        by the next tuple of the other stream."""
        waits = symbol(r"\bar{t}_{\mathrm{due}}", self._model.ways[side].waits(1.0))
        return self._model.largest[side] + self._model.arriving(side) * waits

    def _waiting(self, prediction: SchedulePrediction) -> Expression:
        """Tuples whose scan is not complete, and matches that wait to be released."""
        model = self._model
        arriving = total(model.arriving(side) for side in BOTH)
        unfinished = arriving * symbol(r"\bar{D}_{W}", prediction.queue / model.rate)
        if not prediction.held:
            return unfinished
        matches = model.matches(len(model.windows) - 1)
        held = symbol(r"\bar{H}", prediction.held / matches.value)
        return unfinished + matches.short("R") * held

    def _route(self, place: int) -> Iterator[Formula]:
        model, end = self._model, self._ends[place]
        if end > place:
            older = model.matches(end).short(r"R_{\mathrm{end}}")
            if place:
                older -= model.matches(place - 1).short(r"R_{\mathrm{before}}")
            yield Formula("comparisons", older, ROUTED)
        yield Formula("rows_out", model.matches(place), COUNTED)

    def _query(self, operator: Operator) -> Iterator[Formula]:
        member = self._built.members[operator.id]
        matches = self._model.matches(self._model.place(member))
        first, both = self._model.passing(member)
        if operator.kind == "filter":
            looks = matches.short("R")
            if all(not condition.is_open for condition in member.conditions):
                looks += matches.short("R") * symbol(r"\sigma_{\mathrm{first}}", first)
            yield Formula("comparisons", looks, COUNTED)
        passed = matches if both == 1 else matches * symbol(r"\sigma", both)
        yield Formula("rows_out", passed, COUNTED)


def cost_of_entered(
    built: BuiltSchedule, model: ScheduleModel, entered: Mapping[str, int]
) -> dict[str, Cost]:
    """By operator id what a plan costs more because these queries entered at these times.

    Of every result it is asked whether its older member came before the query: at the query's
    filter; without one, at its route, once for all that entered together.
    """
    more: dict[str, Cost] = {}
    asked: set[tuple[str, int]] = set()
    for root in built.plan.roots:
        query = str(root.param("query"))
        since, at = entered.get(query), root.inputs[0]
        if since is None or (at.kind == "route" and (at.id, since) in asked):
            continue
        asked.add((at.id, since))
        member = built.members[root.id]
        looks = model.matches(model.place(member)).value
        more[at.id] = more.get(at.id, Cost()) + Cost(comparisons=looks)
    return more


# Operators under the kinds of work that a kernel is calibrated by.
_KINDS = {"schedule": "serve"}


def schedule_work(plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
    """The work of a plan: scans by how stored tuples are found, and what every tuple takes."""
    operators = plan.operators()
    arriving = sum(costs[op.id].rows_out for op in operators if op.kind == "arrive")
    found, held = [], 0.0
    for operator in operators:
        kind, given = f"schedule {_KINDS.get(operator.kind, operator.kind)}", 0.0
        if operator.kind == "join":
            kind, given = SCAN_KINDS[str(operator.param("access"))], arriving
            held = costs[operator.id].state_tuples
        elif operator.kind == "route":
            given = arriving
        found.append(Work(kind, costs[operator.id], given))
    return KernelWork("schedule", tuple(found), Work("schedule batch", Cost(rows_out=1.0), held))
