"""Where the slices of a chain end, as labels name it: 0-5-30."""

from __future__ import annotations

from planner.errors import PlanError
from planner.joins.query_groups import Group
from planner.workload.validation import listed


def slice_ends(group: Group, text: str, label: str, form: str) -> tuple[int, ...]:
    """The ends that a text such as 0-5-30 names; a PlanError of this label says what is wrong.

    `form` says what labels look like.
    """
    known = {group.text_of(length): length for length in group.boundaries}
    first, *others = text.split("-")
    if first != "0" or not others:
        raise PlanError(f"a chain begins with 0; {form}", label)
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
