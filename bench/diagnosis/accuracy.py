"""How often a diagnosis names what was injected into the tuples, and is silent where nothing was.

Each case is a workload of a family, one of its plans, and tuples of a seed that nothing was tuned
on. What is declared is right but for what was injected (`injections.py`): as shares of conditions,
as numbers of values, or taken from the tuples themselves. A cause counts as named first where the
first sentence is about it, and no other cause is in that sentence before it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bench.diagnosis.in_process import run_of
from bench.diagnosis.injections import (
    APART,
    BURSTS,
    DRIFT,
    FILTER_SHARE,
    FILTERED_KEYS,
    INJECTIONS,
    SKEW,
    SKEWED,
    WRONG_RATE,
    Tables,
)
from bench.diagnosis.workloads import MAKERS, stated, workload_of
from bench.measure import in_processes
from planner.families.registry import family
from planner.statistics.inference import infer
from planner.workload.streams import Attribute
from planner.workload.workload import Workload
from runtime.data.run_data import generated
from runtime.diagnosis.diagnose import diagnosed
from runtime.runs.records import Run

RUNS, QUIET_RUNS = 5, 20
# Workloads with lower numbers were looked at while the diagnosis was written.
UNSEEN = 10_000
QUIET = "nothing injected"
_PLANS = 8
# What a sentence must say of each cause.
WORDS = {
    WRONG_RATE: r"brought [\d.,]+ tuples/s",
    FILTER_SHARE: r"of all tuples pass",
    SKEW: r"are skewed",
    BURSTS: r"in bursts of",
    DRIFT: r"keys change over time",
    FILTERED_KEYS: r"depend on the filters",
    APART: r"match no other source|occurs in another source",
}
# The seed of the tuples differs from that of the plan's simulations.
_SEED = 1_000_000

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DiagnosisCase:
    """A run to diagnose: whose plan, what was injected, and the number of the workload."""

    family: str
    cause: str
    number: int

    def run(self) -> tuple[Run, Tables]:
        """The run's record, and its tuples."""
        draw = random.Random(self.number)
        workload = workload_of(self.family, self.number, 0.8 if self.cause in SKEWED else 0.0)
        seeded = replace(workload, run=replace(workload.run, seed=_SEED + self.number))
        if self.cause == QUIET:
            tables = generated(seeded)
            known = draw.choice(("stated", "derived", "taken", "generated"))
        else:
            tables = INJECTIONS[self.cause](seeded, np.random.default_rng(self.number))
            known = draw.choice(("stated", "derived"))
        if known == "stated":
            workload = stated(workload)
        elif known == "taken":
            workload, _ = infer(_undeclared(workload), tables)
        labels = [c.label for c in family(self.family).space(workload).rank(top=_PLANS).candidates]
        label = draw.choice(labels)
        return run_of(workload, self.family, label, tables, known != "generated"), tables


def _undeclared(workload: Workload) -> Workload:
    """The workload without what its tuples show."""
    streams = tuple(
        replace(s, rate=None, attributes=dict.fromkeys(s.attributes, Attribute()))
        for s in workload.streams
    )
    relations = tuple(
        replace(r, rows=None, attributes=dict.fromkeys(r.attributes, Attribute()))
        for r in workload.relations
    )
    return replace(workload, streams=streams, relations=relations)


def diagnosis() -> Record:
    """By family and cause, how often it was named; and how often quiet runs were silent."""
    found = summary_of(in_processes(_judged_at, range(len(cases()))))
    return {"runs of each": RUNS, "quiet runs of each": QUIET_RUNS, **found}


def cases(runs: int = RUNS, quiet: int = QUIET_RUNS, first: int = UNSEEN) -> list[DiagnosisCase]:
    """All cases: each cause in so many runs of every family, and quiet ones."""
    return [
        DiagnosisCase(name, cause, first + number)
        for name in MAKERS
        for cause in (*INJECTIONS, QUIET)
        for number in range(quiet if cause == QUIET else runs)
    ]


def judged(case: DiagnosisCase) -> Record:
    """What the diagnosis of a case says, and whether that names its cause."""
    run, tables = case.run()
    said = [found.sentence for found in diagnosed(run, tables)]
    return {
        "family": case.family,
        "cause": case.cause,
        "number": case.number,
        "plan": run.plan.label,
        "silent": not said,
        "first": bool(said) and first_named(said[0]) == case.cause,
        "named": case.cause in {cause for text in said for cause in all_named(text)},
        "said": said,
    }


def _judged_at(place: int) -> Record:
    return judged(cases()[place])


def all_named(sentence: str) -> list[str]:
    """The causes that a sentence is about, in its order."""
    places = {cause: re.search(words, sentence) for cause, words in WORDS.items()}
    found = {cause: match.start() for cause, match in places.items() if match}
    return sorted(found, key=lambda cause: found[cause])


def first_named(sentence: str) -> str | None:
    """The first of them."""
    return next(iter(all_named(sentence)), None)


def summary_of(records: Sequence[Record]) -> Record:
    """The shares by family and cause, and the worst of each."""
    found: Record = {"runs": len(records), "silent of quiet runs": {}}
    for kind in ("named first", "named"):
        found[kind] = {}
    for name in MAKERS:
        own = [record for record in records if record["family"] == name]
        quiet = [record["silent"] for record in own if record["cause"] == QUIET]
        found["silent of quiet runs"][name] = sum(quiet) / len(quiet)
        for kind, key in (("named first", "first"), ("named", "named")):
            found[kind][name] = {
                cause: float(np.mean([r[key] for r in own if r["cause"] == cause]))
                for cause in INJECTIONS
            }
    found["samples"] = [
        r for r in records if not (r["silent"] if r["cause"] == QUIET else r["first"])
    ]
    return found
