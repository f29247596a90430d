"""How long results of lazy joins wait for an evaluation: predicted beside measured."""

from __future__ import annotations

import json

import numpy as np
import pytest

from planner.experiments.experiment import Point
from planner.families.join_order import NAME
from planner.families.registry import family
from planner.files.workload_file import load_workload
from planner.workload.validation import microseconds
from planner.workload.workload import Workload
from runtime.data.batch import Batch
from runtime.data.feed import Span, Split
from runtime.data.run_data import generated, run_seconds
from runtime.engines.protocol import PlanInput
from runtime.engines.registry import engine
from runtime.experiments.measurement import Sampler

TAU = 4.0


def _workload(evaluate: object = None) -> Workload:
    streams = [
        {"name": name, "rate": rate, "attributes": {"k": {"distinct": 20}}}
        for name, rate in (("A", 8), ("B", 3), ("C", 2))
    ]
    text = "SELECT * FROM A [RANGE 20], B [RANGE 10], C [RANGE 15] WHERE A.k = B.k AND B.k = C.k"
    content = {
        "version": 1,
        "name": "lazy",
        "streams": streams,
        "queries": [{"name": "Q1", "text": text}],
        "execution": {"evaluate": evaluate or "eager"},
        "run": {"seed": 3, "warmup": 40, "duration": 400},
    }
    return load_workload(json.dumps(content), "lazy")


@pytest.mark.parametrize("label", ["A,B,C", "naive:C,A,B"])
def test_results_wait_half_of_tau_on_average_and_tau_at_most(label: str) -> None:
    workload = _workload({"every": TAU})
    space = family(NAME).space(workload)
    predicted = space.estimate(space.plan(label)).qualities["Q1"]
    measured = Sampler().sample(Point(label, workload, NAME, label), 3).qualities["Q1"]
    assert (predicted.delay_ms, predicted.delay_ms_max) == (1e3 * TAU / 2, 1e3 * TAU)
    assert measured.delay_ms == pytest.approx(predicted.delay_ms, rel=0.03)
    assert measured.delay_ms_max is not None
    assert 0.95 * 1e3 * TAU < measured.delay_ms_max <= 1e3 * TAU


def test_delays_are_those_of_the_results_by_their_definition() -> None:
    """From the rows that are kept: a result waits from its last tuple until the next tick."""
    workload = _workload({"every": TAU})
    plan = family(NAME).space(workload).plan("A,B,C")
    runs = engine(NAME)
    fed = runs.feed(plan, workload)(workload, generated(workload))
    span = Span(microseconds(workload.warmup), microseconds(run_seconds(workload)))
    found = []
    for partitions in (1, 3):
        split = Split(partitions, None)
        program = runs.compile(PlanInput(plan, workload, fed.schema, span, split))
        program.load()
        batch = Batch(fed.tuples, span.end, last=True).pack()
        steps = [program.step(None, batch, n, most_rows=10**6) for n in range(partitions)]
        rows = np.concatenate([step.rows for step in steps])
        ticks = -(-rows[:, -1] // microseconds(TAU)) * microseconds(TAU)
        # What arrives at a tick is evaluated at the next one.
        ticks += (ticks == rows[:, -1]) * microseconds(TAU)
        counted = (span.warmup < ticks) & (ticks <= span.end)
        waits = (ticks - rows[:, -1])[counted] / 1e3
        quality = program.tally([step.totals for step in steps], plan).qualities["Q1"]
        assert quality.delay_ms == pytest.approx(waits.mean())
        assert quality.delay_ms_max == pytest.approx(waits.max())
        found.append(quality)
    assert found[0] == found[1]


def test_eager_plans_have_no_delay() -> None:
    space = family(NAME).space(_workload())
    assert space.estimate(space.plan("A,B,C")).qualities["Q1"].delay_ms is None
    sample = Sampler().sample(Point("eager", _workload(), NAME, "naive:A,B,C"), 3)
    assert not sample.qualities
