"""A plan as text: a tree with what each operator should cost, and nested loops per origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from planner.numbers import amount, figure, shortened
from planner.plan.cost import Cost, Estimate, with_unit
from planner.plan.loop_orders import pipeline_of
from planner.plan.plan import Operator, Plan


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is laid over one operator of a drawing: more lines, and a colour to fill it with."""

    lines: tuple[str, ...] = ()
    colour: str | None = None


Overlays = Mapping[str, Overlay]


def title(operator: Operator) -> str:
    """An operator in a few words: its kind and its parameters."""
    params = " ".join(f"{name}={shortened(printable(str(v)))}" for name, v in operator.params)
    return f"{operator.kind} {params}".rstrip()


def cost_text(cost: Cost) -> str:
    """What is not zero of a cost, with its units; nothing where all of it is."""
    spent = ((name, value) for name, value in cost.as_dict().items() if value)
    return ", ".join(with_unit(amount(value), name) for name, value in spent)


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


def to_loops(
    plan: Plan, estimate: Estimate | None = None, costs: Mapping[str, str] | None = None
) -> str:
    """A join plan as nested for-loops, one nest per origin; empty where a plan has no probes.

    `costs` says what the loop of each probe costs; without it, that is its comparisons.
    """
    if costs is None and estimate is not None:
        costs = {
            name: f"{amount(cost.comparisons)} comparisons/s"
            for name, cost in estimate.costs.items()
        }
    nests = loop_nests(plan, estimate, costs or {})
    return "\n\n".join("\n".join(text for text, _ in nest) for nest in nests)


# A line of loops, and the id of the probe that it stands for; empty where it stands for none.
LoopLine = tuple[str, str]


def loop_nests(
    plan: Plan, estimate: Estimate | None, costs: Mapping[str, str]
) -> list[list[LoopLine]]:
    """The nests of `to_loops`, line by line."""
    nests = []
    for root in plan.roots:
        every = str(dict(root.params).get("evaluate", ""))
        for end in root.inputs:
            probes = pipeline_of(end)[1:]
            # A chain's slices and a star's streams probe, too, but in no loops.
            if probes and {"origin", "access"} <= set(dict(probes[0].params)):
                nests.append(list(_nest(probes, every, estimate, costs)))
    return nests


def _nest(
    probes: Sequence[Operator], every: str, estimate: Estimate | None, costs: Mapping[str, str]
) -> Iterator[LoopLine]:
    origin = _name(probes[0], "origin")
    outermost = _name(probes[0].inputs[0], "source")
    names = [outermost, *(_name(probe, "source") for probe in probes)]
    # What each line says, what it costs, and whose it is.
    lines: list[tuple[str, str, str]] = []
    if every:
        # The new tuples of a batch have a loop of their own, like any other source.
        yield f"{every} s, for new tuples of {origin}", ""
        new = f"new tuple of {origin}"
        lines.append(
            (f"for each {new if outermost == origin else f'tuple of {outermost}'}", "", "")
        )
    else:
        yield f"when a tuple arrives on {origin}", ""
        if outermost != origin:
            lines.append((f"for each tuple of {outermost}", "", ""))
    for name, probe in zip(names[1:], probes, strict=True):
        if name != origin:
            text = f"for each tuple of {name}{_reached_by(probe)} that matches"
        else:
            text = (
                f"for each new tuple of {origin} that matches" if every else f"if {origin} matches"
            )
        cost = f"  [{costs[probe.id]}]" if probe.id in costs else ""
        lines.append((text, cost, probe.id))
    for depth, (text, work, probe_id) in enumerate(lines, start=1):
        yield f"{'  ' * depth}{text}{work}", probe_id
    out = estimate.costs[probes[-1].id].rows_out if estimate is not None else None
    rows = f"  [{figure(out)} rows/s]" if out is not None else ""
    yield f"{'  ' * (len(lines) + 1)}return ({', '.join(names)}){rows}", ""


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
