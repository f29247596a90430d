"""Robust choice: plans over ranges, beside a fine grid, and the rule for fluctuating streams."""

from __future__ import annotations

import json

import numpy as np
import pytest

from planner.__main__ import main
from planner.families.join_order import JoinOrder
from planner.files.query.text import parse_query
from planner.files.tuple_table import ColumnData, Table
from planner.statistics.inference import infer
from planner.whatif.axes import parse_axis
from planner.whatif.cells import Cells
from planner.whatif.measured_ranges import condition_ranges, rate_ranges
from planner.whatif.rates import RateTrace
from planner.whatif.robust import robust_choice
from planner.whatif.sweep_paths import path_in, tied_parts
from planner.whatif.sweeps import checked_ranges
from planner.workload.streams import Stream
from planner.workload.workload import Workload
from tests.planner.stars import star_workload
from tests.planner.workloads import TABLE_6, TABLE_7, equality_join


@pytest.mark.parametrize("table", [TABLE_6, TABLE_7])
def test_the_choice_is_that_of_a_fine_grid(table: list[tuple[float, float, int]]) -> None:
    workload = equality_join(table)
    axis = parse_axis("streams.S1.rate=1:80:2")
    found = robust_choice(workload, [axis], JoinOrder(), samples=60)
    fine = parse_axis("streams.S1.rate=1:80:80")
    cells = Cells(workload, [fine], JoinOrder(), None)
    labels = [own.plan for own in found.plans]
    scores = np.array([cells.scores((value,), labels) for value in fine.values]).T
    best = np.array([cells.scores((v,), [cells.winner((v,))])[0] for v in fine.values])
    worst = (scores / best).max(axis=1)
    assert worst.min() == pytest.approx(found.of(found.safest).worst, rel=0.01)
    for at, own in enumerate(found.plans):
        assert own.worst == pytest.approx(worst[at], rel=0.01)
        assert abs(own.expected - scores[at].mean()) <= own.error
    assert found.of(found.expected).expected == min(own.expected for own in found.plans)
    assert found.rule is not None
    assert found.rule.startswith("S1,")


def test_a_range_of_whole_numbers_may_begin_at_zero() -> None:
    star = star_workload()
    (relation,) = star.relations
    axes = checked_ranges(star, [parse_axis(f"relations.{relation.name}.rows=1e-9:90:3:log")])
    found = robust_choice(star, axes, JoinOrder(), samples=4)
    assert found.plans
    assert axes[0].values[0] == 0


def test_ranges_are_drawn_from_the_spread_of_measured_rates() -> None:
    rates = tuple((float(rate), 3.0) for rate in range(1, 101))
    trace = RateTrace(("S1", "S2"), tuple(map(float, range(100))), rates, 100.0)
    (axis,) = rate_ranges(trace)
    assert axis.path == "streams.S1.rate"
    assert axis.values == (5.0, 95.0)


def test_the_command_states_the_choice_and_its_error(capsys: pytest.CaptureFixture[str]) -> None:
    sample = "sample_data/golab-table-6.yaml"
    vary = ["--vary", "streams.S1.rate=1:100:2:log", "--robust", "40"]
    assert main(["sweep", sample, *vary, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["least_worst_regret"] == found["plans"][0]["label"]
    assert all(own["error"] > 0 for own in found["plans"])
    assert main(["sweep", sample, *vary]) == 0
    assert "best plan in all 40 workloads drawn from the ranges" in capsys.readouterr().out
    assert main(["sweep", sample, *vary, "--csv"]) == 2
    assert "--csv" in capsys.readouterr().err


def test_ranges_of_conditions_are_those_of_intervals_of_the_data() -> None:
    """The share that passes a filter falls with time; what joins does not change. Both queries
    have the same conditions, which vary together."""
    count, rng = 4_000, np.random.default_rng(5)
    ts = np.arange(count, dtype=np.int64) * 100_000
    passing = rng.random(count) < np.linspace(0.9, 0.1, count)
    keys = np.arange(count, dtype=np.int64) % 20
    tables = {
        "A": Table(np.arange(count), ts, {"k": ColumnData(keys), "v": ColumnData(1 * passing)}),
        "B": Table(np.arange(count), ts, {"k": ColumnData(keys)}),
    }
    text = "SELECT * FROM A [RANGE 5], B [RANGE 5] WHERE A.k = B.k AND A.v = 1"
    declared = Workload(
        "two",
        (Stream("A", None), Stream("B", None)),
        tuple(parse_query(text, name) for name in ("Q1", "Q2")),
    )
    filled, _ = infer(declared, tables)
    (axis,) = condition_ranges(filled, declared, tables)
    assert [part.partition(":")[2] for part in tied_parts(axis.path)] == [
        ' A.v = 1".selectivity',
        ' A.v = 1".selectivity',
    ]
    assert axis.values == pytest.approx((0.12, 0.88), abs=0.06)
    both = path_in(filled, axis.path).change(0.25)
    assert {own.selectivity for own in both.statistics.filters.values()} == {0.25}
    assert condition_ranges(filled, filled, tables) == ()
    few = {name: Table(own.seq[:99], own.ts[:99]) for name, own in tables.items()}
    assert condition_ranges(filled, declared, few) == ()
