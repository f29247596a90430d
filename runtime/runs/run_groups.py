"""Runs of one workload by plan: the one that stands for each, and the spread of its repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from planner.families.registry import FAMILIES, family
from planner.plan.cost import Cost, total
from planner.plan.objective import Objective
from runtime.runs.records import Run
from runtime.runs.run_summary import RunSummary

# Of the seconds of a run.
PARTS = ("kernel", "engine", "start", "total")
# The objective that runs measure by the clock.
_TIME = "seconds"


@dataclass(frozen=True, slots=True)
class Spread:
    """Seconds over repeats."""

    median: float
    least: float
    most: float
    runs: int


@dataclass(frozen=True, slots=True)
class PlanRuns:
    """The runs of one plan. `newest` stands for it: finished, or cancelled where none is.

    `repeats` are the finished runs that were run as it was, itself among them. Counts of a plan are
    the same in every run that gave the same answer: `same_counts` says that they are.
    """

    newest: RunSummary
    repeats: tuple[RunSummary, ...]
    same_counts: bool

    def spread(self, part: str) -> Spread | None:
        """The seconds of a part of the repeats (see PARTS); None where there are none."""
        return spread_of(self.repeats, part)


def spread_of(runs: Sequence[RunSummary], part: str) -> Spread | None:
    """The seconds of a part of these runs; None where none is known."""
    seconds = [getattr(run, f"{part}_seconds") for run in runs]
    known = [value for value in seconds if value is not None]
    return Spread(median(known), min(known), max(known), len(known)) if known else None


@dataclass(frozen=True, slots=True)
class Manner:
    """How a plan was run. Seconds of plans are comparable where all were run in one manner."""

    way: str | None
    backend: str | None
    pace: float | None = None
    master: str | None = None


def manner_of(run: RunSummary) -> Manner:
    """How this run was run."""
    return Manner(run.way, run.backend, run.pace, run.master)


def manners(runs: Sequence[RunSummary]) -> dict[Manner, list[RunSummary]]:
    """The finished runs by how they were run. First those that tell most about plans: without a
    pace, which is waited for, and of most plans; of these the newest."""
    found: dict[Manner, list[RunSummary]] = {}
    for run in runs:
        if run.status == "finished" and run.engine_seconds is not None:
            found.setdefault(manner_of(run), []).append(run)
    return dict(sorted(found.items(), key=_least_telling))


def _least_telling(entry: tuple[Manner, list[RunSummary]]) -> tuple[bool, int, float]:
    manner, runs = entry
    plans = len({run.label for run in runs})
    return manner.pace is not None, -plans, -max(run.started for run in runs)


def seconds_by_plan(
    runs: Sequence[RunSummary],
) -> list[tuple[str, dict[str, Spread | None]]]:
    """The seconds of each plan, of runs in one manner: with as many partitions as its newest had,
    best prediction first."""
    groups: dict[str, list[RunSummary]] = {}
    for run in sorted(runs, key=lambda run: -run.started):
        group = groups.setdefault(run.label, [])
        if not group or run.partitions == group[0].partitions:
            group.append(run)
    ordered = sorted(groups.values(), key=lambda group: _best_first(group[0]))
    return [(g[0].label, {part: spread_of(g, part) for part in PARTS}) for g in ordered]


def by_plan(runs: Sequence[RunSummary]) -> list[PlanRuns]:
    """The plans that were measured, on each backend, best prediction first.

    `runs` come newest first, and are of one workload and on the same data.
    """
    groups: dict[tuple[str, str | None], list[RunSummary]] = {}
    for run in runs:
        if is_measured(run):
            groups.setdefault((run.label, run.backend), []).append(run)
    found = [_plan(group) for group in groups.values()]
    return sorted(found, key=lambda plan: _best_first(plan.newest))


def _best_first(run: RunSummary) -> tuple[bool, float, str]:
    # Runs of families that this version does not know have no figure.
    by = next((known.objective for known in FAMILIES if known.name == run.family), None)
    if by is None:
        return False, 0.0, run.label
    # What is never the best comes last, whatever its figure.
    return not by.eligible(run.label), *by.key(run.predicted or 0.0, run.label)


def to_choose_from(
    plans: Sequence[PlanRuns], runs: Sequence[RunSummary], by: Objective
) -> list[RunSummary]:
    """The newest run of every plan in the plans' order, then the others.

    Plans that can never be the best stand behind those that can.
    """
    ordered = sorted(plans, key=lambda plan: not by.eligible(plan.newest.label))
    first = {plan.newest.id: plan.newest for plan in ordered}
    return [*first.values(), *(run for run in runs if run.id not in first)]


def is_measured(run: RunSummary) -> bool:
    """Whether there is something to show of the run: it came to an end, or was cancelled on its way
    after something was counted."""
    counted = run.answer is not None or run.measured is not None
    return counted and run.status in ("finished", "cancelled")


def _plan(group: Sequence[RunSummary]) -> PlanRuns:
    finished = [run for run in group if run.status == "finished"]
    newest = (finished or group)[0]
    alike = [run for run in finished if _how(run) == _how(newest)]
    return PlanRuns(newest, tuple(alike), _same_counts(finished))


def _same_counts(finished: Sequence[RunSummary]) -> bool:
    """Whether runs with one answer counted the same work; who must have one is judged elsewhere."""
    answers = {run.answer for run in finished}
    return len({(run.answer, run.measured) for run in finished}) <= len(answers)


def _how(run: RunSummary) -> tuple[Manner, int | None]:
    return manner_of(run), run.partitions


def same_data(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """The runs on the data of the newest one: the user's files may have changed since then."""
    return [run for run in runs if run.data_digest == runs[0].data_digest]


