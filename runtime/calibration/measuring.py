"""Designed runs measured in this process: what each did, and the processor's seconds it took."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from planner.cost import Cost
from planner.evaluation.experiment import Point
from planner.families import chosen_plan, family
from planner.plan import Plan
from planner.work import Kernel, Work, batch_work, work_of
from planner.workload import Workload
from runtime.calibration.design import Design
from runtime.calibration.fitting import Observation
from runtime.calibration.overhead import ChainRun
from runtime.evaluation.sampling import Sample, Sampler


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: of which kernel, what it did; of chains that differ in their slices, that too."""

    kernel: Kernel
    observation: Observation
    chain: ChainRun | None = None


def measure(design: Design, repeats: int, after_each: Callable[[], None]) -> Iterable[Measured]:
    """Run the plans of a design, the best of some repeats each; compiling is not timed."""
    sampler, workload = Sampler(), design.workload
    for label in design.plans:
        after_each()
        sample = sampler.sample(
            Point(label, workload, design.family, label), workload.run.seed, repeats
        )
        plan = chosen_plan(family(design.family), workload, label)
        chain = None
        if design.merged:
            comparisons = sample.cost.comparisons * sample.span
            # Without filters every tuple enters every slice.
            entering = sample.tuples * plan.label.count("-")
            chain = ChainRun(workload.name, comparisons, entering, sample.seconds)
        yield Measured(design.kernel, observed(plan, workload, sample), chain)


def observed(plan: Plan, workload: Workload, sample: Sample) -> Observation:
    """What a sample did in all of its one batch."""
    work = tuple(_times(own, sample.span) for own in work_of(plan, sample.operators, workload))
    return Observation((*work, batch_work(plan, sample.operators, workload)), sample.seconds)


def _times(work: Work, seconds: float) -> Work:
    counts = {name: count * seconds for name, count in work.cost.as_dict().items()}
    return Work(work.kind, Cost(**counts), work.given * seconds)
