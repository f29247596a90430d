"""What the plan canvas draws, as plain data: boxes with their figures, lines, and the branches
that are open. Names are plain text here; the canvas never reads them as markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pages.parts.canvas import operator_panel
from pages.parts.canvas.graph_layout import Graph, GraphLayout, Room, laid_out
from pages.parts.shared.formatting import counted
from pages.parts.start.workload_picture import COLOURS
from planner.numbers import figure, shortened
from planner.plan.branches import Branch, branches
from planner.plan.by_operator import Costs
from planner.plan.cost import MET, Cost, Estimate, q_error, with_unit
from planner.plan.objective import WORK, Objective
from planner.plan.operator_names import operator_name
from planner.plan.plan import Operator, Plan
from planner.plan.plan_text import printable, to_text

# A plan with more operators starts with its branches folded, and with so many boxes.
MOST_UNFOLDED = 14
MOST_BOXES = 12
# Pixels: names are written so high, and can be read when they are drawn at least this high.
_LETTERS, READABLE_LETTERS = 12, 9
# About the room of a canvas in a column of a page.
ROOM = Room(530, 380)
# Of boxes with more operators, only the first is known to other parts of the page.
_MOST_MEMBERS = 40
BOX_WIDTH, LINE_HEIGHT = 192, 15
_LONGEST_NAME, _LONGEST_DEAREST = 24, 40
_LONGEST_TEXT = 4_000
_DEAREST = 3


@dataclass(frozen=True, slots=True)
class CanvasPlan:
    """What is drawn: heat is the share of `by`, a ring is measured over predicted.

    What `compared` does not have is marked. `measured` is empty where nothing was counted yet.
    `colours` are those of the streams, by their aliases; `notes` are lines for operators. `others`
    are the plans beside it, by label: their names and their operators.
    """

    plan: Plan
    estimate: Estimate
    by: Objective
    measured: Mapping[str, Cost] | None = None
    compared: Plan | None = None
    colours: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, tuple[str, frozenset[str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heat:
    """What each operator adds to the objective, or to the work where that is no sum."""

    by: Objective
    predicted: Mapping[str, float]
    measured: Mapping[str, float]
    note: str = ""

    @property
    def whole(self) -> float:
        return sum(self.predicted.values())


def heat_of(drawn: CanvasPlan) -> Heat:
    """By operator: the objective, predicted and measured; work where it cannot be split."""
    by, note = drawn.by, ""
    found = by.by_operator(drawn.plan, drawn.estimate)
    if found is None:
        note = f"{by.title} cannot be split by operator: colour shows comparisons."
        by, found = WORK, WORK.by_operator(drawn.plan, drawn.estimate) or {}
    every = {operator.id for operator in drawn.plan.operators()}
    measured: Mapping[str, float] = {}
    # A run counts operators as it goes: what is summed by kernels needs all of them.
    if drawn.measured and (by.part is not None or every <= set(drawn.measured)):
        measured = by.by_operator(drawn.plan, Costs(drawn.measured)) or {}
    return Heat(by, found, measured, note)


def opened_at_first(drawn: CanvasPlan, room: Room = ROOM) -> frozenset[str]:
    """The branches that are open before a click: all of a small plan; of a large one, those groups
    of branches that have most heat. No more than leave names that can be read in this room."""
    plan, outer = drawn.plan, branches(drawn.plan)
    is_small = len(plan.operators()) <= MOST_UNFOLDED
    every = frozenset(branch.id for one in outer for branch in one.every())
    if is_small and _is_readable(drawn, every, room):
        return every
    heat = heat_of(drawn).predicted
    groups = [branch for branch in outer if branch.inside or is_small]
    opened: frozenset[str] = frozenset()
    while groups:
        hottest = max(groups, key=lambda group: sum(heat.get(name, 0.0) for name in group.members))
        groups.remove(hottest)
        more = opened | {hottest.id}
        if len(_visible(plan, more)[0]) > MOST_BOXES or not _is_readable(drawn, more, room):
            continue
        opened = more
        groups += [inner for inner in hottest.inside if inner.inside or is_small]
    return opened


def _is_readable(drawn: CanvasPlan, opened: frozenset[str], room: Room) -> bool:
    layout = _layout(drawn, *_visible(drawn.plan, opened), room)
    return _LETTERS * room.scale(layout.width, layout.height) >= READABLE_LETTERS


def scene(drawn: CanvasPlan, opened: frozenset[str], room: Room = ROOM) -> dict[str, Any]:
    """All that the canvas needs, with the branches in `opened` unfolded."""
    heat = heat_of(drawn)
    boxes, frames = _visible(drawn.plan, opened)
    place_of = _places(boxes)
    operators = {operator.id: operator for operator in drawn.plan.operators()}
    flows = _flows(operators, place_of, drawn.estimate.costs)
    layout = _layout(drawn, boxes, frames, room)
    colours = drawn.colours or _fallback_colours(operators.values())
    dearest = sorted(heat.predicted, key=lambda name: -heat.predicted[name])[:_DEAREST]
    dearest = [name for name in dearest if heat.predicted[name] > 0]
    shown = {box.members[0] for box in boxes if len(box.members) == 1} | set(dearest)
    return {
        "plan": drawn.plan.id,
        "title": shortened(printable(drawn.plan.label), 80),
        "text": shortened(to_text(drawn.plan, drawn.estimate), _LONGEST_TEXT),
        "size": [layout.width, layout.height],
        "box": [BOX_WIDTH, _box_height(drawn)],
        "boxes": [
            _box(box, drawn, heat, operators, colours) | {"at": list(at)}
            for box, at in zip(boxes, layout.boxes, strict=True)
        ],
        "lines": [
            {"from": a, "to": b, "path": path, "rows": rows, "colour": colours.get(stream, "")}
            for ((a, b), (rows, stream)), path in zip(flows.items(), layout.lines, strict=True)
        ],
        "frames": [
            {"id": frame.id, "name": printable(frame.name), "at": list(at)}
            for frame, at in zip(frames, layout.frames, strict=True)
        ],
        "kinds": list(dict.fromkeys(operator.kind for operator in operators.values())),
        "others": [
            {
                "label": label,
                "name": printable(name),
                "boxes": [n for n, box in enumerate(boxes) if ids.issuperset(box.members)],
            }
            for label, (name, ids) in drawn.others.items()
        ],
        "folded": sum(box.branch is not None for box in boxes),
        "opened": sorted(opened),
        "dearest": [
            {
                "id": name,
                "name": shortened(printable(operator_name(operators[name])), _LONGEST_DEAREST),
                "share": operator_panel.share_text(heat.predicted[name], heat.whole),
                "box": place_of[name],
            }
            for name in dearest
        ],
        "panels": {
            name: operator_panel.of_operator(operators[name], drawn.estimate, drawn.measured)
            for name in shown
        },
        "heat": f"share of {heat.by.unit if heat.by.part else _kind(heat.by)}",
        "note": heat.note,
        "measures": drawn.measured is not None,
    }


@dataclass(frozen=True, slots=True)
class _Box:
    """An operator, or a folded branch of them."""

    members: tuple[str, ...]
    branch: Branch | None = None


def _visible(plan: Plan, opened: frozenset[str]) -> tuple[list[_Box], list[Branch]]:
    """The boxes that are drawn, and the innermost open branches, which are framed."""
    found: dict[str, _Box] = {}
    frames: list[Branch] = []

    def walk(branch: Branch) -> None:
        if len(branch.members) == 1:
            return
        if branch.id not in opened:
            box = _Box(branch.members, branch)
            found.update(dict.fromkeys(branch.members, box))
            return
        if not branch.inside:
            frames.append(branch)
        for inner in branch.inside:
            walk(inner)

    for outer in branches(plan):
        walk(outer)
    boxes = (found.get(operator.id, _Box((operator.id,))) for operator in plan.operators())
    return list(dict.fromkeys(boxes)), frames


def _places(boxes: Sequence[_Box]) -> dict[str, int]:
    """The number of the box that each operator is in."""
    return {member: place for place, box in enumerate(boxes) for member in box.members}


def _box_height(drawn: CanvasPlan) -> int:
    three_lines = drawn.measured is not None or bool(drawn.notes)
    return LINE_HEIGHT * (3 if three_lines else 2) + 14


def _layout(
    drawn: CanvasPlan, boxes: Sequence[_Box], frames: Sequence[Branch], room: Room
) -> GraphLayout:
    place_of = _places(boxes)
    operators = {operator.id: operator for operator in drawn.plan.operators()}
    graph = Graph(
        len(boxes),
        tuple(_flows(operators, place_of, drawn.estimate.costs)),
        tuple(tuple(sorted({place_of[m] for m in frame.members})) for frame in frames),
        BOX_WIDTH,
        _box_height(drawn),
        room,
    )
    return laid_out(graph)


def _flows(
    operators: Mapping[str, Operator], place_of: Mapping[str, int], costs: Mapping[str, Cost]
) -> dict[tuple[int, int], tuple[float, str]]:
    """Rows per second between boxes, and whose they are: 0 where stored tuples are read."""
    found: dict[tuple[int, int], tuple[float, str]] = {}
    for operator in operators.values():
        for source in operator.inputs:
            ends = place_of[source.id], place_of[operator.id]
            if ends[0] != ends[1]:
                rows, stream = found.get(ends, (0.0, _stream(source)))
                own = costs[source.id].rows_out if source.id in costs else 0.0
                found[ends] = rows + own, stream if stream == _stream(source) else ""
    return found


def _stream(operator: Operator) -> str:
    params = dict(operator.params)
    return str(params.get("origin", params.get("source", "")))


def _fallback_colours(operators: Iterator[Operator] | Any) -> dict[str, str]:
    names = sorted({_stream(op) for op in operators if op.kind in ("arrive", "table")})
    return {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}


def _name(operator: Operator) -> str:
    return shortened(printable(operator_name(operator)), _LONGEST_NAME)


def _box(
    box: _Box,
    drawn: CanvasPlan,
    heat: Heat,
    operators: Mapping[str, Operator],
    colours: Mapping[str, str],
) -> dict[str, Any]:
    first = operators[box.members[0]]
    predicted = sum(heat.predicted.get(name, 0.0) for name in box.members)
    cost = sum((drawn.estimate.costs.get(name, Cost()) for name in box.members), Cost())
    made = {
        "id": first.id if box.branch is None else box.branch.id,
        "kind": first.kind if box.branch is None else box.branch.kind,
        "name": _name(first) if box.branch is None else _branch_name(box.branch),
        "count": len(box.members),
        "members": list(box.members[:_MOST_MEMBERS]),
        "share": predicted / heat.whole if heat.whole else 0.0,
        "figure": _figure(predicted, cost, heat),
        "colour": colours.get(_one_stream(box, operators), ""),
    }
    if box.branch is not None:
        made["panel"] = _of_branch(box, drawn, heat, operators)
    if drawn.measured is not None:
        made |= _ring(box, predicted, cost, drawn.measured, heat)
    elif drawn.notes:
        made["note"] = drawn.notes.get(first.id, "") if box.branch is None else ""
    if drawn.compared is not None:
        known = {operator.id for operator in drawn.compared.operators()}
        made["alone"] = sum(name not in known for name in box.members)
    return made


def _branch_name(branch: Branch) -> str:
    word = {"query": "query ", "slice": "slice "}.get(branch.kind, "")
    if branch.inside:
        word = {"query": "queries ", "slice": "slices "}.get(branch.kind, "")
    return shortened(printable(f"{word}{branch.name}"), _LONGEST_NAME)


def _one_stream(box: _Box, operators: Mapping[str, Operator]) -> str:
    """The stream that all operators of a box handle; empty where they differ."""
    names = {_stream(operators[name]) for name in box.members}
    return names.pop() if len(names) == 1 else ""


def _kind(by: Objective) -> str:
    """`time`, `memory`: what is summed up, in one word."""
    return by.kind.lower() or by.title.lower()


def _figure(predicted: float, cost: Cost, heat: Heat) -> str:
    """What is written on a box: its part of the objective, or else its rows or tuples."""
    if predicted:
        share = operator_panel.share_text(predicted, heat.whole)
        if heat.by.part is None:
            return f"{share} of {_kind(heat.by)}"
        return f"{with_unit(figure(predicted), heat.by.part)} · {share}"
    return operator_panel.main_figure(cost)


def _ring(
    box: _Box, predicted: float, cost: Cost, measured: Mapping[str, Cost], heat: Heat
) -> dict[str, Any]:
    """Measured over predicted: of the objective, or of the box's main figure where it has none."""
    if not any(name in measured for name in box.members):
        return {"measured": "not counted yet", "ratio": None}
    counts = sum((measured.get(name, Cost()) for name in box.members), Cost())
    if predicted and heat.measured:
        expected, found = predicted, sum(heat.measured.get(name, 0.0) for name in box.members)
        text = figure(found) if heat.by.part is not None else ""
    else:
        part = operator_panel.main_part(cost) or operator_panel.main_part(counts)
        expected, found = getattr(cost, part or "rows_out"), getattr(counts, part or "rows_out")
        text = figure(found)
    # A run that goes on counts in numbers of numpy, which are not JSON.
    expected, found = float(expected), float(found)
    error = q_error(expected, found)
    mark = operator_panel.arrow(expected, found)
    return {
        "measured": f"measured {text} · {mark}" if text else f"measured · {mark}",
        "ratio": found / expected if expected else (1.0 if found == expected else None),
        "met": error is not None and error <= MET,
        "over": expected > found,
    }


def _of_branch(
    box: _Box, drawn: CanvasPlan, heat: Heat, operators: Mapping[str, Operator]
) -> dict[str, Any]:
    """The panel of a folded branch: its costs in all, and the dearest of its operators."""
    assert box.branch is not None
    ordered = sorted(box.members, key=lambda name: -heat.predicted.get(name, 0.0))
    inner = [
        f"{_name(operators[name])}: "
        f"{_figure(heat.predicted.get(name, 0.0), drawn.estimate.costs.get(name, Cost()), heat)}"
        for name in ordered[:8]
    ]
    more = len(ordered) - len(inner)
    return operator_panel.of_costs(box.members, drawn.estimate, drawn.measured) | {
        "title": f"{_branch_name(box.branch)}: {counted(len(box.members), 'operator')}",
        "inside": [*inner, *([f"and {more} more"] if more else [])],
    }
