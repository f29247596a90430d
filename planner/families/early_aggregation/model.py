"""The model of an aggregation over a join: what each plan's probes find, and what they pass on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from planner.errors import PlanError
from planner.families.early_aggregation import NAME
from planner.families.early_aggregation.coverage import (
    EarlyRule,
    no_sets,
    query_functions,
    refusal,
    rule_of,
)
from planner.families.early_aggregation.window_sizes import Content
from planner.joins.arrays import Floats, gauss
from planner.joins.graph import Twins
from planner.joins.keys import Spread
from planner.joins.model import JoinModel, join_of
from planner.joins.model_builder import ranks_of
from planner.joins.windows import JoinWindow
from planner.statistics.distributions import PLAIN_DISTINCT, declared_distribution
from planner.statistics.selectivity import attribute_of
from planner.workload.query import Column, CountWindow, Query, TumblingWindow
from planner.workload.streams import Attribute
from planner.workload.workload import Workload

# Values of an aggregated attribute that are distinguished; of more, so many parts of equal weight.
_MOST_VALUES = 2000
# Moments of the measured span at which growing windows are looked at.
_MOMENTS = 6


@dataclass(frozen=True, slots=True)
class Extremum:
    """A MIN or MAX: of which source, and how often each value occurs, the extreme one first."""

    place: int
    function: str
    shares: tuple[float, ...]


@dataclass(frozen=True)
class AggregationModel:
    """One aggregation over a join. Sources are known by their place in FROM, plans by a mask.

    Bit i of a mask says that source i carries an early aggregation.
    """

    join: JoinModel
    rules: tuple[EarlyRule, ...]
    contents: tuple[Content, ...]
    group_by: tuple[Column, ...]
    functions: tuple[str, ...]
    extrema: tuple[Extremum, ...] = ()
    twins: Twins | None = None
    # Why no source may carry a set; empty where any may.
    without_sets: str = ""
    # With extrema over windows that only grow, the model at moments of the measured span, and how
    # much each counts: looking for an extremum grows with powers of time.
    moments: tuple[tuple[float, AggregationModel], ...] = ()

    @cached_property
    def count(self) -> int:
        return len(self.contents)

    @property
    def origins(self) -> tuple[int, ...]:
        """The sources whose tuples arrive: the streams."""
        return self.join.origins

    @cached_property
    def probed(self) -> tuple[int, ...]:
        """The sources that some other source's tuples probe: a set on another serves nothing."""
        alone = self.origins[0] if len(self.origins) == 1 else None
        return tuple(place for place in range(self.count) if place != alone)

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The plans that may be run, LAP first."""
        if self.without_sets:
            return (0,)
        useless = ((1 << self.count) - 1) ^ sum(1 << place for place in self.probed)
        return tuple(mask for mask in range(1 << self.count) if not mask & useless)

    @cached_property
    def walked_from(self) -> int:
        """Where the walk through a group begins that looks for an extremum anew: a stream."""
        streams = [e.place for e in self.extrema if e.place in self.origins]
        return streams[0] if streams else self.origins[0]

    def label(self, mask: int) -> str:
        """`LAP`, or one digit a source, in FROM order: `EAP-10`."""
        if not mask:
            return "LAP"
        return "EAP-" + "".join(str(mask >> place & 1) for place in range(self.count))

    def mask(self, label: str) -> int:
        """The mask of a label; a PlanError that says what labels look like."""
        digits = label.removeprefix("EAP-")
        if label == "LAP":
            return 0
        if digits == label or len(digits) != self.count or set(digits) - {"0", "1"}:
            form = "LAP, or EAP- and a digit for each source in FROM order, 1 for an early one"
            raise PlanError(f"no plan {label!r}; a label is {form}", NAME)
        mask = sum(1 << place for place, digit in enumerate(digits) if digit == "1")
        if not mask:
            raise PlanError(f"no plan {label!r}; without an early aggregation it is LAP", NAME)
        if mask not in self.masks:
            raise PlanError(f"{label} cannot be run: {self.why_excluded}", NAME)
        return mask

    @property
    def why_excluded(self) -> str:
        """Why plans are left out that have some set."""
        alone = self.join.aliases[self.origins[0]]
        unused = f"no tuple would probe the set of {alone}, the only source that arrives"
        return self.without_sets or unused


def model_of(workload: Workload) -> AggregationModel:
    """The model of a covered workload; a PlanError that says why where it is not covered."""
    reason = refusal(workload)
    if reason is not None:
        raise PlanError(reason, NAME)
    query = workload.queries[0]
    join = _with_ended_rows(workload, query, join_of(workload))
    rules = tuple(rule_of(query, source) for source in query.sources)
    pairs = zip(join.windows, rules, strict=True)
    model = AggregationModel(
        replace(join, graph=replace(join.graph, twins=None)),
        rules,
        tuple(_content(workload, query, window, rule) for window, rule in pairs),
        tuple(dict.fromkeys(query.group_by)),
        query_functions(query),
        tuple(_extrema(workload, query)),
        join.graph.twins,
        no_sets(workload) or "",
    )
    return replace(model, moments=tuple(_moments(workload, model)))


def _moments(
    workload: Workload, model: AggregationModel
) -> Iterator[tuple[float, AggregationModel]]:
    if model.extrema and any(window.ends == "never" for window in model.join.windows):
        nodes, weights = gauss(_MOMENTS)
        half = workload.run.duration / 2
        for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
            yield weight / 2, _grown(model, (workload.middle + node * half) / workload.middle)


def _grown(model: AggregationModel, times: float) -> AggregationModel:
    """The model when growing windows hold so many times what they hold at the middle."""
    windows = tuple(
        replace(
            window,
            tuples=window.tuples * times,
            examined=window.examined * times,
            kept=window.kept * times,
            per_second=window.per_second / times,
        )
        if window.ends == "never"
        else window
        for window in model.join.windows
    )
    pairs = zip(model.contents, windows, strict=True)
    contents = tuple(replace(content, window=window) for content, window in pairs)
    return replace(model, join=replace(model.join, windows=windows), contents=contents)


def _with_ended_rows(workload: Workload, query: Query, join: JoinModel) -> JoinModel:
    """The join with rows of relations kept while tuples are there that arrived before their end.

    When these leave, what the row joined has to be taken away again.
    """
    streams = (source for source in query.sources if source.window is not None)
    # In a landmark window a tuple has stayed so far.
    longest = max(workload.window_seconds(source) or workload.middle for source in streams)
    windows = []
    for window in join.windows:
        ended = window.deletes * longest
        windows.append(replace(window, examined=window.examined + ended, kept=window.kept + ended))
    return replace(join, windows=tuple(windows))


def _content(workload: Workload, query: Query, window: JoinWindow, rule: EarlyRule) -> Content:
    keys = tuple(_spread(workload, query, column) for column in rule.joined)
    extra = tuple(column for column in rule.grouped if column not in rule.joined)
    groups = tuple(_spread(workload, query, column) for column in extra)
    source = query.source(rule.source)
    varying = not window.is_relation and not isinstance(source.window, CountWindow)
    if varying:
        varying = workload.stream(source.name).arrivals.kind != "regular"
    clock = str(source.window) if isinstance(source.window, TumblingWindow) else None
    columns = (*rule.joined, *extra)
    missing = tuple(attribute_of(workload, query, column).missing for column in columns)
    return Content(window, keys, groups, clock, varying, missing)


def _spread(workload: Workload, query: Query, column: Column) -> Spread:
    attribute = attribute_of(workload, query, column)
    return *ranks_of(query, column, attribute), attribute.zipf


def _extrema(workload: Workload, query: Query) -> Iterator[Extremum]:
    places = {source.alias: place for place, source in enumerate(query.sources)}
    for aggregate in dict.fromkeys(query.aggregates):
        if aggregate.column is None or aggregate.function not in ("min", "max"):
            continue
        attribute = attribute_of(workload, query, aggregate.column)
        shares = _value_shares(attribute)
        if aggregate.function == "max":
            shares = shares[::-1]
        place = places[aggregate.column.alias]
        yield Extremum(place, aggregate.default_name(), tuple(shares.tolist()))


def _value_shares(attribute: Attribute) -> Floats:
    """How often values occur, the smallest first."""
    distinct = attribute.distinct or PLAIN_DISTINCT
    if distinct > _MOST_VALUES and not attribute.zipf:
        return np.full(_MOST_VALUES, 1 / _MOST_VALUES)
    shares = declared_distribution(attribute).shares
    if distinct <= _MOST_VALUES:
        return shares
    parts = np.minimum((np.cumsum(shares) * _MOST_VALUES).astype(np.int64), _MOST_VALUES - 1)
    found = np.bincount(parts, shares).astype(np.float64)
    return found[found > 0]
