"""Kernels on random tuples: the answer against its definition, the counts against a simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.workload.execution import Execution
from planner.workload.query import TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.feed import Feed, Span
from runtime.engines.join_feeds import multiway_feed as feed
from runtime.engines.join_order.simulation import LoopSimulation
from runtime.engines.kernels.digest import digest_of
from runtime.engines.trace import members
from tests.examples import examples
from tests.oracles.joins import Data, Item, arrivals_of, results_of
from tests.planner.workloads import chain_query
from tests.runtime.driving import Driven, as_lists, compiled, drive, tables_of, windows_of

SECOND = 1_000_000
LAST_SECOND = 8


@dataclass(frozen=True)
class Case:
    """A workload with its tuples, what is measured of it, and whom each source's tuples probe."""

    workload: Workload
    data: Data
    span: Span
    orders: list[list[int]]

    @property
    def windows(self) -> list[int]:
        """The windows in microseconds, in FROM order."""
        return [microseconds(seconds) for seconds in windows_of(self.workload.queries[0])]

    @property
    def feed(self) -> Feed:
        """The tuples as they arrive."""
        return feed(self.workload, tables_of(self.data, {"attr": "int64"}))

    def driven(self, partitions: int = 1, cuts: tuple[int, ...] = ()) -> Driven:
        """The join run in so many partitions, its feed cut into batches."""
        program, plan, split = compiled(self.workload, self.feed, self.span, partitions)
        return drive(replace(program, orders=self.orders), plan, split, self.feed, cuts)


# Whole seconds give equal timestamps and edges; a microsecond beside them, the edge's two sides.
TIMES = st.builds(
    lambda second, beside: second * SECOND + beside,
    st.integers(0, LAST_SECOND),
    st.sampled_from([0, 0, 0, 1, -1]),
)
HOT_KEY = 4
KEYS = st.sampled_from([HOT_KEY, HOT_KEY, HOT_KEY, 1, 2, 9, None])
BUCKETS = st.sampled_from([1, 2, 3, 4, 6, 1000, "per-value"])


