"""The feed of a star join: tuples with importance, rows with their ends, and the exact answer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from planner.families.load_shedding.labels import EXACT
from planner.families.load_shedding.offline.flow import best_leaves
from planner.families.load_shedding.offline.matches import Worth
from planner.families.load_shedding.offline.state_graph import leaves_by_states
from planner.families.load_shedding.star import Arm, Star, star_of
from planner.families.load_shedding.star_tuples import importance_of, star_tuples
from planner.files.tuple_table import Table
from planner.workload.query import Query
from planner.workload.workload import Workload
from runtime.data.encoding import key_codes
from runtime.data.feed import Feed, Span
from runtime.data.json_records import read_record, write_record
from runtime.data.scales import Scales
from runtime.engines.join_feeds import validity, value_slots
from runtime.engines.load_shedding.aggregation import Aggregation, aggregated_columns
from runtime.engines.load_shedding.batch import SheddingState
from runtime.engines.load_shedding.kernel.types import IMPORTANCE_BASE, NEVER, SheddingArrivals
from runtime.engines.load_shedding.star_join import MOST_KEYS, star_join

# Spark passes over files whose name begins with an underscore.
_FILE = "_star.json"
Key = str | int | float


@dataclass(frozen=True, slots=True)
class StarSchema:
    """Keys of each arm are below its number of `codes`, and `names` are what they stand for, where
    that is not themselves; `constants` are those of the filters. `exact` is the answer without a
    bound: how many results, and their importance in millionths; `exact_aggregates` are by
    evaluation or group and by aggregate; `exact_work` its comparisons and results, and in how many
    seconds tuples came for that. `optimum_seconds` are those of the processor in which the
    best tuples to keep were found, where they were looked for."""

    codes: list[int]
    constants: tuple[tuple[float, ...], ...]
    names: dict[str, list[Key | None]] = field(default_factory=dict)
    exact: tuple[int, int] = (0, 0)
    optimum_seconds: float | None = None
    aggregation: Aggregation = field(default_factory=Aggregation)
    exact_aggregates: list[list[float]] = field(default_factory=list)
    exact_work: tuple[int, int, float] = (0, 0, 1.0)

    def write(self, folder: Path) -> None:
        """Keep it in a folder of micro-batches."""
        write_record(self, folder / _FILE)

    @classmethod
    def read(cls, folder: Path) -> StarSchema:
        """What `write` kept."""
        found: StarSchema = read_record(cls, folder / _FILE)
        return found


def star_feed(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """Merge the tables of a star join by time: rows that begin first, then tuples in FROM order."""
    return _feed(workload, tables, {})


def most_important_feed(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """The same, with the times at which tuples leave for the most importance."""
    return _planned_feed(workload, tables, "importance")


def most_results_feed(workload: Workload, tables: Mapping[str, Table]) -> Feed:
    """The same, with the times at which tuples leave for the most results."""
    return _planned_feed(workload, tables, "results")


def _planned_feed(workload: Workload, tables: Mapping[str, Table], worth: Worth) -> Feed:
    star, shedding = star_of(workload), workload.execution.shedding
    begun = time.process_time()
    if shedding.optimum == "flow":
        leaves = best_leaves(star, tables, worth).by_alias
    else:
        leaves = leaves_by_states(star, tables, worth, shedding.prefilter)
    seconds = time.process_time() - begun
    feed = _feed(workload, tables, leaves)
    assert isinstance(feed.schema, StarSchema)
    return replace(feed, schema=replace(feed.schema, optimum_seconds=seconds))


def _feed(
    workload: Workload, tables: Mapping[str, Table], leaves: Mapping[str, NDArray[np.int64]]
) -> Feed:
    (query,) = workload.queries
    star = star_of(workload)
    # It refuses an importance that cannot be one.
    star_tuples(star, tables)
    made = _Blocks.of(query, star, tables)
    blocks = [made.rows(workload) if star.relation is not None else made.rows_of_keys()]
    blocks += [made.stream(number, arm, leaves) for number, arm in enumerate(star.arms)]
    merged = SheddingArrivals(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))
    tuples = merged.take(np.argsort(merged.ts, kind="stable"))
    schema = StarSchema(made.codes, made.constants, made.names(), aggregation=made.aggregation)
    exact = _exact(star, query, schema, tuples)
    return Feed(
        tuples,
        {name: len(table) for name, table in tables.items()},
        exact,
        whole_instants=True,
    )


def _exact(star: Star, query: Query, schema: StarSchema, tuples: SheddingArrivals) -> StarSchema:
    """With the answer without a bound, by the same kernel: results, importance in millionths,
    aggregates, and work."""
    join = star_join(star, query, EXACT, schema.codes, schema.constants, schema.aggregation)
    counters = join.zero()
    came = tuples.ts[join.shape(Span(0, 0), 0).arm_of[tuples.source] >= 0]
    first, last = (int(came[0]), int(came[-1])) if len(came) else (0, 0)
    outcome, _ = SheddingState.nothing(join, tuples).after(
        join, Span(first, last), first, tuples, counters, last=True, most_rows=0
    )
    high, low = (int(part) for part in counters.importance)
    comparisons, seconds = int(counters.comparisons.sum()), max(1, last - first) / 1e6
    return replace(
        schema,
        exact=(outcome.results, high * IMPORTANCE_BASE + low),
        exact_aggregates=counters.aggregates.tolist(),
        exact_work=(comparisons, outcome.results, seconds),
    )


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The sources of a star join as numbers, one after the other."""

    query: Query
    star: Star
    tables: Mapping[str, Table]
    keys: list[dict[str, NDArray[np.int32]]]
    codes: list[int]
    values: Mapping[str, NDArray[np.float64]]
    constants: tuple[tuple[float, ...], ...]
    aggregation: Aggregation

    @classmethod
    def of(cls, query: Query, star: Star, tables: Mapping[str, Table]) -> _Blocks:
        """Number the keys of every arm and the values that filters ask for."""
        keys, codes = [], []
        for arm in star.arms:
            (joined,) = (c for c in query.equality_classes() if arm.key in c)
            by_alias, count = key_codes(query, joined, tables)
            # A missing key is the last one: nothing is joined with it.
            for column in joined:
                valid = tables[query.source(column.alias).name].columns[column.attribute].valid
                if valid is not None:
                    numbers = by_alias[column.alias]
                    by_alias[column.alias] = np.where(valid, numbers, np.int32(count))
            keys.append(by_alias)
            codes.append(count + 1)
        slots = value_slots(query)
        data = {c: tables[query.source(c.alias).name].columns[c.attribute] for c in slots}
        # Filters compare with constants alone.
        scales = Scales.of(data, (), query.name)
        by_column = scales.values(data)
        width = max(slots.values(), default=0) + 1
        aggregated = aggregated_columns(query, star, tables, width)
        values = {}
        for source in query.sources:
            own = np.full((len(tables[source.name]), width), np.nan)
            for column, slot in slots.items():
                if column.alias == source.alias:
                    own[:, slot] = by_column[column]
            values[source.alias] = np.hstack([own, aggregated.values[source.alias]])
        constants = scales.constants(query.filters)
        return cls(query, star, tables, keys, codes, values, constants, aggregated.aggregation)

    def stream(
        self, number: int, arm: Arm, leaves: Mapping[str, NDArray[np.int64]]
    ) -> SheddingArrivals:
        """The tuples of an arm."""
        alias, table = arm.source.alias, self.tables[arm.source.name]
        keys = np.zeros((len(table), len(self.star.arms)), np.int32)
        # By the first key tuples are shared out, where all arms have the same.
        keys[:, 0] = keys[:, number] = self.keys[number][alias]
        never = np.full(len(table), NEVER)
        return SheddingArrivals(
            np.full(len(table), arm.place, np.int16),
            table.ts,
            table.seq,
            keys,
            self.values[alias],
            importance_of(arm, table),
            never,
            leaves.get(alias, never),
        )

    def rows(self, workload: Workload) -> SheddingArrivals:
        """The rows of the relation that some tuple can meet."""
        relation, place = self.star.relation, self.star.relation_place
        assert relation is not None
        assert place is not None
        table = self.tables[relation.name]
        begin, until, met = validity(table, workload, self.tables)
        keys = np.stack([by_alias[relation.alias] for by_alias in self.keys], axis=1)
        met &= (keys < np.array(self.codes) - 1).all(axis=1)
        return SheddingArrivals(
            np.full(len(table), place, np.int16),
            begin,
            table.seq,
            keys,
            self.values[relation.alias],
            np.zeros(len(table), np.int64),
            until,
            np.full(len(table), NEVER),
        ).take(met)

    def rows_of_keys(self) -> SheddingArrivals:
        """A row for every key, which is always there: streams without a relation meet in it."""
        aliases = [arm.source.alias for arm in self.star.arms]
        own = [by_alias[alias] for alias, by_alias in zip(aliases, self.keys, strict=True)]
        present = np.unique(np.concatenate(own))
        present = present[present < self.codes[0] - 1]
        times = [self.tables[arm.source.name].ts for arm in self.star.arms]
        first = min((int(ts[0]) for ts in times if len(ts)), default=0)
        count, arms = len(present), len(self.star.arms)
        width = next(iter(self.values.values())).shape[1]
        return SheddingArrivals(
            np.full(count, len(self.query.sources), np.int16),
            np.full(count, first),
            np.arange(count, dtype=np.int64),
            np.repeat(present.astype(np.int32)[:, None], arms, axis=1),
            np.full((count, width), np.nan),
            np.zeros(count, np.int64),
            np.full(count, NEVER),
            np.full(count, NEVER),
        )

    def names(self) -> dict[str, list[Key | None]]:
        """What the keys of each arm stand for; nothing where there are too many to count apart."""
        if max(self.codes) > MOST_KEYS:
            return {}
        found = {}
        for arm, by_alias, count in zip(self.star.arms, self.keys, self.codes, strict=True):
            codes = by_alias[arm.source.alias]
            values = self.tables[arm.source.name].columns[arm.key.attribute].values
            known: list[Key | None] = [None] * count
            present, where = np.unique(codes, return_index=True)
            for code, value in zip(present.tolist(), values[where].tolist(), strict=True):
                known[code] = None if code == count - 1 else value
            found[arm.source.alias] = known
        return found
