"""Every strategy as a plan: its operators, from arriving tuples to the outputs of the queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from planner.families.sliced_chain import NAME, layout
from planner.families.sliced_chain.labels import PULL_UP, PUSH_DOWN, UNSHARED, ends_of
from planner.families.sliced_chain.layout import Selection, SlicedJoin
from planner.joins.shared.query_groups import BOTH, Group, Member
from planner.joins.shared.shares import Evaluation, evaluation_of
from planner.plan.plan import Operator, Param, Plan
from planner.workload.query import Filter

Params = list[tuple[str, Param]]


@dataclass(frozen=True, slots=True)
class Feeding:
    """What an operator ahead of the joins is about: a stream, and what is asked of its tuples."""

    group: Group
    side: int
    # A filter of one query: the filters before it, and itself.
    filters: tuple[Filter, ...] = ()
    evaluation: Evaluation | None = None


@dataclass(frozen=True, slots=True)
class Checking:
    """A selection of a join's results."""

    join: SlicedJoin
    selection: Selection


@dataclass(frozen=True, slots=True)
class ResultMerge:
    """The results of a query put together: of the slices of a chain, or of regular joins."""

    group: Group
    member: Member
    sliced: bool


Subject = Feeding | SlicedJoin | Checking | ResultMerge


@dataclass(slots=True)
class BuiltChain:
    """A plan, and by operator id what each of its operators is about."""

    plan: Plan
    subjects: dict[str, Subject] = field(default_factory=dict)


def build(groups: Sequence[Group], queries: Sequence[str], label: str) -> BuiltChain:
    """The plan of a label, chains by their ends; outputs stand in the order of the queries."""
    building = _Building(len(groups) > 1)
    ends = () if label in _STRATEGIES else ends_of(groups, label)
    for place, group in enumerate(groups):
        if label in _STRATEGIES:
            _STRATEGIES[label](building, group)
        else:
            building.chain(group, ends[place])
    roots = tuple(building.outputs[query] for query in queries)
    return BuiltChain(Plan(NAME, label, roots), building.subjects)