@st.composite
def streams_of_tuples(draw: st.DrawFn, most: int) -> list[Item]:
    """Tuples in order of time; often none at all."""
    times = sorted(draw(st.lists(TIMES, max_size=most)))
    return [(ts, {"attr": draw(KEYS)}) for ts in times]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Joins of 2 to 5 sources, streams under several aliases among them, hashed or not."""
    count = draw(st.integers(2, 5))
    names = draw(st.permutations(["X", "Y", "Z", "U", "V"][: draw(st.integers(1, count))]))
    aliases = [f"a{place}" for place in range(count)]
    # Each stream stands in FROM at least once; the rest are self-joins.
    chosen = [*names, *(draw(st.sampled_from(names)) for _ in range(count - len(names)))]
    chosen = draw(st.permutations(chosen))
    windows = [draw(st.integers(1, LAST_SECOND + 2)) for _ in aliases]
    query = chain_query(
        "Q1",
        {a: (s, TimeWindow(w)) for a, s, w in zip(aliases, chosen, windows, strict=True)},
    )
    hashed = [alias for alias in aliases if draw(st.booleans())]
    one_count = draw(st.one_of(st.none(), BUCKETS))
    execution = Execution(
        join=dict.fromkeys(hashed, "hash"),
        buckets={alias: draw(BUCKETS) if one_count is None else one_count for alias in hashed},
    )
    streams = tuple(Stream(name, 1, {"attr": Attribute(9)}) for name in sorted(names))
    workload = Workload("random", streams, (query,), execution=execution)
    data = {name: draw(streams_of_tuples(most=12 // count + 3)) for name in names}
    warmup = draw(st.integers(0, LAST_SECOND)) * SECOND
    end = warmup + draw(st.integers(0, LAST_SECOND)) * SECOND
    orders = [
        draw(st.permutations([other for other in range(count) if other != origin]))
        for origin in range(count)
    ]
    return Case(workload, data, Span(warmup, end), orders)


def _simulated(case: Case) -> LoopSimulation:
    execution, (query,) = case.workload.execution, case.workload.queries
    aliases = [source.alias for source in query.sources]
    access = {
        source.alias: (execution.method(source), execution.bucket_count(source))
        for source in query.sources
    }
    orders = {
        origin: [origin, *(aliases[other] for other in order)]
        for origin, order in zip(aliases, case.orders, strict=True)
    }
    merged, span = case.feed, case.span
    simulation = LoopSimulation(
        case.workload, orders, access, merged.schema.codes, span.warmup, span.end
    )
    values = {name: [values for _, values in items] for name, items in case.data.items()}
    for member in members(case.workload, merged.tuples, values):
        simulation.arrive(member)
    return simulation


@given(cases())
@examples(120)
def test_rows_are_the_definition_s_each_once_and_the_digest_is_theirs(case: Case) -> None:
    driven = case.driven()
    assert driven.rows == results_of(case.workload, case.data)
    assert driven.tally.results == len(driven.rows)
    sources = len(case.windows)
    rows = np.array(driven.rows, np.int64).reshape(-1, sources + 1)
    assert driven.tally.digest == digest_of(rows[:, :sources])


@given(cases())
@examples(120)
def test_counters_are_those_of_the_plain_simulation(case: Case) -> None:
    simulated, driven = _simulated(case), case.driven()
    assert sorted(simulated.results) == driven.rows
    aliases = [source.alias for source in case.workload.queries[0].sources]
    levels = range(1, len(aliases))
    inserts = [simulated.inserts[alias] for alias in aliases]
    assert as_lists(driven.counters, without=["replicas", "held"]) == {
        "comparisons": [[simulated.examined[a, level] for level in levels] for a in aliases],
        "matches": [[simulated.matched[a, level] for level in levels] for a in aliases],
        "arrivals": inserts,
        "inserts": inserts,
        "expirations": [simulated.expirations[alias] for alias in aliases],
    }
    assert driven.counters.held.tolist() == _held(case)


def _held(case: Case) -> list[int]:
    """How long the tuples of each source were in its window within the span, by definition."""
    held = [0] * len(case.windows)
    for arrival in arrivals_of(case.workload, case.data):
        leaves = min(arrival.ts + case.windows[arrival.alias], case.span.end)
        held[arrival.alias] += max(0, leaves - max(arrival.ts, case.span.warmup))
    return held


@given(cases(), st.integers(1, 4), st.lists(st.integers(0, 40), max_size=6))
@examples(120)
def test_batches_and_partitions_change_no_answer_and_no_count(
    case: Case, partitions: int, cuts: list[int]
) -> None:
    whole, split = case.driven(), case.driven(partitions, tuple(cuts))
    assert split.rows == whole.rows
    assert split.tally.digest == whole.tally.digest
    assert as_lists(split.counters, ["replicas"]) == as_lists(whole.counters, ["replicas"])


@given(cases(), st.integers(2, 4))
@examples(50)
def test_replicas_are_counted_beside_and_only_where_tuples_are_replicated(
    case: Case, partitions: int
) -> None:
    program, plan, split = compiled(case.workload, case.feed, case.span, partitions)
    driven = drive(program, plan, split, case.feed)
    copies = partitions - 1 if program.replicated else 0
    assert driven.tally.replicated_inserts == copies * driven.counters.inserts.sum()


@given(cases())
@examples(50)
def test_the_feed_is_in_the_order_of_arrival_and_equal_keys_have_equal_codes(case: Case) -> None:
    expected = arrivals_of(case.workload, case.data)
    tuples = case.feed.tuples
    assert list(zip(tuples.ts, tuples.source, tuples.seq, strict=True)) == [
        (arrival.ts, arrival.alias, arrival.seq) for arrival in expected
    ]
    sources = case.workload.queries[0].sources
    keys = [case.data[sources[a.alias].name][a.seq][1]["attr"] for a in expected]
    # A missing key equals none of another source; those of one source never meet.
    values = [
        ("missing", arrival.alias) if key is None else ("value", key)
        for arrival, key in zip(expected, keys, strict=True)
    ]
    assert len(set(values)) == len(set(zip(values, tuples.key, strict=True)))
    assert len(set(values)) == len(set(tuples.key))
    assert all(0 <= key < case.feed.schema.codes[0] for key in tuples.key)
