"""Late and early aggregation in the two-way hash setting of the paper's Figure 6, in turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bench.measuring import in_turns, rate
from planner.checks import microseconds
from planner.evaluation.aggregations import Row, grouped_join
from planner.execution import Execution
from planner.families import family
from runtime.batch import Batch
from runtime.generate import generate
from runtime.in_process import feed_of
from runtime.programs import compile_plan
from runtime.programs.program import Span
from runtime.split import Split

ROUNDS = 3
SECONDS = 100.0
# Tuples per second, tuples of the window, groups, and values of the key, of both streams.
STREAMS = (Row(300, 5000, 150, 10), Row(300, 5000, 1, 10))
LABELS = ("LAP", "EAP-11")


def aggregation() -> dict[str, Any]:
    """Tuples per second of both plans, and their ratio beside the predicted one."""
    workload = grouped_join("two-way", STREAMS, Execution(join="hash"))
    workload = replace(workload, run=replace(workload.run, seed=1, duration=SECONDS))
    known = family("early_aggregation")
    plans = {label: known.plan(workload, label) for label in LABELS}
    merged = feed_of(plans["LAP"], workload)(workload, generate(workload, SECONDS, seed=1))
    batch: Batch = Batch(merged.tuples, int(merged.tuples.ts[-1]), last=True)
    packed, span = batch.pack(), Span(0, microseconds(SECONDS))
    steps = {}
    for label, plan in plans.items():
        program = compile_plan(
            plan, workload, merged.codes, span, Split(1, None), merged.constants, merged.grouping
        )
        program.load()
        steps[label] = program
    timed = in_turns(
        {
            label: lambda p=program: p.step(None, packed, 0, False)
            for label, program in steps.items()
        },
        ROUNDS,
    )
    tallies = {
        label: steps[label].tally([timed[label].outcome.totals], plans[label]) for label in LABELS
    }
    rates = {label: rate(len(merged.tuples.ts), timed[label]) for label in LABELS}
    late, early = known.scores(workload, LABELS)
    return {
        "tuples": len(merged.tuples.ts),
        "same answer": len({(tally.results, tally.digest) for tally in tallies.values()}) == 1,
        "tuples per second": rates,
        "seconds of all rounds": {label: timed[label].all_seconds for label in LABELS},
        "EAP-11 over LAP, measured": rates["EAP-11"] / rates["LAP"],
        "EAP-11 over LAP, predicted": late / early,
    }
