"""The clock of work of a run is the machine's when it began, whatever is calibrated later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from planner.seconds.calibration import calibrated_units, calibration_file
from planner.workload.execution import Execution, RunSettings
from planner.workload.workload import Workload
from runtime.backends.kernels.prepare import PreparedKernelRun, prepare
from runtime.engines.shared_schedule.program import ScheduleProgram
from runtime.runs.records import RunRequest
from runtime.runs.run_json import _request_from_json, _request_to_json
from tests.planner.chains import joined, joins
from tests.runtime.calibrating import calibrate


@pytest.fixture(autouse=True)
def uncalibrated() -> Iterator[None]:
    """Other tests see no calibration of these."""
    yield
    calibration_file().unlink(missing_ok=True)


def _workload() -> Workload:
    execution = Execution(utilisation=0.9)
    return replace(
        joins([joined(1), joined(4)]), execution=execution, run=RunSettings(seed=1, duration=10)
    )


def _clock(prepared: PreparedKernelRun) -> list[int]:
    assert isinstance(prepared.program, ScheduleProgram)
    return prepared.program.join.unit_costs


def test_a_later_calibration_does_not_change_the_clock_of_a_run() -> None:
    calibrate(1e-6, 2e-6)
    request = RunRequest(_workload(), "shared_schedule", "MQT", units=calibrated_units())
    begun = prepare(request, 1)
    compare, output = _clock(begun)
    assert output == pytest.approx(2 * compare, rel=1e-6)
    calibrate(1e-6, 50e-6)
    resumed = prepare(_request_from_json(_request_to_json(request)), 1)
    assert _clock(resumed) == _clock(begun)
    assert resumed.program == begun.program, "with all its policies"
    assert resumed.estimate.qualities == begun.estimate.qualities
    assert _clock(prepare(replace(request, units=calibrated_units()), 1)) != _clock(begun)


def test_nor_does_the_first_calibration_of_a_machine() -> None:
    request = RunRequest(_workload(), "shared_schedule", "MQT")
    begun = prepare(request, 1)
    calibrate(1e-6, 50e-6)
    assert _clock(prepare(_request_from_json(_request_to_json(request)), 1)) == _clock(begun)


def test_predictions_of_a_run_are_on_its_own_clock() -> None:
    calibrate(1e-6, 50e-6)
    units = calibrated_units()
    asked = RunRequest(_workload(), "shared_schedule", "MQT")
    default, own = (prepare(replace(asked, units=given), 1) for given in (None, units))
    assert own.estimate.qualities != default.estimate.qualities
