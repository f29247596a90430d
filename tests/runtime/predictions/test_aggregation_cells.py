"""A small part of `bench aggregation-accuracy`: all plans of a few cells, predicted and counted."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from bench.aggregation.accuracy import Record, measured, regret, summary
from bench.aggregation.settings import Cell, cells_of_figures, random_cell

# A three-way hash join, and showcases of nested loops in which different plans win.
NAMES = ("Figure 8(a), 100", "Figure 10(b), 500", "Figure 10(c), 500")


@pytest.fixture(scope="module")
def records() -> list[Record]:
    by_name = {cell.name: cell for cell in cells_of_figures()}
    return [measured(_short(by_name[name]), repeats=1) for name in NAMES]


def _short(cell: Cell) -> Cell:
    run = replace(cell.workload.run, duration=3.0)
    return replace(cell, workload=replace(cell.workload, run=run))


def test_the_plan_predicted_cheapest_is_the_measured_cheapest(records: list[Record]) -> None:
    found = summary(records)
    chosen = found["chosen by operations, operations"]
    assert chosen["within 10% of the cheapest"] == 1
    assert found["cells"] == 3
    assert found["plans"] == 8 + 4 + 4
    assert found["same answer"]


def test_every_operator_costs_what_the_model_says(records: list[Record]) -> None:
    errors = summary(records)["q-error"]
    assert errors["refined"]["counted or predicted as 0"] == []
    assert errors["refined"]["all"]["median"] < 1.05
    assert errors["refined"]["all"]["worst"] < 1.25
    assert errors["as printed"]["all"]["worst"] > 2, (
        "upper bounds, and buckets that are gone through"
    )


def test_another_choice_or_a_wrong_price_is_seen(records: list[Record]) -> None:
    (record,) = (copy.deepcopy(r) for r in records if r["cell"] == "Figure 10(b), 500")
    plans = record["plans"]
    assert regret(record, "operations") == 1
    plans["EAP-10"]["predicted"], plans["LAP"]["predicted"] = 2.0, 1.0
    assert regret(record, "operations") > 1.1
    for entry in record["operators"]:
        entry["refined"] *= 3
    wrong = summary([record])
    assert wrong["chosen by operations, operations"]["within 10% of the cheapest"] == 0
    assert wrong["q-error"]["refined"]["all"]["median"] == pytest.approx(3, rel=0.1)


def test_cells_are_those_of_the_figures_and_random_ones_in_their_ranges() -> None:
    cells = list(cells_of_figures())
    assert len({cell.workload.digest for cell in cells}) == len(cells) > 100
    drawn = [random_cell(number) for number in range(40)]
    assert drawn[7] == random_cell(7)
    assert len({cell.kind for cell in drawn}) == 4
    for cell in drawn:
        keys = {stream.attributes["j"].distinct for stream in cell.workload.streams}
        assert len(keys) == 1
        assert all(100 <= (stream.rate or 0) <= 900 for stream in cell.workload.streams)
        assert cell.workload.warmup > cell.workload.longest_window
