"""What windows hold and cost to keep: filters, count windows, relations, lazy expiration."""

from __future__ import annotations

import pytest

from planner.families.join_order import JoinOrder
from planner.families.join_order.model import model_of
from planner.families.join_order.pricing import PAPER, PRINTED_BUCKETS, UNIFORM
from planner.plan.cost import Cost
from planner.workload.execution import Every, Execution
from planner.workload.workload import Workload
from tests.planner.join_graphs import cycle, graph_join, mixed_join
from tests.planner.workloads import TABLE_5, equality_join, self_join

FAMILY = JoinOrder()


def costs_of(workload: Workload, label: str) -> dict[tuple[str, str], Cost]:
    """What each source's operators cost, probes left out."""
    plan = FAMILY.space(workload).plan(label)
    costs = FAMILY.space(workload).estimate(plan).costs
    kept = (op for op in plan.operators() if op.kind not in ("probe", "output"))
    return {(op.kind, str(op.param("source"))): costs[op.id] for op in kept}


def test_a_filter_is_evaluated_on_every_tuple_and_thins_what_follows() -> None:
    found = costs_of(mixed_join(), "A,B,C,R")
    assert found["arrive", "A"] == Cost(rows_out=8)
    assert found["filter", "A"] == Cost(comparisons=8, rows_out=4)
    assert found["insert", "A"] == Cost(inserts=4, state_tuples=40)


def test_a_count_window_holds_its_rows_and_loses_one_for_each_that_comes() -> None:
    found = costs_of(mixed_join(), "A,B,C,R")
    assert found["insert", "B"] == Cost(inserts=2, state_tuples=50)
    assert found["expire", "B"] == Cost(expirations=2)
    hashed = costs_of(mixed_join(Execution(join="hash")), "A,B,C,R")
    assert hashed["expire", "B"].expirations in (4, 6), "a visit for each index it needs"


def test_a_relation_holds_its_rows_and_starts_no_result() -> None:
    workload = mixed_join()
    found = costs_of(workload, "A,B,C,R")
    # It grows by 0.25 rows a second: at the middle of the span 30 s of warm-up and 150 s are over.
    assert found["table", "R"] == Cost(
        inserts=0.5, expirations=0.25, rows_out=0.5, state_tuples=40 + 0.25 * 180
    )
    plan = FAMILY.space(workload).best()
    assert [end.param("origin") for end in plan.roots[0].inputs] == ["A", "B", "C"]


def test_a_band_is_one_condition() -> None:
    (link,) = model_of(mixed_join()).graph.links
    pairs = sum(1 for a in range(1, 101) for c in range(1, 101) if abs(a - c) <= 5)
    assert link.share == pytest.approx(pairs / 100**2)
    assert model_of(mixed_join()).size((0, 2)) == pytest.approx(40 * 90 * pairs / 100**2)


def test_sizes_multiply_over_attributes() -> None:
    model = model_of(graph_join([(2, 30), (5, 10), (3, 20)], [(0, 1), (1, 2), (0, 2)]))
    # 12, 22 and 19 values of the edges S1-S2, S2-S3 and S1-S3.
    assert model.size((0, 1)) == pytest.approx(60 * 50 / 12)
    assert model.size((0, 1, 2)) == pytest.approx(60 * 50 * 60 / (12 * 22 * 19))


@pytest.mark.parametrize(
    ("execution", "examined", "kept"),
    [
        (Execution(), 100, 100),
        (Execution(expire=Every(20)), 110, 110),
        (Execution(evaluate=Every(20)), 120, 110),
        (Execution(evaluate=Every(10), expire=Every(40)), 125, 120),
    ],
)
def test_lazy_windows_hold_more(execution: Execution, examined: float, kept: float) -> None:
    window = model_of(equality_join(TABLE_5, execution)).windows[1]
    assert (window.tuples, window.examined, window.kept) == (100, examined, kept)


@pytest.mark.parametrize(
    ("execution", "visits"),
    [
        (Execution(expire=Every(900)), 1),
        (Execution(join="hash", buckets=30, expire=Every(900)), 30),
        (Execution(join="hash", expire=Every(900)), 50),
    ],
)
def test_a_lazy_expiration_visits_every_bucket_in_use(execution: Execution, visits: int) -> None:
    found = costs_of(equality_join(TABLE_5, execution), "S1,S2,S3,S4")
    assert found["expire", "S2"].expirations == pytest.approx(1 + visits / 900, rel=1e-6)


def test_every_index_of_a_window_is_visited_when_a_tuple_leaves() -> None:
    rows = [(2.0, 30.0), (5.0, 10.0), (3.0, 20.0), (1.0, 60.0)]
    workload = graph_join(rows, cycle(4), Execution(join="hash"))
    found = costs_of(workload, "S1,S2,S3,S4")
    assert found["expire", "S1"].expirations == 11 + 2 * (1 + 2), "S2 and S4 look it up apart"
    assert found["expire", "S3"].expirations == 11 + 3 * (1 + 1)
    naive = costs_of(workload, "naive:S1,S2,S3,S4")
    assert naive["expire", "S1"].expirations == 11 + 2, "nothing looks up the outermost loop"


def test_a_tuple_of_a_self_join_meets_its_own_copy() -> None:
    workload = self_join()
    plan = FAMILY.space(workload).best()
    rows = FAMILY.space(workload).estimate(plan).costs[plan.roots[0].id].rows_out
    # 13.2 by sizes alone; b's copy of a tuple meets a's (2.4), and R meets both copies (1.2).
    assert rows == pytest.approx(13.2 + 2 * 60 / 50 + 3 * 20 / 50)


def test_other_models_stand_beside() -> None:
    workload = mixed_join(Execution(join="hash", buckets=7, evaluate=Every(5)))
    estimate = FAMILY.space(workload).estimate(FAMILY.space(workload).best())
    models = {formula.model for found in estimate.formulas.values() for formula in found}
    assert {PAPER, PRINTED_BUCKETS} <= models
    assert UNIFORM not in models
