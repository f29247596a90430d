"""C, L, G and H of Appendix A, the claims of Figures 2 and 3, and the corrected lazy model."""

from __future__ import annotations

from itertools import permutations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.families.join_order import JoinOrder
from planner.families.join_order.model import model_of
from planner.families.join_order.order_pricer import Walker
from planner.families.join_order.plans import loops_of
from planner.families.join_order.pricing import CORRECTED, PAPER
from planner.families.join_order.search import best_general
from planner.joins.model import JoinModel
from planner.workload.execution import Every, Execution
from tests.examples import examples
from tests.planner.workloads import TABLE_5, Row, equality_join

FAMILY = JoinOrder()
TAU = 7.0


def lazy(tau: float) -> Execution:
    return Execution(evaluate=Every(tau))


def nest(model: JoinModel, origin: int, order: tuple[int, ...]) -> float:
    """What the loops of one origin cost."""
    return sum(
        model.comparisons(origin, order[:level], order[level]) for level in range(1, len(order))
    )


def held(rows: list[Row], members: tuple[int, ...], tau: float) -> float:
    """phi of the paper, extended one window at a time as it is printed."""
    size, least = 1.0, None
    for place in members:
        rate, seconds, distinct = rows[place]
        size *= rate * (seconds + tau)
        if least is not None:
            size /= max(least, distinct)
        least = distinct if least is None else min(least, distinct)
    return size


def by_the_paper(rows: list[Row], origin: int, order: tuple[int, ...], tau: float) -> float:
    """The cost of one origin's loops as the appendix derives it, from the scans alone."""
    rate = rows[origin][0]
    runs, new = (1 / tau, rate * tau) if tau else (rate, 1.0)
    scans = {p: new if p == origin else rows[p][0] * (rows[p][1] + tau) for p in order}
    cost = 0.0
    for level in range(1, len(order)):
        above = order[:level]
        tuples = prod(scans[p] for p in above)
        share = held(rows, above, tau) / prod(rows[p][0] * (rows[p][1] + tau) for p in above)
        cost += runs * tuples * share * scans[order[level]]
    return cost


def test_the_four_printed_origins_eager_and_naive() -> None:
    (l1, t1, v1), (l2, t2, v2), (l3, t3, v3), (l4, t4, _) = TABLE_5
    model, order = model_of(equality_join(TABLE_5)), (0, 1, 2, 3)
    phi_12, phi_123 = 200, 800
    assert nest(model, 0, order) == pytest.approx(
        l1 * l2 * t2 + (phi_12 * l3 * t3 + phi_123 * l4 * t4) / t1
    )
    g3 = l3 * (l1 * t1 * l2 * t2 + phi_12 + phi_12 * l4 * t4 / max(min(v1, v2), v3))
    g4 = l4 * (l1 * t1 * l2 * t2 + phi_12 * l3 * t3 + phi_123)
    assert nest(model, 2, order) == pytest.approx(g3)
    assert nest(model, 3, order) == pytest.approx(g4)
    assert nest(model, 1, order) == pytest.approx(3800), "C2: one window above its own loop"


def test_the_four_printed_origins_lazy() -> None:
    (l1, t1, v1), (l2, t2, v2), (l3, t3, v3), (l4, t4, _) = (
        (rate, seconds + TAU, distinct) for rate, seconds, distinct in TABLE_5
    )
    model = model_of(equality_join(TABLE_5, lazy(TAU))).as_printed()
    order = (0, 1, 2, 3)
    phi_12 = l1 * t1 * l2 * t2 / max(v1, v2)
    phi_123 = phi_12 * l3 * t3 / max(min(v1, v2), v3)
    l_1 = l1 * l2 * t2 + (phi_12 * l3 * t3 + phi_123 * l4 * t4) / t1
    assert nest(model, 0, order) == pytest.approx(l_1)
    h3 = l1 * t1 * l2 * t2 / TAU + phi_12 * l3 + phi_12 * l3 * l4 * t4 / max(min(v1, v2), v3)
    h4 = l1 * t1 * l2 * t2 / TAU + phi_12 * l3 * t3 / TAU + phi_123 * l4
    assert nest(model, 2, order) == pytest.approx(h3)
    assert nest(model, 3, order) == pytest.approx(h4)


rows_of = st.lists(
    st.tuples(st.sampled_from([0.5, 1, 7, 30]), st.sampled_from([2, 50, 90]), st.integers(1, 60)),
    min_size=2,
    max_size=6,
)


@examples(60)
@given(rows_of, st.sampled_from([0.0, 0.5, 5.0, 40.0]), st.data())
def test_any_order_of_any_origin_is_what_the_appendix_derives(
    rows: list[Row], tau: float, data: st.DataObject
) -> None:
    execution = lazy(tau) if tau else Execution()
    model = model_of(equality_join(rows, execution)).as_printed()
    order = tuple(data.draw(st.permutations(range(len(rows)))))
    for origin in range(len(rows)):
        expected = by_the_paper(rows, origin, order, tau)
        assert nest(model, origin, order) == pytest.approx(expected, rel=1e-9)


def test_corrected_results_do_not_grow_with_the_batch() -> None:
    eager, batches = equality_join(TABLE_5), equality_join(TABLE_5, lazy(50))
    label = "S1,S2,S3,S4"
    plan = FAMILY.space(batches).plan(label)
    estimate = FAMILY.space(batches).estimate(plan)
    root = plan.roots[0]
    before = FAMILY.space(eager).plan(label)
    now = FAMILY.space(eager).estimate(before).costs[before.roots[0].id]
    assert estimate.costs[root.id].rows_out == pytest.approx(now.rows_out)
    last = root.inputs[0]
    found = {f.model: f.result for f in estimate.formulas[last.id] if f.field == "comparisons"}
    assert found[CORRECTED] == pytest.approx(estimate.costs[last.id].comparisons)
    assert found[PAPER] > 1.5 * found[CORRECTED]


def best_of(rows: list[Row], tau: float) -> tuple[float, float, float]:
    """The best NAIVE, LAZY and GENERAL plan under the paper's model."""
    model = model_of(equality_join(rows, lazy(tau) if tau else Execution())).as_printed()
    walker = Walker(model)
    labels = [model.label(order) for order in permutations(range(len(rows)))]
    naive = min(walker.score(loops_of(model, f"naive:{label}")) for label in labels)
    multiway = min(walker.score(loops_of(model, label)) for label in labels)
    return naive, multiway, best_general(model)[1]


def test_figure_2_naive_scales_worse() -> None:
    ratios = []
    for count in (3, 4, 5):
        naive, multiway, general = best_of([(1, 100, 50)] * count, 0)
        assert general == pytest.approx(multiway)
        ratios.append(naive / multiway)
    assert all(ratio > 2 for ratio in ratios)


def test_figure_3a_new_tuples_go_first_whatever_tau() -> None:
    for tau in (1, 10, 50):
        naive, multiway, general = best_of([(1, 100, 50)] * 4, tau)
        assert general == pytest.approx(multiway)
        assert naive > multiway


def test_figure_3b_a_fast_stream_goes_last_once_batches_are_large() -> None:
    rows: list[Row] = [(1, 100, 50)] * 3 + [(10, 100, 50)]
    naive, multiway, general = best_of(rows, 1)
    assert general == pytest.approx(multiway)
    assert naive > 1.5 * multiway
    naive, multiway, general = best_of(rows, 50)
    assert general < 0.95 * multiway
    assert general <= naive < multiway
    assert naive < 1.2 * general, "nearly as good as GENERAL"
