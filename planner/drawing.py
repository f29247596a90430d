"""A plan as text: a tree with what each operator should cost, and nested loops per origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.cost import Cost, Estimate
from planner.plan import Operator, Plan
from planner.wording import amount, shortened


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is laid over one operator of a drawing: more lines, and a colour to fill it with."""

    lines: tuple[str, ...] = ()
    colour: str | None = None


Overlays = Mapping[str, Overlay]

_UNITS = {
    "comparisons": "comparisons/s",
    "inserts": "inserts/s",
    "expirations": "expiry checks/s",
    "group_updates": "group updates/s",
    "rows_out": "rows/s",
    "state_tuples": "tuples held",
}


def title(operator: Operator) -> str:
    """An operator in a few words: its kind and its parameters."""
    params = " ".join(f"{name}={shortened(printable(str(v)))}" for name, v in operator.params)
    return f"{operator.kind} {params}".rstrip()


def cost_text(cost: Cost) -> str:
    """What is not zero of a cost, with its units; nothing where all of it is."""
    spent = ((name, value) for name, value in cost.as_dict().items() if value)
    return ", ".join(f"{amount(value)} {_UNITS[name]}" for name, value in spent)


def printable(text: str) -> str:
    """The text on one line: control characters would break a drawing into pieces."""
    return "".join(c if c.isprintable() else " " for c in text)


def to_text(plan: Plan, estimate: Estimate | None = None, overlays: Overlays | None = None) -> str:
    """The plan as a tree from its roots down; what was drawn already is named, not repeated."""
    lines = [f"{plan.family} {shortened(printable(plan.label), 400)}"]
    drawn: set[str] = set()
    for place, root in enumerate(plan.roots):
        last = place == len(plan.roots) - 1
        lines.extend(_tree(root, last, drawn, estimate, overlays or {}))
    return "\n".join(lines)


def _tree(
    root: Operator,
    last_root: bool,
    drawn: set[str],
    estimate: Estimate | None,
    overlays: Overlays,
) -> Iterator[str]:
    # An explicit stack: a chain of thousands of slices must not meet the recursion limit.
    stack: list[tuple[Operator, str, bool]] = [(root, "", last_root)]
    while stack:
        operator, indent, last = stack.pop()
        lead, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        known = operator.id in drawn
        drawn.add(operator.id)
        yield f"{indent}{lead}{title(operator)}{_priced(operator, estimate, known)}"
        if known:
            continue
        over = overlays.get(operator.id, Overlay())
        yield from (f"{indent}{below}  {printable(line)}" for line in over.lines)
        inputs = [
            (op, f"{indent}{below}", i == 0) for i, op in enumerate(reversed(operator.inputs))
        ]
        stack.extend(inputs)


def _priced(operator: Operator, estimate: Estimate | None, known: bool) -> str:
    if known:
        return "  (above)" if operator.inputs else ""
    cost = cost_text(estimate.costs[operator.id]) if estimate is not None else ""
    return f"  [{cost}]" if cost else ""


def to_loops(plan: Plan, estimate: Estimate | None = None) -> str:
    """A join plan as nested for-loops, one nest per origin; empty where a plan has no probes."""
    nests = []
    for root in plan.roots:
        for end in root.inputs:
            probes = _pipeline(end)
            if probes:
                nests.append("\n".join(_nest(probes, estimate)))
    return "\n\n".join(nests)


def _pipeline(end: Operator) -> list[Operator]:
    """The probes that lead to this operator, first one first."""
    probes: list[Operator] = []
    while end.kind == "probe":
        probes.append(end)
        end = end.inputs[0]
    return probes[::-1]


def _nest(probes: Sequence[Operator], estimate: Estimate | None) -> Iterator[str]:
    names = [_name(probe, "source") for probe in probes]
    origin = _name(probes[0], "origin")
    yield f"when a tuple arrives on {origin}"
    for depth, probe in enumerate(probes, start=1):
        indent = "  " * depth
        where = f"{names[depth - 1]}{_reached_by(probe)}"
        cost = estimate.costs[probe.id].comparisons if estimate is not None else None
        work = f"  [{amount(cost)} comparisons/s]" if cost is not None else ""
        yield f"{indent}for each tuple of {where} that matches{work}"
    members = ", ".join([origin, *names])
    cost = estimate.costs[probes[-1].id].rows_out if estimate is not None else None
    rows = f"  [{amount(cost)} rows/s]" if cost is not None else ""
    yield f"{'  ' * (len(probes) + 1)}return ({members}){rows}"


def _name(operator: Operator, param: str) -> str:
    return shortened(printable(str(operator.param(param))))


def _reached_by(probe: Operator) -> str:
    if probe.param("access") == "scan":
        return ""
    buckets = probe.param("buckets")
    return (
        "'s entry of the key"
        if buckets == "per-value"
        else f"'s bucket of the key (1 of {buckets})"
    )
