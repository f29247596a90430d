"""Statistics: declared ones win, derived ones follow the distributions, inferred ones the data."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import PlanError
from planner.files.own_data import read_folder
from planner.files.tuple_table import ColumnData, Table
from planner.files.workload_file import dump_workload, load_workload
from planner.statistics.distributions import (
    counted_distribution,
    declared_distribution,
    share_of_pairs,
)
from planner.statistics.inference import infer
from planner.statistics.selectivity import (
    Provenance,
    filter_selectivity,
    predicate_selectivity,
    provenance,
)
from planner.workload.query import COMPARE, COMPARISONS, Column, Comparison, Predicate
from planner.workload.streams import Arrivals, Attribute
from planner.workload.workload import Workload


def workload(
    where: str, more: str = "", a: str = "distinct: 10", b: str = "distinct: 40"
) -> Workload:
    return load_workload(
        f"""
version: 1
streams:
  - {{name: A, rate: 1, attributes: {{k: {{{a}}}}}}}
  - {{name: B, rate: 1, attributes: {{k: {{{b}}}}}}}
queries: [{{name: Q, text: "SELECT * FROM A [ROWS 1], B [ROWS 1] WHERE {where}"}}]
{more}
"""
    )


def pair(subject: Workload) -> float:
    return predicate_selectivity(subject, subject.queries[0], subject.queries[0].predicates[0])


def passed(subject: Workload) -> float:
    return filter_selectivity(subject, subject.queries[0], subject.queries[0].filters[0])


def by_place(rows: tuple[Provenance, ...]) -> dict[str, Provenance]:
    return {row.place: row for row in rows}


def test_declared_selectivities_win() -> None:
    declared = 'statistics: {predicates: {"B.k = A.k": {selectivity: 0.5}}}'
    assert pair(workload("A.k = B.k", declared)) == 0.5
    filters = 'statistics: {filters: {"Q: 5 < A.k": {selectivity: 0.25}}}'
    assert passed(workload("A.k > 5", filters)) == 0.25


def test_derived_selectivities_follow_the_distributions() -> None:
    assert pair(workload("A.k = B.k")) == pytest.approx(1 / 40)
    assert pair(workload("A.k <> B.k")) == pytest.approx(39 / 40)
    assert pair(workload("A.k <= B.k - 30")) == pytest.approx(55 / 400)
    assert passed(workload("A.k > 5")) == pytest.approx(0.5)
    assert passed(workload("A.k = 11")) == 0
    assert passed(workload("A.k <> 'x'")) == 1
    states = "values: [VT, NY, NH, ME]"
    assert passed(workload("A.k = 'NY'", a=states)) == pytest.approx(0.25)
    assert pair(workload("A.k = B.k", a=states, b="values: [NY, CA]")) == pytest.approx(1 / 8)


def test_a_zipf_distribution_weighs_the_first_values() -> None:
    weights = 1 / np.arange(1, 11)
    skewed = workload("A.k <= 2", a="distinct: 10, distribution: {zipf: 1}")
    assert passed(skewed) == pytest.approx(weights[:2].sum() / weights.sum())
    both = "distinct: 10, distribution: {zipf: 1}"
    expected = (weights**2).sum() / weights.sum() ** 2
    assert pair(workload("A.k = B.k", a=both, b=both)) == pytest.approx(expected)


def test_provenance_without_data() -> None:
    rows = by_place(provenance(workload("A.k = B.k AND A.k > 5")))
    assert rows["streams.A.rate"].origin == "declared"
    assert rows["streams.A.arrivals"].origin == "default"
    selectivity = rows['statistics.predicates."Q: A.k = B.k".selectivity']
    assert (selectivity.value, selectivity.origin) == (1 / 40, "derived from distinct values")
    assert selectivity.detail == "distinct values A.k: 10, B.k: 40"
    plain = by_place(provenance(workload("A.k = B.k", a="type: float")))
    assert plain["streams.A.attributes.k.distinct"].value is None
    assert plain['statistics.predicates."Q: A.k = B.k".selectivity'].origin == "default"


values = st.lists(st.integers(-5, 5) | st.none(), min_size=1, max_size=12)


def column(cells: list[int | None]) -> ColumnData:
    valid = np.array([cell is not None for cell in cells])
    return ColumnData(np.array([cell or 0 for cell in cells]), None if valid.all() else valid)


@given(values, values, st.sampled_from(COMPARISONS), st.integers(-3, 3))
def test_a_counted_share_is_that_of_all_pairs(
    left: list[int | None], right: list[int | None], comparison: Comparison, offset: int
) -> None:
    pairs = [(a, b) for a, b in product(left, right) if a is not None and b is not None]
    share = sum(COMPARE[comparison](a, b + offset) for a, b in pairs) / (len(left) * len(right))
    measured = share_of_pairs(
        counted_distribution(column(left)),
        comparison,
        counted_distribution(column(right)),
        offset,
    )
    assert measured == pytest.approx(share)


def test_declared_texts_are_those_that_are_generated() -> None:
    assert declared_distribution(Attribute(2, type="string")).values.tolist() == ["v1", "v2"]


# --- inferred from data --------------------------------------------------------------------------

BARE = load_workload(
    """
