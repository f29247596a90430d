"""Run the benchmarks, and write their figures to `bench/results.json`.

`python -m bench` runs all of them; `python -m bench kernels ways` only some.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from bench import RESULTS
from bench.accuracy import accuracy
from bench.aggregation import aggregation
from bench.aggregation_cells import aggregation_cells
from bench.c_sys import c_sys
from bench.calibration import calibration
from bench.chains import chains
from bench.figures import figures
from bench.kernels import kernels
from bench.peers import against_duckdb, against_spark
from bench.planning import planning
from bench.sessions import sessions
from bench.ways import ways
from planner.experiments.golab import costs
from planner.experiments.tran import curves
from planner.experiments.wang import settings
from runtime.runs.records import versions

BENCHMARKS: dict[str, Callable[[], dict[str, Any]]] = {
    "planning": planning,
    "kernels": kernels,
    "aggregation": aggregation,
    "aggregation-cells": aggregation_cells,
    "figures": partial(figures, costs.PAPER),
    "aggregation-figures": partial(figures, curves.PAPER),
    "chains": chains,
    "chain-figures": partial(figures, settings.PAPER),
    "c-sys": c_sys,
    "calibration": calibration,
    "ways": ways,
    "accuracy": accuracy,
    "duckdb": against_duckdb,
    "spark": against_spark,
    "sessions": sessions,
}


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; figures of the others stay as they were."""
    if unknown := [name for name in names if name not in BENCHMARKS]:
        sys.stderr.write(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}\n")
        return 2
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    for name in names or list(BENCHMARKS):
        begun = time.time()
        results[name] = {
            "machine": {"cores": os.cpu_count(), "processor": platform.machine(), **versions()},
            "load before": os.getloadavg()[0],
            **BENCHMARKS[name](),
        }
        print(
            f"{name} ({time.time() - begun:.0f} s)", json.dumps(results[name], indent=2), flush=True
        )
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
