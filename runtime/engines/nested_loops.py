"""Nested loops as text and as arrays: what the loop and the aggregation kernel have alike; and the
counters of joins as costs of operators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from planner.plan.cost import Cost
from planner.plan.plan import Operator, Param
from planner.workload.query import Column, Comparison, Query
from runtime.engines.join_feeds import value_slots
from runtime.engines.kernels import loop_types as kernel
from runtime.engines.kernels.loop_types import Filters, LoopTable, Paths

# The counters of a kernel that joins: arrays by source, and by source and loop.
JoinCounters = Any
# Keys are below this, so a key modulo it is the key itself.
_EVERY_KEY = 2**31 - 1


def common_modulus(buckets: Iterable[Param], partitions: int) -> int | None:
    """By what keys are shared out so that each bucket is in one partition; None where there are
    fewer of these than partitions."""
    given = [int(count) for count in buckets if not isinstance(count, str)]
    divisor = math.gcd(*given) if given else _EVERY_KEY
    return divisor if divisor >= partitions else None


@dataclass(frozen=True, slots=True)
class Nest:
    """Per origin its order and the checks of its levels, over ways to reach the windows.

    `paths` are [source, key, buckets, index, per value]; `equal` and `theta` hold the checks of
    each level, origin after origin. `filters` are [source, value, comparison, constants].
    """

    sources: list[str]
    filters: list[list[float]]
    conditions: list[str]
    paths: list[list[int]] = field(default_factory=list)
    orders: list[list[int]] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    path: list[list[int]] = field(default_factory=list)
    equal: list[list[list[int]]] = field(default_factory=list)
    theta: list[list[list[float]]] = field(default_factory=list)

    def kernel_paths(self) -> Paths:
        """The ways to reach the windows."""
        return Paths(*(np.array(column, np.int64) for column in zip(*self.paths, strict=True)))

    def kernel_loops(self) -> LoopTable:
        """What each origin does."""
        equal = np.array([c for level in self.equal for c in level], np.int64).reshape(-1, 2)
        theta = np.array([c for level in self.theta for c in level], np.float64).reshape(-1, 5)
        value, other, other_value, comparison = (
            np.ascontiguousarray(column, np.int64) for column in theta[:, :4].T
        )
        return LoopTable(
            np.array(self.orders, np.int64),
            np.array(self.depth, np.int64),
            np.array(self.path, np.int64),
            self._starts(self.equal),
            np.ascontiguousarray(equal[:, 0]),
            np.ascontiguousarray(equal[:, 1]),
            self._starts(self.theta),
            value,
            other,
            other_value,
            comparison,
            np.ascontiguousarray(theta[:, 4]),
        )

    def _starts(self, levels: Sequence[Sequence[object]]) -> np.ndarray:
        """Where the checks of each origin's levels begin, and where its last ones end."""
        sources = len(self.sources)
        ends = np.concatenate(([0], np.cumsum([len(level) for level in levels]))).astype(np.int64)
        return np.stack([ends[i * sources : (i + 1) * sources + 1] for i in range(sources)])

    def kernel_filters(self) -> Filters:
        """The conditions on arriving tuples."""
        return Filters.of(self.filters)

    def filter_costs(
        self, operators: Sequence[Operator], counters: JoinCounters
    ) -> dict[str, Cost]:
        """What was counted for the filters among a plan's operators."""
        by_text = {str(op.param("condition")): op for op in operators if op.kind == "filter"}
        filters = [by_text[text] for text in self.conditions] if by_text else []
        return {
            operator.id: Cost(counters.evaluated[number], rows_out=counters.passed[number])
            for number, operator in enumerate(filters)
        }


def join_cost(operator: Operator, sources: Sequence[str], counters: JoinCounters) -> Cost:
    """What the counters of a join say of one operator; state in tuple-seconds."""
    if operator.kind == "output":
        return Cost(rows_out=counters.matches[:, -1].sum())
    if operator.kind == "probe":
        origin = sources.index(str(operator.param("origin")))
        at = origin, int(operator.param("step")) - 1
        return Cost(counters.comparisons[at], rows_out=counters.matches[at])
    place = sources.index(str(operator.param("source")))
    arrivals, inserts = counters.arrivals[place], counters.inserts[place]
    expirations, held = counters.expirations[place], counters.held[place] / 1_000_000
    if operator.kind == "arrive":
        return Cost(rows_out=arrivals)
    if operator.kind == "insert":
        return Cost(inserts=inserts, state_tuples=held)
    if operator.kind == "table":
        return Cost(0, inserts, expirations, rows_out=arrivals, state_tuples=held)
    if operator.kind == "expire":
        return Cost(expirations=expirations)
    raise ValueError(f"a join has no operator of kind {operator.kind}")


