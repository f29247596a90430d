"""The seconds that a prepared run should spend in kernels, by the unit costs of the moment."""

from __future__ import annotations

from planner.calibration import calibrated_units
from planner.run_seconds import Shape, kernel_seconds
from planner.units import units_of
from runtime.prepare import Prepared, run_seconds
from runtime.records import KernelTime, RunRequest
from runtime.split import split_of


def predicted_kernel(prepared: Prepared, request: RunRequest) -> KernelTime:
    """Over all of its stream time, batches and partitions."""
    workload, batches = prepared.workload, prepared.batches
    units = units_of(workload, calibrated_units())
    seconds = run_seconds(workload)
    if request.data is not None:
        seconds = max(0.0, (batches.last_ts - prepared.begin) / 1e6)
    partitions = prepared.program.partitions
    replicated = split_of(prepared.plan, workload, partitions).modulus is None
    shape = Shape(batches.batches, partitions, replicated)
    spent = kernel_seconds(prepared.plan, prepared.estimate, workload, units, seconds, shape)
    return KernelTime(spent, units.source)
