"""Write the planner's default unit costs: those of this machine's calibration, rounded.

`python -m bench.default_units` after `python -m runtime calibrate` on a quiet machine.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from planner.files.data_folder import PROJECT
from planner.seconds.calibration import Calibration, kept_calibration

FILE = PROJECT / "planner" / "default_units.py"

_HEAD = '''"""Unit costs where a workload declares none and this machine has none: another's.

Written by `python -m bench.default_units`; on another machine the ratios between plans hold better
than the seconds.
"""

from __future__ import annotations

from planner.plan.cost import UnitCosts, Units

DEFAULT_UNITS = UnitCosts(
    Units(),
    "defaults of another machine; calibrate this one",
    {
'''


def write(found: Calibration, file: Path = FILE) -> None:
    """The units by kind, those that take no time left out, to three digits."""
    lines = []
    for kind, units in found.kinds.items():
        each = [f"{name}={value:.3g}" for name, value in asdict(units).items() if value]
        lines.append(f'        "{kind}": Units({", ".join(each)}),\n')
    file.write_text(_HEAD + "".join(lines) + "    },\n)\n")


if __name__ == "__main__":
    kept = kept_calibration()
    if kept is None:
        sys.exit("this machine was not calibrated: python -m runtime calibrate")
    write(kept)
