"""Tuples per second of the join kernel on Table 5, beside the paper's prototype of 2003."""

from __future__ import annotations

from typing import Any

from bench.workloads import TABLE_5, hashed, join_of, tables_of
from planner.families.registry import family
from planner.plan.plan import Plan
from runtime.data.batch import Batch
from runtime.data.feed import Span, Split
from runtime.engines.join_feeds import multiway_feed as feed
from runtime.engines.protocol import PlanInput, Program, Tally
from runtime.engines.registry import engine

TUPLES = 2_000_000
ROUNDS = 5
# Table 8: the most tuples a second of the paper's prototype in Java, eager, best plan.
PAPER_RATES = {"nested loops": 1_614, "hash, 5 buckets": 11_540}


def kernels() -> dict[str, Any]:
    """Rates of the best plan with nested loops, five buckets and an index per value."""
    nested = join_of(TABLE_5, TUPLES)
    merged = feed(nested, tables_of(nested))
    last = int(merged.tuples.ts[-1])
    batch = Batch(merged.tuples, last, last=True).pack()
    variants = {
        "nested loops": nested,
        "hash, 5 buckets": hashed(nested, 5),
        "index per value": hashed(nested),
    }
    programs: dict[str, tuple[Program, Plan]] = {}
    for name, workload in variants.items():
        plan = family("join_order").space(workload).best()
        programs[name] = (
            engine(plan.family).compile(
                PlanInput(plan, workload, merged.schema, Span(0, last), Split(1, None))
            ),
            plan,
        )
        programs[name][0].load()
    best: dict[str, Tally] = {}
    for _ in range(ROUNDS):
        for name, (program, plan) in programs.items():
            totals = program.step(None, batch, partition=0, most_rows=0).totals
            tally = program.tally([totals], plan)
            if name not in best or tally.kernel_seconds < best[name].kernel_seconds:
                best[name] = tally
    arrivals = len(merged.tuples.ts)
    rates = {name: arrivals / tally.kernel_seconds for name, tally in best.items()}
    return {
        "tuples": arrivals,
        "results": next(iter(best.values())).results,
        "same answer": len({(tally.results, tally.digest) for tally in best.values()}) == 1,
        "tuples per second": rates,
        "comparisons per second": {
            name: tally.comparisons / tally.kernel_seconds for name, tally in best.items()
        },
        "times the paper's prototype": {
            name: rates[name] / paper for name, paper in PAPER_RATES.items()
        },
    }