version: 1
streams:
  - {name: A}
  - {name: B}
  - {name: C, rate: 9, arrivals: regular, attributes: {k: {distinct: 9}}}
relations: [{name: R}]
queries:
  - name: Q
    text: |
      SELECT * FROM A [ROWS 1], B [ROWS 1], C [ROWS 1], R
      WHERE A.k = B.k AND B.k = C.k AND A.v > 0.5 AND R.k = A.k
"""
)


def table(ts: list[float], **columns: list[object]) -> Table:
    return Table(
        np.arange(len(next(iter(columns.values())))),
        np.array([round(t * 1e6) for t in ts], np.int64),
        {
            name: ColumnData(np.array(cells, object if isinstance(cells[0], str) else None))
            for name, cells in columns.items()
        },
    )


def data() -> dict[str, Table]:
    steps = list(range(21))
    return {
        "A": table(steps, k=[1, 2, 3] * 7, v=[0.25, 0.75, 1.0] * 7),
        "B": table([n for n in range(0, 21, 2) for _ in "ab"], k=[1, 1] * 11),
        "C": table(steps, k=[1] * 21),
        "R": table([], k=[1, 2]),
    }


def test_what_is_not_declared_is_inferred() -> None:
    filled, rows = infer(BARE, data())
    a, b, c = filled.streams
    assert a.rate == pytest.approx(21 / 64 * 63 / 20)
    assert (a.arrivals, b.arrivals) == (Arrivals("regular"), Arrivals("pareto", 2.0))
    assert dict(a.attributes) == {"k": Attribute(3), "v": Attribute(3, type="float")}
    assert c == BARE.streams[2]
    assert filled.relations[0].rows == 2
    query = filled.queries[0]
    assert predicate_selectivity(filled, query, query.predicates[0]) == pytest.approx(1 / 3)
    assert filter_selectivity(filled, query, query.filters[0]) == pytest.approx(2 / 3)
    implied = Predicate(Column("A", "k"), "=", Column("C", "k"))
    assert predicate_selectivity(filled, query, implied) == pytest.approx(1 / 3)
    origins = {place: row.origin for place, row in by_place(rows).items()}
    assert origins["streams.A.rate"] == "inferred from data"
    assert origins["streams.C.rate"] == "declared"
    assert origins["streams.C.arrivals"] == "declared"
    assert origins["relations.R.rows"] == "inferred from data"
    assert origins['statistics.filters."Q: A.v > 0.5".selectivity'] == "inferred from data"


def test_what_was_inferred_can_be_written_and_read() -> None:
    filled, _ = infer(BARE, data())
    assert load_workload(dump_workload(filled)) == filled


def test_poisson_arrivals_are_told_from_regular_ones() -> None:
    random = np.random.default_rng(7)
    tables = data() | {
        "A": table(np.sort(random.random(500) * 20).tolist(), k=[1] * 500, v=[1.0] * 500)
    }
    assert infer(BARE, tables)[0].streams[0].arrivals == Arrivals("poisson")


@pytest.mark.parametrize(
    ("empty", "why"), [([], "the file has no rows"), ([5.0, 5.0], "all rows have the same ts")]
)
def test_a_rate_that_cannot_be_inferred_is_to_be_declared(empty: list[float], why: str) -> None:
    tables = {"A": Table(np.arange(len(empty)), np.array(empty, np.int64) * 10**6)}
    with pytest.raises(
        PlanError, match=rf"streams.A.rate: cannot be inferred, since {why}; declare"
    ):
        infer(BARE, tables)


def test_a_key_without_a_value_is_planned_and_joins_nothing(tmp_path: Path) -> None:
    workload = load_workload(
        "version: 1\nstreams: [{name: A}, {name: B}]\nqueries:\n"
        "  - {text: 'SELECT * FROM A [RANGE 10], B [RANGE 20] WHERE A.k = B.k'}\n"
    )
    (tmp_path / "A.csv").write_text("ts,k\n0,\n1,\n")
    (tmp_path / "B.csv").write_text("ts,k\n0,1\n1,2\n")
    filled, _ = infer(workload, read_folder(tmp_path, workload).tables)
    assert filled.stream("A").attributes["k"].distinct == 1


def test_the_queries_of_a_workload_share_its_warm_up() -> None:
    text = (
        "version: 1\nstreams: [{name: A, rate: 1, attributes: {k: {distinct: 3}}}]\nqueries:\n"
        "  - {name: short, text: 'SELECT * FROM A [RANGE 10] AS x, A [RANGE 9] AS y"
        " WHERE x.k = y.k'}\n"
        "  - {name: long, text: 'SELECT * FROM A [RANGE 70] AS x, A [RANGE 9] AS y"
        " WHERE x.k = y.k'}\n"
    )
    workload = load_workload(text)
    assert workload.only("short").run.warmup == workload.longest_window == 70
    assert workload.only(None) is workload
