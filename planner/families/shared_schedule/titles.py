"""Policies as people say them: who is served first."""

from __future__ import annotations

from planner.families.shared_schedule.labels import CHAIN, EDF, FAIR, LWO, MQT, OUT, SWF, WMQT

_NAMES = {
    LWO: "Largest window only",
    SWF: "Smallest window first",
    MQT: "Most queries first",
    WMQT: "Most weight first",
    EDF: "Earliest deadline first",
    FAIR: "Most delayed first",
    OUT: "Most results first",
}
# Of more slices only their number is named.
_MOST_ENDS = 5


def title(label: str) -> str:
    """A label in words.

    >>> title("LWO"), title("MQT@chain:0-5-30")
    ('Largest window only (LWO)', 'Most queries first, in slices 5, 30 (MQT)')
    """
    policy, sliced, ends = label.partition(CHAIN)
    if policy not in _NAMES:
        return label
    if not sliced:
        return f"{_NAMES[policy]} ({policy})"
    named = ends.split("-")[1:]
    text = f"slices {', '.join(named)}" if len(named) <= _MOST_ENDS else f"{len(named)} slices"
    return f"{_NAMES[policy]}, in {text} ({policy})"
