"""The Calibration page: nothing yet, going on, done and stale; and what other pages make of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from pages.parts.run.run_choices import REAL
from planner.files.data_folder import home, kernels_digest, machine
from planner.seconds.calibration import CalibratedFigure, Calibration, Fit, keep_calibration
from planner.seconds.units import default_units
from tests.pages.conftest import FakeSpark
from tests.pages.helpers import table_with

Go = Callable[[str], AppTest]

FOUND = Calibration(
    machine=machine(),
    kernels=kernels_digest(),
    made=1_700_000_000.0,
    seconds=21.0,
    versions={"numba": "1"},
    kinds=default_units().kinds,
    figures={
        "slices": {"purge": CalibratedFigure(3.1e-8, 1e-9)},
        "loops": {"insert": CalibratedFigure(1e-7, 1e-8)},
    },
    fits={"slices": Fit(40, 1.05, 1.3, 1.08), "loops": Fit(19, 1.06, 1.2, 1.21)},
    c_sys=CalibratedFigure(93.4, 8.0),
    batch=CalibratedFigure(0.25, 0.01),
)


def _keep(found: Calibration) -> None:
    home().mkdir(parents=True, exist_ok=True)
    keep_calibration(found)


def _said(app: AppTest) -> str:
    """What stands on the page, without the marks that keep Markdown plain."""
    told = "\n".join(str(element.value) for element in (*app.markdown, *app.caption))
    return told.replace("\\", "")


def test_before_it_is_calibrated_seconds_are_told_to_be_another_machines(go: Go) -> None:
    assert "Not calibrated yet" in _said(go("calibration"))
    assert "not calibrated" in _said(go("plans"))
    assert "not calibrated" in _said(go("run"))


def test_units_spreads_and_fit_are_shown(go: Go) -> None:
    _keep(FOUND)
    app = go("calibration")
    said = _said(app)
    assert "within 8% to 21%" in said
    assert "median 1.05, worst 1.30" in said
    assert "250 ms" in said
    assert table_with(app, "Kind of work")["Time"].tolist() == ["31 ns"]
    assert "calibrated on this machine" in _said(go("plans"))
    assert "micro-batches (calibrated on this machine)" in _said(go("run"))


def test_what_is_expected_counts_every_repeat_and_the_batches_of_a_pace(go: Go) -> None:
    _keep(FOUND)
    app = go("run")
    once = _micro_batches(app)
    app.number_input(key="repeats").set_value(3).run()
    assert _micro_batches(app) == 3 * once
    app.selectbox(key="pace").select(REAL).run()
    assert not app.exception
    assert _micro_batches(app) > 3 * once


def _micro_batches(app: AppTest) -> int:
    (found,) = re.findall(r"for ([\d,]+) micro-batches", _said(app))
    return int(found.replace(",", ""))


def test_c_sys_goes_into_the_workload(go: Go) -> None:
    _keep(FOUND)
    app = go("calibration")
    assert "counts each such tuple as 0 comparisons" in _said(app)
    next(b for b in app.button if b.label == "Use this C_sys in the workload").click().run()
    assert "counts each such tuple as 93.4 comparisons" in _said(app)


def test_other_kernels_make_it_stale(go: Go) -> None:
    _keep(replace(FOUND, kernels="before"))
    assert "The kernels have changed" in _said(go("calibration"))
    assert "the kernels have changed since the last calibration" in _said(go("plans"))


def test_one_click_submits_one_job(go: Go, spark: FakeSpark) -> None:
    spark.gate.clear()
    app = go("calibration")
    next(b for b in app.button if b.label == "Calibrate this machine").click().run()
    assert any(b.label == "Cancel Calibration of this machine" for b in app.button)
    assert not any(b.label == "Calibrate this machine" for b in app.button)
    spark.gate.set()
    assert spark.started == ["Calibration of this machine"]
