"""The settings of the state-slice paper's Tables 3 and 4, and the prices of plans there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from planner.experiments.experiment import Curve, Point
from planner.families.sliced_chain.labels import MEM_OPT, PULL_UP, PUSH_DOWN, UNSHARED
from planner.families.sliced_chain.space import ChainPlans
from planner.files.query.text import format_query
from planner.plan.cost import Cost
from planner.workload.execution import Execution, RunSettings
from planner.workload.query import Column, Comparison, Filter, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload

# The values of the attribute that is filtered: shares of a hundredth are met exactly.
_VALUES = 100
Spread = Literal["uniform", "mostly small", "small and large"]
LARGEST = 30.0


def windowed_joins(
    name: str,
    rate: float,
    windows: Sequence[float],
    filtered: Sequence[float] = (),
    joined: float = 0.1,
    c_sys: float = 0.0,
    seconds: float = 60.0,
) -> Workload:
    """Joins of A and B, a query for each window; a share of A passes each one's filter (1: all).

    A run is measured for so many seconds after the largest window has filled.
    """
    values, comparison = _matching(joined)
    attributes = {"key": Attribute(values), "value": Attribute(_VALUES)}
    shares = filtered or [1.0] * len(windows)
    queries = tuple(
        _query(f"Q{number}", window, share, comparison)
        for number, (window, share) in enumerate(zip(windows, shares, strict=True), 1)
    )
    return Workload(
        name,
        (Stream("A", rate, attributes), Stream("B", rate, attributes)),
        queries,
        execution=Execution(c_sys=c_sys),
        run=RunSettings(warmup=max(windows), duration=seconds),
    )


def _query(name: str, window: float, share: float, comparison: Comparison) -> Query:
    sources = tuple(Source(stream, stream, TimeWindow(window)) for stream in "AB")
    predicate = Predicate(Column("A", "key"), comparison, Column("B", "key"))
    passing = (Filter(Column("A", "value"), ">", round(_VALUES * (1 - share))),)
    query = Query(name, sources, (predicate,), passing if share < 1 else ())
    return replace(query, text=format_query(query))


def _matching(share: float) -> tuple[int, Comparison]:
    """The number of values, and the comparison, by which exactly this share of pairs join."""
    # Of n values, a pair is equal with 1/n and in order with (n - 1)/2n: 0.4 is 2/5 of five.
    for values in range(1, 1001):
        shares: dict[Comparison, float] = {"=": 1 / values, "<": (values - 1) / (2 * values)}
        for comparison, found in shares.items():
            if abs(found - share) < 1e-9:
                return values, comparison
    raise ValueError(f"no attribute of up to 1,000 values joins {share:g} of all pairs")


def spread_windows(spread: Spread, queries: int) -> tuple[float, ...]:
    """Table 4's windows for 12 queries, and for a multiple of 12 the same spread, more densely.

    >>> spread_windows("mostly small", 12)
    (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 20.0, 30.0)
    """
    step = 12 / queries
    if spread == "uniform":
        found = [LARGEST * number / queries for number in range(1, queries + 1)]
    elif spread == "mostly small":
        few = queries // 6
        found = [step * number for number in range(1, queries - few + 1)]
        found += [10 + 20 * number / few for number in range(1, few + 1)]
    else:
        half = queries // 2
        found = [step * number for number in range(1, half + 1)]
        found += [LARGEST - step * number for number in reversed(range(half))]
    return tuple(round(window, 3) for window in found)


PAPER = "Wang et al. 2006"
COMPARISONS = "comparisons"
# What a tuple that enters a slice costs the kernel beside its comparisons, in comparisons: these
# are cheap, 64 keys at a time. About what `python -m bench chain-accuracy` fits.
KERNEL_C_SYS = 125.0
WITH_OVERHEAD = f"comparisons and C_sys = {KERNEL_C_SYS:g}"

RATES = (20.0, 40.0, 60.0, 80.0)
# Tuples of either stream in what is measured.
_TUPLES = 4000.0
SLICED = "State-slice"
STRATEGIES = {
    "Selection pull-up": PULL_UP,
    "Selection push-down": PUSH_DOWN,
    SLICED: MEM_OPT,
    "Unshared": UNSHARED,
}
ALTERNATIVES = ("Selection pull-up", "Selection push-down")

WINDOWS: dict[str, tuple[float, ...]] = {
    "mostly small": (5, 10, 30),
    "uniform": (10, 20, 30),
    "mostly large": (20, 25, 30),
}
FILTERED = (0.2, 0.5, 0.8)
JOINED = (0.025, 0.1, 0.4)


@dataclass(frozen=True, slots=True)
class Setting:
    """One of Table 3: how windows are spread, and which shares pass the filter and the join."""

    spread: str
    filtered: float
    joined: float

    @property
    def name(self) -> str:
        """`mostly-small-0.2-0.025`: for names of experiments."""
        return f"{self.spread.replace(' ', '-')}-{self.filtered:g}-{self.joined:g}"

    @property
    def title(self) -> str:
        """The setting in words."""
        return f"{self.spread}, Sσ = {self.filtered:g}, S⋈ = {self.joined:g}"

    def workload(self, rate: float) -> Workload:
        """Three queries; the two with larger windows filter A."""
        name = f"Table 3, {self.title}, {rate:g}/s"
        passing = (1.0, self.filtered, self.filtered)
        windows, seconds = WINDOWS[self.spread], _TUPLES / rate
        return windowed_joins(name, rate, windows, passing, self.joined, seconds=seconds)


def settings() -> Iterator[Setting]:
    """All 27 of Table 3."""
    for spread, filtered, joined in product(WINDOWS, FILTERED, JOINED):
        yield Setting(spread, filtered, joined)


SPREADS: tuple[Spread, ...] = ("uniform", "mostly small", "small and large")
QUERIES = (12, 24, 36)
# Table 4's experiments are made with this join selectivity.
_JOINED_19 = 0.025


def many_joins(spread: Spread, queries: int, rate: float, c_sys: float = 0.0) -> Workload:
    """The queries of Table 4, or more of them: windows alone, no filters."""
    name = f"Table 4, {queries} queries, {spread}, {rate:g}/s"
    return windowed_joins(
        name,
        rate,
        spread_windows(spread, queries),
        joined=_JOINED_19,
        c_sys=c_sys,
        seconds=_TUPLES / rate,
    )


class Prices:
    """What the plans of a workload should cost."""

    def __init__(self, workload: Workload) -> None:
        self._plans = ChainPlans(workload)

    def label(self, plan: str) -> str:
        """The label that is meant: that of the chain where `mem-opt` is asked for."""
        return self._plans.meant(plan)

    def cost(self, label: str) -> Cost:
        """The cost of a plan."""
        return self._plans.cost(label)

    def score(self, label: str, c_sys: float) -> float:
        """Comparisons, and what the overhead of the tuples entering slices is worth."""
        comparisons = self.cost(label).comparisons
        if not c_sys:
            return comparisons
        return comparisons + c_sys * self._plans.entering(self._plans.model.build(label))


def curves_by_model(
    points: Mapping[tuple[str, str], Sequence[Point]], separator: str = ", "
) -> tuple[Curve, ...]:
    """Curves of points by model and subject; by comparisons alone first, under plain names."""
    return tuple(
        Curve(
            subject if model == COMPARISONS else f"{subject}{separator}{model}",
            subject,
            tuple(own),
            model,
        )
        for (model, subject), own in sorted(points.items(), key=lambda i: i[0][0] != COMPARISONS)
    )
