"""Why the model is wrong about operators of a run: reasons that were checked, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.files.tuple_table import Table
from planner.numbers import amount
from planner.plan.cost import q_error
from planner.plan.operator_names import operator_name, part_of
from runtime.diagnosis.arrival_reasons import of_rate
from runtime.diagnosis.diagnosis import Origin, Suspect, origin, suspects
from runtime.diagnosis.filter_check import passing
from runtime.diagnosis.lineage import asked_ahead
from runtime.diagnosis.probe_reasons import of_probe, of_results
from runtime.diagnosis.state_reasons import of_state
from runtime.runs.records import Run

UNITS = {
    "comparisons": ("made", "comparisons/s"),
    "inserts": ("made", "inserts/s"),
    "group_updates": ("made", "group updates/s"),
    "rows_out": ("gave", "rows/s"),
    "state_tuples": ("held", "tuples"),
}
_CONDITIONED = ("filter", "survive", "split", "select", "slice", "probe")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Operators that the model is wrong about for one reason, the worst first, and that reason."""

    suspects: tuple[Suspect, ...]
    reason: str

    @property
    def sentence(self) -> str:
        """Which operators by how much, and why."""
        told = "; ".join(map(told_error, self.suspects))
        return f"{told}: {self.reason}."


def diagnosed(run: Run, tables: Mapping[str, Table] | None = None) -> list[Diagnosis]:
    """The operators that the model is wrong about, with reasons; the worst first, none if none is.

    With the tuples of the run, their keys are looked at, too.
    """
    groups: dict[str, list[Suspect]] = {}
    for suspect in suspects(run):
        reason = _reason(run, origin(run, suspect), tables)
        groups.setdefault(reason, []).append(suspect)
    return [Diagnosis(tuple(group), reason) for reason, group in groups.items()]


def told_error(suspect: Suspect) -> str:
    """An operator with both figures, the q-error, and what share of the plan's figure it is off."""
    verb, unit = UNITS[suspect.field]
    error = q_error(suspect.predicted, suspect.measured)
    way = "over" if suspect.predicted > suspect.measured else "under"
    told = "" if error is None else f", q-error {error:.3g} {way}"
    part = f" ({words})" if (words := part_of(suspect.operator)) else ""
    share = f"an error of {100 * suspect.share:.2g}% of the plan's"
    return (
        f"{operator_name(suspect.operator)}{part} {verb} {amount(suspect.measured)} {unit}, "
        f"{amount(suspect.predicted)} predicted{told} ({share})"
    )


def _reason(run: Run, began: Origin, tables: Mapping[str, Table] | None) -> str:
    if began.factor == "rate":
        return of_rate(run, began.operator, began.predicted, began.measured)
    if began.factor == "held":
        return of_state(run, began, tables)
    if began.operator.kind in _CONDITIONED and tables is not None:
        passed = passing(run, tables, asked_ahead(run, began.operator))
        if passed:
            return passed
    if began.operator.kind == "probe":
        return of_probe(run, began, tables)
    return of_results(run, began, tables)
