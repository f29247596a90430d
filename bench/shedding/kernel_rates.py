"""How many tuples a second the kernels of online policies take, in the paper's setting."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median

from bench.shedding.workloads import Setting, star_join
from planner.families.load_shedding.labels import ONLINE
from planner.families.load_shedding.plans import built
from planner.families.load_shedding.star import star_of
from planner.statistics.generate import generate
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Span
from runtime.engines.protocol import PlanInput
from runtime.engines.registry import engine

MEMORY, ROUNDS = 40, 5
LONG = Setting(seconds=50_000)


def kernel_rates() -> dict[str, float]:
    """By policy the tuples per processor second of one thread: the median of rounds in turns."""
    made = star_join(LONG)
    workload = replace(made, execution=replace(made.execution, memory=MEMORY))
    steps = {policy: _step(workload, policy) for policy in ONLINE}
    seconds: dict[str, list[float]] = {policy: [] for policy in ONLINE}
    # The first round compiles, or loads, what the others run.
    for number in range(ROUNDS + 1):
        for policy, (step, _) in steps.items():
            begun = time.process_time()
            step()
            if number:
                seconds[policy].append(time.process_time() - begun)
    return {policy: steps[policy][1] / median(taken) for policy, taken in seconds.items()}


def _step(workload: Workload, policy: str) -> tuple[Callable[[], object], int]:
    """What lets all tuples through a kernel as one batch, and how many they are."""
    runs, plan = engine("load_shedding"), built(workload.queries[0], star_of(workload), policy).plan
    feed = runs.feed(plan, workload)(workload, generate(workload, LONG.seconds, 1))
    ts, split = feed.tuples.ts, runs.split(plan, workload, 1)
    span = Span(0, int(ts[-1]))
    program = runs.compile(PlanInput(plan, workload, feed.schema, span, split))
    program.load()
    batch = Batch(feed.tuples, span.end, last=True).pack()
    return partial(program.step, None, batch, 0, 0), len(ts)
