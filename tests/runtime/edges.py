"""Random workloads and tuples at the edges of what is allowed, for every family."""

from __future__ import annotations

import random
from dataclasses import replace

from planner.files.tuple_table import Table
from planner.statistics.generate import expected_tuples, generate
from planner.statistics.selectivity import keys
from planner.workload.adapt import POLICIES, Adapt
from planner.workload.arrival_shapes import ArrivalTrace, Burst, Daily, Drift, Shape, Swap
from planner.workload.execution import (
    Change,
    DeclaredStatistic,
    Every,
    Execution,
    RunSettings,
    Shedding,
    Statistics,
)
from planner.workload.query import (
    COMPARISONS,
    Aggregate,
    Column,
    CountWindow,
    Filter,
    LandmarkWindow,
    Predicate,
    Query,
    Source,
    TimeWindow,
    TumblingWindow,
    Window,
)
from planner.workload.streams import (
    Arrivals,
    Attribute,
    Constant,
    Relation,
    RelationChanges,
    Stream,
)
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from tests.oracles.joins import Data, Item

LEAST, MOST = -(2**63), 2**63 - 1
# Few of each, so that many are equal; one apart where doubles are not.
WHOLE = (
    LEAST,
    LEAST + 1,
    -(2**53) - 1,
    -1,
    0,
    1,
    2**53,
    2**53 + 1,
    2**60,
    2**60 + 1,
    MOST - 1,
    MOST,
)
FRACTIONS = (-1e300, -0.5, -0.0, 0.0, 5e-324, 1.5, 2.0**53, 1e300)
TEXTS = ("", "a", "a\x00", "B", "é", "𐍈", "long " * 40, "x" * 50_000, "x" * 50_000 + "y")
# Of every source: two columns of 64-bit numbers, small numbers, fractions and texts.
KINDS = {"k": "int64", "n": "int64", "s": "int64", "x": "float64", "t": "object"}
VALUES: dict[str, tuple[Constant, ...]] = {
    "k": WHOLE, "n": WHOLE, "s": (0, 1, 2), "x": FRACTIONS, "t": TEXTS,
}  # fmt: skip
ARRIVALS = (
    Arrivals(),
    Arrivals("regular"),
    Arrivals("regular", phase=0.0),
    Arrivals("pareto", 1.5),
    Arrivals("pareto", 40.0),
)
RATES = (1e-6, 0.5, 1.0, 3.0, 1e4)
EXECUTIONS = (
    Execution(),
    Execution("hash"),
    Execution("hash", 2),
    Execution("hash", evaluate=Every(0.5), expire=Every(0.5)),
    Execution(evaluate=Every(0.001)),
)
UNIT_COSTS: tuple[dict[str, float], ...] = (
    {"compare": 1e-6, "output": 0.0},
    {"compare": 1e-6, "output": 0.0},
    {"compare": 0.0, "output": 1e-12},
    {"compare": 0.25, "output": 3.0},
)
# How the rate of a stream changes; swaps are with another stream, whatever its rate.
SHAPES: tuple[Shape, ...] = (
    Daily(2.0),
    Daily(86_400.0, 100.0, 0.999),
    Burst(0.0, 1.0),
    Burst(1.0, 1e-6, 1e4),
    Burst(0.5, 1.0, 0.001, 1.5),
    Drift(0.0, 1.0),
    Drift(50.0, 1e-6, 2.0),
    ArrivalTrace((0.0, 1.0), (0.0, 3.0), 1.5),
    ArrivalTrace((-5.0,), (1e-6,), 7.0),
)


# More tuples than these take the definition of an answer too long.
MOST_GENERATED = 30


