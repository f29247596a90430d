"""The calibration is kept by machine, and is stale when kernels change."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from planner.files.data_folder import kernels_digest, machine
from planner.plan.cost import Cost, Units
from planner.seconds import calibration
from planner.seconds.calibration import (
    CalibratedFigure,
    Calibration,
    Fit,
    calibrated_units,
    calibration_file,
    keep_calibration,
    kept_calibration,
)

FOUND = Calibration(
    machine=machine(),
    kernels=kernels_digest(),
    made=1.0,
    seconds=2.0,
    versions={"numba": "1"},
    kinds={"loops insert": Units(insert=1e-7)},
    figures={"loops": {"insert": CalibratedFigure(1e-7, 1e-9)}},
    fits={"loops": Fit(3, 1.1, 1.2, 1.15)},
    c_sys=CalibratedFigure(12.0, 1.0),
)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_HOME", str(tmp_path))


def test_it_is_found_again() -> None:
    assert kept_calibration() is None
    assert calibrated_units() is None
    keep_calibration(FOUND)
    assert kept_calibration() == FOUND
    units = calibrated_units()
    assert units is not None
    assert units.seconds("loops insert", Cost(inserts=10)) == pytest.approx(1e-6)


def test_each_machine_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_calibration(FOUND)
    keep_calibration(replace(FOUND, machine="another, 64 cores", made=9.0))
    assert kept_calibration() == FOUND
    monkeypatch.setattr(calibration, "machine", lambda: "another, 64 cores")
    other = kept_calibration()
    assert other is not None
    assert other.made == 9.0


def test_other_kernels_make_it_stale() -> None:
    keep_calibration(replace(FOUND, kernels="before"))
    kept = kept_calibration()
    assert kept is not None
    assert kept.is_stale
    assert calibrated_units() is None, "its seconds are those of other kernels"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "nonsense",
        "[]",
        json.dumps({"schema": 99, "machines": {machine(): {}}}),
        json.dumps({"schema": 1, "machines": {machine(): {"machine": "x"}}}),
        json.dumps({"schema": 1, "machines": 7}),
    ],
)
def test_a_file_of_another_version_is_none_at_all_and_is_written_anew(content: str) -> None:
    calibration_file().write_text(content)
    assert kept_calibration() is None
    keep_calibration(FOUND)
    assert kept_calibration() == FOUND