def answers_apart(runs: Sequence[RunSummary]) -> list[RunSummary]:
    """One finished run for each plan and answer: what must be read to say who agrees."""
    found: dict[tuple[str, str | None, str | None], RunSummary] = {}
    for run in runs:
        if run.status == "finished":
            found.setdefault((run.label, run.backend, run.answer), run)
    return list(found.values())


def predicted_cost(run: Run) -> Cost:
    """What the whole plan should have cost."""
    return total(run.estimate.costs, (root.id for root in run.plan.roots))


def measured_cost(run: Run) -> Cost | None:
    """What the whole plan cost; None where nothing was measured."""
    if run.measurement is None or not run.measurement.costs:
        return None
    return total(run.measurement.costs, (root.id for root in run.plan.roots))


def objective_of(run: Run, by: Objective | None = None) -> Objective:
    """What runs are compared by: as asked for, else what plans of the family are ranked by."""
    return by or family(run.plan.family).objective


def as_measured(by: Objective) -> Objective:
    """The objective in the unit that runs measure it in: time is what a run spent in kernels."""
    if by.name != _TIME:
        return by
    return replace(
        by, title="Kernel seconds", unit="kernel seconds", better="faster", worse="longer"
    )


def is_timed(by: Objective) -> bool:
    """Whether plans are compared by the clock."""
    return by.name == _TIME


def scores(run: Run, by: Objective | None = None) -> tuple[float | None, float | None]:
    """What plans are ranked by, predicted and measured; None where it is not known.

    Of time these are the seconds in kernels, over the whole run and by the clock.
    """
    by, found = objective_of(run, by), run.measurement
    if is_timed(by):
        expected = run.predicted_kernel.seconds if run.predicted_kernel else None
        # What was spent until a run was cancelled is no figure of its plan.
        is_whole = found is not None and found.reached is None
        return expected, found.timings.kernel if found and is_whole else None
    return by.of(run.plan, run.estimate), None if found is None else by.of(run.plan, found)


def measured_scores(
    runs: Iterable[Run], by: Objective | None = None
) -> list[tuple[Run, float, float]]:
    """The runs of which both figures are known, with what was predicted and what was measured."""
    pairs = ((run, *scores(run, by)) for run in runs)
    return [(run, p, m) for run, p, m in pairs if p is not None and m is not None]


def typical(plan: PlanRuns, run: Run) -> Run:
    """The newest run of a plan with the median seconds of its repeats, which plans are compared by:
    the counts of repeats are the same, their seconds are not."""
    if run.measurement is None or len(plan.repeats) < 2:
        return run
    spreads = {part: plan.spread(part) for part in PARTS}
    medians = {part: spread.median for part, spread in spreads.items() if spread is not None}
    timings = replace(run.measurement.timings, **medians)
    return replace(run, measurement=replace(run.measurement, timings=timings))


def spark_share(runs: Iterable[Run]) -> float | None:
    """The part of the seconds in Spark that is not spent in kernels: its own overhead.

    Kernel seconds are summed over tasks, which run side by side. None where there are no kernels.
    """
    timed = [
        (run.measurement.timings.kernel / run.partitions, run.measurement.timings.engine)
        for run in runs
        if run.measurement is not None and run.measurement.timings.kernel is not None
    ]
    engine = sum(seconds for _, seconds in timed)
    return max(0.0, 1 - sum(kernel for kernel, _ in timed) / engine) if engine > 0 else None


def best_first(plans: Iterable[PlanRuns], runs: Mapping[str, Run], by: Objective) -> list[PlanRuns]:
    """The plans by what their newest runs should have by this objective, best prediction first."""

    def key(plan: PlanRuns) -> tuple[bool, tuple[float, str]]:
        expected, _ = scores(runs[plan.newest.id], by)
        return expected is None, by.key(expected or 0.0, plan.newest.label)

    return sorted(plans, key=key)
