"""What a calibration found on a machine, and the file in the data folder that keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from planner.files.data_folder import home, kernels_digest, machine
from planner.files.whole_files import read_sealed_json, write_sealed_json
from planner.plan.cost import UnitCosts, Units

# Of the file: one of another version is not read, and the next calibration writes it anew.
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class CalibratedFigure:
    """A figure in seconds (of C_sys: in comparisons), and how far it moves when a run is left out
    (standard error of the jackknife)."""

    value: float
    spread: float


@dataclass(frozen=True, slots=True)
class Fit:
    """How near the units of a kernel come to the runs they are from, as q-errors.

    `held_out` is the median where each run is predicted by the units of all others.
    """

    runs: int
    median: float
    worst: float
    held_out: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Unit costs of one machine. `figures` are what units were made of, by kernel and work.

    `batch` is what Spark takes for a micro-batch, whatever is in it; None where that was left out.
    """

    machine: str
    kernels: str
    made: float
    seconds: float
    versions: Mapping[str, str]
    kinds: Mapping[str, Units]
    figures: Mapping[str, Mapping[str, CalibratedFigure]]
    fits: Mapping[str, Fit]
    c_sys: CalibratedFigure | None = None
    batch: CalibratedFigure | None = None

    @property
    def status(self) -> str:
        """As runs have one: what was cancelled is not kept."""
        return "finished"

    @property
    def is_stale(self) -> bool:
        """Whether kernels have changed since."""
        return self.kernels != kernels_digest()

    @property
    def units(self) -> UnitCosts:
        """What turns estimates into seconds."""
        return UnitCosts(Units(), "calibrated on this machine", self.kinds)


def calibration_file() -> Path:
    """The file with the calibrations of all machines that share the data folder."""
    return home() / "calibration.json"


def calibration_stamp() -> int:
    """What changes when a machine is calibrated anew."""
    file = calibration_file()
    return file.stat().st_mtime_ns if file.is_file() else 0


def kept_calibration() -> Calibration | None:
    """This machine's calibration; None where there is none, or none that can be read."""
    found = _machines(calibration_file()).get(machine())
    try:
        return None if found is None else _from_json(found)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def keep_calibration(calibration: Calibration) -> None:
    """Keep it in place of an earlier one of the same machine."""
    file = calibration_file()
    machines = {**_machines(file), calibration.machine: asdict(calibration)}
    write_sealed_json(file, {"schema": SCHEMA, "machines": machines})


def calibrated_units() -> UnitCosts | None:
    """The unit costs of this machine, unless it was not calibrated, or its kernels have changed."""
    found = kept_calibration()
    return None if found is None or found.is_stale else found.units


def _machines(file: Path) -> dict[str, Any]:
    content = read_sealed_json(file)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        return {}
    machines = content.get("machines")
    return machines if isinstance(machines, dict) else {}


def _from_json(record: Mapping[str, Any]) -> Calibration:
    return Calibration(
        machine=str(record["machine"]),
        kernels=str(record["kernels"]),
        made=float(record["made"]),
        seconds=float(record["seconds"]),
        versions=dict(record["versions"]),
        kinds={kind: Units(**units) for kind, units in record["kinds"].items()},
        figures={
            kernel: {name: CalibratedFigure(**figure) for name, figure in figures.items()}
            for kernel, figures in record["figures"].items()
        },
        fits={kernel: Fit(**fit) for kernel, fit in record["fits"].items()},
        c_sys=record["c_sys"] and CalibratedFigure(**record["c_sys"]),
        batch=record["batch"] and CalibratedFigure(**record["batch"]),
    )
