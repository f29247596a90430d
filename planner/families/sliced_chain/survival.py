"""The survival index: how far into a chain a tuple goes, evaluated once when it arrives.

A tuple survives as stored (female) as far as the largest window on its own stream among the queries
whose condition it passes, and reaches as probing (male) as far as the largest window on the other
stream. Conditions that can raise neither any more are not evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.families.sliced_chain.groups import Condition, Group, Sides


@dataclass(frozen=True, slots=True)
class Asked:
    """A condition, and how far a tuple gets by it: as stored, and as probing."""

    condition: Condition
    survival: int
    reach: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is evaluated of one stream's tuples: `asked` in turn, beyond what every tuple has."""

    survival: int
    reach: int
    asked: tuple[Asked, ...]

    def text(self, group: Group) -> str:
        """The conditions in turn, each with the survival and the reach it gives."""
        told = (
            f"{a.condition}: {group.text_of(a.survival)}/{group.text_of(a.reach)}"
            for a in self.asked
        )
        return "; ".join(told)


def evaluation_of(group: Group, side: int) -> Evaluation:
    """Conditions by decreasing window, ties by query; none that no tuple gets further by."""
    far: dict[Condition, Sides] = {}
    for conditions, windows in group.furthest.items():
        survival, reach = far.get(conditions[side], (0, 0))
        own, other = windows[side], windows[1 - side]
        far[conditions[side]] = (max(survival, own), max(reach, other))
    survival, reach = far.pop(Condition(), (0, 0))
    asked = [
        Asked(condition, own, other)
        for condition, (own, other) in far.items()
        if own > survival or other > reach
    ]
    asked.sort(key=lambda a: (-max(a.survival, a.reach), -a.survival, -a.reach))
    return Evaluation(survival, reach, tuple(asked))
