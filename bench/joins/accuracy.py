"""How accurate the model of join orders is: every plan of random joins, predicted beside counted.

Each of 200 random joins (`random_joins.py` says what is drawn) is run on the tuples of one seed.
The work of every plan that the planner lists is counted: all multiway and naive orders, and the
best general plan (`loop_counts.py` says how). The plan predicted best, the one measured best and
the general one are also run whole. A join is run as long as `SECONDS` of work allow. Where its
slowest stream would bring fewer than `LEAST_TUPLES` meanwhile, because its results are too many to
go through, the next one is drawn (`left out` counts them).

The worst cases are run again with other seeds: where their mean is what the model says, or within 2
standard errors of it, and the plan predicted best is near the best there, the sample was to blame;
else the model is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, islice
from typing import Any

import numpy as np

from bench.joins.loop_counts import LoopCounts, seconds_per_second
from bench.joins.random_joins import TRAITS, RandomJoin, drawn
from bench.measure import in_processes, spread
from planner.families.join_order.model import model_of
from planner.families.join_order.search import best_general
from planner.families.registry import family
from planner.plan.cost import q_error
from planner.workload.execution import Every, RunSettings
from planner.workload.workload import Workload
from runtime.diagnosis.trust import kendall_tau

WORKLOADS = 200
SEED = 1
# Roughly the seconds that the runs of one join take, and the bounds on its tuples.
SECONDS, MOST_TUPLES, LEAST_TUPLES = 1.5, 400_000, 1_000
OTHER_SEEDS = range(100, 104)
WORST_SHOWN = 8
NEAR = 1.05
KEPT = ("expirations", "inserts", "state_tuples", "rows_out")

Record = dict[str, Any]


def join_accuracy() -> Record:
    """All figures: over all joins, by the kinds drawn, and the worst cases."""
    chosen = list(islice(runnable(), WORKLOADS))
    records = in_processes(measured, chosen)
    worst = in_processes(partial(again, records), worst_of(records))
    return {
        "workloads": len(records),
        "left out": chosen[-1] + 1 - len(records),
        "plans": sum(len(record["measured"]) for record in records),
        **summary(records),
        "by kind": {
            trait: {
                kind: headline([r for r in records if r["traits"][trait] == kind]) for kind in kinds
            }
            for trait, kinds in TRAITS.items()
        },
        "worst cases": worst,
    }


def runnable(seconds: float = SECONDS) -> Iterator[int]:
    """The numbers of the random joins that can be run long enough."""
    return (number for number in count() if with_span(drawn(number), seconds) is not None)


def with_span(join: RandomJoin, seconds: float = SECONDS) -> Workload | None:
    """The join with the span it is run for; None where that is too short to say much."""
    workload = join.workload
    model = model_of(workload)
    span = seconds / seconds_per_second(model)
    span = min(span, MOST_TUPLES / sum(window.arrivals for window in model.windows))
    if span * min(window.rate for window in model.windows) < LEAST_TUPLES:
        return None
    expire = workload.execution.expire
    # Windows over rows are full a while after the time their rows take on average.
    warmup = 1.5 * workload.longest_window
    warmup += expire.seconds if isinstance(expire, Every) else 0.0
    return replace(workload, run=RunSettings(SEED, warmup, max(1.0, span)))


def measured(number: int, seed: int = SEED, seconds: float = SECONDS) -> Record:
    """One join: comparisons of every plan and costs of those run whole, predicted and measured."""
    join = drawn(number)
    workload = with_span(join, seconds)
    assert workload is not None, "only joins that can be run are asked for"
    counts = LoopCounts(workload, seed)
    ranking = family("join_order").space(workload).rank()
    loops, score = best_general(counts.model)
    predicted = {c.label: c.cost.comparisons for c in ranking.candidates}
    costs = {c.label: c.cost for c in ranking.candidates}
    whole, filters = counts.whole(ranking.best)
    found = {label: filters + counts.of_loops(label) for label in predicted}
    least = min(found, key=lambda label: (found[label], label))
    for label in {ranking.best, least}:
        run = counts.whole(label)[0].comparisons
        if not np.isclose(run, found[label], rtol=1e-12):
            raise AssertionError(f"{workload.name}: {label} made {run}, its loops {found[label]}")
    return {
        "number": number,
        "traits": join.traits,
        "best": ranking.best,
        "measured best": least,
        "predicted": predicted,
        "measured": found,
        "upkeep": {
            name: q_error(getattr(costs[ranking.best], name), getattr(whole, name)) for name in KEPT
        },
        "general": {
            "predicted": score,
            "measured": counts.whole(loops.label)[0].comparisons,
        },
    }


def summary(records: Sequence[Record]) -> Record:
    """The figures of some joins."""
    best = [_q(record, record["best"]) for record in records]
    lazy = [_general(r) for r in records if r["traits"]["evaluation"].startswith("lazy")]
    return {
        **headline(records),
        "q-error, predicted best": spread(best),
        "rank agreement (Kendall's tau-b), mean": float(np.mean([_tau(r) for r in records])),
        **{
            f"q-error, {name}": spread([q for r in records if (q := r["upkeep"][name])])
            for name in KEPT
        },
        **({"general within 5% of lazy and naive": _share(lazy)} if lazy else {}),
    }


def headline(records: Sequence[Record]) -> Record:
    """How often the best plan is found, and the errors of all plans."""
    if not records:
        return {"workloads": 0}
    regrets = [_regret(record) for record in records]
    every = [_q(record, label) for record in records for label in record["measured"]]
    return {
        "workloads": len(records),
        "predicted best within 5% of measured best": _share(regrets),
        "regret, worst": max(regrets),
        "q-error, all plans": spread(every),
    }


def _share(ratios: Sequence[float]) -> float:
    return sum(ratio <= NEAR for ratio in ratios) / len(ratios)


def _q(record: Record, label: str) -> float:
    """The q-error of a plan; where just one of both figures is 0, as bad as can be."""
    return q_error(record["predicted"][label], record["measured"][label]) or float("inf")


def _regret(record: Record) -> float:
    """How many times the work of the plan measured best the plan predicted best made."""
    found = record["measured"]
    return float(found[record["best"]] / found[record["measured best"]])


def _general(record: Record) -> float:
    """The work of the general plan beside the cheapest multiway or naive order, as measured."""
    orders = [m for label, m in record["measured"].items() if not label.startswith("general:")]
    return float(record["general"]["measured"] / min(orders))


def _tau(record: Record) -> float:
    """The rank agreement of all plans; where they all cost the same, any order is right."""
    found = record["measured"]
    tau = kendall_tau([record["predicted"][label] for label in found], list(found.values()))
    return 1.0 if tau is None else tau


def worst_of(records: Sequence[Record]) -> list[int]:
    """The joins whose best plan was predicted worst, and those with the largest regret."""
    by_error = sorted(records, key=lambda r: -_q(r, r["best"]))[: WORST_SHOWN // 2]
    by_regret = sorted(records, key=lambda r: -_regret(r))[: WORST_SHOWN // 2]
    return list(dict.fromkeys(record["number"] for record in by_error + by_regret))


def again(records: Sequence[Record], number: int) -> Record:
    """A bad case explained: its figures, and the means over other seeds."""
    record = next(r for r in records if r["number"] == number)
    runs = [measured(number, seed) for seed in OTHER_SEEDS]
    label, least = record["best"], record["measured best"]
    by_seed = np.array([run["measured"][label] for run in runs])
    mean, deviation = float(by_seed.mean()), float(by_seed.std(ddof=1) / len(runs) ** 0.5)
    regret = mean / float(np.mean([run["measured"][least] for run in runs]))
    predicted, found = record["predicted"][label], record["measured"][label]
    error = q_error(predicted, mean) or float("inf")
    is_noise = regret <= NEAR and (error <= NEAR or abs(predicted - mean) <= 2 * deviation)
    return {
        "number": number,
        "traits": record["traits"],
        "plan": label,
        "predicted": predicted,
        "measured": found,
        "q-error": _q(record, label),
        "regret": _regret(record),
        "mean over other seeds": mean,
        "q-error of that mean": error,
        "standard error of that mean": deviation,
        "regret of that mean": regret,
        "reason": "one sample's noise" if is_noise else "the model",
    }
