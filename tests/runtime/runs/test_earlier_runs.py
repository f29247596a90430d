"""What a run should take: as long as earlier ones of its plan, or of its workload."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from planner.plan.cost import Timings
from runtime.runs.earlier_runs import usual_seconds
from runtime.runs.history import History
from runtime.runs.records import Way
from tests.runtime.run_records import a_request, a_run


def test_earlier_runs_of_the_plan_count_first(tmp_path: Path) -> None:
    history = History(tmp_path / "history.sqlite")
    asked = a_request()
    assert usual_seconds(history, asked) is None
    earlier: list[tuple[str, float, Way]] = [
        ("other", 9.0, "stream"),
        (asked.label, 4.0, "stream"),
        (asked.label, 6.0, "stream"),
        (asked.label, 100.0, "replay"),
    ]
    for number, (label, seconds, way) in enumerate(earlier):
        run = a_run(f"run-{number}", started=1000.0 + number)
        assert run.measurement is not None
        measured = replace(run.measurement, timings=Timings(seconds, 1.0, 0.5))
        request = replace(run.request, way=way)
        plan = replace(run.plan, label=label)
        history.save(replace(run, request=request, plan=plan, measurement=measured))
    assert usual_seconds(history, asked) == 5.0, "the median of two; a replay is another manner"
    assert usual_seconds(history, replace(asked, label="new")) == 6.0, "of all plans"
    assert usual_seconds(history, a_request(seed=2)) is None, "another workload"
