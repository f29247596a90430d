"""The benchmark of scheduled joins: paired intervals, and a cell on few tuples."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench import schedules
from planner.workload.execution import RunSettings
from planner.workload.workload import Workload


def test_an_interval_is_the_mean_and_students_t_around_it() -> None:
    found = schedules.interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert found["mean"] == pytest.approx(3.5)
    # The standard error of six values that are one apart is 0.7638.
    assert found["at most"] - found["mean"] == pytest.approx(2.571 * 0.7638, rel=1e-3)
    assert found["mean"] - found["at least"] == pytest.approx(found["at most"] - found["mean"])


def test_policies_and_pull_up_answer_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    made = schedules.shared_join

    def short(name: str, _windows: object, *rest: object) -> Workload:
        workload = made(name, (1, 2, 5), *rest)  # type: ignore[arg-type]
        return replace(workload, run=RunSettings(warmup=10, duration=10))

    monkeypatch.setattr(schedules, "shared_join", short)
    monkeypatch.setattr(schedules, "ROUNDS", 1)
    timed = schedules._speed("hash")
    assert timed["same answer"]
    assert timed["times pull-up"] > 0
    cell = schedules._delays(0)
    assert set(cell["share saved by MQT"]) == {"LWO", "SWF"}
    for policy, saved in cell["share saved by MQT"].items():
        assert saved["at least"] <= saved["mean"] <= saved["at most"], policy
