"""What a job is called: its workload and its plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.parts.shared import planning
from pages.parts.shared.formatting import counted
from planner.numbers import shortened

if TYPE_CHECKING:
    from runtime.control.job_entry import JobEntry
    from runtime.control.jobs import Job

# More plans than these are counted.
_NAMED = 2
_LONGEST = 60


def name(job: Job) -> str:
    """`Table 5: S1 first, then S2 and S2 first, then S1`."""
    subject = shortened(job.subject, _LONGEST)
    if job.entries[0].asked is None:
        return subject
    return f"{subject}: {plans(job)}"


def short_name(job: Job) -> str:
    """`2 plans of Table 5`: where the plans are named beside it."""
    subject = shortened(job.subject, _LONGEST)
    if job.entries[0].asked is None:
        return subject
    count = len({entry.request.label for entry in job.entries})
    return f"{'the run' if count == 1 else f'{count} plans'} of {subject}"


def entry_title(entry: JobEntry) -> str:
    """What people call the plan of an entry; a figure or a calibration has its own name."""
    asked = entry.asked
    if asked is None:
        return entry.request.label
    return planning.title(asked.family, asked.label, asked.workload)


def plans(job: Job) -> str:
    """Its plans, and how many runs where plans are repeated."""
    labels = {entry.request.label: entry for entry in reversed(job.entries)}
    names = [shortened(entry_title(entry), 48) for entry in reversed(labels.values())]
    if len(names) > _NAMED:
        names = [names[0], f"{len(names) - 1} more plans"]
    repeated = len(job.entries) > len(labels)
    return "; ".join(names) + (f", {counted(len(job.entries), 'run')}" if repeated else "")
