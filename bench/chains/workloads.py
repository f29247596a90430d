"""The cases of `chain-accuracy`: the paper's Tables 3 and 4, and random ones.

Random ones are drawn by number: the same number is the same workload. Two to twelve joins of A and
B, nested or hashed. Each has a window of 1 to 30 s on either stream (in one of two workloads the
same on both), and with one chance in three each a filter on A and on B, of three thresholds. Rates
of 10 to 80/s and 5 to 50 keys are uniform on a logarithmic scale.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bench.measure import log_uniform
from planner.experiments.registry import experiments
from planner.experiments.wang.workloads import LARGEST, Spread, many_joins
from planner.families.registry import family
from planner.families.sliced_chain import NAME
from planner.families.sliced_chain.labels import CPU_OPT, MEM_OPT, STRATEGIES
from planner.files.query.text import format_query
from planner.workload.execution import Execution, RunSettings
from planner.workload.query import Column, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload

TUPLES = 12_000
SPREADS: tuple[Spread, ...] = ("uniform", "mostly small", "small and large")
METHODS = (Execution(), Execution(join="hash", buckets=5), Execution(join="hash"))


@dataclass(frozen=True, slots=True)
class StrategyCase:
    """A workload whose strategies are run. `kind` says where the case comes from."""

    kind: str
    workload: Workload

    @property
    def plans(self) -> tuple[str, ...]:
        """The labels of its plans: every strategy that is not left out, Mem-Opt and CPU-Opt."""
        ranking = family(NAME).space(self.workload).rank(top=1)
        left_out = {label for label, _ in ranking.excluded}
        known = [label for label in STRATEGIES if label not in left_out]
        chains = (
            family(NAME).space(self.workload).plan(label).label for label in (MEM_OPT, CPU_OPT)
        )
        return (*known, *dict.fromkeys(chains))


def table_3() -> Iterator[StrategyCase]:
    """Three queries in each of its 27 settings, at each rate."""
    for shown in experiments():
        if shown.name.startswith("figure-17-"):
            for point in shown.curves[0].points:
                yield StrategyCase("Table 3", point.workload)


def table_4() -> Iterator[StrategyCase]:
    """12, 24 and 36 queries under its three spreads of windows, at each rate."""
    for spread in SPREADS:
        for queries in (12, 24, 36):
            for rate in (20.0, 40.0, 60.0, 80.0):
                yield StrategyCase("Table 4", many_joins(spread, queries, rate))


def random_case(number: int) -> StrategyCase:
    """The random case of this number."""
    draw = random.Random(number)
    keys = round(log_uniform(draw, 5, 50))
    rates = [round(log_uniform(draw, 10, 80), 1) for _ in "AB"]
    attributes = {"key": Attribute(keys), "value": Attribute(100)}
    streams = tuple(Stream(name, rate, attributes) for name, rate in zip("AB", rates, strict=True))
    same = draw.random() < 0.5
    queries = tuple(_query(draw, f"Q{n}", same) for n in range(1, draw.randint(2, 12) + 1))
    workload = Workload(
        f"random {number}",
        streams,
        queries,
        execution=draw.choice(METHODS),
        run=RunSettings(warmup=LARGEST, duration=round(TUPLES / sum(rates), 1)),
    )
    return StrategyCase("random", workload)


def _query(draw: random.Random, name: str, same: bool) -> Query:
    left, right = (float(draw.randint(1, int(LARGEST))) for _ in "AB")
    windows = (left, left if same else right)
    sources = tuple(
        Source(stream, stream, TimeWindow(window))
        for stream, window in zip("AB", windows, strict=True)
    )
    filters = tuple(
        Filter(Column(stream, "value"), ">", draw.choice((20, 50, 80)))
        for stream in "AB"
        if draw.random() < 1 / 3
    )
    query = Query(name, sources, (Predicate(Column("A", "key"), "=", Column("B", "key")),), filters)
    return replace(query, text=format_query(query))
