"""What shared joins answer and count, sliced or not: one tuple at a time, in queues.

    a tuple arrives:   its female waits in the first slice, to be probed later
                       its male goes through the chain: in each slice it purges what is too old
                       (which moves on to the next slice), then probes what is left

Males and females pass the slices of a chain in the order of their arrival. Plain Python over the
joins of a plan: kernels and model are compared with it in tests, nothing is taken of them, and the
Teach page shows what it looks at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.families.sliced_chain.layout import Selection, SlicedJoin
from planner.families.sliced_chain.plans import BuiltChain, Checking, Feeding, ResultMerge, build
from planner.joins.shared.query_groups import BOTH, Condition, Group, Member, groups_of
from planner.joins.shared.shares import parts_of
from planner.plan.cost import Cost
from planner.plan.plan import Operator
from planner.workload.query import COMPARE, Column
from planner.workload.workload import Workload

# The tuples of each stream: when they arrive in microseconds, and their values.
Data = Mapping[str, Sequence[tuple[Any, Mapping[str, Any]]]]


class ChainWatch:
    """What may be seen of a chain; this one does not look."""

    def stored(self, name: str, female: ChainTuple) -> None: ...
    def purged(self, name: str, female: ChainTuple, male: ChainTuple, onward: bool) -> None: ...
    def probed(
        self,
        name: str,
        male: ChainTuple,
        examined: Sequence[ChainTuple],
        joined: Sequence[ChainTuple],
    ) -> None: ...
    def checked(self, gate: Operator, tuple_: ChainTuple, passes: bool) -> None: ...
    def emitted(self, query: str, a: ChainTuple, b: ChainTuple) -> None: ...


@dataclass(frozen=True, slots=True)
class ChainTuple:
    """A tuple, with how many of each stream came before it."""

    stream: str
    seq: int
    ts: int
    values: Mapping[str, Any]
    before: Mapping[str, int]


@dataclass(slots=True)
class Counts:
    """What is counted of each operator, within the span."""

    warmup: int
    end: int
    comparisons: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    inserts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    rows_out: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    held: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def stayed(self, name: str, since: int, until: int) -> None:
        """A tuple was stored all this time."""
        self.held[name] += max(0, min(until, self.end) - max(since, self.warmup))

    def cost(self, name: str) -> Cost:
        """Per second of the span."""
        seconds = (self.end - self.warmup) / 1_000_000
        return Cost(
            comparisons=self.comparisons[name] / seconds,
            inserts=self.inserts[name] / seconds,
            rows_out=self.rows_out[name] / seconds,
            state_tuples=self.held[name] / 1_000_000 / seconds,
        )


def built(workload: Workload, label: str) -> BuiltChain:
    """The plan with this label, and what its operators are about."""
    names = [query.name for query in workload.queries]
    return build(groups_of(workload), names, label)


def in_order(workload: Workload, data: Data) -> Iterator[ChainTuple]:
    """All tuples as they arrive."""
    places = {stream.name: place for place, stream in enumerate(workload.streams)}
    before = dict.fromkeys(places, 0)
    everything = sorted(
        (item[0], places[name], seq, name) for name in data for seq, item in enumerate(data[name])
    )
    for ts, _, seq, name in everything:
        yield ChainTuple(name, seq, ts, data[name][seq][1], dict(before))
        before[name] += 1


def holds(condition: Condition, tuple_: ChainTuple) -> tuple[bool, int]:
    """Whether a condition holds, and how many filters were evaluated to know."""
    for number, f in enumerate(condition.filters, start=1):
        value = tuple_.values[f.column.attribute]
        if value is None or not f.holds(value):
            return False, number
    return True, len(condition.filters)


def joined(group: Group, a: ChainTuple, b: ChainTuple) -> bool:
    """Whether two tuples satisfy the group's predicates."""
    of_stream = {a.stream: a, b.stream: b}
    for p in group.predicates:
        left = of_stream[p.left.alias].values[p.left.attribute]
        right = of_stream[p.right.alias].values[p.right.attribute]
        if left is None or right is None:
            return False
        if not COMPARE[p.comparison](left, right + p.offset if p.offset else right):
            return False
    return True


