"""The overhead of a slice on this machine, and whether CPU-Opt with it is the fastest chain.

`execution.c_sys` is what a tuple entering a slice costs, in comparisons. It is found from chains of
other windows than the 36 by which it is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from planner.experiments.experiment import Point
from planner.families.registry import family
from planner.workload.execution import Execution, RunSettings
from planner.workload.query import Column, Predicate, Query, Source, TimeWindow
from planner.workload.streams import Attribute, Stream
from planner.workload.workload import Workload
from runtime.calibration.fitting import ChainRun, Overhead, fitted_overhead
from runtime.engines.slices.designs import merged
from runtime.experiments.sampling import Sample, Sampler

ROUNDS = 5
DURATION = 60.0
# Windows in seconds, tuples per second of each stream, and values of the key.
DESIGN: dict[str, tuple[Sequence[float], float, int]] = {
    "12 even windows": ([2 * n for n in range(1, 13)], 100, 10),
    "24 even windows": (range(1, 25), 100, 20),
    "24 windows, half of them short": ([*range(1, 13), *range(25, 37)], 80, 50),
    "48 even windows": ([n / 2 for n in range(1, 49)], 150, 20),
}
CHECKED = (range(1, 37), 100.0, 100)
# So many neighbouring slices are merged into one.
MERGED = (1, 2, 3, 4, 6, 12, 48)


def c_sys() -> dict[str, Any]:
    """The overhead with its spread, then 36 windows: chains by prediction and by the clock."""
    runs = [run for name in DESIGN for run in _runs(name)]
    found = fitted_overhead(runs)
    if found is None:
        return {"c_sys": None, "why": "the runs do not tell what a comparison takes"}
    return {
        "c_sys": found.c_sys,
        "standard error": found.spread,
        "nanoseconds": {"a comparison": 1e9 * found.compare, "a tuple entering": 1e9 * found.enter},
        "q-error of the runs": {"median": found.median_error, "worst": found.worst_error},
        "runs": len(runs),
        "36 windows": _checked(found),
    }


def _runs(name: str) -> Iterator[ChainRun]:
    windows, rate, values = DESIGN[name]
    workload = joins_of(windows, rate, values)
    for label, samples in _in_turns(workload, merged(workload, MERGED), seed=1).items():
        best = min(samples, key=lambda sample: sample.seconds)
        # Without filters every tuple enters every slice.
        entering = best.tuples * label.count("-")
        yield ChainRun(name, best.cost.comparisons * best.span, entering, best.seconds)


def _checked(found: Overhead) -> dict[str, Any]:
    windows, rate, values = CHECKED
    workload = joins_of(windows, rate, values)
    known = family("sliced_chain")
    with_it = replace(workload, execution=replace(workload.execution, c_sys=found.c_sys))
    chosen = {
        "CPU-Opt with this c_sys": known.plan(with_it, "cpu-opt").label,
        "CPU-Opt with c_sys 0": known.plan(workload, "cpu-opt").label,
    }
    labels = list(dict.fromkeys([*merged(workload, MERGED), *chosen.values()]))
    measured = _in_turns(workload, labels, seed=2)
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


def joins_of(windows: Sequence[float], rate: float, values: int) -> Workload:
    """A join of two streams for each of these windows, all with the same predicate."""
    streams = tuple(Stream(name, rate, {"k": Attribute(values)}) for name in "AB")
    equal = (Predicate(Column("A", "k"), "=", Column("B", "k")),)
    queries = tuple(
        Query(
            f"Q{number}",
            (Source("A", "A", TimeWindow(seconds)), Source("B", "B", TimeWindow(seconds))),
            equal,
        )
        for number, seconds in enumerate(windows, start=1)
    )
    return Workload(
        f"{len(queries)} windows",
        streams,
        queries,
        execution=Execution(),
        run=RunSettings(duration=DURATION),
    )


def _in_turns(workload: Workload, labels: Sequence[str], seed: int) -> dict[str, list[Sample]]:
    """All chains measured in rounds, so that a noisy machine is noisy for all of them."""
    sampler = Sampler()
    found: dict[str, list[Sample]] = {label: [] for label in labels}
    for _ in range(ROUNDS):
        for label in labels:
            point = Point(label, workload, "sliced_chain", label)
            found[label].append(sampler.sample(point, seed))
    return found
