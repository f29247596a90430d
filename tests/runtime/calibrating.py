"""A calibration of this machine that was never measured."""

from __future__ import annotations

from planner.files.data_folder import kernels_digest, machine
from planner.plan.cost import Units
from planner.seconds.calibration import Calibration, keep_calibration


def calibrate(compare: float, output: float) -> None:
    """Keep a calibration by which the scans of a scheduled join take so long."""
    units = Units(compare=compare, output=output)
    kinds = {"schedule scan": units, "schedule hash": units}
    keep_calibration(Calibration(machine(), kernels_digest(), 1.0, 1.0, {}, kinds, {}, {}))
