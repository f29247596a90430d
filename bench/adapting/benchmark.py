"""Runs that adapt beside plans that stay, on the same tuples: where rates or values change, where
nothing does, and where tuples come in bursts.

All is drawn at random, by seeds that no policy was tried on. A trace of changing rates counts where
the best plan of every interval should do a sixth less work than the best single one. One chain does
the least work whatever the rates are, and so is among steady ones alone; schedules, which all do
the same work, are left out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.random import default_rng

from bench.adapting.workloads import (
    CHANGING,
    INTERVALS,
    KINDS,
    SECONDS,
    WARMUP,
    drawn,
    drifting,
    traced,
)
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.workload.streams import Arrivals
from planner.workload.workload import Workload
from runtime.backends.kernels.hindsight import Hindsight, hindsight
from runtime.data.data_writer import write_folder
from runtime.runs.records import RunRequest

TRACES = 10
FIRST_SEED = 9_000
STEADY, SHORT, BURSTS, VALUES = (FIRST_SEED + more for more in (500, 600, 700, 800))
FEW = 5
_BURST = 4.0
Sample = dict[str, Any]


def adapting() -> dict[str, Any]:
    """The work of the regret policy over that of the best plan of every interval, and the rest."""
    changing = [changing_rates(seed) for seed in range(FIRST_SEED, FIRST_SEED + TRACES)]
    steady = [steady_rates(seed, SECONDS * INTERVALS) for seed in range(STEADY, STEADY + TRACES)]
    short = [steady_rates(seed, SECONDS) for seed in range(SHORT, SHORT + FEW)]
    bursts = [steady_bursts(seed) for seed in range(BURSTS, BURSTS + FEW)]
    values = [changing_values(seed) for seed in range(VALUES, VALUES + FEW)]
    return {
        "traces": TRACES,
        "changing": _summed(changing),
        "stationary": _summed(steady),
        "short": _summed(short),
        "bursts": _summed(bursts),
        "values": _summed(values),
        "samples": {
            "changing": changing,
            "stationary": steady,
            "short": short,
            "bursts": bursts,
            "values": values,
        },
    }


def _summed(traces: list[Sample]) -> dict[str, Any]:
    """Of several traces: medians and the worst."""
    found: dict[str, Any] = {}
    for name in ("over best of every interval", "over best plan"):
        ratios = [trace[name] for trace in traces]
        found[name] = {"median": float(np.median(ratios)), "worst": max(ratios)}
    worse = [1 / trace["over worst plan"] for trace in traces]
    return found | {
        "worst plan over adaptive, median": float(np.median(worse)),
        "switches": [trace["switches"] for trace in traces],
        "switches after warm-up": [trace["switches after warm-up"] for trace in traces],
    }


def changing_rates(seed: int) -> Sample:
    """A workload of some kind whose rates change three times."""
    return _generated(seed, INTERVALS, SECONDS)


def steady_rates(seed: int, seconds: float) -> Sample:
    """A workload of some kind whose rates stay."""
    return _generated(seed, 1, seconds)


def steady_bursts(seed: int) -> Sample:
    """The same, where some tuples always come together."""
    return _generated(seed, 1, SECONDS * INTERVALS, Arrivals("pareto", _BURST))


def _generated(
    seed: int, intervals: int, seconds: float, arrivals: Arrivals | None = None
) -> Sample:
    kinds = list(KINDS if intervals == 1 else CHANGING)
    kind = kinds[seed % len(kinds)]
    name, text = KINDS[kind]
    chosen, base = family(name), load_workload(text)
    rates = drawn(default_rng(seed), base, chosen, intervals)
    workload = traced(base, rates, seed, seconds)
    if arrivals is not None:
        streams = (
            replace(stream, rate=float(rates[0][stream.name]), arrivals=arrivals)
            for stream in base.streams
        )
        workload = replace(workload, streams=tuple(streams))
    return {"kind": kind, "seed": seed, **measured(workload, name, intervals)}


def changing_values(seed: int) -> Sample:
    """A join whose rates stay, and whose keys take more or fewer values three times."""
    workload, tables = drifting(seed, family("join_order"))
    with TemporaryDirectory() as folder:
        write_folder(tables, Path(folder))
        found = measured(workload, "join_order", INTERVALS, Path(folder))
    return {"kind": "a triangle", "seed": seed, **found}


def measured(workload: Workload, name: str, intervals: int, data: Path | None = None) -> Sample:
    """What adapting did beside plans that stay, from the plan that is best by what is declared."""
    best = family(name).space(workload).best().label
    found = hindsight(RunRequest(workload, name, best, batch_rows=100_000, data=data))
    return _figures(found, intervals)


def _figures(found: Hindsight, intervals: int) -> Sample:
    adaptive = float(found.adaptive.sum())
    edges = [SECONDS * number for number in range(1, intervals)]
    after = sum(switch.at / 1e6 > WARMUP for switch in found.switches)
    return {
        "over best of every interval": adaptive / found.oracle(edges or [0.0]),
        "over best plan": adaptive / float(found.static[found.best].sum()),
        "over worst plan": adaptive / float(found.static[found.worst].sum()),
        "switches": len(found.switches),
        "switches after warm-up": after,
    }
