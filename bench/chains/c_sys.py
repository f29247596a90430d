"""The overhead of a slice on this machine, and whether CPU-Opt with it is the fastest chain.

`execution.c_sys` is what a tuple entering a slice costs, in comparisons. It is found from chains of
other windows than the 36 by which it is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bench.measure import plans_in_turns
from planner.experiments.wang.workloads import windowed_joins
from planner.families.registry import family
from planner.families.sliced_chain import NAME
from planner.workload.workload import Workload
from runtime.calibration.fitting import ChainRun, Overhead, fitted_overhead

ROUNDS = 5
# Windows in seconds, tuples per second of each stream, and the share of pairs that join.
DESIGN: dict[str, tuple[Sequence[float], float, float]] = {
    "12 even windows": ([2 * n for n in range(1, 13)], 100, 0.1),
    "24 even windows": (range(1, 25), 100, 0.05),
    "24 windows, half of them short": ([*range(1, 13), *range(25, 37)], 80, 0.02),
    "48 even windows": ([n / 2 for n in range(1, 49)], 150, 0.05),
}
CHECKED = (range(1, 37), 100.0, 0.01)
# So many neighbouring slices are merged into one.
MERGED = (1, 2, 3, 4, 6, 12, 48)


def c_sys() -> dict[str, Any]:
    """The overhead with its spread, then 36 windows: chains by prediction and by the clock."""
    runs = [run for name in DESIGN for run in _runs(name)]
    found = fitted_overhead(runs)
    if found is None:
        return {"c_sys": None, "why": "the runs do not show what a comparison takes"}
    return {
        "c_sys": found.c_sys,
        "standard error": found.spread,
        "nanoseconds": {"a comparison": 1e9 * found.compare, "a tuple entering": 1e9 * found.enter},
        "q-error of the runs": {"median": found.median_error, "worst": found.worst_error},
        "runs": len(runs),
        "36 windows": _checked(found),
    }


def _runs(name: str) -> Iterator[ChainRun]:
    windows, rate, share = DESIGN[name]
    workload = windowed_joins(name, rate, windows, joined=share)
    labels = _merged(workload)
    for label, samples in plans_in_turns(workload, NAME, labels, 1, ROUNDS).items():
        best = min(samples, key=lambda sample: sample.seconds)
        # Without filters every tuple enters every slice.
        entering = best.tuples * label.count("-")
        yield ChainRun(name, best.cost.comparisons * best.span, entering, best.seconds)


def _merged(workload: Workload) -> tuple[str, ...]:
    """Mem-Opt, and chains with so many of its slices after one another merged into one."""
    first, *ends = family(NAME).space(workload).plan("mem-opt").label.split("-")
    kept = (ends[::-1][::count][::-1] for count in MERGED)
    return tuple(dict.fromkeys("-".join([first, *own]) for own in kept))


def _checked(found: Overhead) -> dict[str, Any]:
    windows, rate, share = CHECKED
    workload = windowed_joins("36 windows", rate, windows, joined=share)
    known = family(NAME)
    with_it = replace(workload, execution=replace(workload.execution, c_sys=found.c_sys))
    chosen = {
        "CPU-Opt with this c_sys": known.plan(with_it, "cpu-opt").label,
        "CPU-Opt with c_sys 0": known.plan(workload, "cpu-opt").label,
    }
    labels = list(dict.fromkeys([*_merged(workload), *chosen.values()]))
    measured = plans_in_turns(workload, NAME, labels, 2, ROUNDS)
    seconds = {label: min(s.seconds for s in samples) for label, samples in measured.items()}
    scores = dict(zip(labels, known.scores(with_it, labels), strict=True))
    fastest = min(seconds, key=seconds.__getitem__)
    by_score = sorted(labels, key=scores.__getitem__)
    return {
        "chains, best predicted first": [
            {
                "slices": label.count("-"),
                "comparisons/s with overhead": scores[label],
                "processor seconds": seconds[label],
            }
            for label in by_score
        ],
        "fastest": {"slices": fastest.count("-"), "processor seconds": seconds[fastest]},
        **{
            name: {
                "slices": label.count("-"),
                "over the fastest": seconds[label] / seconds[fastest],
            }
            for name, label in chosen.items()
        },
        "pairs of chains in the measured order": _agreement(by_score, seconds),
    }


def _agreement(ordered: Sequence[str], seconds: dict[str, float]) -> float:
    """The share of pairs of chains that the prediction orders as the clock does."""
    pairs = [(a, b) for n, a in enumerate(ordered) for b in ordered[n + 1 :]]
    return sum(seconds[a] <= seconds[b] for a, b in pairs) / len(pairs)
