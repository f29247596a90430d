"""A plan that is switched while it runs gives the answer of a plan that stays, and its counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.files.workload_file import load_workload
from planner.workload.adapt import POLICIES, PolicyName
from planner.workload.workload import Workload
from runtime.backends.kernels.in_process import InProcess
from runtime.data.data_writer import write_folder
from tests.examples import examples
from tests.runtime.adapting import request_of, traced


@pytest.fixture(scope="module", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLUICE_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def _join(
    execution: str = "{}", where: str = "A.k = B.k AND B.k = C.k", windows: str = "RANGE 4"
) -> Workload:
    return load_workload(f"""
version: 1
name: three streams
streams:
  - {{name: A, rate: 20, attributes: {{k: {{distinct: 12}}, m: {{distinct: 7}}}}}}
  - {{name: B, rate: 5, attributes: {{k: {{distinct: 5}}, m: {{distinct: 4}}}}}}
  - {{name: C, rate: 10, attributes: {{k: {{distinct: 9}}, m: {{distinct: 20}}}}}}
queries:
  - name: Q
    text: SELECT * FROM A [{windows}], B [{windows}], C [{windows}] WHERE {where}
execution: {execution}
""")


_ON_TWO = "A.k = B.k AND B.m = C.m AND A.m <= C.m"
WORKLOADS = {
    "nested": _join(),
    "hashed": _join("{join: hash, buckets: 4}"),
    "lazy": _join("{evaluate: {every: 0.5}}"),
    "on two attributes": _join("{join: hash, buckets: per-value}", _ON_TWO),
    "counted": _join("{}", _ON_TWO, "ROWS 25"),
    "landmark": _join("{join: hash, buckets: 3}", _ON_TWO, "LANDMARK"),
}


def _aggregation(aggregates: str, windows: str, execution: str = "{join: hash}") -> Workload:
    return load_workload(f"""
version: 1
name: an aggregation
streams:
  - {{name: A, rate: 20, attributes: {{k: {{distinct: 6}}, g: {{distinct: 3}}}}}}
  - {{name: B, rate: 5, attributes: {{k: {{distinct: 6}}, v: {{distinct: 9}}}}}}
  - {{name: C, rate: 5, attributes: {{k: {{distinct: 6}}}}}}
queries:
  - name: Q
    text: >-
      SELECT A.g, {aggregates} FROM A [{windows}], B [{windows}], C [{windows}]
      WHERE A.k = B.k AND B.k = C.k GROUP BY A.g
execution: {execution}
""")


_SHARED = load_workload("""
version: 1
name: three windows
streams:
  - {name: A, rate: 8, attributes: {k: {distinct: 4}, v: {distinct: 10}}}
  - {name: B, rate: 8, attributes: {k: {distinct: 4}}}
  - {name: C, rate: 8, attributes: {k: {distinct: 4}}}
queries:
  - {name: Q1, text: "SELECT * FROM A [RANGE 1], B [RANGE 1] WHERE A.k = B.k"}
  - {name: Q2, text: "SELECT * FROM A [RANGE 4], B [RANGE 4] WHERE A.k = B.k AND A.v > 6"}
  - {name: Q3, text: "SELECT * FROM A [RANGE 6], B [RANGE 6] WHERE A.k = B.k AND A.v > 6"}
""")
AGGREGATIONS = {
    "summed": _aggregation("COUNT(*), SUM(B.v)", "RANGE 4"),
    "extremes": _aggregation("MAX(B.v), COUNT(DISTINCT C.k)", "RANGE 3", "{}"),
    "tumbling": _aggregation("SUM(B.v)", "TUMBLING 4"),
    "grouped over landmarks": _aggregation("SUM(B.v)", "LANDMARK"),
    "grouped over rows": _aggregation("SUM(B.v)", "ROWS 12"),
}
CASES = {
    **{name: ("join_order", workload) for name, workload in WORKLOADS.items()},
    **{name: ("early_aggregation", workload) for name, workload in AGGREGATIONS.items()},
    "a chain": ("sliced_chain", _SHARED),
    "a schedule": ("shared_schedule", _SHARED),
}
TRACE = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, 6.0, 25.0]), min_size=3, max_size=3), min_size=2, max_size=4
)


@pytest.mark.parametrize(("family", "workload"), CASES.values(), ids=CASES)
@examples(6)
@given(
    trace=TRACE,
    policy=st.sampled_from(POLICIES),
    seed=st.integers(0, 99),
    partitions=st.integers(1, 3),
    rows=st.sampled_from([None, 37]),
)
def test_the_answer_is_that_of_a_plan_that_stays(
    family: str,
    workload: Workload,
    trace: list[list[float]],
    policy: PolicyName,
    seed: int,
    partitions: int,
    rows: int | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("data")
    tables = traced(workload, trace, 6.0, seed)
    if not any(len(table.ts) > 1 for table in tables.values()):
        return
    write_folder(tables, folder)
    staying = InProcess(request_of(workload, family, "best", folder, None)).run()
    parted = request_of(workload, family, "best", folder, policy, batch_rows=rows)
    run = InProcess(parted, partitions)
    found = run.run()
    assert found.answers(workload) == staying.answers(workload)
    alone = InProcess(request_of(workload, family, "best", folder, policy))
    again = alone.run()
    assert _made(alone) == _made(run)
    assert again.comparisons == found.comparisons
    assert again.costs.keys() == found.costs.keys()
    assert not (policy == "never" and run.switches)


def _made(run: InProcess) -> list[tuple[int, str, str]]:
    return [(switch.at, switch.after, switch.reason) for switch in run.switches]
