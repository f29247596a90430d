"""How the tuples of a plan get into its chains: gates made of the operators ahead of joins."""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.families.sliced_chain.layout import SlicedJoin
from planner.families.sliced_chain.plans import BuiltChain, Feeding
from planner.joins.shared.query_groups import BOTH, Condition, Group
from planner.joins.shared.shares import parts_of
from planner.plan.plan import Operator
from runtime.engines.pair_columns import PairColumns
from runtime.engines.sliced_chain.chain_program import FILTER, OPEN, SPLIT, SURVIVE, Gate
from runtime.engines.sliced_chain.counters import Meter


@dataclass(slots=True)
class Used:
    """How many rows of counters are taken already."""

    gates: int = 0
    slices: int = 0
    selects: int = 0
    chains: int = 0


@dataclass(slots=True)
class Meters:
    """Where each operator is counted: in every era that has it."""

    by_operator: dict[str, list[Meter]] = field(default_factory=dict)
    unions: set[int] = field(default_factory=set)

    def add(self, operator: Operator, *rows: int) -> None:
        """The operator is counted in these rows too."""
        known = self.by_operator.setdefault(operator.id, [])
        if list(rows) not in known:
            known.append(list(rows))

    def last(self, operator: Operator) -> int:
        """The one row of a slice, probe or route of the era in the making."""
        return next(rows[0] for rows in reversed(self.by_operator[operator.id]) if len(rows) == 1)


class Entries:
    """The gates of one plan as they are made, and the conditions they and its selects are about."""

    def __init__(self, built: BuiltChain, columns: PairColumns, used: Used, meters: Meters) -> None:
        self._built, self._columns, self._used, self._meters = built, columns, used, meters
        self._conditions: list[dict[Condition, int]] = [{} for _ in columns.streams]
        self._gate_of: dict[str, int] = {}
        self.gates: list[Gate] = []

    def of(self, operator: Operator, join: SlicedJoin, side: int) -> list[int]:
        """The gate through which tuples of a side come, and which of its parts enter."""
        stream = join.group.streams[side]
        feed = next(fed for fed in operator.inputs if fed.param("source") == stream)
        about = self._built.subjects[feed.id]
        assert isinstance(about, Feeding)
        if feed.id not in self._gate_of:
            self._gate_of[feed.id] = len(self.gates)
            self.gates.append(self._gate(feed, about))
        part = 1
        if feed.kind == "split" and join.parts is not None:
            part = parts_of(join.group, side).index(join.parts[side])
        return [self._gate_of[feed.id], part]

    def numbers(self, group: Group, conditions: tuple[Condition, Condition]) -> list[int]:
        """The conditions on both streams by number; -1 for one that asks nothing."""
        return [
            -1 if asked.is_open else self._condition(self._columns.stream(group, side), asked)
            for side, asked in zip(BOTH, conditions, strict=True)
        ]

    def conjunctions(self) -> list[list[list[list[float]]]]:
        """The conditions on each stream."""
        return [
            [self._columns.conjunction(condition) for condition in of_stream]
            for of_stream in self._conditions
        ]

    def _gate(self, feed: Operator, about: Feeding) -> Gate:
        stream = self._columns.stream(about.group, about.side)
        row = self._used.gates
        if feed.kind == "arrive":
            return Gate(OPEN, stream)
        if feed.kind == "filter":
            filters = [feed]
            while filters[0].inputs[0].kind == "filter":
                filters.insert(0, filters[0].inputs[0])
            for place, operator in enumerate(filters):
                self._meters.add(operator, row + place)
            self._used.gates += len(filters)
            chosen = [self._condition(stream, Condition(about.filters))]
            return Gate(FILTER, stream, row, len(filters), chosen)
        self._meters.add(feed, row)
        self._used.gates += 1
        if about.evaluation is not None:
            asked = about.evaluation.asked
            return Gate(
                SURVIVE,
                stream,
                row,
                1,
                [self._condition(stream, a.condition) for a in asked],
                far=[[a.survival, a.reach] for a in asked],
                least=[about.evaluation.survival, about.evaluation.reach],
            )
        conditions = about.group.conditions(about.side)
        parts = parts_of(about.group, about.side)
        return Gate(
            SPLIT,
            stream,
            row,
            1,
            [self._condition(stream, condition) for condition in conditions],
            parts=[[part.mask >> k & 1 for k in range(len(conditions))] for part in parts],
        )

    def _condition(self, stream: int, condition: Condition) -> int:
        known = self._conditions[stream]
        return known.setdefault(condition, len(known))
