"""Which plan ran when, in a run that switched its plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.adapt.switches import Switch


@dataclass(frozen=True, slots=True)
class PlanSpan:
    """A plan, from when to when it ran, in seconds of the run, and why it was switched to."""

    label: str
    begin: float
    end: float
    reason: str = ""


def plan_spans(first: str, switches: Sequence[Switch], until: float) -> list[PlanSpan]:
    """The plans of a run that has come so far, in their order.

    >>> made = Switch(10_000_000, 1, "A,B", "B,A", "it costs less", 60.0, 0.0)
    >>> [(span.label, span.begin, span.end) for span in plan_spans("A,B", [made], 40)]
    [('A,B', 0.0, 10.0), ('B,A', 10.0, 40)]
    """
    begins = [0.0, *(switch.at / 1e6 for switch in switches)]
    labels = [switches[0].before if switches else first, *(switch.after for switch in switches)]
    reasons = ["", *(switch.reason for switch in switches)]
    ends = [*begins[1:], max(until, begins[-1])]
    return [PlanSpan(*span) for span in zip(labels, begins, ends, reasons, strict=True)]