class Edges:
    """Draws workloads and tuples from one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def join(self) -> tuple[Workload, Data]:
        """A join of two or three sources, of which one may be a relation."""
        names = ["A", "B", "C"][: self.chance.choice([2, 2, 3])]
        relations = {name for name in names[1:] if self.chance.random() < 0.2}
        query = self._query("Q0", names, relations, self._window)
        return self._workload((query,), names, relations)

    def shared(self) -> tuple[Workload, Data]:
        """Several joins of two streams on one predicate."""
        in_rows = self.chance.random() < 0.3
        joined = self._predicate("A", "B")

        def window() -> Window:
            return CountWindow(self.chance.choice([1, 3])) if in_rows else self._time()

        made = []
        for number in range(self.chance.choice([1, 2, 3])):
            one = window()
            query = self._query(f"Q{number}", ["A", "B"], set(), lambda one=one: one)
            made.append(replace(query, predicates=(joined,)))
        return self._workload(tuple(made), ["A", "B"], set())

    def aggregation(self) -> tuple[Workload, Data]:
        """An aggregation over one to three sources."""
        names = ["A", "B", "C"][: self.chance.choice([1, 2, 2, 3])]
        relations = {name for name in names[1:] if self.chance.random() < 0.3}
        tumbling = self._tumbling()
        window = (lambda: tumbling) if self.chance.random() < 0.3 else self._window
        query = self._query("Q0", names, relations, window)
        columns = [Column(self.chance.choice(names), self.chance.choice("knst")) for _ in range(2)]
        group_by = tuple(dict.fromkeys(columns[: self.chance.choice([0, 1, 2])]))
        query = replace(query, group_by=group_by, aggregates=self._aggregates(names))
        return self._workload((query,), names, relations)

    def bounded(self) -> tuple[Workload, Data]:
        """A join by one attribute under a bound of memory, maybe with a relation."""
        names = ["A", "B", "C"][: self.chance.choice([2, 2, 3])]
        relations = {names[-1]} if self.chance.random() < 0.4 else set()
        query = self._query("Q0", names, relations, self._time)
        key, hub = self.chance.choice("ksxt"), names[-1]
        equalities = [Predicate(Column(n, key), "=", Column(hub, key)) for n in names if n != hub]
        memory = Execution(
            memory=self.chance.choice([1, 2, 4, 1000]),
            shedding=Shedding(
                prefilter=self.chance.random() < 0.8,
                access=self.chance.choice(["index", "index", "scan", "search", "hash"]),
                buffer=self.chance.choice([1, 100]),
            ),
            utilisation=self._utilisation(),
        )
        workload, data = self._workload(
            (replace(query, predicates=tuple(equalities)),), names, relations, memory
        )
        importance = self.chance.choice([None, "s"])
        streams = tuple(replace(stream, importance=importance) for stream in workload.streams)
        return replace(workload, streams=streams), data

    def bounded_aggregation(self) -> tuple[Workload, Data]:
        """COUNT and SUM over a join under a bound of memory, maybe by a group."""
        workload, data = self.bounded()
        (query,) = workload.queries
        names = [source.alias for source in query.sources]

        def column(attributes: str) -> Column:
            return Column(self.chance.choice(names), self.chance.choice(attributes))

        listed = (
            Aggregate("count"),
            Aggregate("count", column("knsxt")),
            Aggregate("sum", column("ns")),
            Aggregate("sum", column("x")),
        )
        aggregates = tuple(self.chance.sample(listed, self.chance.choice([1, 2])))
        group_by = (column("knsxt"),) if self.chance.random() < 0.5 else ()
        query = replace(query, aggregates=aggregates, group_by=group_by)
        execution = replace(workload.execution, utilisation=None)
        return replace(workload, queries=(query,), execution=execution), data

    def changing(self) -> tuple[Workload, Data]:
        """Joins that share, of which some enter and leave while they run."""
        workload, data = self.shared()
        known = list(workload.queries)
        here, changes, at = [query.name for query in known], [], 0.0
        for number in range(self.chance.choice([1, 2, 3])):
            at += self.chance.choice([0.0, 1e-6, 0.5, 1.0, 1.5])
            if len(here) > 1 and self.chance.random() < 0.5:
                here.remove(gone := self.chance.choice(here))
                changes.append(Change(at, remove=gone))
            else:
                like = self.chance.choice(known)
                window = self._like(like.sources[0].window)
                sources = tuple(replace(source, window=window) for source in like.sources)
                new = replace(like, name=f"N{number}", sources=sources)
                changes.append(Change(at, add=new))
                here.append(new.name)
        return replace(workload, run=RunSettings(warmup=0.0, changes=tuple(changes))), data

    def adapting(self, workload: Workload) -> Workload:
        """The workload with a policy that may switch its plan."""
        adapt = Adapt(
            self.chance.choice(POLICIES),
            self.chance.choice([None, 1e-6, 0.5, 1.0]),
            horizon=self.chance.choice([1e-6, 1.0, 1e6]),
            threshold=self.chance.choice([0.0, 0.2]),
            margin=self.chance.choice([0.0, 0.05, 1.0]),
        )
        return replace(workload, run=RunSettings(warmup=0.0, adapt=adapt))

    def cuts(self, places: int) -> list[int]:
        """Where so many tuples are cut into batches: anywhere."""
        return self.chance.sample(range(places), self.chance.randint(0, min(places, 5)))

    def partitions(self) -> int:
        """Into how many parts tuples are split."""
        return self.chance.choice([1, 2, 3])

    def generated(self, workload: Workload) -> Data | None:
        """Tuples as the workload's streams have them arrive; None where there would be many."""
        seconds = 6 / max(stream.rate or 1.0 for stream in workload.streams)
        expected = sum(expected_tuples(workload, stream, seconds) for stream in workload.streams)
        if expected > 10 * MOST_GENERATED:
            return None
        tables = generate(workload, seconds, self.chance.randrange(1000))
        if sum(map(len, tables.values())) > MOST_GENERATED:
            return None
        return {name: _items_of(table) for name, table in tables.items()}

    def _aggregates(self, names: list[str]) -> tuple[Aggregate, ...]:
        alias = self.chance.choice(names)
        listed = [
            Aggregate("count"),
            Aggregate("count", Column(alias, self.chance.choice("knsxt"))),
            Aggregate("count", Column(alias, self.chance.choice("nsxt")), distinct=True),
            Aggregate("min", Column(alias, self.chance.choice("nsxt"))),
            Aggregate("max", Column(alias, self.chance.choice("nsxt"))),
            Aggregate("sum", Column(alias, self.chance.choice("ns"))),
            Aggregate("sum", Column(alias, "x")),
            Aggregate("avg", Column(alias, self.chance.choice("nsx"))),
        ]
        return tuple(self.chance.sample(listed, self.chance.choice([1, 2])))

    def _query(self, name: str, names: list[str], relations: set[str], window: object) -> Query:
        sources = tuple(Source(n, n, None if n in relations else window()) for n in names)  # type: ignore[operator]
        predicates = tuple(
            self._predicate(self.chance.choice(names[:place]), other)
            for place, other in enumerate(names)
            if place
        )
        filters = tuple(
            self._filter(n) for n in names for _ in range(self.chance.choice([0, 0, 1, 2]))
        )
        return Query(name, sources, predicates, tuple(dict.fromkeys(filters)))

    def _predicate(self, left: str, right: str) -> Predicate:
        attribute = self.chance.choice("kknsxt")
        other = self.chance.choice("kn") if attribute in "kn" else attribute
        comparison = self.chance.choice(["=", "=", *COMPARISONS])
        offset = 0.0
        if attribute in "kns" and comparison != "=" and self.chance.random() < 0.3:
            offset = self.chance.choice([1.0, -2.0, 2.0**40])
        return Predicate(Column(left, attribute), comparison, Column(right, other), offset)

    def _filter(self, alias: str) -> Filter:
        attribute = self.chance.choice(list(KINDS))
        if self.chance.random() < 0.2:
            some = self.chance.choices(VALUES[attribute], k=self.chance.choice([1, 2, 3]))
            return Filter(Column(alias, attribute), "=", tuple(some))
        constant = self.chance.choice(VALUES[attribute])
        return Filter(Column(alias, attribute), self.chance.choice(COMPARISONS), constant)

    def _time(self) -> TimeWindow:
        return TimeWindow(self.chance.choice([1e-6, 1, 2, 1000]))

    def _window(self) -> Window:
        if self.chance.random() < 0.6:
            return self._time()
        if self.chance.random() < 0.3:
            return self._tumbling()
        return self.chance.choice([CountWindow(1), CountWindow(3), LandmarkWindow()])

    def _tumbling(self) -> TumblingWindow:
        return TumblingWindow(self.chance.choice([1e-6, 0.5, 2, 1000]))

    def _like(self, window: Window | None) -> Window:
        """Another window of the same kind."""
        if isinstance(window, CountWindow):
            return CountWindow(self.chance.choice([1, 2, 5]))
        return self._time()

    def _utilisation(self) -> float | None:
        """The load of the processor, if one is stated."""
        return self.chance.choice([None, None, 1e-9, 0.7, 99.0])

    def _arrivals(self, others: list[str]) -> Arrivals:
        """Any kind, of which the rate may change over time."""
        arrivals = self.chance.choice(ARRIVALS)
        if self.chance.random() < 0.6:
            return arrivals
        shapes = [*SHAPES, *(Swap(other, self.chance.choice([1e-6, 1.0])) for other in others)]
        return replace(arrivals, shape=self.chance.choice(shapes))

    def _workload(
        self,
        queries: tuple[Query, ...],
        names: list[str],
        relations: set[str],
        execution: Execution | None = None,
    ) -> tuple[Workload, Data]:
        attributes = {name: self._attribute(name) for name in KINDS}
        if execution is None:
            execution = replace(self.chance.choice(EXECUTIONS), utilisation=self._utilisation())
        streams = [name for name in names if name not in relations]
        workload = Workload(
            "edges",
            tuple(
                Stream(
                    name,
                    self.chance.choice(RATES),
                    attributes,
                    self._arrivals([other for other in streams if other != name]),
                )
                for name in streams
            ),
            queries,
            tuple(
                Relation(
                    n,
                    self.chance.choice([0, 1, 1000]),
                    attributes,
                    self.chance.choice(
                        [
                            RelationChanges(),
                            RelationChanges(),
                            RelationChanges(1, 1),
                            RelationChanges(0, 2),
                        ]
                    ),
                )
                for n in names
                if n in relations
            ),
            replace(execution, unit_costs=self.chance.choice(UNIT_COSTS)),
            self._statistics(queries),
        )
        return workload, {n: self._items(n in relations) for n in names}

    def _attribute(self, name: str) -> Attribute:
        missing = self.chance.choice([0.0, 0.0, 0.3, 1.0])
        if self.chance.random() < 0.5:
            # 0.0 and -0.0 are one value.
            return Attribute(values=tuple(dict.fromkeys(VALUES[name])), missing=missing)
        kind = {"x": "float", "t": "string"}.get(name, "integer")
        zipf = self.chance.choice([0.0, 1.0, 20.0])
        distinct = self.chance.choice([1, 3, 1000])
        return Attribute(distinct, zipf, type=kind, missing=missing)  # type: ignore[arg-type]

    def _statistics(self, queries: tuple[Query, ...]) -> Statistics:
        """Some shares are declared: mostly none and all."""

        def shares(
            conditions: list[tuple[Query, Predicate | Filter]],
        ) -> dict[str, DeclaredStatistic]:
            return {
                next(keys(query, condition)): DeclaredStatistic(self.chance.choice([0, 1, 1, 0.5]))
                for query, condition in conditions
                if self.chance.random() < 0.4
            }

        return Statistics(
            shares([(q, p) for q in queries for p in q.predicates]),
            shares([(q, f) for q in queries for f in q.filters]),
        )

    def _items(self, relation: bool) -> list[Item]:
        count = self.chance.choice([0, 1, 4, 9])
        times = sorted(self.chance.choice([0, 0, 1, 1.5, 2, 3.000001]) for _ in range(count))
        present = self.chance.choice([0.0, 0.7, 1.0, 1.0])
        made: list[Item] = []
        for seconds in times:
            ts = microseconds(seconds)
            values = {
                name: self.chance.choice(known) if self.chance.random() < present else None
                for name, known in VALUES.items()
            }
            made.append(
                ((ts, ts + self.chance.choice([0, 1, 2_000_000])) if relation else ts, values)
            )
        return made


def _items_of(table: Table) -> list[Item]:
    """The tuples of a table, one by one."""
    times = table.ts.tolist()
    if table.begin is not None and table.end is not None:
        times = list(zip(table.begin.tolist(), table.end.tolist(), strict=True))
    made: list[Item] = []
    for row, when in enumerate(times):
        values = {
            name: data.values.tolist()[row] if data.valid is None or data.valid[row] else None
            for name, data in table.columns.items()
        }
        made.append((when, values))
    return made