class SimulatedSlice:
    """One slice: what it stores by side, oldest first, each with the time it came in."""

    def __init__(self, name: str, join: SlicedJoin, plan: ChainSimulation) -> None:
        self.name, self.join, self.plan = name, join, plan
        self.stored: tuple[list[tuple[ChainTuple, int, int]], ...] = ([], [])

    def bucket(self, tuple_: ChainTuple) -> object:
        group = self.join.group
        if group.key is None:
            return 0
        column = next(c for c in (group.key.left, group.key.right) if c.alias == tuple_.stream)
        key = self.plan.code(tuple_, column)
        return key if isinstance(group.buckets, str) else key % group.buckets

    def run(self, queue: Sequence[tuple[Any, ...]], following: int | None) -> list[tuple[Any, ...]]:
        """Take what comes, and give what the next slice should be given."""
        counts, passed_on = self.plan.counts, []
        for kind, tuple_, gets, now in queue:
            counted = now.ts >= counts.warmup
            side = self.join.group.streams.index(tuple_.stream)
            if kind == "female":
                counts.inserts[self.name] += counted
                self.stored[side].append((tuple_, gets, now.ts))
                self.plan.watch.stored(self.name, tuple_)
                continue
            other = self.stored[1 - side]
            while other:
                counts.comparisons[self.name] += counted
                oldest, survival, since = other[0]
                if self.age(tuple_, oldest) < self.join.ends[1 - side]:
                    break
                other.pop(0)
                counts.stayed(self.name, since, now.ts)
                onward = following is not None and survival > following
                self.plan.watch.purged(self.name, oldest, tuple_, onward)
                if onward:
                    passed_on.append(("female", oldest, survival, now))
            own = self.bucket(tuple_)
            probed = other if self.plan.probes else ()
            examined = [stored for stored, _, _ in probed if self.bucket(stored) == own]
            fitting = [stored for stored in examined if joined(self.join.group, tuple_, stored)]
            self.plan.watch.probed(self.name, tuple_, examined, fitting)
            for stored in examined:
                self.plan.examined(self, tuple_, stored, counted)
            if following is not None and gets > following:
                passed_on.append(("male", tuple_, gets, now))
        return passed_on

    def age(self, male: ChainTuple, stored: ChainTuple) -> int:
        """How old the stored tuple is when the male comes."""
        if self.join.group.unit == "rows":
            return male.before[stored.stream] - 1 - stored.seq
        return male.ts - stored.ts

    def end(self, at: int) -> None:
        """What is still stored has stayed until now."""
        for kept in self.stored:
            for _, _, since in kept:
                self.plan.counts.stayed(self.name, since, at)