COMPARISON_CODES: dict[Comparison, int] = {
    "=": kernel.EQUAL,
    "<>": kernel.UNEQUAL,
    "<": kernel.LESS,
    "<=": kernel.LESS_EQUAL,
    ">": kernel.GREATER,
    ">=": kernel.GREATER_EQUAL,
}


def nest_of(
    query: Query,
    chains: Mapping[str, list[Operator]],
    codes: Sequence[int],
    constants: Sequence[Sequence[float]],
) -> Nest:
    """The loops of each origin, given the operators they are made of, the outermost first."""
    places = {source.alias: place for place, source in enumerate(query.sources)}
    nest = Nest(
        sources=list(places),
        filters=filter_rows(query, constants),
        conditions=[str(condition) for condition in query.filters],
    )
    # Every window in arrival order first; then what the loops look keys up by.
    nest.paths.extend([place, -1, 1, 0, 0] for place in places.values())
    for alias in places:
        if alias in chains:
            _add_origin(nest, query, places, alias, chains[alias], codes)
        else:
            _add_none(nest)
    return nest


def _add_none(nest: Nest) -> None:
    """The place of a relation among the origins: its rows start no loops."""
    nothing = list(range(len(nest.sources)))
    nest.orders.append(nothing)
    nest.depth.append(0)
    nest.path.append(nothing)
    nest.equal.extend([] for _ in nothing)
    nest.theta.extend([] for _ in nothing)


def filter_rows(query: Query, constants: Sequence[Sequence[float]]) -> list[list[float]]:
    """The query's filters as [source, value, comparison, constants], given those of each."""
    places = {source.alias: place for place, source in enumerate(query.sources)}
    slots = value_slots(query)
    return [
        [places[f.column.alias], slots[f.column], COMPARISON_CODES[f.comparison], *written]
        for f, written in zip(query.filters, constants, strict=True)
    ]


def _add_origin(
    nest: Nest,
    query: Query,
    places: dict[str, int],
    origin: str,
    chain: list[Operator],
    codes: Sequence[int],
) -> None:
    """Append the origin's order, its paths, and the checks of its every level."""
    order = [str(operator.param("source")) for operator in chain]
    classes = query.equality_classes()
    paths: list[int] = []
    for level, (alias, operator) in enumerate(zip(order, chain, strict=True)):
        joined = order[:level]
        linking = [c for c in range(len(classes)) if _linked(classes[c], alias, joined)]
        path = places[alias]
        if linking and alias != origin:
            wanted = dict(operator.params).get("on")
            key = next(
                (c for c in linking if wanted and Column(alias, str(wanted)) in classes[c]),
                linking[0],
            )
            # The class that the path is by comes first: the kernel takes the key from there.
            linking = [key, *(c for c in linking if c != key)]
            path = _path(nest, places[alias], key, operator, codes)
        paths.append(path)
        nest.equal.append([[c, places[_first_of(classes[c], joined)]] for c in linking])
        nest.theta.append(_theta(query, places, alias, joined))
    nest.orders.append([places[alias] for alias in order])
    nest.depth.append(order.index(origin))
    nest.path.append(paths)


def _linked(joined_class: frozenset[Column], alias: str, joined: list[str]) -> bool:
    aliases = {column.alias for column in joined_class}
    return alias in aliases and not aliases.isdisjoint(joined)


def _first_of(joined_class: frozenset[Column], joined: list[str]) -> str:
    aliases = {column.alias for column in joined_class}
    return next(alias for alias in joined if alias in aliases)


def _path(nest: Nest, place: int, key: int, operator: Operator, codes: Sequence[int]) -> int:
    """The path of this access, a new one if no other level uses it."""
    hashed = operator.param("access") == "hash"
    per_value = hashed and operator.param("buckets") == "per-value"
    buckets = 1
    if hashed:
        # As many as declared, also where some stay empty for ever: expiration visits them too.
        buckets = max(1, codes[key]) if per_value else int(operator.param("buckets"))
    path = [place, key, buckets, int(hashed), int(per_value)]
    if path not in nest.paths:
        nest.paths.append(path)
    return nest.paths.index(path)


def _theta(
    query: Query, places: dict[str, int], alias: str, joined: list[str]
) -> list[list[float]]:
    """The other predicates with what is joined: value, with whom, its value, how, offset."""
    slots = value_slots(query)
    checks: list[list[float]] = []
    for predicate in query.predicates:
        if predicate.is_equality:
            continue
        own = predicate if predicate.left.alias == alias else predicate.flipped
        mine, other = own.left, own.right
        if mine.alias == alias and other.alias in joined:
            code = COMPARISON_CODES[own.comparison]
            checks.append([slots[mine], places[other.alias], slots[other], code, own.offset])
    return checks
