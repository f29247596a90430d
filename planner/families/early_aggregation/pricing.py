"""What every operator of an aggregation plan should cost per second of stream time, and why.

Every figure is an expression: the cost is its value. The paper's own equations stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from planner.families.early_aggregation import extrema
from planner.families.early_aggregation.groups import groups_of
from planner.families.early_aggregation.model import AggregationModel
from planner.families.early_aggregation.published_model import PrintedModel, events_of
from planner.families.early_aggregation.search import orders
from planner.families.early_aggregation.states import state_arrays, state_of
from planner.joins.probes import Probe, indexes_used, probes_of
from planner.joins.upkeep import COUNTED, MIDDLE, keeping, rate, stated
from planner.plan.cost import Estimate, Formula, Formulas, Quality, cost_of
from planner.plan.expression import (
    Expression,
    decay,
    form,
    number,
    product,
    subscript,
    symbol,
    total,
)
from planner.plan.plan import Operator, Plan

REFINED = "refined: expected entries of sets"
PRINTED = "paper, Equations 5 to 22, corrected"


def estimate(plan: Plan, model: AggregationModel) -> Estimate:
    """Price every operator; the paper's figures are worked out when they are read."""
    operators = plan.operators()
    probes = probes_of(operators, model.join)
    indexes = indexes_used(model.join, probes.values())
    figures = _AggregationFigures(model, model.mask(plan.label))
    priced: dict[str, tuple[Formula, ...]] = {}
    walked = 0.0
    for operator in operators:
        if operator.kind == "probe":
            probe = probes[operator.id]
            found = figures.probe(probe)
            walked += cost_of(found).comparisons if probe.origin == model.walked_from else 0.0
        elif operator.kind == "update":
            found = figures.update(walked)
        elif operator.kind == "output":
            found = (figures.output(),)
        else:
            place = _place(model, operator)
            if operator.kind == "aggregate":
                found = set_formulas(model, place)
            else:
                found = tuple(keeping(model.join, operator, place, indexes[place]))
        priced[operator.id] = found
    by_id = {operator.id: operator for operator in operators}
    formulas = Formulas(priced, lambda name: figures.printed(by_id[name], probes.get(name)))
    return Estimate(formulas.costs(), {model.join.query: Quality()}, formulas)


def recomputations(plan: Plan, model: AggregationModel) -> dict[str, float]:
    """How often per second each aggregation should look for an extremum anew."""
    found: dict[str, float] = {}
    for operator in plan.operators():
        if operator.kind == "update":
            found[operator.id] = extrema.in_output(model)
        elif operator.kind == "aggregate":
            found[operator.id] = extrema.in_set(model, _place(model, operator))[0]
    return found


def set_formulas(model: AggregationModel, place: int) -> tuple[Formula, ...]:
    """An early aggregation, under every plan that has it: an update for each arrival and departure,
    entries, and extrema that are found anew."""
    found = [
        Formula("group_updates", events_of(model, place), COUNTED),
        Formula("state_tuples", _entries(model, place), _model_name(model)),
    ]
    times, looked_at = extrema.in_set(model, place)
    if times:
        lost = rf"{rate(model.contents[place].window).symbols} \sum_x p_x"
        examined = symbol(rf"{lost} \, \mu (1 - b_x) e^{{-\mu b_x}}", looked_at)
        found.append(Formula("comparisons", examined, _model_name(model)))
    return tuple(found)


