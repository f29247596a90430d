"""Sliced chains: how accurate their model is, what they hold, and what they save.

Every strategy of each case (`workloads.py` says which there are) is run in process, all
of a case on the same tuples: windows are filled first, then 8,000 to 12,000 tuples are measured.
Work is counted by the kernel; seconds are the processor's of its thread.

Each case has a seed of its own. Arrivals of one seed are the same but for the rate: cases that
shared a seed would all have the errors of one draw, and there would be no spread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from bench.chains.planning import chain_planning
from bench.chains.workloads import StrategyCase, random_case, table_3, table_4
from bench.measure import in_processes, plans_in_turns, spread_of
from planner.experiments.experiment import Point
from planner.families.registry import family
from planner.families.sliced_chain import NAME
from planner.families.sliced_chain.labels import CHAIN, CPU_OPT, MEM_OPT, PULL_UP, UNSHARED
from planner.files.workload_file import load_workload
from planner.plan.cost import Cost, q_error
from planner.plan.plan import Plan
from planner.workload.workload import Workload
from runtime.data.folders import PROJECT
from runtime.experiments.measurement import MeasuredSample, Sampler

RANDOM_CASES = 60
ALERTS_SEED = 1
ROUNDS = 3
ALERTS = PROJECT / "sample_data" / "two-hundred-alerts.yaml"
# Kinds of operators that compare; slices do so to purge.
COUNTED = ("probe", "route", "select", "union", "survive", "split", "filter")
PURGE, STATE = "purge", "state"

Record = dict[str, Any]


def chain_accuracy() -> Record:
    """All figures: predicted beside counted, states, and seconds beside those of unshared."""
    records = in_processes(_measured_at, range(len(cases())))
    return {
        "random cases": RANDOM_CASES,
        **summary(records),
        "states": states(records),
        "C_sys, in comparisons": fitted_overhead(records),
        "two hundred queries": shared_and_unshared(alerts()),
        "CPU-Opt": chain_planning(),
    }


@cache
def cases() -> tuple[StrategyCase, ...]:
    """All that are measured."""
    return (*table_3(), *table_4(), *map(random_case, range(RANDOM_CASES)))


# --- predicted beside counted --------------------------------------------------------------------


def measured(case: StrategyCase, seed: int) -> Record:
    """One case: state and comparisons by kind of each plan, predicted and counted; and seconds."""
    chosen, sampler, workload = family(NAME), Sampler(), case.workload
    found: Record = {"case": workload.name, "kind": case.kind, "plans": {}}
    answers = set()
    for label in case.plans:
        sample = sampler.sample(Point(0, workload, NAME, label), seed)
        plan = chosen.space(workload).plan(label)
        answers.add((sample.results, sample.answer))
        found["plans"][label] = {
            "predicted": by_kind(plan, chosen.space(workload).estimate(plan).costs),
            "counted": by_kind(plan, sample.operators),
            "joins": sum(operator.kind == "slice" for operator in plan.operators()),
            **_times(sample),
        }
    found["same answer"] = len(answers) == 1
    found["largest join alone"] = _largest_alone(workload, sampler, seed)
    return found


def _measured_at(place: int) -> Record:
    return measured(cases()[place], seed=place)


def _times(sample: MeasuredSample) -> Record:
    return {
        "tuples": sample.tuples,
        "comparisons": sample.cost.comparisons * sample.span,
        "seconds": sample.seconds,
    }


def by_kind(plan: Plan, costs: Mapping[str, Cost]) -> dict[str, float]:
    """Comparisons per second by kind of work, and tuples held."""
    found: dict[str, float] = defaultdict(float)
    for operator in plan.operators():
        if operator.kind in COUNTED or operator.kind == "slice":
            what = PURGE if operator.kind == "slice" else operator.kind
            found[what] += costs[operator.id].comparisons
        found[STATE] += costs[operator.id].state_tuples
    return dict(found)


def _largest_alone(workload: Workload, sampler: Sampler, seed: int) -> float | None:
    """Tuples that the join with the largest windows holds alone; None where queries filter."""
    if any(query.filters for query in workload.queries):
        return None
    run = replace(workload.run, warmup=workload.warmup)
    alone = max(
        (replace(workload, queries=(query,), run=run) for query in workload.queries),
        key=lambda one: one.longest_window,
    )
    return sampler.sample(Point(0, alone, NAME, UNSHARED), seed).cost.state_tuples


def summary(records: Sequence[Record]) -> Record:
    """q-errors of each plan's state and comparisons by kind: of all cases, and by their origin."""
    return {
        "cases": len(records),
        "plans": sum(len(record["plans"]) for record in records),
        "same answer": all(record["same answer"] for record in records),
        "q-error": _errors(records),
        "q-error by cases": {
            kind: _errors([r for r in records if r["kind"] == kind])
            for kind in dict.fromkeys(record["kind"] for record in records)
        },
    }


