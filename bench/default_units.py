"""Write the planner's default unit costs: those of this machine's calibration, rounded.

`python -m bench.default_units` after `python -m runtime calibrate` on a quiet machine. On another
machine the ratios between plans hold better than the seconds.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from planner.seconds.calibration import Calibration, kept_calibration
from planner.seconds.units import DEFAULTS


def write(found: Calibration, file: Path = DEFAULTS) -> None:
    """The units by kind, those that take no time left out, to three digits."""
    lines = []
    for kind, units in found.kinds.items():
        each = {name: float(f"{value:.3g}") for name, value in asdict(units).items() if value}
        lines.append(f"  {json.dumps(kind)}: {json.dumps(each)}")
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    kept = kept_calibration()
    if kept is None:
        sys.exit("this machine was not calibrated: python -m runtime calibrate")
    write(kept)
