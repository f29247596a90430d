"""Where joins of two streams find what they compare: streams, keys and values by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.joins.shared.query_groups import Condition, Group
from planner.workload.changes import queries_of_run
from planner.workload.query import Column, Filter
from planner.workload.streams import Constant
from planner.workload.workload import Workload
from runtime.engines.nested_loops import COMPARISON_CODES
from runtime.engines.pair_feed import (
    PairSchema,
    constants_of,
    groups_of_run,
    key_columns,
    streams_of,
    value_columns,
)


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Streams and queries by number, keys and values by column, constants as values are written."""

    streams: list[str]
    queries: list[str]
    keys: list[str]
    slots: dict[Column, int]
    constants: dict[tuple[Column, Constant], float]
    codes: Sequence[int]

    @classmethod
    def of(cls, workload: Workload, schema: PairSchema) -> PairColumns:
        """Those of a run's feed; of one that can be changed, as its tuples `carried` them."""
        codes, carried = schema.codes, schema.carried
        groups = groups_of_run(workload)
        queries = [query.name for query in queries_of_run(workload)]
        asked = constants_of(groups)
        if carried is not None:
            # A query that enters must find what it needs in the tuples of the run.
            carried.check(groups)
            written = {compared: carried.constant(*compared) for compared in asked}
            return cls(carried.streams, queries, carried.keys, carried.slots, written, codes)
        return cls(
            streams_of(workload),
            queries,
            [str(predicate) for predicate in key_columns(groups)],
            value_columns(groups),
            dict(zip(asked, schema.constants, strict=True)),
            codes,
        )

    def stream(self, group: Group, side: int) -> int:
        """The number of a group's stream."""
        return self.streams.index(group.streams[side])

    def equalities(self, group: Group) -> tuple[int, list[int]]:
        """The key by which tuples are looked up or scanned (-1: none), and the other keys."""
        equal = [predicate for predicate in group.predicates if predicate.is_equality]
        if not equal:
            return -1, []
        first = group.key or equal[0]
        others = [self.keys.index(str(predicate)) for predicate in equal if predicate != first]
        return self.keys.index(str(first)), others

    def buckets(self, group: Group, key: int) -> int:
        """How many buckets there are: 1 where windows are scanned."""
        if group.key is None:
            return 1
        # More buckets than keys hold one key each and many none.
        codes = max(1, self.codes[key])
        return codes if isinstance(group.buckets, str) else min(group.buckets, codes)

    def theta(self, group: Group) -> list[list[float]]:
        """The other predicates, as [left value, right value, comparison, offset]."""
        checks: list[list[float]] = []
        for predicate in group.predicates:
            if predicate.is_equality:
                continue
            own = predicate if predicate.left.alias == group.streams[0] else predicate.flipped
            code = COMPARISON_CODES[own.comparison]
            checks.append([self.slots[own.left], self.slots[own.right], code, own.offset])
        return checks

    def conjunction(self, condition: Condition) -> list[list[float]]:
        """A condition as [value, comparison, constants], one for each of its filters."""
        return [self.test(f) for f in condition.filters]

    def test(self, f: Filter) -> list[float]:
        """A filter as [value, comparison, constants]."""
        written = (self.constants[f.column, constant] for constant in f.constants)
        return [self.slots[f.column], COMPARISON_CODES[f.comparison], *written]
