"""Shared joins run tuple by tuple in plain Python, as the execution is defined, and counted.

Males and females pass the slices of a chain through queues that keep arrival order. Nothing here
comes from the model: layouts say which joins there are, everything else is done literally.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from planner.families.sliced_chain import layout
from planner.families.sliced_chain.groups import BOTH, Condition, Group, Member
from planner.families.sliced_chain.labels import ends_of
from planner.families.sliced_chain.layout import Join
from planner.families.sliced_chain.shares import evaluation_of
from planner.workload.query import COMPARE, Filter, Predicate
from planner.workload.workload import Workload


@dataclass(frozen=True, eq=False)
class Arrival:
    """A tuple: when it arrives, of which stream of the group, its number there, its values."""

    ts: int
    side: int
    number: int
    values: Mapping[str, Any]


@dataclass
class Counts:
    """What one operator did after the warm-up; `held` is tuples times microseconds."""

    comparisons: int = 0
    inserts: int = 0
    rows_out: int = 0
    held: float = 0.0


@dataclass
class Simulated:
    """Counts by what identifies an operator, and every query's results as pairs of numbers."""

    seconds: float
    counts: dict[tuple[Any, ...], Counts] = field(default_factory=lambda: defaultdict(Counts))
    results: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))


def arrivals(workload: Workload, group: Group, seconds: float, seed: int) -> list[Arrival]:
    """As many tuples of both streams as their rates say, at random times, in arrival order.

    Values occur as often as they should, in random order: of chance only what matters is left.
    """
    rng = random.Random(seed)
    found = []
    for side, name in enumerate(group.streams):
        stream = workload.stream(name)
        count = round((stream.rate or 1.0) * seconds)
        times = sorted(rng.uniform(0, seconds) for _ in range(count))
        columns = {}
        for attribute, known in stream.attributes.items():
            ranks = range(1, (known.distinct or 100) + 1)
            weights = list(accumulate(rank**-known.zipf for rank in ranks))
            places = ((place + 0.5) / count * weights[-1] for place in range(count))
            columns[attribute] = [bisect(weights, place) + 1 for place in places]
            rng.shuffle(columns[attribute])
        for number, at in enumerate(times):
            values = {attribute: column[number] for attribute, column in columns.items()}
            found.append(Arrival(round(at * 1e6), side, number, values))
    return sorted(found, key=lambda a: (a.ts, a.side, a.number))


def passes(condition: Condition, arrival: Arrival) -> bool:
    return all(_holds(f, arrival) for f in condition.filters)


def evaluated(condition: Condition, arrival: Arrival) -> int:
    """Predicates that a conjunction evaluates until one fails."""
    for count, one in enumerate(condition.filters, start=1):
        if not _holds(one, arrival):
            return count
    return len(condition.filters)


def _holds(one: Filter, arrival: Arrival) -> bool:
    return bool(COMPARE[one.comparison](arrival.values[one.column.attribute], one.constant))


def matches(group: Group, left: Arrival, right: Arrival) -> bool:
    """Whether a tuple of the first stream and one of the second satisfy all predicates."""
    return all(_joins(p, group, left, right) for p in group.predicates)


def _joins(p: Predicate, group: Group, left: Arrival, right: Arrival) -> bool:
    by_name = {group.streams[0]: left, group.streams[1]: right}
    one = by_name[p.left.alias].values[p.left.attribute]
    other = by_name[p.right.alias].values[p.right.attribute]
    return bool(COMPARE[p.comparison](one, other + p.offset))


