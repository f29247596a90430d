"""Labels of plans: the three strategies, and chains by the ends of their slices."""

from __future__ import annotations

from collections.abc import Sequence

from planner.errors import PlanError
from planner.joins.query_groups import Group
from planner.joins.slice_ends import slice_ends

UNSHARED = "unshared"
PULL_UP = "pull-up"
PUSH_DOWN = "push-down"
STRATEGIES = (UNSHARED, PULL_UP, PUSH_DOWN)
MEM_OPT = "mem-opt"
CPU_OPT = "cpu-opt"
CHAIN = "chain:"

# The ends of the slices of every group's chain.
Ends = tuple[tuple[int, ...], ...]


def label_of(groups: Sequence[Group], ends: Ends) -> str:
    chains = zip(groups, ends, strict=True)
    return CHAIN + ";".join("-".join(map(group.text_of, (0, *own))) for group, own in chains)


def ends_of(groups: Sequence[Group], label: str) -> Ends:
    """The slice ends that a label names; a PlanError that says what labels look like otherwise."""
    if not label.startswith(CHAIN):
        raise PlanError(f"no such plan; {_form(groups)}", label)
    chains = label.removeprefix(CHAIN).split(";")
    if len(chains) != len(groups):
        text = f"{len(groups)} groups of queries" if len(groups) > 1 else "one group of queries"
        raise PlanError(f"there is {text}, a chain for each; {_form(groups)}", label)
    return tuple(
        slice_ends(group, own, label, _form([group]))
        for group, own in zip(groups, chains, strict=True)
    )


def _form(groups: Sequence[Group]) -> str:
    every = label_of(groups, tuple(group.boundaries[1:] for group in groups))
    shown = every if len(every) <= 60 else "chain:0-END-END"
    return f"there are {', '.join(STRATEGIES)}, {MEM_OPT}, {CPU_OPT} and chains such as {shown}"
