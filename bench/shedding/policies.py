"""Shedding: what policies keep of a star join's importance, beside the optimum; and its seconds.

All policies see the same tuples, so that differences are paired: intervals are of the mean over
data sets. GAIN-S and the beta of DGL-S were chosen on other seeds than these.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.measure import in_processes
from bench.schedules import interval
from bench.shedding.kernel_rates import kernel_rates
from bench.shedding.online_bound import online_bound
from bench.shedding.workloads import Setting, star_join, true_rates
from planner.families.load_shedding.labels import EXPECTED_GAIN, MOST_RESULTS, ONLINE, OPTIMUM
from planner.families.load_shedding.offline.flow import leaves_of
from planner.families.load_shedding.simulation.settings import Settings
from planner.families.load_shedding.simulation.simulate import Simulation
from planner.families.load_shedding.star import star_of
from planner.families.load_shedding.star_tuples import MILLIONTHS, star_tuples
from planner.statistics.generate import generate

DATA_SETS = 30
FIRST_SEED = 10_000
THEIRS = tuple(policy for policy in ONLINE if policy != EXPECTED_GAIN)
PAPER = Setting()
AROUND = {
    "5,000 seconds": Setting(seconds=5000),
    "lifetime 10": Setting(lifetime=10),
    "lifetime 200": Setting(lifetime=200, seconds=1600),
    "both uniform": Setting(zipf=(0.0, 0.0)),
    "both zipf 1": Setting(zipf=(1.0, 1.0)),
    "R zipf 2": Setting(zipf=(2.0, 0.0)),
    "0.2 rows change a second": Setting(churn=0.2),
    "2 rows change a second": Setting(churn=2.0),
    "200 keys, 1,000 rows": Setting(keys=200, rows=1000),
    "50 rows": Setting(rows=50),
}
# Long ones, on fewer data sets.
FEWER = {"5,000 seconds": 6, "lifetime 200": 6}
LONG = Setting(seconds=5000)
SHARES = (1, 2, 5, 10, 20, 30, 35, 40, 50)


def shedding() -> dict[str, Any]:
    """Importance by policy in the paper's setting and around it, and the seconds of the flow."""
    seeds = range(FIRST_SEED, FIRST_SEED + DATA_SETS)
    found = in_processes(_papers, seeds)
    around = {name: in_processes(_around, _cases(name)) for name in AROUND}
    flow = _flow_seconds(FIRST_SEED)
    return {
        "same answer": all(record["same answer"] for record in found),
        "data sets": DATA_SETS,
        "by memory": {
            str(memory): _beside([record["by memory"][memory] for record in found])
            for memory in PAPER.memories
        },
        "around": {
            name: {
                str(memory): _leads([record[memory] for record in around[name]])
                for memory in AROUND[name].memories
            }
            for name in AROUND
        },
        "processor seconds of the flow": flow,
        "online kernels, tuples per second": kernel_rates(),
    }


def _papers(seed: int) -> dict[str, Any]:
    """The paper's setting: importance by memory and policy, with the optimum and the bound."""
    workload = star_join(PAPER)
    simulation = Simulation(star_of(workload), generate(workload, PAPER.seconds, seed))
    rates = true_rates(PAPER, simulation.tuples)
    by_memory: dict[int, dict[str, float]] = {}
    same = True
    for memory in PAPER.memories:
        shares = [memory // 2] * 2
        told = {
            policy: simulation.run(policy, Settings(), shares)
            for policy in (*ONLINE, OPTIMUM, MOST_RESULTS)
        }
        best = leaves_of(simulation.tuples, shares, "importance")
        same = same and best.gained == told[OPTIMUM].importance
        by_memory[memory] = {
            "exact": told[OPTIMUM].exact_importance / MILLIONTHS,
            "bound": online_bound(simulation.tuples, rates, shares) / MILLIONTHS,
            **{policy: answer.importance / MILLIONTHS for policy, answer in told.items()},
        }
    return {"same answer": same, "by memory": by_memory}


def _cases(name: str) -> range:
    """Numbers of a setting's data sets: the place of the setting, and a seed."""
    first = list(AROUND).index(name) * DATA_SETS
    return range(first, first + FEWER.get(name, DATA_SETS))


def _around(case: int) -> dict[int, dict[str, float]]:
    """Importance of the online policies by memory."""
    place, number = divmod(case, DATA_SETS)
    setting = list(AROUND.values())[place]
    workload = star_join(setting)
    tables = generate(workload, setting.seconds, FIRST_SEED + number)
    simulation = Simulation(star_of(workload), tables)
    return {
        memory: {
            policy: simulation.run(policy, Settings(), [memory // 2] * 2).importance / MILLIONTHS
            for policy in ONLINE
        }
        for memory in setting.memories
    }


def _beside(records: Sequence[dict[str, float]]) -> dict[str, Any]:
    """The means of everything, and the lead of GAIN-S."""
    means = {name: float(np.mean([r[name] for r in records])) for name in records[0]}
    return {
        "importance": means,
        "GAIN-S of the optimum": means[EXPECTED_GAIN] / means[OPTIMUM],
        "GAIN-S of the online bound": means[EXPECTED_GAIN] / means["bound"],
        **_leads(records),
    }


def _leads(records: Sequence[dict[str, float]]) -> dict[str, Any]:
    """By how much GAIN-S is ahead, paired: of the policy that is best on average, and of the one
    that is best on each data set, which nobody knows beforehand."""
    best = max(THEIRS, key=lambda policy: float(np.mean([r[policy] for r in records])))
    return {
        "best of the paper's": best,
        "lead": interval([r[EXPECTED_GAIN] / r[best] - 1 for r in records]),
        "lead over the best each time": interval(
            [r[EXPECTED_GAIN] / max(r[policy] for policy in THEIRS) - 1 for r in records]
        ),
    }


def _flow_seconds(seed: int) -> dict[str, Any]:
    """To find the best tuples of 5,000 each, lifetime 50, by tuples that a stream keeps."""
    workload = star_join(LONG)
    tuples = star_tuples(star_of(workload), generate(workload, LONG.seconds, seed))
    seconds: dict[str, list[float]] = {"most importance": [], "most results": []}
    for share in SHARES:
        for name, worth in (("most importance", "importance"), ("most results", "results")):
            begun = time.process_time()
            leaves_of(tuples, [share] * 2, worth)
            seconds[name].append(time.process_time() - begun)
    return {
        "tuples": sum(len(own.ts) for own in tuples.arms),
        "shares": list(SHARES),
        **seconds,
        "longest": max(map(max, seconds.values())),
    }