class ChainSimulation:
    """A plan carried out: its results by query in the order they came, and its counts."""

    def __init__(
        self,
        workload: Workload,
        built: BuiltChain,
        counts: Counts,
        entered: Mapping[str, int] | None = None,
        watch: ChainWatch | None = None,
    ) -> None:
        self.workload, self.built, self.counts = workload, built, counts
        self.watch = watch or ChainWatch()
        self.entered = entered or {}
        # Without probes tuples move from slice to slice, and nothing is found.
        self.probes = True
        self.results: dict[str, list[tuple[int, ...]]] = {q.name: [] for q in workload.queries}
        self.operators = {op.id: op for op in built.plan.operators()}
        self.behind: dict[str, list[Operator]] = defaultdict(list)
        for op in self.operators.values():
            for fed in op.inputs:
                self.behind[fed.id].append(op)
        slices = [op for op in self.operators.values() if op.kind == "slice"]
        self.chains: list[tuple[Operator, list[SimulatedSlice]]] = []
        for op in slices:
            if op.inputs[0].kind != "slice":
                chain = [op]
                while after := [o for o in self.behind[chain[-1].id] if o.kind == "slice"]:
                    chain.append(after[0])
                joins = [built.subjects[o.id] for o in chain]
                made = [
                    SimulatedSlice(o.id, join, self)
                    for o, join in zip(chain, joins, strict=True)
                    if isinstance(join, SlicedJoin)
                ]
                self.chains.append((op, made))

    def code(self, tuple_: ChainTuple, column: Column) -> Any:
        """The key of a tuple as buckets are made of it: its value, a small number."""
        return tuple_.values[column.attribute]

    def run(self, data: Data) -> None:
        for tuple_ in in_order(self.workload, data):
            self.arrive(tuple_)
        self.end(self.counts.end)

    def end(self, at: int) -> None:
        """What is still stored has stayed until now."""
        for _, chain in self.chains:
            for slice_ in chain:
                slice_.end(at)

    def arrive(self, tuple_: ChainTuple) -> None:
        counted = tuple_.ts >= self.counts.warmup
        for op in self.operators.values():
            if op.kind == "arrive" and op.param("source") == tuple_.stream:
                self.counts.rows_out[op.id] += counted
        gates: dict[str, Any] = {}
        for first, chain in self.chains:
            group = chain[0].join.group
            if tuple_.stream not in group.streams:
                continue
            side = group.streams.index(tuple_.stream)
            feed = next(fed for fed in first.inputs if fed.param("source") == tuple_.stream)
            if feed.id not in gates:
                gates[feed.id] = self._gate(feed, tuple_, counted)
            survival, reach = self._entry(chain[0].join, side, feed, gates[feed.id])
            queue: list[tuple[Any, ...]] = []
            if survival > 0:
                queue.append(("female", tuple_, survival, tuple_))
            if reach > 0:
                queue.append(("male", tuple_, reach, tuple_))
                self._punctuate(group, counted)
            for place, slice_ in enumerate(chain):
                last = place == len(chain) - 1
                queue = slice_.run(queue, None if last else slice_.join.end)

    def _punctuate(self, group: Group, counted: bool) -> None:
        for op in self.operators.values():
            about = self.built.subjects[op.id]
            if op.kind == "union" and isinstance(about, ResultMerge) and about.sliced:
                same = about.group.number == group.number
                self.counts.comparisons[op.id] += counted and same

    def _gate(self, feed: Operator, tuple_: ChainTuple, counted: bool) -> Any:
        """What the operator ahead of the joins finds of a tuple."""
        about = self.built.subjects[feed.id]
        assert isinstance(about, Feeding)
        if feed.kind == "arrive":
            return None
        if feed.kind == "filter":
            before = feed.inputs[0]
            passes = before.kind == "arrive" or self._gate(before, tuple_, counted)
            if not passes:
                return False
            passes, looked = holds(Condition(about.filters[-1:]), tuple_)
            self.counts.comparisons[feed.id] += counted * looked
            self.counts.rows_out[feed.id] += counted and passes
            self.watch.checked(feed, tuple_, passes)
            return passes
        if about.evaluation is not None:
            survival, reach = about.evaluation.survival, about.evaluation.reach
            for asked in about.evaluation.asked:
                if asked.survival > survival or asked.reach > reach:
                    passes, looked = holds(asked.condition, tuple_)
                    self.counts.comparisons[feed.id] += counted * looked
                    if passes:
                        survival = max(survival, asked.survival)
                        reach = max(reach, asked.reach)
            self.counts.rows_out[feed.id] += counted and (survival > 0 or reach > 0)
            self.watch.checked(feed, tuple_, survival > 0 or reach > 0)
            return survival, reach
        mask = 0
        for k, condition in enumerate(about.group.conditions(about.side)):
            passes, looked = holds(condition, tuple_)
            self.counts.comparisons[feed.id] += counted * looked
            mask |= passes << k
        found = [part for part in parts_of(about.group, about.side) if part.mask == mask]
        self.counts.rows_out[feed.id] += counted and bool(found)
        self.watch.checked(feed, tuple_, bool(found))
        return found[0] if found else None

    def _entry(self, join: SlicedJoin, side: int, feed: Operator, gate: Any) -> tuple[int, int]:
        if feed.kind == "survive":
            return gate
        enters = True
        if feed.kind == "filter":
            enters = gate
        elif feed.kind == "split":
            assert join.parts is not None
            enters = gate is not None and gate == join.parts[side]
        largest = [max(m.windows[i] for m in join.members) for i in BOTH]
        return (largest[side], largest[1 - side]) if enters else (0, 0)

    def examined(
        self, slice_: SimulatedSlice, male: ChainTuple, stored: ChainTuple, counted: bool
    ) -> None:
        """A probe looks at a stored tuple; a pair that is found goes to the queries."""
        join = slice_.join
        (probe,) = [op for op in self.behind[slice_.name] if op.kind == "probe"]
        self.counts.comparisons[probe.id] += counted
        if not joined(join.group, male, stored):
            return
        self.counts.rows_out[probe.id] += counted
        side = join.group.streams.index(stored.stream)
        age = slice_.age(male, stored)
        a, b = (stored, male) if side == 0 else (male, stored)
        for op in self.behind[probe.id]:
            if op.kind == "route":
                self.counts.comparisons[op.id] += counted * len(join.interior[side])
                wanted = [w for w in join.windows(side) if age < w]
                self.counts.rows_out[op.id] += counted * len(wanted)
        for selection in join.selections:
            for since in dict.fromkeys(self.entered.get(m.query) for m in selection.members):
                # Queries that came at one time are looked at together.
                wanting = [
                    m
                    for m in selection.members
                    if self.entered.get(m.query) == since and age < m.windows[side]
                ]
                if wanting and self._passes(selection, probe, since, stored, a, b, counted):
                    for member in wanting:
                        self._emit(member, a, b, male, counted)

    def _select(self, selection: Selection) -> str:
        for op in self.operators.values():
            about = self.built.subjects[op.id]
            if isinstance(about, Checking) and about.selection is selection:
                return op.id
        return ""

    def _passes(
        self,
        selection: Selection,
        probe: Operator,
        since: int | None,
        stored: ChainTuple,
        a: ChainTuple,
        b: ChainTuple,
        counted: bool,
    ) -> bool:
        name = self._select(selection)
        if since is not None:
            self.counts.comparisons[name or probe.id] += counted
            if stored.ts < since:
                return False
        for condition, member in zip(selection.conditions, (a, b), strict=True):
            if not condition.is_open:
                self.counts.comparisons[name] += counted
                if not holds(condition, member)[0]:
                    return False
        self.counts.rows_out[name] += counted
        return True

    def _emit(
        self, member: Member, a: ChainTuple, b: ChainTuple, k: ChainTuple, counted: bool
    ) -> None:
        query = self.workload.query(member.query)
        first, second = (a, b) if query.sources[0].name == a.stream else (b, a)
        self.results[member.query].append((first.seq, second.seq, k.ts))
        self.watch.emitted(member.query, a, b)
        for op in self.operators.values():
            if op.kind in ("union", "output") and op.param("query") == member.query:
                self.counts.rows_out[op.id] += counted
                about = self.built.subjects[op.id]
                if op.kind == "union" and isinstance(about, ResultMerge) and not about.sliced:
                    self.counts.comparisons[op.id] += counted