class _Slice:
    """One regular join or slice, with its two sides, oldest first."""

    def __init__(self, join: Join, simulation: Simulation) -> None:
        self.join = join
        self.simulation = simulation
        self.sides: tuple[deque[tuple[Arrival, int]], ...] = (deque(), deque())
        whose: tuple[Any, ...] = ()
        if join.query is not None:
            whose = (join.query.query,)
        if join.parts is not None:
            whose = (f"{join.parts[0]}/{join.parts[1]}",)
        number_of = join.group.number_of
        self.key = (number_of(join.start), number_of(join.end), *whose)

    def count(self, kind: str, *more: Any) -> Counts:
        counts = self.simulation.found.counts[(kind, *self.key, *more)]
        return counts if self.simulation.measuring else Counts()

    def insert(self, female: Arrival, survival: int) -> None:
        self.sides[female.side].append((female, survival))
        self.count("slice").inserts += 1

    def purge(self, male: Arrival) -> Iterator[tuple[Arrival, int]]:
        """Take out what is too old, oldest first, looking at one that stays."""
        other = 1 - male.side
        stored = self.sides[other]
        while stored:
            self.count("slice").comparisons += 1
            if self.simulation.age(stored[0][0], male) < self.join.ends[other]:
                return
            yield stored.popleft()

    def probe(self, male: Arrival) -> None:
        """Look at what is stored in the male's bucket."""
        other, bucket = 1 - male.side, self.simulation.bucket(male)
        for female, _ in self.sides[other]:
            if self.simulation.bucket(female) != bucket:
                continue
            self.count("probe").comparisons += 1
            pair = (male, female) if male.side == 0 else (female, male)
            if matches(self.join.group, *pair):
                self.count("probe").rows_out += 1
                self.found(pair, self.simulation.age(female, male), other)

    def found(self, pair: tuple[Arrival, Arrival], age: int, side: int) -> None:
        join = self.join
        if any(join.interior):
            route = self.count("route")
            route.comparisons += len(join.interior[side])
            route.rows_out += sum(age < window for window in join.windows(side))
        for selection in join.selections:
            if age >= selection.windows[side]:
                continue
            if selection.is_needed and not self.select(str(selection), selection.conditions, pair):
                continue
            for member in selection.members:
                if age < member.windows[side]:
                    self.simulation.deliver(member, pair)

    def select(
        self, text: str, conditions: tuple[Condition, Condition], pair: tuple[Arrival, Arrival]
    ) -> bool:
        counts = self.count("select", text)
        for condition, arrival in zip(conditions, pair, strict=True):
            if condition.is_open:
                continue
            counts.comparisons += 1
            if not passes(condition, arrival):
                return False
        counts.rows_out += 1
        return True


