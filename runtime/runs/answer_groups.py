"""Which runs of one workload and data must give the same answer, and which may give a part of it.

A run that measured a recall below 1 kept to a bound, and its answer is a subset of the exact one.
Only runs that shed alike must agree: with the same plan, in as many partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runtime.runs.records import Run

# The answers of a run: a digest for each query.
Answers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Subset:
    """What part of the exact answer a run found; None where importance was not measured."""

    results: float
    importance: float | None


def subset_of(run: Run) -> Subset | None:
    """The part of the exact answer that a run found; None where it found all of it."""
    if run.measurement is None:
        return None
    found = run.measurement
    recalls = {
        query: quality.recall
        for query, quality in found.qualities.items()
        if quality.recall is not None
    }
    if not recalls or min(recalls.values()) >= 1:
        return None
    exact = found.shed.get("exact", {})
    whole, results = exact.get("importance"), exact.get("results")
    importance = [q.importance for q in found.qualities.values() if q.importance is not None]
    return Subset(
        sum(found.results.values()) / results if results else min(recalls.values()),
        sum(importance) / whole if whole and importance else None,
    )


def must_agree(runs: Iterable[Run]) -> list[list[Run]]:
    """The runs in groups whose answers must be equal; those with the whole answer come first."""
    groups: dict[tuple[str, int] | None, list[Run]] = {None: []}
    for run in runs:
        if run.measurement is not None:
            kind = None if subset_of(run) is None else (run.plan.label, run.partitions)
            groups.setdefault(kind, []).append(run)
    return [group for group in groups.values() if group]


def by_answer(runs: Sequence[Run]) -> dict[Answers, list[Run]]:
    """The runs that gave each answer."""
    found: dict[Answers, list[Run]] = {}
    for run in runs:
        if run.measurement is not None:
            key = tuple(sorted(run.measurement.answers.items()))
            found.setdefault(key, []).append(run)
    return found
