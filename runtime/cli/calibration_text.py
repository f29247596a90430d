"""A calibration told: as the JSON of the command, and for people."""

from __future__ import annotations

import time
from typing import Any

from planner.report.plans_text import aligned
from planner.seconds.calibration import Calibration, Figure

KERNEL_NAMES = {
    "multiway": "eager join on one attribute",
    "loops": "joins of every other kind",
    "relations": "joins with relations",
    "aggregation": "aggregations",
    "slices": "sliced joins",
}


def calibration_document(found: Calibration) -> dict[str, Any]:
    """What `python -m runtime calibrate --json` prints: seconds, spreads and errors by kernel."""
    return {
        "machine": found.machine,
        "kernels": found.kernels,
        "versions": dict(found.versions),
        "made": found.made,
        "seconds": found.seconds,
        "units": {
            kernel: {name: _figure(figure) for name, figure in figures.items()}
            for kernel, figures in found.figures.items()
        },
        "fit": {
            kernel: {
                "runs": fit.runs,
                "q_error": {"median": fit.median, "worst": fit.worst, "held_out": fit.held_out},
            }
            for kernel, fit in found.fits.items()
        },
        "c_sys": found.c_sys and {"comparisons": found.c_sys.value, "spread": found.c_sys.spread},
        "micro_batch": found.batch and _figure(found.batch),
    }


def _figure(figure: Figure) -> dict[str, float]:
    return {"seconds": figure.value, "spread": figure.spread}


def calibration_text(found: Calibration) -> str:
    """The figures as tables."""
    made = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.made))
    lines = [f"{found.machine}, {made}: measured in {found.seconds:.0f} s"]
    for kernel, figures in found.figures.items():
        fit = found.fits[kernel]
        lines += ["", f"{kernel}: {KERNEL_NAMES[kernel]}", ""]
        rows = [("each", "nanoseconds", "spread")]
        rows += [(name, nanoseconds(f.value), nanoseconds(f.spread)) for name, f in figures.items()]
        lines += aligned(rows)
        lines.append(
            f"q-error of {fit.runs} runs: {fit.median:.2f} at the median, {fit.worst:.2f} at "
            f"worst; {fit.held_out:.2f} at the median when predicted from the others"
        )
    lines.append("")
    if found.c_sys is not None:
        c_sys = found.c_sys
        lines.append(f"C_sys: {c_sys.value:.1f} comparisons, spread {c_sys.spread:.1f}")
    if found.batch is not None:
        value, spread = 1e3 * found.batch.value, 1e3 * found.batch.spread
        lines.append(f"a micro-batch of Spark: {value:.0f} ms, spread {spread:.0f} ms")
    return "\n".join(lines) + "\n"


def nanoseconds(seconds: float) -> str:
    """To three digits."""
    return f"{1e9 * seconds:,.3g}" if seconds < 1e-6 else f"{1e9 * seconds:,.0f}"
