"""What drawings of shared joins show: joins by the age of what they hold, who taps in, and plans
against each other by memory and kinds of work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from planner.families.sliced_chain.layout import SlicedJoin
from planner.families.sliced_chain.model import ChainModel, GroupModel
from planner.families.sliced_chain.plans import BuiltChain
from planner.joins.shared.query_groups import BOTH, Group, Member, Unit
from planner.plan.cost import Cost
from planner.workload.validation import listed

ALL = "all"
# A list of more conditions than this is cut.
_MOST_CONDITIONS = 3


@dataclass(frozen=True, slots=True)
class DrawnJoin:
    """A slice or a regular join. Pairs are of the group's two streams, in this order.

    `entry` says which tuples are let in to be stored, `shares` how many of all that is. `inside`
    are the windows that end within it: where there are any, slices were merged. `selections` are
    the conditions that its results are held against.
    """

    operator: str
    name: str
    start: float
    ends: tuple[float, float]
    tuples: tuple[float, float]
    bytes: tuple[float, float]
    shares: tuple[float, float]
    entry: tuple[str, str]
    entering: float
    inside: tuple[float, ...]
    selections: tuple[str, ...]
    queries: tuple[str, ...]
    # Those of its queries that take a part of its results alone.
    routed: tuple[str, ...]

    @property
    def end(self) -> float:
        """Where its longer side ends."""
        return max(self.ends)


@dataclass(frozen=True, slots=True)
class TapGroup:
    """Queries with the same windows: where they tap into a chain."""

    queries: tuple[str, ...]
    windows: tuple[float, float]
    conditions: tuple[str, ...]
    routed: bool

    @property
    def longest(self) -> float:
        return max(self.windows)


@dataclass(frozen=True, slots=True)
class Picture:
    """The joins of one group of queries under one plan.

    `is_chain` says that one join goes on where the one before it ends; else each begins at 0.
    """

    group: int
    streams: tuple[str, str]
    unit: Unit
    on: str
    joins: tuple[DrawnJoin, ...]
    taps: tuple[TapGroup, ...]
    is_chain: bool

    @property
    def longest(self) -> float:
        return max(join.end for join in self.joins)

    @property
    def merged(self) -> int:
        """How many of its joins hold windows of several lengths."""
        return sum(bool(join.inside) for join in self.joins)


def pictures_of(model: ChainModel, built: BuiltChain) -> tuple[Picture, ...]:
    """The joins of every group, in the order of the plan's operators."""
    joins: dict[Group, list[tuple[str, SlicedJoin]]] = {group.group: [] for group in model.groups}
    for operator in built.plan.operators():
        join = built.subjects[operator.id]
        if operator.kind == "slice" and isinstance(join, SlicedJoin):
            joins[join.group].append((operator.id, join))
    return tuple(_picture(model.by_group[group], found) for group, found in joins.items())


def _picture(model: GroupModel, joins: list[tuple[str, SlicedJoin]]) -> Picture:
    group = model.group
    # One join that all queries share is a chain of one slice.
    is_chain = all(join.query is None and join.parts is None for _, join in joins)
    drawn = tuple(_drawn(model, operator, join) for operator, join in joins)
    routed = {query for join in drawn for query in join.routed}
    return Picture(
        group.number,
        group.streams,
        group.unit,
        group.on,
        tuple(sorted(drawn, key=lambda join: join.start)),
        tuple(_taps(model, routed)),
        is_chain,
    )


def _drawn(model: GroupModel, operator: str, join: SlicedJoin) -> DrawnJoin:
    first, second = model.flows(join)
    held = first.held.value, second.held.value
    sizes = [stream.tuple_bytes for stream in model.streams]
    inside = sorted({window for side in BOTH for window in join.interior[side]})
    return DrawnJoin(
        operator,
        _name(join),
        model.length(join.start),
        (model.length(join.ends[0]), model.length(join.ends[1])),
        (held[0], held[1]),
        (held[0] * sizes[0], held[1] * sizes[1]),
        (first.stored, second.stored),
        (_entry(join, 0), _entry(join, 1)),
        first.entering.value + second.entering.value,
        tuple(model.length(window) for window in inside),
        tuple(str(selection) for selection in join.selections if selection.is_needed),
        tuple(member.query for member in join.members),
        tuple(member.query for member in join.members if _is_routed(join, member)),
    )


