"""Skew that is read off data: exponents that fit, and none where they would mislead."""

from __future__ import annotations

import numpy as np
import pytest

from planner.files.tuple_table import ColumnData, Table
from planner.statistics.distributions import (
    CountedValues,
    counted_distribution,
    equal_share,
    fitted_exponents,
    zipf_exponent,
)
from planner.statistics.inference import infer
from planner.workload.query import Column
from tests.planner.workloads import equality_join

ROWS = 20_000


def drawn(distinct: int, exponent: float, seed: int, shuffled: bool = False) -> np.ndarray:
    random = np.random.default_rng(seed)
    weights = np.arange(1, distinct + 1, dtype=float) ** -exponent
    values = random.choice(np.arange(1, distinct + 1), ROWS, p=weights / weights.sum())
    return random.permutation(distinct)[values - 1] + 1 if shuffled else values


def counted(values: np.ndarray) -> CountedValues:
    return CountedValues(counted_distribution(ColumnData(values)), len(values))


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5])
def test_the_exponent_of_zipf_data_is_found(exponent: float) -> None:
    assert zipf_exponent(*counted(drawn(50, exponent, 1))) == pytest.approx(exponent, abs=0.05)


@pytest.mark.parametrize("rows", [1, 30, ROWS])
def test_uniform_data_are_not_skewed(rows: int) -> None:
    assert zipf_exponent(*counted(drawn(50, 0.0, 2)[:rows])) == 0


def test_columns_whose_frequent_values_differ_are_not_taken_by_rank() -> None:
    one, other = Column("A", "x"), Column("B", "x")
    alike = {one: counted(drawn(50, 1.2, 1)), other: counted(drawn(50, 1.2, 2))}
    assert set(fitted_exponents(alike)) == {one, other}
    apart = {one: counted(drawn(50, 1.2, 1)), other: counted(drawn(50, 1.2, 2, shuffled=True))}
    assert fitted_exponents(apart) == {}


def test_skewed_own_data_are_planned_by_their_frequencies() -> None:
    workload = equality_join([(1, 10, 50)] * 3)
    bare = type(workload)(
        workload.name,
        tuple(type(s)(s.name, None) for s in workload.streams),
        workload.queries,
    )
    tables = {
        f"S{n}": Table(
            np.arange(ROWS),
            np.arange(ROWS) * 1000,
            {"attr": ColumnData(drawn(50, 1.2, n))},
        )
        for n in (1, 2, 3)
    }
    filled, places = infer(bare, tables)
    exponents = [stream.attributes["attr"].zipf for stream in filled.streams]
    assert exponents == pytest.approx([1.2] * 3, abs=0.05)
    told = {row.place: row for row in places}
    assert told["streams.S1.attributes.attr.zipf"].origin == "inferred from data"
    assert equal_share(50, 1.2, 50, 1.2) > 3 / 50, "where uniform values would mislead"