class _Building:
    """The operators of one plan as they are made."""

    def __init__(self, numbered: bool) -> None:
        self._numbered = numbered
        self.subjects: dict[str, Subject] = {}
        self.outputs: dict[str, Operator] = {}

    # --- strategies ------------------------------------------------------------------------------

    def unshared(self, group: Group) -> None:
        """Every query for itself: its filters, then its join."""
        for member in group.members:
            feeds = [self._filtered(group, side, member) for side in BOTH]
            self._joined(group, [member], [layout.unshared(group, member)], feeds)

    def pull_up(self, group: Group) -> None:
        """One join over the largest windows; results are routed and selected."""
        feeds = [self._arrive(group, side) for side in BOTH]
        self._joined(group, group.members, [layout.pulled_up(group)], feeds)

    def push_down(self, group: Group) -> None:
        """The streams split by their conditions, and a join for every two parts that need one."""
        feeds = [self._split(group, side) for side in BOTH]
        self._joined(group, group.members, layout.pushed_down(group), feeds)

    def chain(self, group: Group, ends: Sequence[int]) -> None:
        """A chain of sliced joins; every query takes from the slices that its windows reach."""
        feeds = [self._survive(group, side) for side in BOTH]
        self._joined(group, group.members, layout.chain(group, ends), feeds)

    def _joined(
        self,
        group: Group,
        members: Sequence[Member],
        joins: Iterable[SlicedJoin],
        feeds: Sequence[Operator],
    ) -> None:
        """Joins, and the outputs of queries that take from them; slices feed one another."""
        # No tuple may satisfy a query: then no join serves it.
        taken: dict[Member, list[Operator]] = {member: [] for member in members}
        sliced = False
        for join in joins:
            probe, sliced = self._join(join, feeds), join.sliced
            feeds = probe.inputs if sliced else feeds
            for member, found in self._results(join, probe).items():
                taken[member].append(found)
        for member, inputs in taken.items():
            self._output(group, member, inputs, sliced)

    # --- ahead of the joins ----------------------------------------------------------------------

    def _arrive(self, group: Group, side: int) -> Operator:
        stream = group.streams[side]
        params: Params = [("source", stream), ("stream", stream)]
        return self._made("arrive", params, (), Feeding(group, side))

    def _filtered(self, group: Group, side: int, member: Member) -> Operator:
        feed = self._arrive(group, side)
        filters = member.conditions[side].filters
        for place, condition in enumerate(filters, start=1):
            params: Params = [
                ("query", member.query),
                ("source", group.streams[side]),
                ("condition", str(condition)),
            ]
            feed = self._made("filter", params, (feed,), Feeding(group, side, filters[:place]))
        return feed

    def _survive(self, group: Group, side: int) -> Operator:
        """The survival index; tuples go in as they arrive where all survive to the end."""
        evaluation, feed = evaluation_of(group, side), self._arrive(group, side)
        if not evaluation.asked:
            return feed
        params: Params = [
            ("source", group.streams[side]),
            ("conditions", evaluation.text(group)),
            *self._number(group),
        ]
        about = Feeding(group, side, evaluation=evaluation)
        return self._made("survive", params, (feed,), about)

    def _split(self, group: Group, side: int) -> Operator:
        conditions, feed = group.conditions(side), self._arrive(group, side)
        if not conditions:
            return feed
        params: Params = [
            ("source", group.streams[side]),
            ("conditions", "; ".join(map(str, conditions))),
            *self._number(group),
        ]
        return self._made("split", params, (feed,), Feeding(group, side))

    # --- joins and their results -----------------------------------------------------------------

    def _join(self, join: SlicedJoin, feeds: Sequence[Operator]) -> Operator:
        """The operator that stores tuples, and the one that finds pairs among them."""
        group = join.group
        params: Params = [
            *self._bounds(join),
            ("access", group.access),
            ("buckets", group.buckets),
            ("on", group.on),
        ]
        for side, name in zip(BOTH, ("left_end", "right_end"), strict=True):
            if join.ends[side] != join.end:
                params.append((name, group.number_of(join.ends[side])))
        if group.unit == "rows":
            params.append(("unit", "rows"))
        whose = self._whose(join)
        stored = self._made(
            "slice", [*params, *whose, *self._number(group)], tuple(dict.fromkeys(feeds)), join
        )
        return self._made("probe", [*self._bounds(join), *whose], (stored,), join)

    def _results(self, join: SlicedJoin, probe: Operator) -> dict[Member, Operator]:
        """What each query takes results from: routed by window, then selected."""
        found = probe
        if any(join.interior):
            params: Params = [*self._bounds(join), ("windows", self._windows(join))]
            found = self._made("route", params, (probe,), join)
        taken: dict[Member, Operator] = {}
        for selection in join.selections:
            passed = found
            if selection.is_needed:
                params = [*self._bounds(join), ("condition", str(selection))]
                passed = self._made("select", params, (found,), Checking(join, selection))
            taken.update(dict.fromkeys(selection.members, passed))
        return taken

    def _output(
        self, group: Group, member: Member, inputs: Sequence[Operator], sliced: bool
    ) -> None:
        about = ResultMerge(group, member, sliced)
        query: Params = [("query", member.query)]
        if len(inputs) > 1:
            inputs = [self._made("union", query, tuple(inputs), about)]
        self.outputs[member.query] = self._made("output", query, tuple(inputs), about)

    # --- parameters ------------------------------------------------------------------------------

    def _bounds(self, join: SlicedJoin) -> Params:
        number_of = join.group.number_of
        return [("start", number_of(join.start)), ("end", number_of(join.end))]

    def _whose(self, join: SlicedJoin) -> Params:
        if join.query is not None:
            return [("query", join.query.query)]
        if join.parts is not None:
            return [("part", f"{join.parts[0]}/{join.parts[1]}")]
        return []

    def _windows(self, join: SlicedJoin) -> str:
        left, right = ((", ".join(map(join.group.text_of, w))) for w in join.interior)
        if left == right:
            return left
        text = zip(join.group.streams, (left, right), strict=True)
        return "; ".join(f"{stream} {windows}" for stream, windows in text if windows)

    def _number(self, group: Group) -> Params:
        return [("group", group.number + 1)] if self._numbered else []

    def _made(
        self, kind: str, params: Params, inputs: Iterable[Operator], about: Subject
    ) -> Operator:
        operator = Operator(kind, tuple(params), tuple(inputs))
        self.subjects[operator.id] = about
        return operator


_STRATEGIES = {
    UNSHARED: _Building.unshared,
    PULL_UP: _Building.pull_up,
    PUSH_DOWN: _Building.push_down,
}
