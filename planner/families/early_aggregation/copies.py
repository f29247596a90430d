"""Self-joins: a tuple meets its own copy under the other alias.

In a window the copy is one tuple more that matches; in a set its entry is there for certain, which
counts where no other tuple would have filled it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.families.early_aggregation.contents import Content
from planner.families.early_aggregation.model import AggregationModel
from planner.joins.arrays import Floats, Ints
from planner.joins.graph import Twins


@dataclass(frozen=True, slots=True)
class Copies:
    """How often the copies of one stream's tuples meet, in one aggregation."""

    model: AggregationModel
    twins: Twins

    def other(self, place: int) -> int | None:
        """The other alias of this source's stream."""
        pair = (self.twins.earlier, self.twins.later)
        return next((p for p in pair if p != place), None) if place in pair else None

    def met_by(self, origin: int) -> float:
        """How many copies of itself an event of this alias meets, on average."""
        contents = self.model.contents
        arrives = 1.0 if origin == self.twins.later else 0.0
        if contents[origin].window.ends != "each":
            return arrives
        # Who leaves first finds its copy there; of equals that is the earlier alias.
        same = (
            contents[self.twins.longer].window.tuples == contents[self.twins.shorter].window.tuples
        )
        first = self.twins.earlier if same else self.twins.shorter
        return (arrives + (origin == first)) / 2

    def counts(self, place: int, is_set: bool) -> float:
        """What a copy in this content adds to what is met anyway."""
        return _not_filled(self.model.contents[place]) if is_set else 1.0

    def pairs(self, sets: Ints) -> Floats:
        """For another origin, pairs of copies per entry of the alias with the shorter window.

        `sets` says which of the two, shorter (1) and longer (2), are joined as sets.
        """
        shorter, longer = self.twins.shorter, self.twins.longer
        content = self.model.contents[shorter]
        tuples, entries = content.mean(is_set=False), content.mean(is_set=True)
        per_entry = tuples / entries if entries else 0.0
        table = [
            1.0,
            per_entry * self.counts(shorter, is_set=True),
            self.counts(longer, is_set=True),
            self.counts(longer, is_set=True),
        ]
        return np.array(table)[sets]


def _not_filled(content: Content) -> float:
    """The chance that no other tuple is in the entry of a given one."""
    return 1 - content.filled_anyway
