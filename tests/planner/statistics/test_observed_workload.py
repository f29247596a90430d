"""What a run has seen replaces what is declared, but only where the two cannot be the same."""

from __future__ import annotations

from planner.files.workload_file import load_workload
from planner.statistics.observed import BatchStatistics, KeyStatistics, Likely, StreamStatistics
from planner.statistics.observed_workload import observed_workload
from planner.statistics.selectivity import filter_selectivity, predicate_selectivity

WORKLOAD = load_workload("""
version: 1
name: two
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 100}, v: {distinct: 10}}}
  - {name: B, rate: 20, attributes: {k: {distinct: 100}}}
queries:
  - {name: Q, text: "SELECT * FROM A [RANGE 10], B [RANGE 10] WHERE A.k = B.k AND A.v > 5"}
""")
_ANY = Likely(0.01, 0.0, 1.0)


def _seen(rate: Likely, distinct: Likely, pair: Likely, passed: Likely) -> BatchStatistics:
    keys = {"k": KeyStatistics(distinct, Likely(0.0, 0.0, 0.3), _ANY)}
    streams = {"A": StreamStatistics(500, rate, Likely(1.0, 1.0, 1.1), keys)}
    return BatchStatistics(3, 30, 40, streams, {"A.k = B.k": pair}, {"A.v > 5": passed})


def test_what_may_be_as_declared_stays() -> None:
    seen = _seen(Likely(11, 9, 13), Likely(98, 90, 110), Likely(0.011, 0.009, 0.012), _ANY)
    assert observed_workload(WORKLOAD, seen) == WORKLOAD


def test_what_cannot_be_is_replaced() -> None:
    seen = _seen(
        Likely(50, 45, 55), Likely(200, 190, 210), Likely(0.05, 0.04, 0.06), Likely(0.9, 0.8, 0.95)
    )
    found = observed_workload(WORKLOAD, seen)
    (query,) = found.queries
    assert found.stream("A").rate == 50
    assert found.stream("B") == WORKLOAD.stream("B")
    assert found.stream("A").attributes["k"].distinct == 200
    # The values alone would not explain how many pairs are equal.
    assert predicate_selectivity(found, query, query.predicates[0]) == 0.05
    assert filter_selectivity(found, query, query.filters[0]) == 0.9


def test_values_that_nobody_knows_are_left() -> None:
    quiet = _seen(Likely(0, 0, 0.5), Likely(700, 400, None), Likely(0.01, 0, 1), _ANY)
    found = observed_workload(WORKLOAD, quiet)
    assert found.stream("A").attributes["k"].distinct == 100
    assert 0 < (found.stream("A").rate or 0) < 1e-9
