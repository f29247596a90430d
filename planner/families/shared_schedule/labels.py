"""Labels of schedules: a policy, and the slice ends at which it decides if not at every window."""

from __future__ import annotations

from dataclasses import dataclass

from planner.errors import PlanError
from planner.joins.query_groups import Group
from planner.joins.slice_ends import slice_ends

LWO = "LWO"
SWF = "SWF"
MQT = "MQT"
WMQT = "WMQT"
EDF = "EDF"
FAIR = "FAIR"
OUT = "OUT"
POLICIES = (LWO, SWF, MQT, WMQT, EDF, FAIR, OUT)
NAMES = {
    LWO: "Largest Window Only",
    SWF: "Smallest Window First",
    MQT: "Maximum Query Throughput",
    WMQT: "Maximum Query Throughput by weights",
    EDF: "Earliest Deadline First",
    FAIR: "Least Worst Stretch",
    OUT: "Maximum Output Throughput",
}
CHAIN = "@chain:"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A policy; `ends` are the windows at which it may turn to another tuple, None for all."""

    policy: str
    ends: tuple[int, ...] | None = None

    def label(self, group: Group) -> str:
        """As the commands name it: `MQT`, `MQT@chain:0-5-30`."""
        if self.ends is None:
            return self.policy
        return f"{self.policy}{CHAIN}{'-'.join(map(group.text_of, (0, *self.ends)))}"

    def points(self, group: Group) -> tuple[int, ...]:
        """The windows at which a scan may end, in ticks, 0 first."""
        if self.ends is not None:
            return (0, *self.ends)
        # Largest Window Only never pauses.
        return (0, group.boundaries[-1]) if self.policy == LWO else group.boundaries


def schedule_of(group: Group, label: str) -> Schedule:
    """The schedule that a label names; a PlanError that says what labels look like otherwise."""
    policy, found, ends = label.partition(CHAIN)
    if policy not in POLICIES:
        raise PlanError(f"no such plan; {_form(group)}", label)
    return Schedule(policy, slice_ends(group, ends, label, _form(group)) if found else None)


def _form(group: Group) -> str:
    every = Schedule(MQT, group.boundaries[1:]).label(group)
    shown = every if len(every) <= 60 else f"{MQT}{CHAIN}0-END-END"
    return f"there are {', '.join(POLICIES)}, each also over slices such as {shown}"
