"""Keys that are not uniform: sizes and scans from their frequencies, against counting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.join_order import JoinOrder
from planner.families.join_order.model import model_of
from planner.families.join_order.pricing import UNIFORM
from planner.joins.keys import harmonic, skewed_bucket_fraction, values_present
from planner.joins.sets import SetArrays
from planner.workload.execution import DeclaredStatistic, Execution, Statistics
from planner.workload.query import Column, Comparison, Filter
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from tests.examples import examples
from tests.planner.spaces import why
from tests.planner.workloads import TABLE_5, equality_join

FAMILY = JoinOrder()
exponents = st.sampled_from([0.0, 0.5, 1.0, 1.7, 3.0])


def shares(count: int, exponent: float, upto: int) -> np.ndarray:
    """How often each of the values 1..upto occurs."""
    found = np.zeros(upto)
    found[:count] = np.arange(1, count + 1) ** -exponent
    return found / found.sum()


@given(st.integers(1, 200_000), exponents)
@examples(40)
def test_a_long_sum_is_what_adding_gives(count: int, exponent: float) -> None:
    added = (np.arange(1, count + 1, dtype=np.float64) ** -exponent).sum()
    assert harmonic(count, exponent) == pytest.approx(added, rel=1e-10)


@given(st.integers(1, 50), exponents, st.integers(1, 50), exponents, st.integers(1, 70))
@examples(60)
def test_a_skewed_bucket_is_what_counting_gives(
    keys: int, of_keys: float, values: int, of_values: float, buckets: int
) -> None:
    p, q = shares(keys, of_keys, 60), shares(values, of_values, 60)
    same = np.subtract.outer(np.arange(60), np.arange(60)) % buckets == 0
    found = skewed_bucket_fraction((1, keys, of_keys), (1, values, of_values), buckets)
    assert found == pytest.approx(p @ same @ q)
    p[:4] = 0
    if p.sum():
        some = skewed_bucket_fraction((5, keys, of_keys), (1, values, of_values), buckets)
        assert some == pytest.approx(p @ same @ q / p.sum())


def zipf_join(exponents: tuple[float, ...], execution: Execution | None = None) -> Workload:
    workload = equality_join(TABLE_5[: len(exponents)], execution)
    streams = tuple(
        Stream(s.name, s.rate, {"attr": Attribute(s.attributes["attr"].distinct, zipf=e)})
        for s, e in zip(workload.streams, exponents, strict=True)
    )
    return replace(workload, streams=streams)


def test_sizes_come_from_the_frequencies() -> None:
    model = model_of(zipf_join((1.0, 0.5, 0.0)))
    spread = [shares(500, 1.0, 500), shares(50, 0.5, 500), shares(40, 0.0, 500)]
    equal = float((spread[0] * spread[1] * spread[2]).sum())
    assert model.size((0, 1, 2)) == pytest.approx(1000 * 100 * 200 * equal)
    assert model.size((0, 1)) > 5 * model.as_uniform().size((0, 1)), "uniform misleads"


def test_the_uniform_figure_stands_beside_and_search_prices_as_plans_do() -> None:
    for execution in (Execution(), Execution(join="hash"), Execution(join="hash", buckets=7)):
        workload = zipf_join((1.0, 0.5, 0.0, 1.2), execution)
        ranking = FAMILY.space(workload).rank()
        labels = [candidate.label for candidate in ranking.candidates]
        scores = [candidate.score for candidate in ranking.candidates]
        assert scores == pytest.approx(FAMILY.space(workload).scores(labels))
        formulas = FAMILY.space(workload).estimate(FAMILY.space(workload).best()).formulas
        assert any(f.model == UNIFORM for found in formulas.values() for f in found)
        assert any("Zipf" in sentence for sentence in why(FAMILY.space(workload)))


def test_a_declared_selectivity_of_two_sources_wins() -> None:
    declared = Statistics({"S1.attr = S2.attr": DeclaredStatistic(selectivity=0.25)})
    workload = replace(equality_join(TABLE_5[:2]), statistics=declared)
    assert model_of(workload).size((0, 1)) == pytest.approx(0.25 * 1000 * 100)
    three = replace(equality_join(TABLE_5[:3]), statistics=declared)
    assert model_of(three).size((0, 1)) == pytest.approx(200)
    assert any("selectivities of pairs are not used" in said for said in why(FAMILY.space(three)))


@pytest.mark.parametrize(
    ("comparison", "constant", "equal"),
    [("<=", 20, 1 / 40), (">", 30, 0), (">=", 25, 16 / 476 / 40)],
)
def test_a_filter_on_the_key_leaves_some_of_its_values(
    comparison: Comparison, constant: int, equal: float
) -> None:
    """S1 has values 1..500; of S3's 1..40 each is as frequent as any other."""
    workload = equality_join([TABLE_5[0], TABLE_5[2]], names=["S1", "S3"])
    condition = Filter(Column("S1", "attr"), comparison, constant)
    both = [condition, Filter(Column("S3", "attr"), "<=", 30)] if not equal else [condition]
    query = replace(workload.queries[0], filters=tuple(both))
    model = model_of(replace(workload, queries=(query,)))
    assert model.graph.share((0, 1)) == pytest.approx(equal)
    for joined in ((0,), (1,), (0, 1)):
        mask = sum(1 << place for place in joined)
        assert SetArrays(model).sizes[mask] == pytest.approx(model.size(joined))


@pytest.mark.parametrize("exponent", [0.0, 1.0])
def test_values_present_is_what_drawing_gives(exponent: float) -> None:
    p = shares(40, exponent, 40)
    assert values_present((1, 40, exponent), 25) == pytest.approx((1 - (1 - p) ** 25).sum())
