"""Runs of one workload by plan: the one that stands for each, and the spread of its repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from runtime.run_summary import RunSummary


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
    the same in every run: `same_counts` says that they are.
    """

    newest: RunSummary
    repeats: tuple[RunSummary, ...]
    same_counts: bool

    def spread(self, part: str) -> Spread | None:
        """The `kernel`, `engine` or `total` seconds of the repeats; None where there are none."""
        seconds = [getattr(run, f"{part}_seconds") for run in self.repeats]
        known = [value for value in seconds if value is not None]
        return Spread(median(known), min(known), max(known), len(known)) if known else None


def by_plan(runs: Sequence[RunSummary]) -> list[PlanRuns]:
    """The plans that were measured, on each backend, cheapest prediction first.

    `runs` come newest first, and are of one workload and on the same data.
    """
    groups: dict[tuple[str, str | None], list[RunSummary]] = {}
    for run in runs:
        if is_measured(run):
            groups.setdefault((run.label, run.backend), []).append(run)
    found = [_plan(group) for group in groups.values()]
    return sorted(found, key=lambda plan: (plan.newest.predicted or 0.0, plan.newest.label))


def to_choose_from(plans: Sequence[PlanRuns], runs: Sequence[RunSummary]) -> list[RunSummary]:
    """The newest run of every plan in the plans' order, then the others."""
    first = {plan.newest.id: plan.newest for plan in plans}
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
    return PlanRuns(newest, tuple(alike), len({run.measured for run in finished}) <= 1)


def _how(run: RunSummary) -> tuple[str | None, int | None]:
    return run.way, run.partitions


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