def _errors(records: Iterable[Record]) -> Record:
    by_what: dict[str, list[tuple[float, str]]] = defaultdict(list)
    nothing: list[str] = []
    for record in records:
        for label, plan in record["plans"].items():
            for what, predicted in plan["predicted"].items():
                counted = plan["counted"][what]
                where = f"{record['case']}, {label}"
                error = q_error(predicted, counted)
                if error is None:
                    nothing.append(f"{where}, {what}")
                elif predicted or counted:
                    by_what[what].append((error, where))
    found: Record = {what: spread_of("plans", pairs) for what, pairs in by_what.items()}
    return {**found, "counted or predicted as 0": nothing}


# --- what chains hold, and what entering a slice costs -------------------------------------------


def states(records: Sequence[Record]) -> Record:
    """The most that chains hold, beside pull-up; and Mem-Opt beside the largest join alone.

    All on the same tuples, so that what is equal is exactly equal.
    """
    beside: list[tuple[float, str]] = []
    alone: list[tuple[float, str]] = []
    for record in records:
        held = {label: plan["counted"][STATE] for label, plan in record["plans"].items()}
        chains = {label: state for label, state in held.items() if label.startswith(CHAIN)}
        if record["kind"] == "Table 3":
            beside += [
                (state / held[PULL_UP], f"{record['case']}, {label}")
                for label, state in chains.items()
            ]
        if record["largest join alone"] is not None:
            finest = max(chains, key=lambda label: record["plans"][label]["joins"])
            alone.append((chains[finest] / record["largest join alone"], record["case"]))
    apart = max(alone, key=lambda pair: abs(pair[0] - 1))
    return {
        "Table 3, chain over pull-up, at most": max(beside)[0],
        "at": max(beside)[1],
        "Table 3, chain over pull-up, at least": min(beside)[0],
        "chains on Table 3": len(beside),
        "Mem-Opt over the largest join alone, furthest from 1": apart[0],
        "Mem-Opt chains without filters": len(alone),
    }


def fitted_overhead(records: Sequence[Record]) -> float:
    """What a tuple entering a slice costs the kernel, in comparisons: a fit over Table 4.

    Without filters every tuple enters every slice. Relative errors of seconds are made small.
    """
    plans = [
        plan
        for record in records
        if record["kind"] == "Table 4"
        for label, plan in record["plans"].items()
        if label.startswith(CHAIN) or label == PULL_UP
    ]
    work = np.array([[p["comparisons"], p["tuples"] * p["joins"]] for p in plans])
    seconds = np.array([p["seconds"] for p in plans])
    comparison, entering = np.linalg.lstsq(
        work / seconds[:, None], np.ones(len(plans)), rcond=None
    )[0]
    return float(entering / comparison)


# --- two hundred queries -------------------------------------------------------------------------


def alerts() -> Workload:
    """The sample of two hundred alerting rules."""
    return load_workload(ALERTS.read_text(), ALERTS.name)


def shared_and_unshared(workload: Workload, rounds: int = ROUNDS) -> Record:
    """The processor's seconds of Mem-Opt, CPU-Opt and unshared in turns, the best round of each."""
    labels = {
        UNSHARED: UNSHARED,
        **{name: family(NAME).space(workload).plan(name).label for name in (MEM_OPT, CPU_OPT)},
    }
    by_label = plans_in_turns(workload, NAME, list(labels.values()), ALERTS_SEED, rounds)
    found = {name: by_label[label] for name, label in labels.items()}
    seconds = {name: min(s.seconds for s in samples) for name, samples in found.items()}
    answers = {(s.results, s.answer) for samples in found.values() for s in samples}
    return {
        "queries": len(workload.queries),
        "tuples": found[UNSHARED][0].tuples,
        "same answer": len(answers) == 1,
        "seconds": seconds,
        "seconds of all rounds": {n: [s.seconds for s in kept] for n, kept in found.items()},
        "comparisons per second": {n: kept[0].cost.comparisons for n, kept in found.items()},
        "tuples held": {n: kept[0].cost.state_tuples for n, kept in found.items()},
        **{
            f"{name} over unshared": seconds[name] / seconds[UNSHARED]
            for name in (MEM_OPT, CPU_OPT)
        },
    }