class Simulation:
    """One group's queries under one plan."""

    def __init__(self, group: Group, label: str, warmup: float) -> None:
        self.group = group
        self.label = label
        self.warmup = round(warmup * 1e6)
        self.found = Simulated(0.0)
        self.now = 0
        self.seen = [0, 0]
        self.chains = [[_Slice(join, self) for join in joins] for joins in self._joins()]
        self.evaluations = [evaluation_of(group, side) for side in BOTH]

    def _joins(self) -> list[list[Join]]:
        group = self.group
        if self.label == "unshared":
            return [[layout.unshared(group, member)] for member in group.members]
        if self.label == "pull-up":
            return [[layout.pulled_up(group)]]
        if self.label == "push-down":
            return [[join] for join in layout.pushed_down(group)]
        return [list(layout.chain(group, ends_of([group], self.label)[0]))]

    @property
    def measuring(self) -> bool:
        return self.now >= self.warmup

    def bucket(self, arrival: Arrival) -> Any:
        key = self.group.key
        if key is None:
            return None
        column = key.left if key.left.alias == self.group.streams[arrival.side] else key.right
        value = arrival.values[column.attribute]
        return value if self.group.buckets == "per-value" else value % self.group.buckets

    def age(self, female: Arrival, male: Arrival) -> int:
        if self.group.unit == "rows":
            return self.seen[female.side] - 1 - female.number
        return male.ts - female.ts

    def run(self, tuples: list[Arrival], seconds: float) -> Simulated:
        end = round(seconds * 1e6)
        for arrival in [*tuples, None]:
            self._hold(end if arrival is None else arrival.ts)
            if arrival is not None:
                self._arrive(arrival)
        self.found.seconds = (end - self.warmup) / 1e6
        return self.found

    def _hold(self, until: int) -> None:
        """Tuples are held from one arrival to the next."""
        since = max(self.now, self.warmup)
        for chain in self.chains:
            for part in chain:
                held = self.found.counts[("slice", *part.key)]
                held.held += sum(map(len, part.sides)) * max(0, until - since)
        self.now = until

    def _arrive(self, arrival: Arrival) -> None:
        self.seen[arrival.side] += 1
        for chain in self.chains:
            survival, reach = self._far(chain[0].join, arrival)
            self._pass(chain, arrival, survival, reach)
        if self.label == "push-down" and self.measuring:
            conditions = self.group.conditions(arrival.side)
            if conditions:
                counts = self.found.counts["split", self.group.streams[arrival.side]]
                counts.comparisons += sum(evaluated(c, arrival) for c in conditions)

    def _far(self, join: Join, arrival: Arrival) -> tuple[int, int]:
        """How far a tuple is stored, and how far it probes."""
        endless = (1 << 60, 1 << 60)
        if join.query is not None:
            return endless if self._filtered(join.query, arrival) else (0, 0)
        if join.parts is not None:
            part = join.parts[arrival.side]
            same = all(passes(c, arrival) == part.passes(c) for c in part.conditions)
            return endless if same else (0, 0)
        return self._survival(arrival) if join.sliced else endless

    def _filtered(self, member: Member, arrival: Arrival) -> bool:
        for one in member.conditions[arrival.side].filters:
            counts = Counts()
            if self.measuring:
                counts = self.found.counts["filter", member.query, str(one)]
            counts.comparisons += 1
            if not _holds(one, arrival):
                return False
            counts.rows_out += 1
        return True

    def _survival(self, arrival: Arrival) -> tuple[int, int]:
        evaluation = self.evaluations[arrival.side]
        counts = Counts()
        if self.measuring and evaluation.asked:
            counts = self.found.counts["survive", self.group.streams[arrival.side]]
        survival, reach = evaluation.survival, evaluation.reach
        for one in evaluation.asked:
            if one.survival > survival or one.reach > reach:
                counts.comparisons += evaluated(one.condition, arrival)
                if passes(one.condition, arrival):
                    survival, reach = max(survival, one.survival), max(reach, one.reach)
        counts.rows_out += bool(survival or reach)
        return survival, reach

    def _pass(self, chain: list[_Slice], arrival: Arrival, survival: int, reach: int) -> None:
        """One tuple, as a female and then a male, through the slices; queues keep the order."""
        queue: list[tuple[Arrival, int, bool]] = []
        if survival > 0:
            queue.append((arrival, survival, False))
        if reach > 0:
            queue.append((arrival, reach, True))
            if self.measuring:
                self.found.counts[("entering",)].comparisons += 1
        for part, following in zip(chain, [*chain[1:], None], strict=True):
            passed: list[tuple[Arrival, int, bool]] = []
            for one, far, is_male in queue:
                if not is_male:
                    part.insert(one, far)
                    continue
                for female, survived in part.purge(one):
                    if following is not None and survived > following.join.start:
                        passed.append((female, survived, False))
                part.probe(one)
                if following is not None and far > following.join.start:
                    passed.append((one, far, True))
            queue = passed

    def deliver(self, member: Member, pair: tuple[Arrival, Arrival]) -> None:
        self.found.results[member.query].append((pair[0].number, pair[1].number))
        if self.measuring:
            self.found.counts["output", member.query].rows_out += 1


def by_definition(group: Group, member: Member, tuples: list[Arrival]) -> list[tuple[int, int]]:
    """The results of one query: every pair tried, in the order of the later member."""
    found = []
    seen = [0, 0]
    for place, later in enumerate(tuples):
        for earlier in tuples[:place]:
            if earlier.side == later.side:
                continue
            age = later.ts - earlier.ts
            if group.unit == "rows":
                age = seen[earlier.side] - 1 - earlier.number
            if age >= member.windows[earlier.side]:
                continue
            left, right = (earlier, later) if earlier.side == 0 else (later, earlier)
            asked = zip(member.conditions, (left, right), strict=True)
            if all(passes(c, t) for c, t in asked) and matches(group, left, right):
                found.append((left.number, right.number))
        seen[later.side] += 1
    return found
