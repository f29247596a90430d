"""Random joins for `join-accuracy`, drawn by number: the same number is the same join.

Four or five streams. Each draws, evenly on a logarithmic scale, a rate from 0.5 to 10 tuples/s, a
window from 2 to 100 tuples, and from 2 to 300 distinct values of each join attribute. So there are
keys that almost never meet, and keys of which one tuple meets a hundred. Apart from that, each join
draws one of the kinds of every trait in `TRAITS`:

- windows: over time, over rows, or some of each;
- access: nested loops, hash tables of equal or of different sizes (1 to 60 buckets: more than
  values are common), an index per value, or hybrid (some windows hashed, some scanned);
- evaluation: eager; eager with expiration every 0.1 to 1 of the longest window; lazy with tau from
  0.02 to 1 of the median window; lazy with expiration every 2 to 5 evaluations;
- keys: uniform, or Zipf with exponents from 0.3 to 1.5 on about half of the attributes;
- graph: one attribute, or a chain, a star, a cycle or a random tree with an attribute for each
  edge; in these an edge in six is an inequality or a band;
- filters: none, or on one or two streams: on an attribute of its own (perhaps from two sides), or
  on a join attribute;
- arrivals: Poisson, regular, or Pareto bursts of 1.2 to 3 tuples on average.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bench.measure import log_uniform
from planner.workload.execution import Every, Execution, JoinMethod
from planner.workload.query import (
    Column,
    CountWindow,
    Filter,
    Predicate,
    Query,
    Source,
    TimeWindow,
    Window,
)
from planner.workload.streams import Arrivals, Attribute, Stream
from planner.workload.workload import Workload

RATES, WINDOW_TUPLES, DISTINCT = (0.5, 10.0), (2.0, 100.0), (2.0, 300.0)
# How often each kind is drawn, in parts.
TRAITS = {
    "streams": {"4": 2, "5": 1},
    "windows": {"time": 3, "rows": 1, "time and rows": 1},
    "access": {
        "nested": 2,
        "hash, equal buckets": 2,
        "hash, different buckets": 2,
        "hash, index per value": 1,
        "hybrid": 2,
    },
    "evaluation": {"eager": 3, "eager, expired later": 1, "lazy": 2, "lazy, expired later": 2},
    "keys": {"uniform": 2, "zipf": 1},
    "graph": {"one attribute": 4, "chain": 1, "star": 1, "cycle": 1, "tree": 1},
    "filters": {"none": 2, "filtered": 1},
    "arrivals": {"poisson": 5, "regular": 1, "bursts": 1},
}
Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RandomJoin:
    """A random join and the kinds it has drawn."""

    number: int
    traits: dict[str, str]
    workload: Workload


def drawn(number: int) -> RandomJoin:
    """The join of this number."""
    return _Draw(number).join()


class _Draw:
    """One join in the making."""

    def __init__(self, number: int) -> None:
        self.number, self.random = number, random.Random(number)
        self.traits = {
            name: self.random.choices(list(kinds), list(kinds.values()))[0]
            for name, kinds in TRAITS.items()
        }
        self.count = int(self.traits["streams"])
        self.names = [f"S{place + 1}" for place in range(self.count)]
        self.rates = [self.even(*RATES) for _ in self.names]
        self.windows = [self.window(rate) for rate in self.rates]
        self.attributes: list[dict[str, Attribute]] = [{} for _ in self.names]

    def join(self) -> RandomJoin:
        """All of it put together."""
        predicates = self.predicates()
        filters = self.filters()
        streams = tuple(
            Stream(name, rate, attributes, self.arrivals())
            for name, rate, attributes in zip(self.names, self.rates, self.attributes, strict=True)
        )
        windows = zip(self.names, self.windows, strict=True)
        sources = tuple(Source(name, name, window) for name, window in windows)
        query = Query("Q1", sources, predicates, filters)
        workload = Workload(
            f"random join {self.number}", streams, (query,), execution=self.execution()
        )
        return RandomJoin(self.number, self.traits, workload)

    def even(self, least: float, most: float) -> float:
        """A number, uniform on a logarithmic scale, to four digits."""
        return float(f"{log_uniform(self.random, least, most):.4g}")

    def window(self, rate: float) -> Window:
        kind, tuples = self.traits["windows"], self.even(*WINDOW_TUPLES)
        if kind == "rows" or (kind == "time and rows" and self.random.random() < 0.5):
            return CountWindow(round(tuples))
        return TimeWindow(float(f"{tuples / rate:.4g}"))

    def attribute(self) -> Attribute:
        skewed = self.traits["keys"] == "zipf" and self.random.random() < 0.6
        zipf = round(self.random.uniform(0.3, 1.5), 2) if skewed else 0.0
        return Attribute(round(self.even(*DISTINCT)), zipf)

    def arrivals(self) -> Arrivals:
        if self.traits["arrivals"] == "poisson" or self.random.random() < 0.4:
            return Arrivals()
        if self.traits["arrivals"] == "regular":
            return Arrivals("regular")
        return Arrivals("pareto", round(self.random.uniform(1.2, 3), 2))

    def predicates(self) -> tuple[Predicate, ...]:
        if self.traits["graph"] == "one attribute":
            for attributes in self.attributes:
                attributes["a"] = self.attribute()
            pairs = pairwise(self.names)
            return tuple(Predicate(Column(one, "a"), "=", Column(two, "a")) for one, two in pairs)
        edges = self.edges()
        found: list[Predicate] = []
        for left, right in edges:
            found += self.edge(left, right)
        return tuple(found)

    def edges(self) -> Sequence[Edge]:
        graph, last = self.traits["graph"], self.count - 1
        if graph == "star":
            return [(0, place) for place in range(1, self.count)]
        if graph == "tree":
            return [(self.random.randrange(place), place) for place in range(1, self.count)]
        chain = list(pairwise(range(self.count)))
        return [*chain, (0, last)] if graph == "cycle" else chain

    def edge(self, left: int, right: int) -> list[Predicate]:
        """What links two streams, on an attribute of its own."""
        name = f"e{left + 1}{right + 1}"
        one, two = Column(self.names[left], name), Column(self.names[right], name)
        if self.random.random() > 1 / 6:
            self.attributes[left][name] = self.attribute()
            self.attributes[right][name] = self.attribute()
            return [Predicate(one, "=", two)]
        values = round(self.even(20, 500))
        self.attributes[left][name] = self.attributes[right][name] = Attribute(values)
        if self.random.random() < 0.3:
            return [Predicate(one, "<", two)]
        width = round(values * self.even(0.005, 0.1))
        return [Predicate(one, "<=", two, width), Predicate(two, "<=", one, width)]

    def filters(self) -> tuple[Filter, ...]:
        if self.traits["filters"] == "none":
            return ()
        found: list[Filter] = []
        for place in self.random.sample(range(self.count), self.random.choice([1, 2])):
            name, joined = self.names[place], sorted(self.attributes[place])
            if self.random.random() < 0.4:
                attribute = self.random.choice(joined)
                values = self.attributes[place][attribute].distinct or 1
                upto = max(1, round(values * self.random.uniform(0.3, 0.9)))
                found.append(Filter(Column(name, attribute), "<=", upto))
                continue
            self.attributes[place]["f"] = Attribute(100)
            column, least = Column(name, "f"), self.random.randint(1, 60)
            found.append(Filter(column, ">=", least))
            if self.random.random() < 0.5:
                found.append(Filter(column, "<", least + self.random.randint(10, 40)))
        return tuple(found)

    def execution(self) -> Execution:
        seconds = sorted(
            w.seconds if isinstance(w, TimeWindow) else w.rows / rate
            for w, rate in zip(self.windows, self.rates, strict=True)
            if isinstance(w, TimeWindow | CountWindow)
        )
        evaluation = self.traits["evaluation"]
        tau = Every(max(0.001, round(seconds[self.count // 2] * self.even(0.02, 1), 3)))
        later = Every(max(0.001, round(seconds[-1] * self.even(0.1, 1), 3)))
        timing = {
            "eager": Execution(),
            "eager, expired later": Execution(expire=later),
            "lazy": Execution(evaluate=tau),
            "lazy, expired later": Execution(
                evaluate=tau, expire=Every(round(tau.seconds * self.random.randint(2, 5), 3))
            ),
        }[evaluation]
        join, buckets = self.access()
        return Execution(join, buckets, timing.evaluate, timing.expire)

    def access(self) -> tuple[JoinMethod | dict[str, JoinMethod], int | str | dict[str, int | str]]:
        kind = self.traits["access"]
        counts: dict[str, int | str] = {name: round(self.even(1, 60)) for name in self.names}
        if kind == "nested":
            return "nested", "per-value"
        if kind == "hash, equal buckets":
            return "hash", counts["S1"]
        if kind == "hash, different buckets":
            return "hash", counts
        if kind == "hash, index per value":
            return "hash", "per-value"
        hashed = self.random.sample(self.names, self.random.randint(1, self.count - 1))
        some: dict[str, int | str] = {
            name: "per-value" if self.random.random() < 0.3 else counts[name] for name in hashed
        }
        return dict.fromkeys(hashed, "hash"), some
