"""What a run has seen replaces what is declared, but only where the two cannot be the same."""

from __future__ import annotations

from planner.files.workload_file import load_workload
from planner.statistics.observed import KeyStatistics, Likely, ValueStatistics
from planner.statistics.observed_workload import observed_workload, settled
from planner.statistics.selectivity import filter_selectivity, predicate_selectivity

WORKLOAD = load_workload("""
version: 1
name: two
streams:
  - {name: A, rate: 10, attributes: {k: {distinct: 100}, v: {distinct: 10}, w: {distinct: 9}}}
  - {name: B, rate: 20, attributes: {k: {distinct: 100}, w: {distinct: 9}}}
queries:
  - name: Q
    text: SELECT * FROM A [RANGE 10], B [RANGE 10] WHERE A.k = B.k AND A.w <= B.w AND A.v > 5
""")
_ANY = Likely(0.01, 0.0, 1.0)


def _seen(distinct: Likely, pair: Likely, passed: Likely, band: Likely = _ANY) -> ValueStatistics:
    keys = {"A": {"k": KeyStatistics(distinct, Likely(0.0, 0.0, 0.3), _ANY)}}
    return ValueStatistics(keys, {"A.k = B.k": pair, "A.w <= B.w": band}, {"A.v > 5": passed})


def test_what_may_be_as_declared_stays() -> None:
    seen = _seen(Likely(98, 90, 110), Likely(0.011, 0.009, 0.012), _ANY)
    assert observed_workload(WORKLOAD, seen) == WORKLOAD


def test_what_cannot_be_is_replaced() -> None:
    seen = _seen(
        Likely(200, 190, 210), Likely(0.05, 0.04, 0.06), Likely(0.9, 0.85, 0.95),
        Likely(0.1, 0.05, 0.15),
    )  # fmt: skip
    found = observed_workload(WORKLOAD, seen)
    (query,) = found.queries
    assert found.stream("A").attributes["k"].distinct == 200
    # The values alone would not explain how many pairs are equal.
    assert predicate_selectivity(found, query, query.predicates[0]) == 0.05
    assert predicate_selectivity(found, query, query.predicates[1]) == 0.1
    assert filter_selectivity(found, query, query.filters[0]) == 0.9
    # What is believed now is compared with what is seen next: it does not change back.
    assert observed_workload(found, seen) == found


def test_little_evidence_changes_nothing() -> None:
    # In an interval of 95% one of twenty lies outside; a run decides often.
    seen = _seen(Likely(200, 120, 280), Likely(0.05, 0.02, 0.08), Likely(0.9, 0.6, 0.99))
    assert observed_workload(WORKLOAD, seen) == WORKLOAD
    unknown = _seen(Likely(700, 400, None), _ANY, _ANY)
    assert observed_workload(WORKLOAD, unknown) == WORKLOAD


def test_where_nothing_matched_something_may_have_been_missed() -> None:
    found = observed_workload(WORKLOAD, _seen(_ANY, Likely(0.0, 0.0, 0.001), _ANY))
    (query,) = found.queries
    assert predicate_selectivity(found, query, query.predicates[0]) == 0.001


def test_what_has_not_changed_is_of_the_longer_time() -> None:
    recent = _seen(Likely(98, 80, 120), Likely(0.05, 0.045, 0.055), _ANY)
    longer = _seen(Likely(101, 99, 103), Likely(0.01, 0.009, 0.011), _ANY)
    found = settled(recent, longer)
    assert found.keys == longer.keys
    assert found.pairs["A.k = B.k"] == recent.pairs["A.k = B.k"]