class _AggregationFigures:
    """The figures of probes and of the late aggregation under one plan's mask."""

    def __init__(self, model: AggregationModel, mask: int) -> None:
        self._model, self._mask = model, mask
        self._arrays = state_arrays(model)
        self._model_name = _model_name(model)
        self._per_event: dict[tuple[int, tuple[int, ...]], Expression] = {}

    def probe(self, probe: Probe) -> tuple[Formula, ...]:
        """Entries that a probe examines, and composites that it passes on."""
        examined = self._composites(probe.origin, probe.joined) * self._examined(probe)
        passed = self._composites(probe.origin, probe.reached)
        return (
            Formula("comparisons", examined, self._model_name),
            Formula("rows_out", passed, self._model_name),
        )

    def update(self, walked: float) -> tuple[Formula, ...]:
        """An update for each composite, groups, and extrema that are found anew.

        All entries of one source are gone through then, and for those with its part of the group
        what its pipeline probes: `walked` are the comparisons of that pipeline per second.
        """
        model = self._model
        updates = total(
            self._composites(k, (k, *(p for p in range(model.count) if p != k)))
            for k in model.origins
        )
        groups = symbol(r"\alpha", groups_of(model).expected)
        found = [
            Formula("group_updates", updates, self._model_name),
            Formula("state_tuples", groups, self._model_name),
        ]
        place, times = model.walked_from, extrema.in_output(model)
        content, name = model.contents[place], _name(model, place)
        if times and content.events:
            part = extrema.own_part(model, place)
            entries = symbol(f"e_{{{name}}}", content.mean(self._is_set(place)))
            compared = symbol(f"c_{{{name}}}", walked / content.events)
            own = (compared / symbol(f"g_{{{name}}}", 1 / part)).valued(
                part * walked / content.events
            )
            again = symbol(r"\nu", times) * entries * (number(1) + own)
            if model.moments:
                # All of it grows, so the mean of the product counts.
                mean = extrema.recomputing(model)[model.masks.index(self._mask)]
                again = symbol(rf"\overline{{{again.symbols}}}", float(mean))
            found.append(Formula("comparisons", again, self._model_name))
        return tuple(found)

    def output(self) -> Formula:
        """Changes of groups: those that each arrival or departure touches."""
        model, groups = self._model, groups_of(self._model)
        changes = total(
            events_of(model, k) * symbol(rf"\gamma_{{{_name(model, k)}}}", groups.touched(k))
            for k in model.origins
        )
        return Formula("rows_out", changes, self._model_name)

    def printed(self, operator: Operator, probe: Probe | None) -> Iterator[Formula]:
        """What the paper's equations say."""
        printed = PrintedModel(self._model)
        if probe is not None:
            yield Formula("comparisons", printed.probing(self._mask, probe), PRINTED)
        elif operator.kind == "update":
            every = orders(self._model, self._mask)
            yield Formula("group_updates", printed.updating(self._mask, every), PRINTED)
            yield Formula("state_tuples", printed.output_groups, PRINTED)
        elif operator.kind == "aggregate":
            place = _place(self._model, operator)
            yield Formula("group_updates", printed.set_updates(place), PRINTED)
            yield Formula("state_tuples", printed.entries(place), PRINTED)

    def _composites(self, origin: int, members: tuple[int, ...]) -> Expression:
        """Composites per second: events of the origin, and mu, how many each has."""
        events = events_of(self._model, origin)
        if len(members) == 1:
            return events
        if (origin, members) not in self._per_event:
            self._per_event[origin, members] = self._joined(origin, members)
        return events * self._per_event[origin, members]

    def _joined(self, origin: int, members: tuple[int, ...]) -> Expression:
        state = self._state(members, origin)
        found = float(self._arrays.per_event(origin)[state])
        name = rf"\mu_{{{','.join(_name(self._model, place) for place in members)}}}"
        if self._arrays.copies is not None:
            return symbol(name, found)
        others = [place for place in members if place != origin]
        held = product(symbol(self._content_name(p), self._mean(p)) for p in others)
        if any(self._model.contents[place].clock is not None for place in others):
            # Windows of one length grow together, so the mean of the product counts.
            size = float(self._arrays.size(origin)[state])
            held = symbol(rf"\overline{{{held.symbols}}}", size)
        share = symbol(r"\sigma", float(self._arrays.matching(origin)[state]))
        return (held * share).valued(found).named(name)

    def _examined(self, probe: Probe) -> Expression:
        """The entries of the target that one composite examines."""
        arrays, target, is_set = self._arrays, probe.target, self._is_set(probe.target)
        before = self._state(probe.joined, probe.origin)
        after = before + (2 if is_set else 1) * 3**target
        size = arrays.size(probe.origin)
        met = float(size[after] / size[before]) if size[before] else 0.0
        held, name = self._content(target, met), _name(self._model, target)
        window = self._model.join.windows[target]
        if window.is_relation and window.tuples and window.examined != window.tuples:
            # Rows that ended are kept a while.
            lost = symbol(rf"\Delta^-_{{{name}}} T_{{max}}", window.examined - window.tuples)
            rows = stated(window)
            held *= ((rows + lost) / rows).valued(arrays.with_ended(target))
        part = float(arrays.looked_through(target, is_set)[before])
        share = symbol(rf"\rho_{{{name}}}", part)
        if arrays.copies is not None and arrays.copies.twins.other(target) is not None:
            own = float(arrays.own(probe.origin, np.array([after]), np.array([before]))[0])
            return held * share + symbol(rf"\kappa_{{{name}}}", own) * (number(1) - share)
        return held if part == 1 else held * share

    def _content(self, place: int, met: float) -> Expression:
        """What is probed: so many tuples of a window, or entries of a set, are met there."""
        name = self._content_name(place)
        if self._model.contents[place].clock is not None:
            # Windows of one length grow together, so the mean of the product counts.
            return symbol(rf"\overline{{{name}}}", met)
        is_set, window = self._is_set(place), self._model.contents[place].window
        meaning = _entries(self._model, place) if is_set else stated(window)
        return meaning.valued(met).named(name)

    def _content_name(self, place: int) -> str:
        name = _name(self._model, place)
        return rf"\alpha_{{{name}}}" if self._is_set(place) else f"w_{{{name}}}"

    def _mean(self, place: int) -> float:
        return self._model.contents[place].mean(self._is_set(place))

    def _is_set(self, place: int) -> bool:
        return bool(self._mask >> place & 1)

    def _state(self, members: Iterable[int], origin: int) -> int:
        return state_of(self._mask, sum(1 << place for place in members), origin)


def _entries(model: AggregationModel, place: int) -> Expression:
    """How many entries a set is expected to have."""
    content = model.contents[place]
    mean, held = content.mean(is_set=True), stated(content.window)
    if len(content.cells.counts) > 1 or content.clock is not None:
        return symbol(rf"\sum_c 1 - (1 - p_c)^{{{held.symbols}}}", mean)
    cells = symbol(f"G_{{{_name(model, place)}}}", content.cells.number)
    if content.varying:
        return (cells * (number(1) - decay(held / cells))).valued(mean)
    power = (1 - 1 / cells.value) ** held.value
    empty = form(r"\left(1 - \frac{1}{%s}\right)^{%s}", power, cells, held)
    return (cells * (number(1) - empty)).valued(mean)


def _model_name(model: AggregationModel) -> str:
    landmark = any(window.ends == "never" for window in model.join.windows)
    return f"{REFINED}; {MIDDLE}" if landmark else REFINED


def _name(model: AggregationModel, place: int) -> str:
    return subscript(model.join.aliases[place])


def _place(model: AggregationModel, operator: Operator) -> int:
    return model.join.aliases.index(str(operator.param("source")))
