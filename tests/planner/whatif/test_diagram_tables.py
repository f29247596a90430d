"""Tables of diagrams that leave the page: each says what its figures are of."""

from __future__ import annotations

import csv
import io

import pytest

from planner.families.registry import family
from planner.report.diagram_report import margin_csv, reduced_csv, regret_csv
from planner.report.sweep_report import sweep_csv
from planner.whatif.axes import parse_axis
from planner.whatif.sweeps import Sweep, sweep
from tests.planner.schedules import scheduled

PATHS = ["execution.utilisation", "streams.A.rate"]


@pytest.fixture(scope="module")
def found() -> Sweep:
    axes = [parse_axis(f"{PATHS[0]}=0.4:0.8:3"), parse_axis(f"{PATHS[1]}=100:200:2")]
    return sweep(scheduled((1, 60)), axes, family("shared_schedule"), None)


@pytest.mark.parametrize("shown", ["cost", "margin", "regret", "fewer plans"])
def test_every_row_says_objective_unit_model_family_and_workload(found: Sweep, shown: str) -> None:
    diagram, about = found.diagram, found.about
    assert diagram is not None
    text = {
        "cost": lambda: sweep_csv(found),
        "margin": lambda: margin_csv(diagram, about),
        "regret": lambda: regret_csv(diagram, about),
        "fewer plans": lambda: reduced_csv(diagram, about, 0.2),
    }[shown]()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0])[:3] == [*PATHS, "winner"]
    assert len(rows) == 6
    for row in rows:
        assert (row["objective"], row["unit"]) == ("delay", "ms")
        assert (row["family"], row["workload"]) == ("shared_schedule", "a schedule")
        assert row["model"] in {"simulated on a seeded sample", *about.models}
        assert row["winner"] in diagram.plans
