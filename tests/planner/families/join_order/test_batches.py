"""What lazy evaluations find: whether there is anything new, and how long windows have grown."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from planner.families.join_order import JoinOrder
from planner.families.join_order.model import model_of
from planner.joins.model_builder import chance_of_any
from planner.joins.sets import SetArrays
from planner.workload.execution import Every, Execution
from planner.workload.query import Column, CountWindow, Filter, Predicate
from planner.workload.streams import Arrivals, Attribute
from planner.workload.workload import Workload
from tests.planner.join_graphs import graph_join
from tests.planner.spaces import why
from tests.planner.workloads import TABLE_5, equality_join, self_join

FAMILY = JoinOrder()


def filtered(workload: Workload, *filters: Filter) -> Workload:
    """The first stream with an attribute f of 100 values, and these filters on it."""
    first, *others = workload.streams
    first = replace(first, attributes={**first.attributes, "f": Attribute(100)})
    query = replace(workload.queries[0], filters=filters)
    return replace(workload, streams=(first, *others), queries=(query,))


@pytest.mark.parametrize("passing", [1.0, 0.3])
@pytest.mark.parametrize(
    "arrivals", [Arrivals(), Arrivals("regular"), Arrivals("pareto", 2.5)], ids=lambda a: a.kind
)
def test_the_chance_of_a_new_tuple_is_what_drawing_gives(
    arrivals: Arrivals, passing: float
) -> None:
    random, rate, tau, batches = np.random.default_rng(5), 1.7, 0.9, 40_000
    seconds = tau * batches
    if arrivals.kind == "regular":
        times = np.arange(0, seconds, 1 / rate)
    elif arrivals.kind == "poisson":
        times = random.uniform(0, seconds, random.poisson(rate * seconds))
    else:
        shape = arrivals.burst / (arrivals.burst - 1)
        starts = random.uniform(0, seconds, random.poisson(rate * seconds / arrivals.burst))
        sizes = np.floor(random.random(len(starts)) ** (-1 / shape) + random.random(len(starts)))
        times = np.repeat(starts, sizes.astype(int))
    kept = times[random.random(len(times)) < passing]
    found = len(np.unique(kept // tau)) / batches
    assert chance_of_any(arrivals, rate, passing, tau) == pytest.approx(found, rel=0.02)


def test_no_loop_runs_where_nothing_is_new() -> None:
    workload = equality_join(TABLE_5, Execution(evaluate=Every(0.1)))
    model = model_of(workload)
    often = 1 - math.exp(-1 * 0.1)
    assert model.evaluations(1) == pytest.approx(often / 0.1)
    assert model.evaluations(1) * model.new_tuples(1) == pytest.approx(1)
    printed = model.as_printed()
    assert printed.evaluations(1) == pytest.approx(10), "the paper's model runs every loop"


@pytest.mark.parametrize(
    "execution",
    [
        Execution(evaluate=Every(10), expire=Every(40)),
        Execution(evaluate=Every(1), expire=Every(60)),
        Execution(expire=Every(80)),
        Execution(join="hash", buckets=7, evaluate=Every(20), expire=Every(60)),
    ],
)
def test_windows_grow_together_until_they_are_expired(execution: Execution) -> None:
    """The mean over evaluations of a product, not the product of means; the same in arrays."""
    model = model_of(equality_join(TABLE_5, execution))
    tau = model.timing.evaluate or 0.0
    every = model.timing.expire or 0.0
    fine = tau or every / 4000
    grown = fine * np.arange(1, round(every / fine) + 1) - (0 if tau else fine / 2)
    windows = [model.windows[place] for place in (1, 2, 3)]
    product = np.prod([w.tuples + w.rate * grown for w in windows], axis=0)
    assert model.stored((1, 2, 3)) == pytest.approx(float(product.mean()), rel=1e-4)
    assert model.stored((1, 2, 3)) > math.prod(w.examined for w in windows)
    sets = SetArrays(model)
    for joined, target in (((1,), 2), ((1, 2), 3), ((2, 3), 1)):
        mask = sum(1 << place for place in joined)
        rate = model.evaluations(0)
        assert sets.held[mask] * rate == pytest.approx(model.matches(0, joined))
        met = sets.met(target)
        assert isinstance(met, np.ndarray)
        assert met[mask] == pytest.approx(model.met(0, joined, target))


def test_a_count_window_holds_those_of_its_rows_that_pass() -> None:
    workload = filtered(equality_join(TABLE_5), Filter(Column("S1", "f"), "<=", 25))
    query = workload.queries[0]
    first, *others = query.sources
    counted = replace(query, sources=(replace(first, window=CountWindow(400)), *others))
    window = model_of(replace(workload, queries=(counted,))).windows[0]
    assert (window.rate, window.tuples) == pytest.approx((2.5, 100))
    assert window.seconds == pytest.approx(40), "rows are counted as they arrive"


def test_two_filters_on_one_column_are_one_condition() -> None:
    column = Column("S1", "f")
    between = Filter(column, ">", 20), Filter(column, "<=", 50)
    window = model_of(filtered(equality_join(TABLE_5), *between)).windows[0]
    assert [step.passed for step in window.filters] == pytest.approx([8, 3])
    none = Filter(column, "<", 5), Filter(column, ">", 5)
    assert model_of(filtered(equality_join(TABLE_5), *none)).windows[0].rate == 0


def test_what_the_model_leaves_out_is_said() -> None:
    first, second, *_ = equality_join(TABLE_5).streams
    listed = replace(first, attributes={"attr": Attribute(values=("b", "a"))})
    other = replace(second, attributes={"attr": Attribute(values=("a", "b"))})
    two = equality_join(TABLE_5[:2])
    assert not any("listed alike" in said for said in why(FAMILY.space(two)))
    assert any(
        "S1.attr, S2.attr are not listed alike" in said
        for said in why(FAMILY.space(replace(two, streams=(listed, other))))
    )
    twice = self_join()
    assert not any("burst" in said for said in why(FAMILY.space(twice)))
    stream, *others = twice.streams
    bursty = replace(stream, arrivals=Arrivals("pareto", 3))
    told = why(FAMILY.space(replace(twice, streams=(bursty, *others))))
    assert any("tuples of one burst of S meet each other" in said for said in told)


def test_an_inequality_is_priced_among_the_values_that_pass() -> None:
    workload = graph_join([(2, 30), (5, 10)], [(0, 1)])
    column, other = Column("S1", "e1_2"), Column("S2", "e1_2")
    query = workload.queries[0]
    less = replace(query, predicates=(Predicate(column, "<", other),))
    some = replace(less, filters=(Filter(other, "<=", 6),))
    (link,) = model_of(replace(workload, queries=(some,))).graph.links
    values = range(1, 13)
    assert link.share == pytest.approx(sum(a < b for a in values for b in range(1, 7)) / 12 / 6)
    (every,) = model_of(replace(workload, queries=(less,))).graph.links
    assert every.share == pytest.approx(sum(a < b for a in values for b in values) / 12**2)
