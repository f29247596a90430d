"""Labels of plans: the three strategies, and chains by the ends of their slices."""

from __future__ import annotations

from collections.abc import Sequence

from planner.errors import PlanError
from planner.joins.query_groups import Group
from planner.workload.validation import listed

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
    return tuple(_ends(group, own, label) for group, own in zip(groups, chains, strict=True))


def _ends(group: Group, text: str, label: str) -> tuple[int, ...]:
    known = {group.text_of(length): length for length in group.boundaries}
    first, *others = text.split("-")
    if first != "0" or not others:
        raise PlanError(f"a chain begins with 0; {_form([group])}", label)
    for end in others:
        if end not in known:
            windows = listed(group.text_of(length) for length in group.boundaries[1:])
            raise PlanError(f"{end!r} is no window of a query; slices end at {windows}", label)
    ends = tuple(known[end] for end in others)
    if list(ends) != sorted({*ends} - {0}):
        raise PlanError("the ends of slices must rise", label)
    if ends[-1] != group.boundaries[-1]:
        last = group.text_of(group.boundaries[-1])
        raise PlanError(f"the last slice must end at {last}, the largest window", label)
    return ends


def _form(groups: Sequence[Group]) -> str:
    every = label_of(groups, tuple(group.boundaries[1:] for group in groups))
    shown = every if len(every) <= 60 else "chain:0-END-END"
    return f"there are {', '.join(STRATEGIES)}, {MEM_OPT}, {CPU_OPT} and chains such as {shown}"
