"""A plan of unshared, shared or sliced joins as a program of chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planner.families.sliced_chain.groups import BOTH, Condition, Group, groups_of
from planner.families.sliced_chain.layout import Join, Selection
from planner.families.sliced_chain.parts import parts_of
from planner.families.sliced_chain.plans import Built, Checking, Feeding, Merging, PlanBuilder
from planner.plan import Operator, Plan
from planner.query import Column, Predicate
from planner.streams import Constant
from planner.workload import Workload
from runtime.kernels.slice_types import ALWAYS
from runtime.programs.compile_nest import COMPARISON_CODES, FLIPPED
from runtime.programs.program import Span
from runtime.programs.slice_costs import Meter
from runtime.programs.slice_forms import FILTER, OPEN, SPLIT, SURVIVE, Chain, Era, Gate, Tap
from runtime.programs.slices import SliceProgram
from runtime.slice_feed import constants_of, is_key, key_columns, streams_of, value_columns
from runtime.split import Split


def compile_slices(
    plan: Plan,
    workload: Workload,
    codes: Sequence[int],
    constants: Sequence[float],
    span: Span,
    split: Split,
) -> SliceProgram:
    """Read joins, gates and taps off the plan; count for each of its operators."""
    queries = [query.name for query in workload.queries]
    groups = groups_of(workload)
    built = PlanBuilder(groups, queries).build(plan.label)
    numbers = dict(zip(constants_of(groups), constants, strict=True))
    making = _Making(workload, groups, codes, numbers)
    era = making.era(built)
    return SliceProgram(
        streams=making.streams,
        queries=queries,
        eras=[era],
        meters=making.meters,
        unions=making.unions,
        warmup=span.warmup,
        end=span.end,
        partitions=split.partitions,
    )


@dataclass(slots=True)
class _Rows:
    """How many rows of counters are taken already."""

    gates: int = 0
    slices: int = 0
    selects: int = 0
    chains: int = 0


@dataclass(slots=True)
class _Making:
    """The chains and gates of an era as they are made, and where each operator is counted."""

    workload: Workload
    groups: Sequence[Group]
    codes: Sequence[int]
    constants: dict[Constant, float]
    meters: dict[str, Meter] = field(default_factory=dict)
    unions: list[int] = field(default_factory=list)
    used: _Rows = field(default_factory=_Rows)
    streams: list[str] = field(init=False)
    queries: dict[str, int] = field(init=False)
    slots: dict[Column, int] = field(init=False)
    keys: list[Predicate] = field(init=False)
    conditions: list[dict[Condition, int]] = field(init=False)
    gates: dict[str, int] = field(init=False)
    made: list[Gate] = field(init=False)

    def __post_init__(self) -> None:
        self.streams = streams_of(self.workload)
        self.queries = {query.name: n for n, query in enumerate(self.workload.queries)}
        self.slots = value_columns(self.groups)
        self.keys = key_columns(self.groups)

    def era(self, built: Built, at: int = ALWAYS) -> Era:
        """What runs the plan from a time on."""
        self.conditions = [{} for _ in self.streams]
        self.gates, self.made = {}, []
        operators = built.plan.operators()
        joins: dict[str, list[tuple[Operator, Join]]] = {}
        for operator in operators:
            about = built.subjects[operator.id]
            if operator.kind == "arrive" and isinstance(about, Feeding):
                self.meters[operator.id] = [self._stream(about.group, about.side)]
            elif operator.kind == "slice" and isinstance(about, Join):
                # A later slice of a chain is fed by the one before it.
                feeding = operator.inputs[0]
                chain = joins.pop(feeding.id, []) if feeding.kind == "slice" else []
                joins[operator.id] = [*chain, (operator, about)]
        chains = [self._chain(built, slices) for slices in joins.values()]
        self._meters(built, operators, chains)
        texts = [
            [self._conjunction(condition) for condition in of_stream]
            for of_stream in self.conditions
        ]
        return Era(at, texts, self.made, chains)

    # --- chains ----------------------------------------------------------------------------------

    def _chain(self, built: Built, slices: list[tuple[Operator, Join]]) -> Chain:
        (first, whole), joins = slices[0], [join for _, join in slices]
        group = whole.group
        selections = [join.selections for join in joins]
        pair_of = [_pairs_by_query(of_slice) for of_slice in selections]
        # Every query of a chain takes from its first slice.
        taps = [
            Tap(
                self.queries[member.query],
                list(member.windows),
                [pairs.get(member.query, -1) for pairs in pair_of],
                self.workload.query(member.query).sources[0].name != group.streams[0],
            )
            for member in whole.members
        ]
        key, others = self._equalities(group)
        counts = [len(of_slice) for of_slice in selections]
        chain = Chain(
            sides=[self._stream(group, side) for side in BOTH],
            rows=group.unit == "rows",
            ends=[join.end for join in joins],
            key=key,
            others=others,
            theta=self._theta(group),
            buckets=self._buckets(group, key),
            gates=[self._entry(built, first, whole, side) for side in BOTH],
            taps=taps,
            pairs=[
                [[*self._numbers(group, selection), ALWAYS] for selection in of_slice]
                for of_slice in selections
            ],
            number=self.used.chains,
            row=self.used.slices,
            select_rows=[self.used.selects + sum(counts[:n]) for n in range(len(counts))],
        )
        for place, (operator, _) in enumerate(slices):
            self.meters[operator.id] = [chain.row + place]
        self.used.chains += 1
        self.used.slices += len(joins)
        self.used.selects += sum(counts)
        return chain

    def _numbers(self, group: Group, selection: Selection) -> list[int]:
        return [
            -1 if condition.is_open else self._condition(self._stream(group, side), condition)
            for side, condition in zip(BOTH, selection.conditions, strict=True)
        ]

    def _equalities(self, group: Group) -> tuple[int, list[int]]:
        """The key by which tuples are looked up or scanned (-1: none), and the other keys."""
        equal = [predicate for predicate in group.predicates if is_key(predicate)]
        if not equal:
            return -1, []
        first = group.key or equal[0]
        others = [self.keys.index(predicate) for predicate in equal if predicate != first]
        return self.keys.index(first), others

    def _buckets(self, group: Group, key: int) -> int:
        if group.key is None:
            return 1
        # More buckets than keys hold one key each and many none.
        codes = max(1, self.codes[key])
        return codes if isinstance(group.buckets, str) else min(group.buckets, codes)

    def _theta(self, group: Group) -> list[list[float]]:
        checks: list[list[float]] = []
        for predicate in group.predicates:
            if is_key(predicate):
                continue
            left, right = self.slots[predicate.left], self.slots[predicate.right]
            comparison, offset = predicate.comparison, predicate.offset
            if predicate.left.alias != group.streams[0]:
                left, right, comparison, offset = right, left, FLIPPED[comparison], -offset
            checks.append([left, right, COMPARISON_CODES[comparison], offset])
        return checks

    # --- gates -----------------------------------------------------------------------------------

    def _entry(self, built: Built, operator: Operator, join: Join, side: int) -> list[int]:
        """The gate through which tuples of a side come, and which of its parts enter."""
        stream = join.group.streams[side]
        feed = next(fed for fed in operator.inputs if fed.param("source") == stream)
        about = built.subjects[feed.id]
        assert isinstance(about, Feeding)
        if feed.id not in self.gates:
            self.gates[feed.id] = len(self.made)
            self.made.append(self._gate(feed, about))
        part = 1
        if feed.kind == "split" and join.parts is not None:
            part = parts_of(join.group, side).index(join.parts[side])
        return [self.gates[feed.id], part]

    def _gate(self, feed: Operator, about: Feeding) -> Gate:
        stream = self._stream(about.group, about.side)
        row = self.used.gates
        if feed.kind == "arrive":
            return Gate(OPEN, stream)
        if feed.kind == "filter":
            filters = [feed]
            while filters[0].inputs[0].kind == "filter":
                filters.insert(0, filters[0].inputs[0])
            for place, operator in enumerate(filters):
                self.meters[operator.id] = [row + place]
            self.used.gates += len(filters)
            chosen = [self._condition(stream, Condition(about.filters))]
            return Gate(FILTER, stream, row, len(filters), chosen)
        self.meters[feed.id] = [row]
        self.used.gates += 1
        if about.evaluation is not None:
            asked = about.evaluation.asked
            return Gate(
                SURVIVE,
                stream,
                row,
                1,
                [self._condition(stream, a.condition) for a in asked],
                far=[[a.survival, a.reach] for a in asked],
                least=[about.evaluation.survival, about.evaluation.reach],
            )
        conditions = about.group.conditions(about.side)
        parts = parts_of(about.group, about.side)
        return Gate(
            SPLIT,
            stream,
            row,
            1,
            [self._condition(stream, condition) for condition in conditions],
            parts=[[part.mask >> k & 1 for k in range(len(conditions))] for part in parts],
        )

    def _condition(self, stream: int, condition: Condition) -> int:
        known = self.conditions[stream]
        return known.setdefault(condition, len(known))

    def _conjunction(self, condition: Condition) -> list[list[float]]:
        return [
            [self.slots[f.column], COMPARISON_CODES[f.comparison], self.constants[f.constant]]
            for f in condition.filters
        ]

    def _stream(self, group: Group, side: int) -> int:
        return self.streams.index(group.streams[side])

    # --- counters --------------------------------------------------------------------------------

    def _meters(self, built: Built, operators: Sequence[Operator], chains: list[Chain]) -> None:
        """Where the operators behind the slices are counted."""
        by_row = {
            chain.row + place: (chain, place)
            for chain in chains
            for place in range(len(chain.ends))
        }
        of_group = {}
        for operator in operators:
            about = built.subjects[operator.id]
            if operator.kind in ("probe", "route"):
                self.meters[operator.id] = self.meters[operator.inputs[0].id]
                if isinstance(about, Join):
                    of_group[about.group.number] = by_row[self.meters[operator.id][0]][0]
            elif isinstance(about, Checking):
                chain, place = by_row[self.meters[operator.inputs[0].id][0]]
                pair = chain.pairs[place].index(
                    [*self._numbers(about.join.group, about.selection), ALWAYS]
                )
                self.meters[operator.id] = [chain.select_rows[place] + pair]
            elif isinstance(about, Merging):
                query = self.queries[about.member.query]
                self.meters[operator.id] = [query]
                if operator.kind == "union":
                    self.unions.append(query)
                    if about.sliced:
                        self.meters[operator.id] = [query, of_group[about.group.number].number]


def _pairs_by_query(selections: Sequence[Selection]) -> dict[str, int]:
    """Which of a slice's selections is each query's."""
    return {member.query: n for n, one in enumerate(selections) for member in one.members}
