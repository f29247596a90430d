"""What every operator of a plan should cost per second of stream time, and why.

Every figure is an expression: the cost is its value. What the paper takes stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from planner.families.sliced_chain.layout import Selection, SlicedJoin
from planner.families.sliced_chain.model import ChainModel, GroupModel
from planner.families.sliced_chain.plans import BuiltChain, Checking, Feeding, ResultMerge, Subject
from planner.families.sliced_chain.published_model import two_queries
from planner.joins.shared.query_groups import Member
from planner.plan.cost import Cost, Estimate, Formula, Formulas, Quality, cost_of
from planner.plan.expression import number, subscript, symbol, total
from planner.plan.plan import Operator, Plan
from planner.seconds.kernel_work import KernelWork, Work

EXPECTED = "expected counts: purges stop at the first tuple that stays, due tuples wait"
COUNTED = "one count per tuple, result or condition"
PUNCTUATED = "paper: a punctuation per tuple that enters the chain"
MERGED = "one merge step per result"
PAPER = "paper, Section 5: one purge check per tuple, no tuple waits"
EQUATIONS = {
    "pull-up": "paper, Equation 1",
    "push-down": "paper, Equation 2",
    "chain": "paper, Equation 3, corrected",
}


def estimated(built: BuiltChain, model: ChainModel) -> Estimate:
    """The costs and formulas of all operators of a plan."""
    kind = built.plan.label.partition(":")[0]
    described = two_queries(model) is not None and kind in EQUATIONS
    printed = EQUATIONS[kind] if described else PAPER

    def beside(operator_id: str) -> Iterator[Formula]:
        subject = built.subjects[operator_id]
        if isinstance(subject, SlicedJoin) and operator_id.startswith("slice-"):
            flows = model.by_group[subject.group].flows(subject)
            holding = [flow for flow in flows if flow.length > 0]
            yield Formula("comparisons", total(flow.entering for flow in holding), printed)
            yield Formula("state_tuples", total(flow.held_printed for flow in holding), printed)

    own = {operator.id: tuple(found) for operator, found in _every(built, model)}
    formulas = Formulas(own, beside)
    return Estimate(formulas.costs(), {query: Quality() for query in model.queries}, formulas)


def priced(built: BuiltChain, model: ChainModel) -> dict[str, Cost]:
    """The costs of all operators of a plan by id."""
    return {operator.id: cost_of(found) for operator, found in _every(built, model)}


def _every(built: BuiltChain, model: ChainModel) -> Iterator[tuple[Operator, Iterator[Formula]]]:
    for operator in built.plan.operators():
        yield operator, _formulas(operator, built.subjects[operator.id], model)


def _formulas(operator: Operator, subject: Subject, model: ChainModel) -> Iterator[Formula]:
    match subject:
        case Feeding():
            return _feeding(operator.kind, subject, model.by_group[subject.group])
        case SlicedJoin():
            return _joining(operator.kind, subject, model.by_group[subject.group])
        case Checking():
            return _selecting(subject, model.by_group[subject.join.group])
        case ResultMerge():
            return _merging(operator.kind, subject, model.by_group[subject.group])


def _feeding(kind: str, subject: Feeding, model: GroupModel) -> Iterator[Formula]:
    shares = model.shares[subject.side]
    name = subscript(subject.group.streams[subject.side])
    rate = symbol(rf"\lambda_{{{name}}}", model.ways[subject.side].rate)
    if kind == "arrive":
        yield Formula("rows_out", rate, COUNTED)
        return
    asked, looks = r"\sum_c P(c \text{ is evaluated})", shares.survival_evaluations
    if kind == "filter":
        asked, looks = r"\sigma_{\mathrm{before}}", shares.of_filters(subject.filters[:-1])
        passing = shares.of_filters(subject.filters)
    elif kind == "survive":
        passing = shares.let_in
    else:
        looks, passing = shares.split_evaluations, model.serving(subject.side)
    yield Formula("comparisons", rate * symbol(asked, looks), COUNTED)
    yield Formula("rows_out", rate * symbol(r"\sigma", passing), COUNTED)


def _joining(kind: str, join: SlicedJoin, model: GroupModel) -> Iterator[Formula]:
    sides = [(side, flow) for side, flow in enumerate(model.flows(join)) if flow.length > 0]
    flows = [flow for _, flow in sides]
    if kind == "slice":
        yield Formula("comparisons", total(f.purged + f.stop_looks for f in flows), EXPECTED)
        yield Formula("inserts", total(flow.inserted for flow in flows), COUNTED)
        yield Formula("state_tuples", total(flow.held for flow in flows), EXPECTED)
    elif kind == "probe":
        yield Formula("comparisons", total(flow.examined for flow in flows), COUNTED)
        yield Formula("rows_out", total(flow.results for flow in flows), COUNTED)
    else:
        looks = total(number(len(join.interior[side])) * flow.results for side, flow in sides)
        yield Formula("comparisons", looks, COUNTED)
        passed = sum(
            sum(flow.found(model.length(w - join.start)) for w in join.windows(side))
            for side, flow in sides
        )
        younger = r"\sum_{w} \text{results younger than } w"
        yield Formula("rows_out", symbol(younger, passed), COUNTED)


def _selecting(subject: Checking, model: GroupModel) -> Iterator[Formula]:
    looks, passing = model.selected(subject.join, subject.selection)
    first, second = subject.selection.conditions
    asked = [] if first.is_open else ["R"]
    if not second.is_open:
        asked.append("R" if first.is_open else r"R \, \sigma_{\mathrm{first}}")
    yield Formula("comparisons", symbol(" + ".join(asked), looks), COUNTED)
    yield Formula("rows_out", symbol(r"R \, \sigma", passing), COUNTED)


def _merging(kind: str, subject: ResultMerge, model: GroupModel) -> Iterator[Formula]:
    results = model.results(subject.member)
    if kind == "union" and subject.sliced:
        yield Formula("comparisons", model.entering_chain, PUNCTUATED)
    elif kind == "union":
        yield Formula("comparisons", results.short("R"), MERGED)
    yield Formula("rows_out", results, COUNTED)


def looks_of_entered(plan: Plan, model: ChainModel, entered: Mapping[str, int]) -> dict[str, Cost]:
    """By operator id what a plan costs more because these queries entered at these times.

    It is counted at the select of their conditions, or at the probe where there is none.
    """
    if not entered:
        return {}
    built = model.build(plan.label)
    more: dict[str, Cost] = {}
    for operator in built.plan.operators():
        about = built.subjects[operator.id]
        if isinstance(about, Checking):
            group = model.by_group[about.join.group]
            more[operator.id] = _selecting_by_time(group, about.join, about.selection, entered)
        elif isinstance(about, SlicedJoin) and operator.kind == "probe":
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


def _selecting_by_time(
    group: GroupModel, join: SlicedJoin, selection: Selection, entered: Mapping[str, int]
) -> Cost:
    looks, passing = (-value for value in group.selected(join, selection))
    for since, part in _by_time(join, selection, entered):
        own_looks, own_passing = group.selected(join, part)
        looks, passing = looks + own_looks, passing + own_passing
        if since is not None:
            looks += group.wanted(join, part)
    return Cost(looks, rows_out=passing)


def _by_time(
    join: SlicedJoin, selection: Selection, entered: Mapping[str, int]
) -> Iterator[tuple[int | None, Selection]]:
    """The queries of a selection that came at one time, for all times."""
    by_time: dict[int | None, list[Member]] = {}
    for member in selection.members:
        by_time.setdefault(entered.get(member.query), []).append(member)
    for since, members in by_time.items():
        yield since, replace(selection, members=tuple(members), windows=join.reached(members))


# What several kinds of operators have in common: conditions evaluated as a tuple arrives.
_ALIKE = {"survive": "filter", "split": "filter"}


def slice_work(plan: Plan, costs: Mapping[str, Cost]) -> KernelWork:
    """The work of a plan; all conditions that arriving tuples meet are filters."""
    operators = plan.operators()
    arriving = _arriving(operators, costs)
    found = []
    for operator in operators:
        kind, given = f"slices {_ALIKE.get(operator.kind, operator.kind)}", 0.0
        if operator.kind == "slice" and all(op.kind != "slice" for op in operator.inputs):
            given = sum(arriving[operator.id].values())
        elif operator.kind == "probe":
            kind = f"{kind} {operator.inputs[0].param('access')}"
        found.append(Work(kind, costs[operator.id], given))
    return KernelWork("slices", tuple(found), _batch(operators, costs))


def _arriving(
    operators: Sequence[Operator], costs: Mapping[str, Cost]
) -> dict[str, dict[str, float]]:
    """For every operator the streams that feed it, with how many tuples arrive on each."""
    found: dict[str, dict[str, float]] = {}
    for operator in operators:
        if operator.kind == "arrive":
            found[operator.id] = {operator.id: costs[operator.id].rows_out}
        elif operator.kind in ("filter", "survive", "split", "slice"):
            found[operator.id] = {}
            for source in operator.inputs:
                found[operator.id] |= found.get(source.id, {})
    return found


def _batch(operators: Sequence[Operator], costs: Mapping[str, Cost]) -> Work:
    """Every chain reads all tuples that any of them holds."""
    by_chain: list[float] = []
    chain_of: dict[str, int] = {}
    slices = [op for op in operators if op.kind == "slice"]
    for operator in slices:
        before = next((op for op in operator.inputs if op.kind == "slice"), None)
        if before is None:
            chain_of[operator.id] = len(by_chain)
            by_chain.append(0.0)
        else:
            chain_of[operator.id] = chain_of[before.id]
        by_chain[chain_of[operator.id]] += costs[operator.id].state_tuples
    held = max(by_chain, default=0.0) * len(by_chain)
    return Work("slices batch", Cost(rows_out=float(len(slices))), held)
