"""What a plan's time is spent on: every kind of work in words, how often, and what each takes."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan.cost import UNIT_FIELDS, Cost, UnitCosts
from planner.seconds.kernel_work import KernelWork

# The part of a cost that each unit is multiplied by; `given` is counted apart.
_COUNTED = {
    "compare": "comparisons",
    "insert": "inserts",
    "expire": "expirations",
    "group_update": "group_updates",
    "output": "rows_out",
}
# By the unit and the kind of operator, without its kernel; the longest that fits is taken.
_WORDS = {
    "compare": "a comparison",
    "compare probe scan": "a scanned comparison",
    "compare probe hash": "a comparison in a bucket",
    "compare probe each": "a comparison one by one",
    "compare slice": "a check whether a tuple is due",
    "compare route": "routing a result",
    "compare select": "a condition on a result",
    "compare union": "merging a result",
    "compare filter": "a condition on a tuple",
    "compare aggregate": "a comparison among groups",
    "compare update": "a comparison among groups",
    "insert": "storing a tuple",
    "expire": "expiring a tuple",
    "group_update": "updating a group",
    "output": "passing on a row",
    "output arrive": "taking in a tuple",
    "output output": "writing a result",
    "given": "a lookup",
    "given probe": "a lookup in a window",
    "given probe hash": "an index lookup",
    "given slice": "a tuple entering a slice",
    "given route": "routing a result",
    "given output": "starting an evaluation",
}


@dataclass(frozen=True, slots=True)
class Spending:
    """So often per second of stream is something done, which takes so many seconds each time."""

    words: str
    count: float
    seconds: float

    @property
    def each(self) -> float:
        """Seconds for doing it once, on average over operators."""
        return self.seconds / self.count if self.count else 0.0


def spending(work: KernelWork, units: UnitCosts) -> dict[str, Spending]:
    """What the seconds of a plan are spent on, by its words; together they are all of them."""
    counts: dict[str, float] = {}
    seconds: dict[str, float] = {}
    for own in work.operators:
        unit_costs = units.of(own.kind)
        for unit in UNIT_FIELDS:
            words = _words(unit, own.kind)
            count = own.given if unit == "given" else _count(own.cost, unit)
            counts[words] = counts.get(words, 0.0) + count
            seconds[words] = seconds.get(words, 0.0) + count * getattr(unit_costs, unit)
    return {words: Spending(words, counts[words], seconds[words]) for words in counts}


def _count(cost: Cost, unit: str) -> float:
    found: float = getattr(cost, _COUNTED[unit])
    return found


def _words(unit: str, kind: str) -> str:
    """The words for a unit of work of this kind of operator, `kernel kind access`."""
    parts = [unit, *kind.split()[1:]]
    known = (" ".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next(_WORDS[name] for name in known if name in _WORDS)
