"""Calibration: designed runs measured in process, fitted, kept; cancelled ones keep nothing."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.seconds.calibration import calibrated_units, kept_calibration
from runtime import __main__ as command
from runtime.backends.interruption import RunCancelledError
from runtime.calibration import calibrate as calibrating
from runtime.calibration.calibrate import CalibrationRequest, MeasuredRun, calibrate, measure
from runtime.engines.design import Design, designs
from runtime.runs.records import Progress

WITHOUT_SPARK = CalibrationRequest(with_spark=False)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))
    monkeypatch.setattr(calibrating, "measure", _at_ten_nanoseconds_each)


def _at_ten_nanoseconds_each(*asked: Any) -> Iterator[MeasuredRun]:
    """Designed runs carried out, their seconds by what they did: the clock of a busy machine may
    say that an insert takes no time."""
    for run in measure(*asked):
        did = sum(sum(work.cost.as_dict().values()) for work in run.observation.work)
        yield replace(run, observation=replace(run.observation, seconds=1e-8 * did))


def _short(design: Design) -> Design:
    run = replace(design.workload.run, duration=min(design.workload.run.duration, 5.0))
    return replace(design, workload=replace(design.workload, run=run), plans=design.plans[:1])


def _few() -> list[Design]:
    """Three short ones of the two kernels that tests load anyway."""
    found = []
    for kernel in ("multiway", "loops"):
        found += [_short(d) for d in designs() if d.kernel == kernel][:3]
    return found


def test_every_kernel_has_runs_that_tell_its_work_apart() -> None:
    found = designs()
    for kernel in ("multiway", "loops", "relations", "aggregation", "slices", "schedule", "shed"):
        plans = sum(len(design.plans) for design in found if design.kernel == kernel)
        assert plans >= 12, kernel
    assert sum(design.merged for design in found) >= 3


def test_what_was_measured_is_kept() -> None:
    told: list[Progress] = []
    found = calibrate(WITHOUT_SPARK, told.append, chosen=_few())
    assert kept_calibration() == found
    assert set(found.fits) == {"multiway", "loops"}
    assert found.fits["multiway"].runs == 3
    assert found.figures["multiway"]["insert"].value > 0
    assert found.batch is None
    assert (told[-1].batches_done, told[-1].batches) == (6, 6)
    units = calibrated_units()
    assert units is not None
    assert units.of("multiway insert").insert == found.figures["multiway"]["insert"].value


def test_a_cancelled_one_keeps_what_was_there() -> None:
    before = calibrate(WITHOUT_SPARK, chosen=_few())
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(RunCancelledError):
        calibrate(WITHOUT_SPARK, cancel=cancel, chosen=_few())
    assert kept_calibration() == before


def test_a_cancel_does_not_wait_for_the_run_that_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancel, let_go = threading.Event(), threading.Event()

    def stuck(*_: object) -> list[MeasuredRun]:
        cancel.set()
        assert let_go.wait(600)
        return []

    monkeypatch.setattr(calibrating, "measure", stuck)
    with pytest.raises(RunCancelledError):
        calibrate(WITHOUT_SPARK, cancel=cancel, chosen=_few())
    assert not let_go.is_set()
    let_go.set()
    assert kept_calibration() is None


def test_the_command_prints_units_spreads_and_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(calibrating, "designs", _few)
    assert command.main(["calibrate", "--no-spark", "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    insert = document["units"]["multiway"]["insert"]
    assert insert["seconds"] > 0
    assert insert["spread"] >= 0
    assert document["fit"]["loops"]["runs"] == 3
    assert document["fit"]["loops"]["q_error"]["median"] >= 1
    assert document["micro_batch"] is None
    assert command.main(["calibrate", "--no-spark"]) == 0
    assert "comparison, nested probe" in capsys.readouterr().out