def _name(join: SlicedJoin) -> str:
    """Whose join it is, where not all queries share it."""
    if join.query is not None:
        return join.query.query
    if join.parts is not None:
        return f"{_part(join, 0)} with {_part(join, 1)}"
    return ""


def _part(join: SlicedJoin, side: int) -> str:
    """Which tuples of a stream are in the join's part of it."""
    assert join.parts is not None
    conditions = join.group.conditions(side)
    holding = [str(c) for c in conditions if join.parts[side].passes(c)]
    if not conditions:
        return f"all {join.group.streams[side]}"
    return " and ".join(holding) or f"other {join.group.streams[side]}"


def _entry(join: SlicedJoin, side: int) -> str:
    """What a tuple of a stream must pass to be stored in the join."""
    if join.query is not None:
        return _any_of([str(join.query.conditions[side])])
    if join.parts is not None:
        return _part(join, side)
    if not join.sliced:
        return ALL
    beyond = (m for m in join.group.members if m.windows[side] > join.start)
    return _any_of(dict.fromkeys(str(m.conditions[side]) for m in beyond))


def _any_of(conditions: Iterable[str]) -> str:
    """Some of these conditions must hold; one that asks nothing lets all in."""
    asked = list(conditions)
    if "true" in asked:
        return ALL
    return listed(asked, _MOST_CONDITIONS).replace(", ", " or ") if asked else "none"


def _is_routed(join: SlicedJoin, member: Member) -> bool:
    """Whether a query's window ends inside the join, on either side."""
    return any(join.start < member.windows[side] < join.ends[side] for side in BOTH)


def _taps(model: GroupModel, routed: set[str]) -> Iterable[TapGroup]:
    by_windows: dict[tuple[int, int], list[Member]] = {}
    for member in model.group.members:
        by_windows.setdefault(member.windows, []).append(member)
    for windows, members in sorted(by_windows.items(), key=lambda pair: (max(pair[0]), pair[0])):
        yield TapGroup(
            tuple(member.query for member in members),
            (model.length(windows[0]), model.length(windows[1])),
            tuple(dict.fromkeys(_asked(member) for member in members)),
            any(member.query in routed for member in members),
        )


def _asked(member: Member) -> str:
    """What a query asks of both streams."""
    return " and ".join(str(c) for c in member.conditions if not c.is_open) or ALL


OVERHEAD = "Overhead of slices (c_sys)"
# What the comparisons of operators are made for, by their kind.
MADE_FOR = {
    "probe": "Probe",
    "slice": "Purge",
    "route": "Route",
    "select": "Select",
    "union": "Union",
    "filter": "Filter",
    "survive": "Filter",
    "split": "Filter",
}
KINDS = (*dict.fromkeys(MADE_FOR.values()), OVERHEAD)


def by_kind(work: Iterable[tuple[str, Cost]], overhead: float = 0.0) -> dict[str, float]:
    """Comparisons per second of a plan, in the order of KINDS; kinds that it has none of are out.

    >>> by_kind([("slice", Cost(4.0)), ("probe", Cost(9.0)), ("slice", Cost(2.0))])
    {'Probe': 9.0, 'Purge': 6.0}
    """
    found = dict.fromkeys(KINDS, 0.0) | {OVERHEAD: overhead}
    for operator_kind, cost in work:
        if operator_kind in MADE_FOR:
            found[MADE_FOR[operator_kind]] += cost.comparisons
    return {kind: value for kind, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class Balance:
    """What one plan holds and does. `work` adds up to its score, by kind of work."""

    label: str
    joins: int
    cost: Cost
    state_bytes: float
    work: Mapping[str, float]

    @property
    def score(self) -> float:
        """What plans are ranked by."""
        return sum(self.work.values())


@dataclass(frozen=True, slots=True)
class TradeOff:
    """The chains of one group, by rising score and falling state; exact where `epsilon` is 0.

    Labels are those of the workload with the other groups' chains as in CPU-Opt.
    """

    group: int
    labels: tuple[str, ...]
    scores: tuple[float, ...]
    state_tuples: tuple[float, ...]
    epsilon: float
