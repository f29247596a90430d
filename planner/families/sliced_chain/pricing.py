"""What every operator of a plan should cost per second of stream time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from planner.families.sliced_chain.groups import Member
from planner.families.sliced_chain.layout import Join, Selection
from planner.families.sliced_chain.model import ChainModel, GroupModel
from planner.families.sliced_chain.plans import Built, Checking, Feeding, Merging, Subject
from planner.plan.cost import Cost
from planner.plan.plan import Operator, Plan


def priced(built: Built, model: ChainModel) -> dict[str, Cost]:
    """The costs of all operators of a plan by id."""
    return {
        operator.id: cost_of(operator, built.subjects[operator.id], model)
        for operator in built.plan.operators()
    }


def cost_of(operator: Operator, subject: Subject, model: ChainModel) -> Cost:
    """The cost of one operator."""
    match subject:
        case Feeding():
            return _feeding(operator.kind, subject, model.by_group[subject.group])
        case Join():
            return _joining(operator.kind, subject, model.by_group[subject.group])
        case Checking():
            group = model.by_group[subject.join.group]
            looks, passing = group.selected(subject.join, subject.selection)
            return Cost(comparisons=looks, rows_out=passing)
        case Merging():
            return _merging(operator.kind, subject, model.by_group[subject.group])


def _feeding(kind: str, subject: Feeding, model: GroupModel) -> Cost:
    shares = model.shares[subject.side]
    rate = model.ways[subject.side].rate
    if kind == "filter":
        reached = shares.of_filters(subject.filters[:-1])
        return Cost(rate * reached, rows_out=rate * shares.of_filters(subject.filters))
    if kind == "survive":
        return Cost(rate * shares.survival_evaluations, rows_out=rate * shares.let_in)
    if kind == "split":
        return Cost(rate * shares.split_evaluations, rows_out=rate * model.serving(subject.side))
    return Cost(rows_out=rate)


def _joining(kind: str, join: Join, model: GroupModel) -> Cost:
    flows = model.flows(join)
    if kind == "slice":
        return Cost(
            comparisons=sum(flow.purged + flow.stop_looks for flow in flows),
            inserts=sum(flow.inserted for flow in flows),
            state_tuples=sum(flow.held for flow in flows),
        )
    found = sum(flow.found(flow.length) for flow in flows)
    if kind == "probe":
        return Cost(sum(flow.examined for flow in flows), rows_out=found)
    compared = passed = 0.0
    for side, flow in enumerate(flows):
        compared += flow.found(flow.length) * len(join.interior[side])
        passed += sum(flow.found(model.length(w - join.start)) for w in join.windows(side))
    return Cost(compared, rows_out=passed)


def _merging(kind: str, subject: Merging, model: GroupModel) -> Cost:
    results = model.results(subject.member)
    if kind == "output":
        return Cost(rows_out=results)
    return Cost(model.entering_chain if subject.sliced else results, rows_out=results)


def looks_of_entered(plan: Plan, model: ChainModel, entered: Mapping[str, int]) -> dict[str, Cost]:
    """By operator id what a plan costs more because these queries entered at these times.

    It is counted at the select of their conditions, or at the probe where there is none.
    """
    if not entered:
        return {}
    built = model.builder.build(plan.label)
    more: dict[str, Cost] = {}
    for operator in built.plan.operators():
        about = built.subjects[operator.id]
        if isinstance(about, Checking):
            group = model.by_group[about.join.group]
            more[operator.id] = _selecting(group, about.join, about.selection, entered)
        elif isinstance(about, Join) and operator.kind == "probe":
            group = model.by_group[about.group]
            more[operator.id] = Cost(
                sum(
                    group.wanted(about, part)
                    for selection in about.selections
                    if not selection.is_needed
                    for since, part in _by_time(about, selection, entered)
                    if since is not None
                )
            )
    return more


def _selecting(
    group: GroupModel, join: Join, selection: Selection, entered: Mapping[str, int]
) -> Cost:
    looks, passing = (-value for value in group.selected(join, selection))
    for since, part in _by_time(join, selection, entered):
        own_looks, own_passing = group.selected(join, part)
        looks, passing = looks + own_looks, passing + own_passing
        if since is not None:
            looks += group.wanted(join, part)
    return Cost(looks, rows_out=passing)


def _by_time(
    join: Join, selection: Selection, entered: Mapping[str, int]
) -> Iterator[tuple[int | None, Selection]]:
    """The queries of a selection that came at one time, for all times."""
    by_time: dict[int | None, list[Member]] = {}
    for member in selection.members:
        by_time.setdefault(entered.get(member.query), []).append(member)
    for since, members in by_time.items():
        yield since, replace(selection, members=tuple(members), windows=join.reached(members))
